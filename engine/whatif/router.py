"""`Router`: every answer that the classifier of one instance can give, each with its share (routing.md 3, E40).

The production `MessageClassifier` decides; what it draws is answered by a `Branch` at a time, until every branch was
taken once. Decisions are remembered, for a flow asks the same forwarders as its neighbour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.decision import ClassifierDecision
from engine.core.routing.draws import Branch, Question
from engine.core.routing.next_hops import next_hops_by
from engine.core.routing.table import RoutingTable
from engine.core.vocabulary.identifiers import DatabaseName, ServiceName
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.settings import WhilePending

BRANCHES_MAX: Final = 64
"""Answers of one decision that are followed; the share of the others is told as not followed."""
KEPT_MAX: Final = 200_000
"""Decisions that a router remembers; a service name beyond them is decided anew."""


class Choice(msgspec.Struct, frozen=True, gc=False):
    """One decision, and how often it is taken, 0 to 1."""

    decision: ClassifierDecision
    share: float


class _Guided:
    """Draws that follow whatever branch is being looked at."""

    def __init__(self) -> None:
        self.branch = Branch(())

    def take(self, table: DatabaseName, service: ServiceName, question: Question, options: Sequence[object]) -> int:
        """The answer of the branch."""
        return self.branch.take(table, service, question, options)


class _Tables(dict[DatabaseName, RoutingTable]):
    """The tables of an instance, each made when it is first asked for: most what-ifs ask few of them."""

    def __init__(self, catalog: InstanceCatalog) -> None:
        super().__init__()
        self._catalog = catalog

    def __missing__(self, name: DatabaseName) -> RoutingTable:
        table = self[name] = RoutingTable(name, self._catalog.databases[name].routes.values())
        return table


class _Classifier(MessageClassifier):
    """The production classifier over such tables. Its catalog stays the same, so that nothing has to be redefined."""

    def _tabulate(self) -> None:
        self.tables = _Tables(self.catalog)


class Router:
    """Asks one instance. With `explain` decisions carry candidates and losses."""

    def __init__(self, catalog: InstanceCatalog, at: UtcTime, while_pending: WhilePending, *, explain: bool) -> None:
        self.catalog = catalog
        self._at = at
        self._explain = explain
        self._guide = _Guided()
        self._classifier = _Classifier(catalog, while_pending, draws=self._guide)
        self._inside: dict[tuple[DatabaseName, ServiceName, int | None, bool], tuple[Choice, ...]] = {}
        self._outside: dict[tuple[ServiceName, int | None, bool], tuple[Choice, ...]] = {}

    def inside(
        self,
        database: DatabaseName,
        target: DialogTarget,
        *,
        from_target: bool,
        before: ClassifierDecision | None = None,
    ) -> tuple[Choice, ...]:
        """What may be decided for what leaves `database`; with `before` it stays on its conversation's path."""
        broker = target.broker_instance
        key = (database, target.service_name, None if broker is None else broker.int, from_target)
        known = self._inside.get(key) if before is None else None
        if known is None:
            known = self._branches(
                lambda: self._classifier.from_inside(
                    database, target, self._at, from_target=from_target, explain=self._explain, before=before
                )
            )
            if before is None:
                _keep(self._inside, key, known)
        return known

    def next_hops(self, database: DatabaseName, target: DialogTarget) -> frozenset[TcpAddress]:
        """To whom the routes of a database lead for a target, whichever of them has its way."""
        return frozenset(next_hops_by(self._classifier.tables[database], target, self._at))

    def outside(self, target: DialogTarget, *, from_target: bool) -> tuple[Choice, ...]:
        """What may be decided for a message that comes over the network. The same question, the very same answer."""
        broker = target.broker_instance
        key = (target.service_name, None if broker is None else broker.int, from_target)
        known = self._outside.get(key)
        if known is None:
            known = self._branches(
                lambda: self._classifier.from_outside(target, self._at, from_target=from_target, explain=self._explain)
            )
            _keep(self._outside, key, known)
        return known

    def is_self(self, decision: ClassifierDecision) -> bool:
        """Whether a decision's address is this very instance."""
        return decision.address is not None and self._classifier.is_self(decision.address)

    def _branches(self, decide: Callable[[], ClassifierDecision]) -> tuple[Choice, ...]:
        branch = self._guide.branch = Branch(())
        decision = decide()
        if not branch.counts:
            return (Choice(decision, 1.0),)
        found = [Choice(decision, branch.weight)]
        while len(found) < BRANCHES_MAX and (answers := branch.next_answers()) is not None:
            branch = self._guide.branch = Branch(answers)
            decision = decide()
            found.append(Choice(decision, branch.weight))
        return tuple(found)


def _keep(known: dict, key: object, choices: tuple[Choice, ...]) -> None:  # type: ignore[type-arg]
    if len(known) >= KEPT_MAX:
        known.clear()
    known[key] = choices
