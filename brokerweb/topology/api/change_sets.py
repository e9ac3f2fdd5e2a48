"""Change sets: begun, looked at, edited in bulk, undone, reconciled, applied; and revisions taken back."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Status

from brokerweb.accounts.api import editing, viewing
from brokerweb.common.api.etag import expected_revision, expected_revision_if_given, set_revision
from brokerweb.common.api.names import ESTATE
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.topology.api.basis import InChangeSet, decided
from brokerweb.topology.api.change_set_schemas import (
    ChangeSetApplied,
    ChangeSetIn,
    ChangeSetOut,
    ChangeSetPage,
    ChangeSetPatch,
    ChangeSetsAsked,
    ChangesIn,
    ConflictIn,
    DraftMoved,
    DraftTurned,
    ObjectsQuery,
)
from brokerweb.topology.api.schemas import RevisionOut
from brokerweb.topology.selectors.change_sets import change_set_page, change_set_picture
from brokerweb.topology.selectors.draft_objects import WHOLE, ObjectsAsked
from brokerweb.topology.services.bulk import changes_decide
from brokerweb.topology.services.change_sets import (
    change_set_apply,
    change_set_create,
    change_set_discard,
    change_set_rebase,
    change_set_rename,
    revision_revert,
)
from brokerweb.topology.services.conflicts import conflict_decide
from brokerweb.topology.services.undo import Turned, draft_redo, draft_undo

router = Router(tags=["change sets"])

CHANGE_SETS = ESTATE + "/change-sets"
CHANGE_SET = CHANGE_SETS + "/{int:number}"


@router.get(CHANGE_SETS, response={200: ChangeSetPage}, operation_id="change_sets_list", auth=viewing)
def change_sets_list(
    request: HttpRequest,
    estate: str,
    asked: ChangeSetsAsked = Query(...),  # noqa: B008
) -> ChangeSetPage:
    """The change sets of an estate, newest first."""
    refuse_unknown(request, asked)
    return ChangeSetPage(**change_set_page(estate, state=asked.state, before=asked.before, limit=asked.limit))


@router.post(CHANGE_SETS, response={201: ChangeSetOut}, operation_id="change_set_create", auth=editing)
def change_set_create_(request: HttpRequest, response: HttpResponse, estate: str, body: ChangeSetIn) -> Status:
    """Begin a change set on top of what is live now."""
    draft = change_set_create(estate, title=body.title, user=request.auth)
    return Status(201, _told(request, response, estate, draft.number))


@router.get(CHANGE_SET, response={200: ChangeSetOut}, operation_id="change_set_read", auth=viewing)
def change_set_read(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    number: int,
    asked: ObjectsQuery = Query(...),  # noqa: B008
) -> ChangeSetOut:
    """A change set: what was done in it, and the objects that it changes, page by page.

    Each object stands beside what it was made from and what is live.
    """
    refuse_unknown(request, asked)
    return _told(request, response, estate, number, ObjectsAsked(**asked.dict()))


@router.patch(CHANGE_SET, response={200: ChangeSetOut}, operation_id="change_set_update", auth=editing)
def change_set_update(
    request: HttpRequest, response: HttpResponse, estate: str, number: int, body: ChangeSetPatch
) -> ChangeSetOut:
    """Another title."""
    change_set_rename(estate, number, body.title, expected_sequence=expected_revision_if_given(request, number))
    return _told(request, response, estate, number)


@router.delete(CHANGE_SET, response={200: DraftMoved}, operation_id="change_set_discard", auth=editing)
def change_set_discard_(request: HttpRequest, response: HttpResponse, estate: str, number: int) -> DraftMoved:
    """Give a change set up. What was done in it stays in the log."""
    sequence = change_set_discard(
        estate, number, user=request.auth, expected_sequence=expected_revision_if_given(request, number)
    )
    return _moved(response, number, sequence)


@router.post(CHANGE_SET + "/undo", response={200: DraftTurned}, operation_id="change_set_undo", auth=editing)
def change_set_undo(request: HttpRequest, response: HttpResponse, estate: str, number: int) -> DraftTurned:
    """Undo one's own last action, if what it changed is as it left it."""
    turned = draft_undo(
        estate, number, user=request.auth, expected_sequence=expected_revision_if_given(request, number)
    )
    return _turned(response, number, turned)


@router.post(CHANGE_SET + "/redo", response={200: DraftTurned}, operation_id="change_set_redo", auth=editing)
def change_set_redo(request: HttpRequest, response: HttpResponse, estate: str, number: int) -> DraftTurned:
    """Do again what one has undone last, unless one has done something else since."""
    turned = draft_redo(
        estate, number, user=request.auth, expected_sequence=expected_revision_if_given(request, number)
    )
    return _turned(response, number, turned)


@router.post(
    CHANGE_SET + "/conflicts",
    response={200: DraftMoved},
    operation_id="change_set_conflict_decide",
    auth=editing,
)
def change_set_conflict_decide(
    request: HttpRequest, response: HttpResponse, estate: str, number: int, body: ConflictIn
) -> DraftMoved:
    """Decide one conflict: keep what the change set has, or take what is live."""
    sequence = conflict_decide(
        estate,
        number,
        instance=body.instance,
        database=body.database,
        kind=body.kind,
        name=body.name,
        takes_theirs=body.decision == "theirs",
        user=request.auth,
        expected_sequence=expected_revision_if_given(request, number),
    )
    return _moved(response, number, sequence)


@router.post(CHANGE_SET + "/rebase", response={200: DraftMoved}, operation_id="change_set_rebase", auth=editing)
def change_set_rebase_(request: HttpRequest, response: HttpResponse, estate: str, number: int) -> DraftMoved:
    """Put a change set on top of what is live now; conflicts stay until they are decided."""
    sequence = change_set_rebase(
        estate, number, user=request.auth, expected_sequence=expected_revision_if_given(request, number)
    )
    return _moved(response, number, sequence)


@router.post(CHANGE_SET + "/apply", response={200: ChangeSetApplied}, operation_id="change_set_apply", auth=editing)
def change_set_apply_(request: HttpRequest, response: HttpResponse, estate: str, number: int) -> ChangeSetApplied:
    """Make a change set live, in all instances at once. If-Match names what was looked at before."""
    revision = change_set_apply(estate, number, user=request.auth, expected_sequence=expected_revision(request, number))
    set_revision(response, revision)
    return ChangeSetApplied(number=number, revision=revision)


@router.post(
    ESTATE + "/revisions/{int:revision}/revert",
    response={201: ChangeSetOut},
    operation_id="revision_revert",
    auth=editing,
)
def revision_revert_(request: HttpRequest, response: HttpResponse, estate: str, revision: int) -> Status:
    """A new change set that puts back what a revision has changed; nothing is live before it is applied."""
    draft = revision_revert(estate, revision, user=request.auth)
    return Status(201, _told(request, response, estate, draft.number))


@router.post(ESTATE + "/changes", response={200: RevisionOut}, operation_id="changes_make", auth=editing)
def changes_make(
    request: HttpRequest, response: HttpResponse, estate: str, body: ChangesIn, change_set: int | None = InChangeSet
) -> RevisionOut:
    """Any number of changes to any number of objects and instances as one action, all or nothing.

    If-Match names the revision, or the state of the change set, that they were made from.
    """
    number = changes_decide(
        estate,
        body.changes,
        summary=body.summary,
        change_set=change_set,
        user=request.auth,
        expected_revision=expected_revision(request, change_set),
    )
    return decided(response, estate, number, change_set)


def _told(
    request: HttpRequest, response: HttpResponse, estate: str, number: int, asked: ObjectsAsked = WHOLE
) -> ChangeSetOut:
    told = ChangeSetOut(**change_set_picture(estate, number, request.auth, asked))
    set_revision(response, told.sequence, number)
    return told


def _moved(response: HttpResponse, number: int, sequence: int) -> DraftMoved:
    set_revision(response, sequence, number)
    return DraftMoved(number=number, sequence=sequence)


def _turned(response: HttpResponse, number: int, turned: Turned) -> DraftTurned:
    set_revision(response, turned.sequence, number)
    return DraftTurned(number=number, sequence=turned.sequence, summary=turned.summary)
