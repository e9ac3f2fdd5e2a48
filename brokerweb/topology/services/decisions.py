"""The log of decisions: one row for each, written in the transaction that decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import msgspec
from django.db.models import Max
from django.utils import timezone

from brokerweb.accounts.models import User
from brokerweb.common.origin import current_origin
from brokerweb.topology.changes import changes_to_json
from brokerweb.topology.models import ChangeSet, Decision, Estate
from brokerweb.topology.object_changes import InstanceObject, KeptObjects, objects_kept
from engine import api as engine

SUMMARY_LENGTH_MAX = 400


class Step(Protocol):
    """What a decision does to one instance: the changes, and the catalog before and after them."""

    @property
    def before(self) -> engine.InstanceCatalog: ...
    @property
    def after(self) -> engine.InstanceCatalog: ...
    @property
    def changes(self) -> Sequence[engine.CatalogChange]: ...


def decision_log(
    estate: Estate,
    steps: Iterable[Step] = (),
    *,
    user: User | None,
    summary: str,
    change_set: ChangeSet | None = None,
    revision: int | None = None,
) -> Decision:
    """The next row of a locked estate's log. What a live decision was asked for stands in its revision already."""
    kept = list(steps)
    changes = {} if revision is not None else {step.before.name: changes_to_json(step.changes) for step in kept}
    return decision_append(
        estate,
        objects_kept(each for step in kept for each in objects_of_step(step)),
        user=user,
        summary=summary,
        change_set=change_set,
        revision=revision,
        changes=changes,
        inverse={step.before.name: _inverse(step) for step in kept},
    )


def decision_append(
    estate: Estate,
    objects: KeptObjects,
    *,
    user: User | None,
    summary: str,
    change_set: ChangeSet | None = None,
    revision: int | None = None,
    changes: dict[str, Any] | None = None,
    inverse: dict[str, Any] | None = None,
) -> Decision:
    """As `decision_log`, for objects that are in the form of the log already."""
    origin = current_origin()
    last = Decision.objects.filter(estate=estate).aggregate(last=Max("sequence"))["last"] or 0
    return Decision.objects.create(
        estate=estate,
        sequence=last + 1,
        change_set=change_set,
        author=user,
        decided_at=timezone.now(),
        origin=origin.kind.value,
        client_address=origin.client_address,
        user_agent=origin.user_agent,
        request_id=origin.request_id,
        summary=summary[:SUMMARY_LENGTH_MAX],
        changes=changes or {},
        inverse=inverse or {},
        revision=revision,
        **objects.columns,
    )


def decision_fill(estate: Estate, revision: int, step: Step) -> None:
    """What has become of a revision that was reserved before anybody knew."""
    objects = objects_kept(objects_of_step(step))
    Decision.objects.filter(estate=estate, revision=revision).update(
        inverse={step.before.name: _inverse(step)}, **objects.columns
    )


def objects_of_step(step: Step) -> list[InstanceObject]:
    """Every object that a step changes."""
    return [
        InstanceObject(step.before.name, change.key, change.before, change.after)
        for change in engine.revisions.changed_objects(step.before, step.after)
    ]


def _inverse(step: Step) -> msgspec.Raw | None:
    """The changes that lead back; None where the rules allow none."""
    try:
        return changes_to_json(engine.diff_catalogs(step.after, step.before))
    except engine.CatalogError:
        return None
