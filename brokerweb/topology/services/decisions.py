"""The log of decisions: one row for each, written in the transaction that decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final, Protocol

from django.utils import timezone

from brokerweb.accounts.models import User
from brokerweb.common.origin import current_origin
from brokerweb.common.sayings import said_of
from brokerweb.topology.audit_chain import RESERVED, ContentDigest, content_digest, filled_digest, link_digest
from brokerweb.topology.changes import changes_by_instance
from brokerweb.topology.models import ChangeSet, Decision, DecisionPart, Estate
from brokerweb.topology.object_changes import InstanceObject, KeptObjects, objects_in_pieces
from brokerweb.topology.selectors.audit_links import link_of
from brokerweb.topology.selectors.parts import pieces_of
from engine import api as engine

SUMMARY_LENGTH_MAX = 400


Pieces = Iterable[Any]
"""Instance name → changes as JSON, cut into mappings that follow on one another."""
_NO_OBJECTS: Final = KeptObjects()


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
    is_reserved: bool = False,
) -> Decision:
    """The next row of a locked estate's log. What a live decision was asked for stands in its revision already.

    What becomes of a reserved one is told later, by `decision_fill` or `decision_release`.
    """
    kept = list(steps)
    asked = () if revision is not None else kept
    return decision_append(
        estate,
        objects_in_pieces(each for step in kept for each in objects_of_step(step)),
        user=user,
        summary=summary,
        change_set=change_set,
        revision=revision,
        changes=changes_by_instance((step.before.name, step.changes) for step in asked),
        inverse=changes_by_instance((step.before.name, _inverse(step)) for step in kept),
        is_reserved=is_reserved,
    )


def decision_append(
    estate: Estate,
    objects: Iterable[KeptObjects],
    *,
    user: User | None,
    summary: str,
    change_set: ChangeSet | None = None,
    revision: int | None = None,
    changes: Pieces = (),
    inverse: Pieces = (),
    is_reserved: bool = False,
) -> Decision:
    """As `decision_log`, for objects and changes that are in the form of the log already, piece by piece."""
    origin = current_origin()
    last = Decision.objects.filter(estate=estate).order_by("-sequence").values_list("sequence", "digest").first()
    number, previous = last or (0, "")
    row = Decision(
        estate=estate,
        sequence=number + 1,
        change_set=change_set,
        author=user,
        author_name="" if user is None else user.get_username(),
        decided_at=timezone.now(),
        origin=origin.kind.value,
        client_address=origin.client_address,
        user_agent=origin.user_agent,
        request_id=origin.request_id,
        summary=summary[:SUMMARY_LENGTH_MAX],
        said=said_of(summary),
        revision=revision,
    )
    row.save(force_insert=True)
    content = _write_content(row, objects, inverse, changes)
    row.digest = link_digest(previous, link_of(row, RESERVED if is_reserved else content))
    if is_reserved:
        row.filled_digest = filled_digest(row.digest, content)
    row.save(update_fields=[*_CONTENT, "digest", "filled_digest"])
    return row


def decision_fill(estate: Estate, revision: int, step: Step) -> None:
    """What has become of a revision that was reserved before anybody knew."""
    for row in Decision.objects.filter(estate=estate, revision=revision).select_for_update():
        inverse = changes_by_instance([(step.before.name, _inverse(step))])
        content = _write_content(row, objects_in_pieces(objects_of_step(step)), inverse, [row.changes])
        row.filled_digest = filled_digest(row.digest, content)
        row.save(update_fields=[*_CONTENT, "filled_digest"])


def decision_release(estate: Estate, revision: int, summary: str) -> None:
    """A reserved revision came to nothing, and the sentence says why."""
    for row in Decision.objects.filter(estate=estate, revision=revision).select_for_update():
        row.summary, row.said = summary[:SUMMARY_LENGTH_MAX], said_of(summary)
        content = content_digest(row.summary, pieces_of(row, "objects_changed"), row.said)
        row.filled_digest = filled_digest(row.digest, content)
        row.save(update_fields=["summary", "said", "filled_digest"])


_CONTENT: Final = ("objects_changed", "touched", "inverse", "changes", "object_count", "part_count")


def _write_content(row: Decision, objects: Iterable[KeptObjects], inverse: Pieces, changes: Pieces) -> str:
    """Set the first pieces in a row that is stored, and store the others as its parts; answers the hash of it all."""
    digest = ContentDigest(row.summary, row.said)
    row.object_count = row.part_count = 0
    for position, (kept, back, asked) in enumerate(zip_longest(objects, inverse, changes)):
        found = kept or _NO_OBJECTS
        content = {**found.columns, "inverse": back or {}, "changes": asked or {}}
        digest.add(found.text)
        row.object_count += found.count
        if position:
            row.part_count = position
            DecisionPart.objects.create(decision=row, position=position, **content)
        else:
            for name, value in content.items():
                setattr(row, name, value)
    return digest.hexdigest()


def objects_of_step(step: Step) -> Iterator[InstanceObject]:
    """Every object that a step changes."""
    return (
        InstanceObject(step.before.name, change.key, change.before, change.after)
        for change in engine.revisions.changed_objects(step.before, step.after)
    )


def _inverse(step: Step) -> Sequence[engine.CatalogChange] | None:
    """The changes that lead back; None where the rules allow none."""
    try:
        return engine.diff_catalogs(step.after, step.before)
    except engine.CatalogError:
        return None
