"""`Traveller`: where a message goes from instance to instance. The classifier is asked at every hop (routing.md 4).

It travels through the mended catalogs, so a journey tells what the routes do and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Final

import msgspec

from engine.core.routing.classifier import ASKING, BAD_ADDRESS, MessageClassifier
from engine.core.routing.decision import Caution, Classification, ClassifierDecision
from engine.core.routing.draws import Branch, Question
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, ServiceName
from engine.core.vocabulary.limits import HOPS_MAX
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from engine.diagnosis.model import Home, Model

_BRANCHES_MAX: Final = 16
"""Answers of one draw that are followed; a table that balances over more is checked for these."""
_DECISIONS_KEPT: Final = 200_000


class Stop(StrEnum):
    """Where a journey ends."""

    DELIVERED = "delivered"
    NO_ROUTE = "no route"
    """No route of the table fits, or only LOCAL ones while the service is elsewhere."""
    OTHER_DATABASE = "other database"
    """The id or the database that it leads to is not where the service is."""
    ASKING = "asking"
    """Dynamic routing decides at run time."""
    BAD_ADDRESS = "bad address"
    """A TRANSPORT route, and the service's name begins with no address."""
    NOBODY = "nobody"
    """The address belongs to no instance of the estate."""
    LOOP = "loop"


class Hop(msgspec.Struct, frozen=True, gc=False):
    """One decision, and whose it was."""

    instance: InstanceName
    decision: ClassifierDecision


class Journey(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message's way through the estate."""

    stop: Stop
    hops: tuple[Hop, ...]
    """The first one is that of the sender."""
    home: Home | None = None
    """Where it was delivered."""

    @property
    def first(self) -> ClassifierDecision:
        """The sender's decision."""
        return self.hops[0].decision

    @property
    def last(self) -> Hop:
        """The decision that ended it."""
        return self.hops[-1]


class _Guided:
    """Draws that follow whatever branch is being looked at."""

    def __init__(self) -> None:
        self.branch = Branch(())

    def take(self, table: DatabaseName, service: ServiceName, question: Question, options: Sequence[object]) -> int:
        """The answer of the branch."""
        return self.branch.take(table, service, question, options)


class Traveller:
    """Sends imaginary messages through an estate."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._guides: dict[InstanceName, tuple[_Guided, MessageClassifier]] = {}
        self._arrival = lru_cache(_DECISIONS_KEPT)(self._decide_arrival)

    def journeys(self, home: Home, target: DialogTarget, *, from_target: bool = False) -> list[Journey]:
        """Every way that a message which leaves an endpoint of `home` may take."""
        return [
            self._follow(home, decision, target, from_target)
            for decision in self._departures(home, target, from_target)
        ]

    def arrives(self, instance: InstanceName, target: DialogTarget, *, from_target: bool) -> Journey:
        """Where a message goes that has reached an instance over the network."""
        return self._go_on(instance, target, from_target, [])

    def _classifier(self, instance: InstanceName) -> tuple[_Guided, MessageClassifier]:
        known = self._guides.get(instance)
        if known is None:
            guide = _Guided()
            known = self._guides[instance] = (guide, MessageClassifier(self._model.running[instance], draws=guide))
        return known

    def _departures(self, home: Home, target: DialogTarget, from_target: bool) -> Iterator[ClassifierDecision]:
        guide, classifier = self._classifier(home.instance)
        branch = Branch(())
        for _ in range(_BRANCHES_MAX):
            guide.branch = branch
            yield classifier.from_inside(home.database, target, self._model.now, from_target=from_target, explain=False)
            answers = branch.next_answers()
            if answers is None:
                return
            branch = Branch(answers)

    def _decide_arrival(self, instance: InstanceName, target: DialogTarget, from_target: bool) -> ClassifierDecision:
        guide, classifier = self._classifier(instance)
        guide.branch = Branch(())
        return classifier.from_outside(target, self._model.now, from_target=from_target, explain=False)

    def _follow(self, home: Home, decision: ClassifierDecision, target: DialogTarget, from_target: bool) -> Journey:
        hops = [Hop(home.instance, decision)]
        if decision.via is not None and decision.classification is Classification.REMOTE:
            # By its own address and on again: this instance is a hop of its own way.
            hops = [Hop(home.instance, decision.via), Hop(home.instance, decision)]
        return self._after(hops, target, from_target)

    def _after(self, hops: list[Hop], target: DialogTarget, from_target: bool) -> Journey:
        hop = hops[-1]
        decision = hop.decision
        if decision.classification is Classification.LOCAL and decision.database is not None:
            return Journey(stop=Stop.DELIVERED, hops=tuple(hops), home=Home(hop.instance, decision.database))
        if decision.caution is Caution.LEADS_TO_ITSELF:
            return Journey(stop=Stop.LOOP, hops=tuple(hops))
        if decision.classification is not Classification.REMOTE:
            return Journey(stop=_stop_of(decision), hops=tuple(hops))
        ends = [
            self._go_on(instance, target, from_target, hops)
            for address in _addresses(decision)
            if (instance := self._model.leads_to(address, hop.instance)) is not None
        ]
        delivered = next((end for end in ends if end.stop is Stop.DELIVERED), None)
        return delivered or (ends[0] if ends else Journey(stop=Stop.NOBODY, hops=tuple(hops)))

    def _go_on(self, instance: InstanceName, target: DialogTarget, from_target: bool, before: list[Hop]) -> Journey:
        decision = self._arrival(instance, target, from_target)
        hops = [*before, Hop(instance, decision)]
        is_round = any(hop.instance == instance and hop.decision is decision for hop in before)
        if is_round or len(hops) > HOPS_MAX:
            return Journey(stop=Stop.LOOP, hops=tuple(hops))
        return self._after(hops, target, from_target)


def _addresses(decision: ClassifierDecision) -> tuple[TcpAddress, ...]:
    assert decision.address is not None, "what leaves for the network has an address"
    route = decision.route
    if decision.choose_step != 1 or route is None or route.mirror_address is None:
        return (decision.address,)
    return decision.address, route.mirror_address.tcp


def _stop_of(decision: ClassifierDecision) -> Stop:
    if decision.status == ASKING:
        return Stop.ASKING
    if decision.status == BAD_ADDRESS:
        return Stop.BAD_ADDRESS
    is_placed = decision.broker_instance is not None
    return Stop.OTHER_DATABASE if is_placed else Stop.NO_ROUTE
