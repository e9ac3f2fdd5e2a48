"""Every end that a case may come to: the draws of its router followed one by one, the decision explained on demand.

Following takes the router's fast path. An explanation costs a pass over the table, so it is made only of the end that
is shown; what a verdict needs besides the decision, the candidates, is asked of the router's own match.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from math import fsum
from typing import Final

import msgspec

from engine.core.catalog.route import Route
from engine.core.routing.candidates import CandidateSet
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.decision import ClassifierDecision
from engine.core.routing.draws import Branch, Question
from engine.core.routing.explanation import alternative_of
from engine.core.routing.locator import ServiceLocator
from engine.core.routing.matching import match
from engine.core.vocabulary.identifiers import MSDB, DatabaseName, ServiceName
from engine.core.vocabulary.messages import DialogTarget
from engine.route_check.cases import HOME, NOW, Case
from engine.route_check.world import instance_of
from engine.whatif.proof import partners_of

ENDS_MAX: Final = 2_000
"""Ends of one case that are followed. Two tables of a hundred equal routes each have ten thousand."""


class Candidates:
    """The routes that match left to choose from, in the order of the table."""

    def __init__(self, found: CandidateSet | None) -> None:
        self._set = found
        self._by_name: dict[str, Route] = {route.name.casefold(): route for route in found or ()}
        self.names = tuple(route.name for route in self._by_name.values())
        self.folded = frozenset(self._by_name)

    def counts_as(self, name: str, chosen: str) -> bool:
        """Whether the candidate `name`, case folded, is `chosen` or counts as one with it (routing.md 3.2)."""
        route = self._by_name.get(name)
        return route is not None and self._set is not None and self._set.representative(route).name == chosen


class End(msgspec.Struct, frozen=True, kw_only=True):
    """One decision to which the draws lead, not explained. The weights of all ends together are 1."""

    answers: tuple[int, ...]
    """What was drawn on the way."""
    weight: float
    decision: ClassifierDecision
    candidates: Candidates
    via_candidates: Candidates | None
    """Of the first table, where the decision has come through two."""


class Follower:
    """Answers the draws of a router as the branch that is being followed does."""

    def __init__(self) -> None:
        self.branch = Branch(())
        self.picked: dict[DatabaseName, int] = {}
        """Which broker id was picked, as its place among those of the table (match step 3)."""

    def follow(self, answers: Sequence[int]) -> None:
        """Take these answers, and the first one to each question beyond them."""
        self.branch = Branch(answers)
        self.picked = {}

    def take(self, table: DatabaseName, service: ServiceName, question: Question, options: Sequence[object]) -> int:
        """The index of the branch's answer."""
        taken = self.branch.take(table, service, question, options)
        if question is Question.BROKER_INSTANCE:
            self.picked[table] = taken
        return taken


class _Picked:
    """Picks a broker id anew."""

    def __init__(self, at: int) -> None:
        self._at = at

    def take(self, table: DatabaseName, service: ServiceName, question: Question, options: Sequence[object]) -> int:
        """The place of the id: match draws nothing else."""
        return self._at


class Ends:
    """The ends of one case, in the order in which the draws lead to them."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._target = DialogTarget(case.service, case.broker_instance)
        self._follower = Follower()
        instance = instance_of(case)
        self._locator = ServiceLocator(instance)
        self._classifier = MessageClassifier(instance, draws=self._follower)
        self._classifier.pending = {(table, service) for service in case.pending for table in (HOME, MSDB)}
        self._candidates: dict[tuple[DatabaseName, int], Candidates] = {}
        self._none = Candidates(None)
        self.is_complete = True
        """Whether these are all ends, which they are up to `ENDS_MAX`."""
        self.all = self._follow()

    @property
    def share(self) -> float:
        """How often the router comes to one of these ends, 1 being always."""
        return 1.0 if self.is_complete else fsum(end.weight for end in self.all)

    def explained(self, end: End) -> ClassifierDecision:
        """The decision of an end with its explanation, and the alternatives where the router draws."""
        self._follower.follow(end.answers)
        decision = self._decide(explain=True)
        if len(self.all) == 1:
            return decision
        alternatives = tuple(alternative_of(each.weight, each.decision) for each in self.all)
        return msgspec.structs.replace(decision, alternatives=alternatives)

    def _follow(self) -> list[End]:
        """Each answer to the first questions before the further ones of any: a bound then skips combinations only."""
        found: list[End] = []
        ahead: deque[tuple[int, ...]] = deque([()])
        while ahead:
            given = ahead.popleft()
            self._follower.follow(given)
            found.append(self._end())
            branch = self._follower.branch
            for at in range(len(given), len(branch.counts)):
                for other in range(1, branch.counts[at]):
                    if len(found) + len(ahead) == ENDS_MAX:
                        self.is_complete = False
                        break
                    ahead.append((*branch.answers[:at], other))
        return sorted(found, key=lambda end: end.answers)

    def _end(self) -> End:
        decision = self._decide(explain=False)
        branch, via = self._follower.branch, decision.via
        return End(
            answers=tuple(branch.answers),
            weight=branch.weight,
            decision=decision,
            candidates=self._candidates_of(decision),
            via_candidates=None if via is None else self._candidates_of(via),
        )

    def _candidates_of(self, decision: ClassifierDecision) -> Candidates:
        """They depend on the table and on the id that was picked, on nothing else that is drawn."""
        if not decision.match_step:
            return self._none
        name = decision.table
        key = (name, self._follower.picked.get(name, 0))
        known = self._candidates.get(key)
        if known is None:
            may_ask = (name, self._case.service) not in self._classifier.pending
            table = self._classifier.tables[name]
            _, found, _ = match(table, self._target, may_ask, self._locator, _Picked(key[1]))
            known = self._candidates[key] = Candidates(found)
        return known

    def _decide(self, *, explain: bool) -> ClassifierDecision:
        case, classifier, target = self._case, self._classifier, self._target
        if case.from_outside:
            return classifier.from_outside(target, NOW, from_target=case.from_target, explain=explain)
        decision = classifier.from_inside(HOME, target, NOW, from_target=case.from_target, explain=explain)
        claimed = case.principal in [partner.tcp for partner in partners_of(decision)]
        if case.principal is None or not claimed or decision.via is not None or not classifier.is_self(case.principal):
            return decision
        # This very instance is the principal of the mirrored route: on through msdb, as for any own address (E27).
        second = classifier.from_outside(target, NOW, from_target=case.from_target, explain=explain)
        return second.reached_by(decision, case.principal)
