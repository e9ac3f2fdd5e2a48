"""Many changes to many objects of many instances as one action: one decision, one step of undo, all or nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from django.db import transaction
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import EngineRefused, MalformedRequest, ObjectNotFound
from brokerweb.topology.models import ChangeSet, Estate, Instance
from brokerweb.topology.names import fold
from brokerweb.topology.selectors.catalogs import instance_catalog
from brokerweb.topology.selectors.drafts import draft_instances
from brokerweb.topology.services.drafts import draft_decide, draft_open
from brokerweb.topology.services.revision import DraftStep, InstanceStep, estate_lock, revision_check, revision_write
from engine import api as engine
from engine.contracts.misfits import misfit_of

KEYS_INSIDE = (
    engine.security_changes.MasterKeyCreated,
    engine.security_changes.MasterKeyRegenerated,
    engine.security_changes.CertificateCreated,
)
"""Changes that carry keys. Only the engine's vault makes keys it can open."""
_PART = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")


@transaction.atomic
def changes_decide(
    estate_name: str,
    changes: Mapping[str, Sequence[Any]],
    *,
    summary: str,
    change_set: int | None,
    user: User | None,
    expected_revision: int | None,
) -> int:
    """Decide lists of catalog changes, in the engine's JSON form, by instance.

    Answers the revision, or with `change_set` its sequence. A change that has no such form is `MalformedRequest`, one
    that the catalog refuses `EngineRefused`; both point at it, and then nothing is decided. Raises `ObjectNotFound`,
    `RevisionConflict`, `ChangeSetClosed`, `NotInChangeSet`.
    """
    wanted = {name: _decoded(name, each) for name, each in changes.items()}
    estate = estate_lock(estate_name)
    if change_set is not None:
        draft = draft_open(estate, change_set, expected_revision)
        drafted = [step for step in _draft_steps(draft, wanted) if step.changes]
        return draft_decide(draft, drafted, user=user, summary=summary)
    revision_check(estate, expected_revision)
    steps = [step for step in _live_steps(estate, wanted) if step.changes]
    return revision_write(estate, steps, user=user, summary=summary) if steps else estate.revision


def _live_steps(estate: Estate, wanted: Mapping[str, Sequence[engine.CatalogChange]]) -> list[InstanceStep]:
    rows = {fold(row.name): row for row in Instance.objects.filter(estate=estate)}
    steps = []
    for name, changes in wanted.items():
        row = rows.get(fold(name))
        if row is None:
            raise _no_instance(estate, name)
        before = instance_catalog(row)
        steps.append(InstanceStep(row, before, _applied(name, before, changes), changes))
    return steps


def _draft_steps(draft: ChangeSet, wanted: Mapping[str, Sequence[engine.CatalogChange]]) -> list[DraftStep]:
    catalogs = {fold(name): each.merge.catalog for name, each in draft_instances(draft).items()}
    steps = []
    for name, changes in wanted.items():
        before = catalogs.get(fold(name))
        if before is None:
            raise _no_instance(draft.estate, name)
        steps.append(DraftStep(before, _applied(name, before, changes), changes))
    return steps


def _no_instance(estate: Estate, name: str) -> ObjectNotFound:
    return ObjectNotFound(
        _("Estate {name} has no instance {name2}.").format(name=estate.name, name2=name), pointer=_pointer(name)
    )


def _decoded(name: str, changes: Sequence[Any]) -> list[engine.CatalogChange]:
    return [_change(value, _pointer(name, number)) for number, value in enumerate(changes)]


def _change(value: Any, pointer: str) -> engine.CatalogChange:
    try:
        change = msgspec.convert(value, engine.CatalogChange)
    except msgspec.ValidationError as error:
        text, place = misfit_of(error)
        inside = "".join(f"/{part}" for pair in _PART.findall(place) for part in pair if part)
        raise MalformedRequest(
            _("{value}, in a catalog change.").format(value=text),
            why=_("It is not one of the engine's changes, or a field of it does not have the form it must have."),
            cure=_("docs/operations/change-sets.md tells the form of every change."),
            pointer=pointer + inside,
        ) from error
    if isinstance(change, KEYS_INSIDE):
        raise MalformedRequest(
            _("Master keys and certificates cannot be given as changes."),
            why=_("Their keys are sealed by the engine's vault, which opens nothing that it has not sealed."),
            cure=_("Import CREATE MASTER KEY or CREATE CERTIFICATE as T-SQL; an import can go into a change set too."),
            pointer=pointer,
        )
    return change


def _applied(
    name: str, before: engine.InstanceCatalog, changes: Sequence[engine.CatalogChange]
) -> engine.InstanceCatalog:
    try:
        return engine.apply_changes(before, changes)
    except engine.BrokerError as error:
        raise EngineRefused(error, _pointer(name, _refused(before, changes))) from error


def _refused(before: engine.InstanceCatalog, changes: Sequence[engine.CatalogChange]) -> int:
    """Which change is the first to be refused: those in front of it are not, so half of them tell in which half."""
    taken, refused = 0, len(changes)
    while refused - taken > 1:
        middle = (taken + refused) // 2
        try:
            engine.apply_changes(before, changes[:middle])
        except engine.BrokerError:
            refused = middle
        else:
            taken = middle
    return refused - 1


def _pointer(name: str, number: int | None = None) -> str:
    instance = name.replace("~", "~0").replace("/", "~1")
    return f"/changes/{instance}" + ("" if number is None else f"/{number}")
