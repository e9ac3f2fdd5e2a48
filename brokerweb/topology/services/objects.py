"""Objects edited, dropped and made by form, one or many at a time: looked at first, then one decision for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import EngineRefused, MalformedRequest, ObjectNotFound
from brokerweb.topology.listing import Kind
from brokerweb.topology.models import ChangeSet, Estate, Instance
from brokerweb.topology.names import fold
from brokerweb.topology.object_edits import INSTANCE_KINDS, alteration, creation, instance_names, removal
from brokerweb.topology.selectors.catalogs import instance_catalog
from brokerweb.topology.selectors.drafts import change_set_of, draft_instance
from brokerweb.topology.selectors.findings import estate_of
from brokerweb.topology.selectors.listing import ListAsked, ObjectList
from brokerweb.topology.services.drafts import draft_decide, draft_open
from brokerweb.topology.services.revision import DraftStep, InstanceStep, estate_lock, revision_check, revision_write
from brokerweb.topology.summaries import kind_word, saying
from engine import api as engine

POINTERS = {
    "ADDRESS": "address",
    "MIRROR_ADDRESS": "mirror_address",
    "SERVICE_NAME": "service_name",
    "BROKER_INSTANCE": "broker_instance",
    "LIFETIME": "lifetime_seconds",
    "AUTHENTICATION": "authentication",
    "ENCRYPTION": "encryption",
    "LISTENER_PORT": "port",
    "LISTENER_IP": "listener_ip",
    "MESSAGE_FORWARD_SIZE": "message_forward_size_megabytes",
    "PARTNER": "partner_address",
}
"""The field of a form for the clause that an error names."""
CLAUSES = {field: clause for clause, field in POINTERS.items()}


class ObjectName(msgspec.Struct, frozen=True):
    """Which object of a kind; `database` is None for what belongs to the instance."""

    instance: str
    database: str | None
    name: str


class EditAsked(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done with which objects: those named, or all that a list shows."""

    kind: Kind
    names: Sequence[ObjectName] | None
    listed: ListAsked | None
    patch: Mapping[str, Any] | None
    """The fields to set; None drops the objects."""
    leaves_refused: bool = False
    """Whether those that are refused are left as they are, and the others done."""


class EditedRow(msgspec.Struct, kw_only=True):
    """What becomes of one object. `outcome`: change, drop, same, refused."""

    instance: str
    database: str | None
    name: str
    outcome: str
    fields: list[dict[str, Any]] = []
    error: engine.BrokerError | None = None
    pointer: str | None = None


class EditResult(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of all of them. `number` is the revision or the change set's sequence; None when only looked at."""

    rows: list[EditedRow]
    number: int | None


class _Basis(msgspec.Struct, frozen=True):
    """What objects are edited in: what is live, or a draft."""

    estate: Estate
    draft: ChangeSet | None

    def catalog(self, instance: str) -> tuple[Instance | None, engine.InstanceCatalog]:
        """An instance as it is there; `ObjectNotFound` when it is not."""
        row = Instance.objects.filter(estate=self.estate, folded_name=fold(instance)).first()
        if self.draft is None:
            if row is None:
                raise ObjectNotFound(
                    _("Estate {name} has no instance {instance}.").format(name=self.estate.name, instance=instance)
                )
            return row, instance_catalog(row)
        name = instance if row is None else row.name
        found = draft_instance(self.draft, name)
        if found.is_new and not found.merge.catalog.databases:
            raise ObjectNotFound(
                _("Change set #{number} has no instance {instance}.").format(
                    number=self.draft.number, instance=instance
                )
            )
        return row, found.merge.catalog


def objects_preview(estate_name: str, asked: EditAsked, *, change_set: int | None) -> EditResult:
    """What an edit would do, object by object; nothing is decided. Raises as `objects_edit` but for revisions."""
    estate = estate_of(estate_name)
    basis = _Basis(estate, None if change_set is None else change_set_of(estate, change_set))
    rows, _steps = _planned(basis, asked)
    return EditResult(rows=rows, number=None)


@transaction.atomic
def objects_edit(
    estate_name: str, asked: EditAsked, *, change_set: int | None, user: User | None, expected_revision: int | None
) -> EditResult:
    """Edit or drop objects as one decision, in a draft one step of undo; where nothing is left to do, none is taken.

    Raises `EngineRefused` for the first object that is refused, unless those are to be left, `MalformedRequest` for a
    patch that the kind does not take, `ObjectNotFound`, `RevisionConflict`, `ChangeSetClosed`.
    """
    estate = estate_lock(estate_name)
    draft = None if change_set is None else draft_open(estate, change_set, expected_revision)
    if draft is None:
        revision_check(estate, expected_revision)
    rows, steps = _planned(_Basis(estate, draft), asked)
    refused = next((row for row in rows if row.error is not None), None)
    if refused is not None and not asked.leaves_refused:
        assert refused.error is not None
        raise EngineRefused(refused.error, refused.pointer, object=refused.name, instance=refused.instance)
    done = [row for row in rows if row.outcome != "refused"]
    if not done:
        return EditResult(rows=rows, number=estate.revision if draft is None else draft.sequence)
    return EditResult(rows=rows, number=_decide(estate, draft, steps, user, _summary(asked, done)))


@transaction.atomic
def object_create(
    estate_name: str,
    kind: Kind,
    where: ObjectName,
    fields: Mapping[str, Any],
    *,
    change_set: int | None,
    user: User | None,
    is_dry_run: bool,
) -> int | None:
    """CREATE of an object; answers the revision or sequence, None when it was only tried.

    Raises `EngineRefused` with a pointer at the field, `MalformedRequest`, `ObjectNotFound`, `ChangeSetClosed`.
    """
    estate = estate_lock(estate_name)
    draft = None if change_set is None else draft_open(estate, change_set, None)
    basis = _Basis(estate, draft)
    try:
        if kind is Kind.INSTANCE:
            step = _new_instance(basis, where.name, fields, is_dry_run=is_dry_run)
        else:
            if kind not in (*INSTANCE_KINDS, Kind.DATABASE) and not where.database:
                raise MalformedRequest(_("No database is named."), pointer="/database")
            row, before = basis.catalog(where.instance)
            new_id = engine.OperatingSystemEntropy().new_uuid
            home = None if kind is Kind.DATABASE else _spelled(before, where.database)
            changes = creation(kind, home, where.name, fields, now=_utc_now(), new_id=new_id)
            step = _step(row, draft, before, engine.apply_changes(before, changes), changes)
    except engine.BrokerError as error:
        raise EngineRefused(error, _pointer(error, fields, "/fields") or "/name") from error
    if is_dry_run:
        return None
    return _decide(estate, draft, [step], user, _creation_summary(kind, where))


def _new_instance(basis: _Basis, name: str, fields: Mapping[str, Any], *, is_dry_run: bool) -> InstanceStep | DraftStep:
    """A server as set-up leaves it, under its further host names."""
    known = {fold(row.name) for row in basis.estate.instances.all()}
    if basis.draft is not None and draft_instance(basis.draft, name).merge.catalog.databases:
        known.add(fold(name))
    if fold(name) in known:
        raise MalformedRequest(
            _("The estate has an instance {name} already.").format(name=name),
            why=_("Instances are told apart by name, without regard to letter case."),
            cure=_("Choose another name."),
            pointer="/name",
        )
    born = engine.new_instance(engine.InstanceName(name), engine.OperatingSystemEntropy())
    after = engine.apply_changes(born, instance_names(fields))
    empty = engine.InstanceCatalog(name=after.name)
    row = None
    if basis.draft is None and not is_dry_run:
        row = Instance.objects.create(estate=basis.estate, name=name, folded_name=fold(name))
    return _step(row, basis.draft, empty, after, engine.diff_catalogs(empty, after))


def _planned(basis: _Basis, asked: EditAsked) -> tuple[list[EditedRow], list[InstanceStep | DraftStep]]:
    rows: list[EditedRow] = []
    steps: list[InstanceStep | DraftStep] = []
    for instance, names in _chosen(basis, asked).items():
        row, before = basis.catalog(instance)
        after, of_instance, changes = _of_instance(before, names, asked)
        rows += of_instance
        if changes:
            steps.append(_step(row, basis.draft, before, after, changes))
    return rows, steps


def _chosen(basis: _Basis, asked: EditAsked) -> dict[str, list[ObjectName]]:
    """The objects to edit by instance, each once however it is spelled."""
    chosen: dict[str, dict[engine.revisions.ObjectKey, ObjectName]] = {}
    spelled: dict[str, str] = {}
    for name in _names(basis, asked):
        instance = spelled.setdefault(fold(name.instance), name.instance)
        key = engine.revisions.object_key(name.database, asked.kind, name.name)
        chosen.setdefault(instance, {}).setdefault(key, name)
    return {instance: list(names.values()) for instance, names in chosen.items()}


def _names(basis: _Basis, asked: EditAsked) -> Iterator[ObjectName]:
    if asked.listed is None:
        yield from asked.names or ()
        return
    number = None if basis.draft is None else basis.draft.number
    for found in ObjectList(basis.estate.name, asked.listed, number).all():
        if found.effect != "remove":
            yield ObjectName(found.row.instance.name, found.row.database or None, found.row.name)


class _Planned(msgspec.Struct):
    """One object on its way."""

    row: EditedRow
    key: engine.revisions.ObjectKey
    before: engine.revisions.CatalogObject
    changes: list[engine.CatalogChange]


def _of_instance(
    catalog: engine.InstanceCatalog, names: Sequence[ObjectName], asked: EditAsked
) -> tuple[engine.InstanceCatalog, list[EditedRow], list[engine.CatalogChange]]:
    now = _utc_now()
    rows, planned = [], []
    for name in names:
        each = _plan_one(catalog, name, asked, now)
        rows.append(each.row)
        if each.changes:
            planned.append(each)
    after, done = _applied(catalog, planned, asked)
    for each in done:
        _tell(each, engine.revisions.object_at(after, each.key))
    return after, rows, [change for each in done for change in each.changes]


def _plan_one(catalog: engine.InstanceCatalog, name: ObjectName, asked: EditAsked, now: engine.UtcTime) -> _Planned:
    key = engine.revisions.object_key(name.database, asked.kind, name.name)
    found = engine.revisions.object_at(catalog, key)
    if found is None:
        home = "" if name.database is None else _(" in {database}").format(database=name.database)
        raise ObjectNotFound(
            _("There is no {value} {name}{home} on {instance}.").format(
                value=kind_word(asked.kind.value), name=name.name, home=home, instance=name.instance
            )
        )
    row = EditedRow(instance=catalog.name, database=found.database, name=found.name, outcome="same")
    planned = _Planned(row, key, found, [])
    try:
        planned.changes = [removal(found)] if asked.patch is None else alteration(found, asked.patch, now)
    except engine.BrokerError as error:
        _refuse(row, error, asked)
    return planned


def _applied(
    catalog: engine.InstanceCatalog, planned: Sequence[_Planned], asked: EditAsked
) -> tuple[engine.InstanceCatalog, list[_Planned]]:
    """The catalog with all that is not refused, in order. Halves are tried where the whole is refused."""
    if not planned:
        return catalog, []
    try:
        return engine.apply_changes(catalog, [change for each in planned for change in each.changes]), list(planned)
    except engine.BrokerError as error:
        if len(planned) == 1:
            _refuse(planned[0].row, error, asked)
            return catalog, []
    middle = len(planned) // 2
    between, first = _applied(catalog, planned[:middle], asked)
    after, second = _applied(between, planned[middle:], asked)
    return after, first + second


def _refuse(row: EditedRow, error: engine.BrokerError, asked: EditAsked) -> None:
    row.outcome, row.error = "refused", error
    row.pointer = None if asked.patch is None else _pointer(error, asked.patch, "/patch")


def _tell(each: _Planned, after: engine.revisions.CatalogObject | None) -> None:
    old, new = engine.revisions.described(each.before), engine.revisions.described(after)
    if after is None:
        each.row.outcome = "drop"
        return
    each.row.fields = [
        {"name": name, "before": old.get(name), "after": new.get(name)}
        for name in dict.fromkeys((*new, *old))
        if old.get(name) != new.get(name)
    ]
    each.row.outcome = "change" if each.row.fields else "same"


def _pointer(error: engine.BrokerError, given: Mapping[str, Any], base: str) -> str | None:
    """The field that an error is about: that of the clause it names, or the one whose value it cites."""
    clause = POINTERS.get(str(error.parameters.get("clause")))
    if clause is not None:
        return f"{base}/{clause}"
    cited = {str(value) for value in error.parameters.values()}
    for name, value in given.items():
        texts = value if isinstance(value, list) else [value]
        if any(isinstance(text, str | int) and not isinstance(text, bool) and str(text) in cited for text in texts):
            return f"{base}/{name}"
    return None


def _step(
    row: Instance | None,
    draft: ChangeSet | None,
    before: engine.InstanceCatalog,
    after: engine.InstanceCatalog,
    changes: Sequence[engine.CatalogChange],
) -> InstanceStep | DraftStep:
    if draft is not None or row is None:
        return DraftStep(before, after, changes)
    return InstanceStep(row, before, after, changes)


def _decide(
    estate: Estate, draft: ChangeSet | None, steps: Sequence[InstanceStep | DraftStep], user: User | None, summary: str
) -> int:
    if draft is not None:
        return draft_decide(draft, steps, user=user, summary=summary)
    live = [step for step in steps if isinstance(step, InstanceStep)]
    return revision_write(estate, live, user=user, summary=summary) if live else estate.revision


def _creation_summary(kind: Kind, where: ObjectName) -> str:
    about = {"kind": kind.value, "name": where.name}
    if kind is Kind.INSTANCE:
        return saying("create-instance", **about)
    if where.database is None or kind is Kind.DATABASE:
        return saying("create-object", **about, instance=where.instance)
    return saying("create-object-in", **about, database=where.database, instance=where.instance)


def _summary(asked: EditAsked, rows: Sequence[EditedRow]) -> str:
    verb = "drop" if asked.patch is None else "change"
    if len(rows) > 1:
        fields = ", ".join(CLAUSES.get(field, field.replace("_", " ")) for field in asked.patch or ())
        return saying(f"{verb}-objects", count=len(rows), kinds=asked.kind.value, fields=fields)
    row = rows[0]
    about = {"kind": asked.kind.value, "name": row.name, "instance": row.instance}
    if row.database is None or asked.kind is Kind.DATABASE:
        return saying(f"{verb}-object", **about)
    return saying(f"{verb}-object-in", **about, database=row.database)


def _spelled(catalog: engine.InstanceCatalog, database: str | None) -> str | None:
    if database is None:
        return None
    names = (name for name in catalog.databases if fold(name) == fold(database))
    found = next(names, None)
    if found is None:
        raise ObjectNotFound(
            _("{name} has no database {database}.").format(name=catalog.name, database=database), pointer="/database"
        )
    return found


def _utc_now() -> engine.UtcTime:
    """Now, to the millisecond: what a database column keeps exactly and a person can still read."""
    return engine.UtcTime(round(timezone.now().timestamp(), 3))
