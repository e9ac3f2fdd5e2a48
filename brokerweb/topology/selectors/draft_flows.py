"""What a change set makes of the flows of its estate: what becomes of everything that can be sent, and is.

Flows are those that are possible by definition and those that traffic has shown. All of them are evaluated once for a
state of the estate; of a draft only what differs from that state is evaluated, and as long as it is the same draft,
nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from threading import Lock
from typing import Final, TypeVar

import msgspec
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.common.errors import ChangeSetClosed
from brokerweb.topology.flows import FlowQuestion, digest_of
from brokerweb.topology.models import ChangeSet, ChangeSetState, Estate, IntendedLoss
from brokerweb.topology.selectors.catalogs import live_state
from brokerweb.topology.selectors.drafts import draft_catalogs, draft_misfits
from brokerweb.topology.selectors.live_catalogs import live_catalogs
from brokerweb.topology.selectors.observed_flows import observed_flows
from brokerweb.topology.selectors.past_catalogs import past_catalogs
from engine import api as engine

Impact = engine.what_if.FlowImpact
ImpactRow = engine.what_if.FlowImpactRow
Evaluation = engine.what_if.Evaluation
Catalogs = Mapping[str, engine.InstanceCatalog]
Key = TypeVar("Key")
Kept = TypeVar("Kept")


class FlowRow(msgspec.Struct, frozen=True, kw_only=True):
    """A flow that the change set makes another one, and what people and traffic say about it."""

    row: ImpactRow
    intended: IntendedLoss | None
    is_observed: bool

    @property
    def is_unticked(self) -> bool:
        """Whether it is lost and nobody has said that this is meant."""
        return is_lost(self.row) and self.intended is None


class FlowsAsked(msgspec.Struct, frozen=True, kw_only=True):
    """Which rows; None restricts nothing."""

    change: str | None = None
    instance: str | None = None
    """Of the sender."""
    text: str | None = None
    """Part of a name in it, in any letter case."""
    is_unticked: bool = False
    """Only losses that nobody has ticked."""


def is_lost(row: ImpactRow) -> bool:
    """Whether a flow worked and does not any more."""
    return row.change is engine.what_if.FlowChange.LOST


def draft_impact(draft: ChangeSet, now: datetime) -> Impact:
    """What an open draft makes of all flows of what is live; remembered while neither of them changes."""
    estate = draft.estate
    after = draft_catalogs(draft)
    seen = observed_flows(estate, now)
    with _evaluating:
        base = _base_of(estate, now, after)
        known = _impacts.get(draft.pk)
        if known is not None and known.is_of(base, seen.keys(), after):
            return known.impact
        found = _impact(base, frozenset(seen.values()), after)
        _keep(_impacts, draft.pk, _Known(base, frozenset(seen), after, found))
    return found


def flows_prepare(estate: Estate) -> None:
    """Have the verdicts of all flows of what is live at hand, with what they depend on."""
    now = timezone.now()
    with _evaluating:
        _possible(_base_of(estate, now, {}))


def impact_prepare(change_set: ChangeSet) -> None:
    """Have the impact of an open change set at hand before anything is locked for it. What does not fit has none."""
    if change_set.state == ChangeSetState.OPEN and not draft_misfits(change_set):
        draft_impact(change_set, timezone.now())


def applied_impact(change_set: ChangeSet) -> Impact:
    """What a change set made of the flows when it was applied. It must have been."""
    assert change_set.applied_revision is not None
    estate, revision, then = change_set.estate, change_set.applied_revision, change_set.changed_at
    key = (estate.pk, change_set.pk, revision)
    before, after = past_catalogs(estate, revision - 1), past_catalogs(estate, revision)
    seen = observed_flows(estate, then)
    with _evaluating:
        known = _past_impacts.get(key)
        if known is None:
            known = _impact(_Base((), before, then.timestamp(), None), frozenset(seen.values()), after)
            _keep(_past_impacts, key, known)
    return known


def change_set_impact(change_set: ChangeSet, now: datetime) -> Impact:
    """Of an open change set what it would do now, of an applied one what it did; `ChangeSetClosed` for others."""
    if change_set.state == ChangeSetState.OPEN:
        return draft_impact(change_set, now)
    if change_set.applied_revision is not None:
        return applied_impact(change_set)
    raise ChangeSetClosed(
        _("Change set #{number} of {name} was discarded and changes nothing.").format(
            number=change_set.number, name=change_set.estate.name
        )
    )


def flow_rows(change_set: ChangeSet, impact: Impact, now: datetime) -> list[FlowRow]:
    """Every row of an impact with what is known beside it, in its order: a row keeps its place when it is ticked."""
    ticks = {tick.digest: tick for tick in IntendedLoss.objects.filter(change_set=change_set)}
    seen = observed_flows(change_set.estate, now).values()
    pairs = {_pair(flow) for flow in seen}
    exact = set(seen)
    return [
        FlowRow(
            row=row,
            intended=ticks.get(digest_of(row.key)) if is_lost(row) else None,
            is_observed=row.question in exact
            or (row.question.broker_instance is None and _pair(row.question) in pairs),
        )
        for row in impact.changes
    ]


def unticked_losses(change_set: ChangeSet, impact: Impact) -> list[ImpactRow]:
    """Losses that nobody has said to be meant."""
    ticked = set(IntendedLoss.objects.filter(change_set=change_set).values_list("digest", flat=True))
    return [row for row in impact.changes if is_lost(row) and digest_of(row.key) not in ticked]


def chosen_rows(rows: list[FlowRow], asked: FlowsAsked) -> list[FlowRow]:
    """The rows that are asked for, in their order."""
    text = (asked.text or "").casefold()
    return [
        each
        for each in rows
        if (asked.change is None or each.row.change.value == asked.change)
        and (asked.instance is None or each.row.question.instance == asked.instance)
        and (not asked.is_unticked or each.is_unticked)
        and (not text or text in each.row.key.casefold())
    ]


def _pair(flow: FlowQuestion) -> tuple[str, str, str, str]:
    return flow.instance, flow.database, flow.service, flow.to_service


# --- what a process remembers of flows ------------------------------------------------------------------------------


class _Base(msgspec.Struct):
    """A state of an estate with the verdicts of its flows, as far as somebody has asked."""

    state: tuple[object, ...]
    catalogs: Catalogs
    at: float
    stands_until: float | None
    """When a route expires, so that verdicts may be other ones."""
    possible: Evaluation | None = None
    observed: Evaluation | None = None
    """Of flows that traffic has shown; evaluated by themselves, since new ones come at any time."""
    observed_flows: frozenset[FlowQuestion] = frozenset()


class _Known(msgspec.Struct, frozen=True):
    """The impact of a draft, and what it was made of."""

    base: _Base
    seen: frozenset[str]
    after: Catalogs
    impact: Impact

    def is_of(self, base: _Base, seen: object, after: Catalogs) -> bool:
        """Whether it is made of these; catalogs that are the same are the same objects."""
        return (
            self.base is base
            and self.seen == seen
            and self.after.keys() == after.keys()
            and all(self.after[name] is catalog for name, catalog in after.items())
        )


STATES_KEPT: Final = 2
"""States of which a process remembers all verdicts; of 100,000 flows some 100 MB."""
_KEPT = 8
_bases: dict[int, _Base] = {}
_impacts: dict[int, _Known] = {}
_past_impacts: dict[tuple[int, int, int], Impact] = {}
_evaluating = Lock()
"""An evaluation is for one reader at a time, and two who ask at once would do the same work twice."""


def _base_of(estate: Estate, now: datetime, after: Catalogs) -> _Base:
    state, at = live_state(estate), now.timestamp()
    known = _bases.pop(estate.pk, None)
    # Before its first revision nothing tells two states of an estate apart.
    if known is None or known.state != state or state[-1] is None or _has_expired(known, after, at):
        known = _advanced(
            known, _Base(state, catalogs := live_catalogs(estate), at, _next_expiry(catalogs.values(), at))
        )
    while len(_bases) >= STATES_KEPT:
        _bases.pop(next(iter(_bases)))
    _bases[estate.pk] = known
    return known


def _advanced(known: _Base | None, base: _Base) -> _Base:
    """A new state, whose verdicts are those of the one before where they still stand."""
    if known is not None and known.possible is not None:
        possible = engine.what_if.possible_flows(base.catalogs)
        known.possible.advance(base.catalogs, possible, at=engine.UtcTime(base.at))
        base.possible = known.possible
    return base


def _has_expired(base: _Base, after: Catalogs, now: float) -> bool:
    """Whether a route has expired since the verdicts were found, here or there."""
    changed = [catalog for name, catalog in after.items() if base.catalogs.get(name) is not catalog]
    ends = (base.stands_until, _next_expiry(changed, base.at))
    return any(end is not None and end <= now for end in ends)


def _next_expiry(catalogs: Iterable[engine.InstanceCatalog], at: float) -> float | None:
    return min(
        (
            route.expires_at
            for catalog in catalogs
            for database in catalog.databases.values()
            for route in database.routes.values()
            if route.expires_at is not None and route.expires_at > at
        ),
        default=None,
    )


def _possible(base: _Base) -> Evaluation:
    if base.possible is None:
        flows = engine.what_if.possible_flows(base.catalogs)
        base.possible = Evaluation(base.catalogs, flows, at=engine.UtcTime(base.at))
        # What the flows depend on is noted when the first change is looked at: here none.
        engine.what_if.impact_on([base.possible], base.catalogs)
        engine.garbage.long_lived_leave_out()
    return base.possible


def _impact(base: _Base, seen: frozenset[FlowQuestion], after: Catalogs) -> Impact:
    possible = _possible(base)
    if base.observed is None or base.observed_flows != seen:
        further = [flow for flow in seen if flow not in possible.verdicts]
        base.observed, base.observed_flows = Evaluation(base.catalogs, further, at=engine.UtcTime(base.at)), seen
    return engine.what_if.impact_on([possible, base.observed], after)


def _keep(memory: dict[Key, Kept], key: Key, kept: Kept) -> None:
    memory.pop(key, None)
    while len(memory) >= _KEPT:
        memory.pop(next(iter(memory)))
    memory[key] = kept
