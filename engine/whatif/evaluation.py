"""`Evaluation`: the verdicts of all flows of an estate, and what becomes of them when the estate changes.

Incremental: of another state of the estate only those facts are asked again that its difference may have changed, and
only flows that depend on a fact that has are traced anew. Whatever changes, routes, services, queues, states,
identities, endpoints, the instant or faults, goes the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.disposition import ARRIVED, FlowChange
from engine.whatif.faults import Fault
from engine.whatif.odds import Odds, odds_of
from engine.whatif.suspects import FactBook, changed_facts, differences
from engine.whatif.telling import FlowQuestion
from engine.whatif.verdict import FlowVerdicts, Verdict
from engine.whatif.watching import WatchedSnapshot

Catalogs = Mapping[InstanceName, InstanceCatalog]
BOOK_MIN: Final = 10_000
"""Entries of a small book that may be overtaken."""


class VerdictChange(msgspec.Struct, frozen=True, gc=False):
    """One flow whose verdict is another one. `before` is None for a flow that nobody could ask before."""

    flow: FlowQuestion
    change: FlowChange
    before: Verdict | None
    after: Verdict | None


class Evaluation:
    """Verdicts of given flows over one state of an estate. For one reader at a time: answers are remembered in it."""

    def __init__(
        self, catalogs: Catalogs, flows: Iterable[FlowQuestion], *, at: UtcTime, faults: Iterable[Fault] = ()
    ) -> None:
        """Evaluates every flow at once; those whose sender is not in the estate have no verdict.

        Raises `CatalogError` for a fault of what the estate does not have.
        """
        self.at = at
        self.catalogs = dict(catalogs)
        self.snapshot = WatchedSnapshot(self.catalogs, at=at, faults=faults)
        self._found = FlowVerdicts(self.snapshot)
        self.verdicts: dict[FlowQuestion, Verdict] = {}
        for flow in flows:
            if is_in(self.catalogs, flow):
                self.verdicts[flow] = self._found.of(flow)
        self._book: FactBook | None = None
        self._entries = 0
        """Of the book when it was made."""

    def changes_to(
        self,
        catalogs: Catalogs,
        further: Iterable[FlowQuestion] = (),
        *,
        at: UtcTime | None = None,
        faults: Iterable[Fault] = (),
    ) -> Iterator[VerdictChange]:
        """What another state of the same estate makes of the flows, and of `further` ones that only it has.

        With `at`, at another instant. Raises `CatalogError` for a fault of what the estate does not have.
        """
        after, affected = self._after(self._facts(), catalogs, at, faults)
        # What is remembered of flows that are not evaluated here would not be looked at when the next state comes.
        aside = FlowVerdicts(self.snapshot, self._found)
        for flow in affected:
            now = after.of(flow) if is_in(catalogs, flow) else None
            before = self.verdicts[flow]
            if now != before:
                yield VerdictChange(flow, change_of(before, now), before, now)
        for flow in further:
            if flow not in self.verdicts and is_in(catalogs, flow):
                now = after.of(flow)
                was = aside.of(flow) if is_in(self.catalogs, flow) else None
                if now != was:
                    yield VerdictChange(flow, change_of(was, now), was, now)

    def advance(
        self,
        catalogs: Catalogs,
        flows: Iterable[FlowQuestion] | None = None,
        *,
        at: UtcTime | None = None,
        faults: Iterable[Fault] = (),
    ) -> list[VerdictChange]:
        """Become the evaluation of another state, with the same flows or with `flows`; answers what has changed.

        Flows that are not among `flows` any more are forgotten, and are no change. Raises as `changes_to` does.
        """
        book = self._facts()
        after, affected = self._after(book, catalogs, at, faults)
        wanted = None if flows is None else list(flows)
        found: list[VerdictChange] = []
        for flow in affected:
            before = self.verdicts.pop(flow)
            now = self._taken(after, flow, book) if is_in(catalogs, flow) else None
            if now != before:
                found.append(VerdictChange(flow, change_of(before, now), before, now))
        if wanted is not None:
            kept = self.verdicts
            self.verdicts = {}
            for flow in wanted:
                known = kept.get(flow)
                if known is not None:
                    self.verdicts[flow] = known
                elif is_in(catalogs, flow):
                    self._taken(after, flow, book)
        after.rebased()
        self.catalogs, self.at, self.snapshot, self._found = dict(catalogs), after.snapshot.at, after.snapshot, after
        return found

    def odds(self, flow: FlowQuestion) -> Odds:
        """How sure the verdict of a flow is. Raises `KeyError` for one that has none."""
        verdict = self.verdicts[flow]
        if self._found.is_drawn(flow):
            return odds_of(self.snapshot, flow)
        return Odds(1.0, 1.0 if verdict.disposition in ARRIVED else 0.0, 1.0 if verdict.works else 0.0)

    def _taken(self, after: FlowVerdicts, flow: FlowQuestion, book: FactBook) -> Verdict:
        """The verdict of a flow in the new state, which stands from now on."""
        verdict = self.verdicts[flow] = after.of(flow)
        book.add(flow, after.facts_of(flow))
        return verdict

    def _facts(self) -> FactBook:
        """What every flow depends on; made when first asked for, and anew when half of it is overtaken."""
        if self._book is None or self._book.entries > 2 * self._entries + BOOK_MIN:
            self._book = FactBook()
            for flow in self.verdicts:
                self._book.add(flow, self._found.facts_of(flow))
            self._entries = self._book.entries
            self._found.forget_all_but(self._book.readers)
        return self._book

    def _after(
        self, book: FactBook, catalogs: Catalogs, at: UtcTime | None, faults: Iterable[Fault]
    ) -> tuple[FlowVerdicts, list[FlowQuestion]]:
        """Verdicts of another state, and the flows that may have others there."""
        at = self.at if at is None else at
        snapshot = WatchedSnapshot(catalogs, at=at, faults=faults, asked=self.snapshot.asked)
        found = differences(self.snapshot, snapshot)
        snapshot.take_over(self.snapshot, snapshot.catalogs.keys() - {each.instance for each in found})
        changed = changed_facts(self.snapshot, snapshot, book, found)
        flows = dict.fromkeys(flow for fact in changed for flow in book.readers[fact] if flow in self.verdicts)
        return FlowVerdicts(snapshot, self._found, changed), list(flows)


def is_in(catalogs: Catalogs, flow: FlowQuestion) -> bool:
    """Whether the sender of a flow is there to ask."""
    instance = catalogs.get(flow.instance)
    database = None if instance is None else instance.databases.get(flow.database)
    return database is not None and flow.service in database.services


def change_of(before: Verdict | None, after: Verdict | None) -> FlowChange:
    """What became of a flow whose verdicts differ."""
    worked = before is not None and before.works
    works = after is not None and after.works
    if worked is not works:
        return FlowChange.GAINED if works else FlowChange.LOST
    return FlowChange.MOVED
