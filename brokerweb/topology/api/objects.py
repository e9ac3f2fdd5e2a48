"""Lists of objects of every kind, one object with its T-SQL, and edits of one or many by form."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import gettext as _
from ninja import Query, Router, Status

from brokerweb.accounts.api import editing, viewing
from brokerweb.common.api.etag import expected_revision, set_revision
from brokerweb.common.api.names import ESTATE
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.common.errors import MalformedRequest
from brokerweb.common.languages import error_words
from brokerweb.topology.api.basis import InChangeSet, decided
from brokerweb.topology.api.change_set_schemas import ObjectKind
from brokerweb.topology.api.object_schemas import (
    CountsAsked,
    EditedOut,
    EditProblem,
    ListAskedQuery,
    ListFilter,
    ObjectAsked,
    ObjectCreated,
    ObjectIn,
    ObjectOut,
    ObjectPage,
    ObjectsEdited,
    ObjectsEditIn,
)
from brokerweb.topology.listing import Kind
from brokerweb.topology.selectors.listing import ListAsked, object_counts
from brokerweb.topology.selectors.listing_pictures import Place, list_csv, object_page, object_picture
from brokerweb.topology.services.listing import listing_ensure
from brokerweb.topology.services.objects import (
    EditAsked,
    EditedRow,
    EditResult,
    ObjectName,
    object_create,
    objects_edit,
    objects_preview,
)

router = Router(tags=["objects"])
OBJECTS = ESTATE + "/objects"
KIND = OBJECTS + "/{kind}"
ROWS_SHOWN_MAX = 500


@router.get(OBJECTS, response={200: dict[str, int]}, operation_id="objects_count", auth=viewing)
def objects_count(
    request: HttpRequest,
    estate: str,
    asked: CountsAsked = Query(...),  # noqa: B008
) -> dict[str, int]:
    """How many objects of each kind there are; in a change set with those that it adds and removes."""
    refuse_unknown(request, asked)
    listing_ensure(estate)
    return object_counts(estate, asked.change_set)


@router.get(
    KIND,
    response={200: ObjectPage},
    operation_id="objects_list",
    auth=viewing,
    openapi_extra={"responses": {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}},
)
def objects_list(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    kind: ObjectKind,
    asked: ListAskedQuery = Query(...),  # noqa: B008
) -> ObjectPage | HttpResponseBase:
    """A page of the objects of a kind, sorted and filtered by the server; with `format` all of them as a file."""
    refuse_unknown(request, asked)
    listing_ensure(estate)
    wanted = _listed(kind, asked, asked.sort, is_descending=asked.descending)
    if asked.format == "csv":
        lines = list_csv(estate, wanted, change_set=asked.change_set)
        file = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
        file["Content-Disposition"] = f'attachment; filename="{kind}.csv"'
        return file
    found, picture = object_page(estate, wanted, change_set=asked.change_set, page=asked.page, rows=asked.rows)
    if found.draft is None:
        set_revision(response, found.estate.revision)
    else:
        set_revision(response, found.draft.sequence, found.draft.number)
    return ObjectPage(**picture)


@router.get(KIND + "/object", response={200: ObjectOut}, operation_id="object_read", auth=viewing)
def object_read(
    request: HttpRequest,
    estate: str,
    kind: ObjectKind,
    asked: ObjectAsked = Query(...),  # noqa: B008
) -> ObjectOut:
    """One object with what names it and the T-SQL that makes it."""
    refuse_unknown(request, asked)
    listing_ensure(estate)
    place = Place(asked.instance, asked.database, asked.name)
    return ObjectOut(**object_picture(estate, Kind(kind), place, change_set=asked.change_set))


@router.post(KIND, response={201: ObjectCreated, 200: ObjectCreated}, operation_id="object_create", auth=editing)
def object_create_(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    kind: ObjectKind,
    body: ObjectIn,
    change_set: int | None = InChangeSet,
) -> Status:
    """CREATE of an object of any kind that can be made from fields; a dry run says what is wrong with them."""
    number = object_create(
        estate,
        Kind(kind),
        ObjectName(body.instance, body.database, body.name),
        body.fields,
        change_set=change_set,
        user=request.auth,
        is_dry_run=body.dry_run,
    )
    if number is None:
        return Status(200, ObjectCreated(revision=None))
    return Status(201, ObjectCreated(**decided(response, estate, number, change_set).dict()))


@router.post(KIND + "/edits", response={200: ObjectsEdited}, operation_id="objects_edit", auth=editing)
def objects_edit_(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    kind: ObjectKind,
    body: ObjectsEditIn,
    change_set: int | None = InChangeSet,
) -> ObjectsEdited:
    """ALTER or DROP of objects of a kind as one action, and one step of undo. If-Match names what it was made from.

    A dry run tells of each object what would become of it, and needs no If-Match.
    """
    if (body.objects is None) == (body.filter is None):
        raise MalformedRequest(
            _("It takes objects or a filter, one of the two."),
            why=_("An edit without a selection would be one of everything."),
            pointer="/objects",
        )
    listing_ensure(estate)
    names = (
        None if body.objects is None else [ObjectName(each.instance, each.database, each.name) for each in body.objects]
    )
    asked = EditAsked(
        kind=Kind(kind),
        names=names,
        listed=None if body.filter is None else _listed(kind, body.filter, "name", is_descending=False),
        patch=None if body.action == "drop" else body.patch,
        leaves_refused=body.leave_refused,
    )
    if body.dry_run:
        return _edited(objects_preview(estate, asked, change_set=change_set))
    expected = expected_revision(request, change_set)
    result = objects_edit(estate, asked, change_set=change_set, user=request.auth, expected_revision=expected)
    answer = _edited(result)
    assert result.number is not None
    told = decided(response, estate, result.number, change_set)
    answer.revision, answer.change_set, answer.sequence = told.revision, told.change_set, told.sequence
    return answer


def _listed(kind: str, asked: ListFilter, sort: str, *, is_descending: bool) -> ListAsked:
    return ListAsked(
        kind=Kind(kind),
        text=asked.text,
        instance=asked.instance,
        database=asked.database,
        service=asked.service,
        target=asked.target,
        state=asked.state,
        is_on=asked.on,
        is_expired=asked.expired,
        changed=asked.changed,
        sort=sort,
        is_descending=is_descending,
    )


def _edited(result: EditResult) -> ObjectsEdited:
    rows = sorted(result.rows, key=lambda row: row.outcome != "refused")
    outcomes = [row.outcome for row in rows]
    return ObjectsEdited(
        total=len(rows),
        changed=outcomes.count("change") + outcomes.count("drop"),
        same=outcomes.count("same"),
        refused=outcomes.count("refused"),
        rows=[_row(row) for row in rows[:ROWS_SHOWN_MAX]],
        revision=None,
    )


def _row(row: EditedRow) -> EditedOut:
    error = row.error
    problem = None
    if error is not None:
        said = error_words(error)
        problem = EditProblem(code=error.number, detail=said.text, why=said.why, cure=said.cure, pointer=row.pointer)
    return EditedOut(
        instance=row.instance,
        database=row.database,
        name=row.name,
        outcome=row.outcome,
        fields=row.fields,
        problem=problem,
    )
