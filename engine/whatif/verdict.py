"""`Verdict`: the end of one flow in a few words, for all flows of an estate at once; `FlowVerdicts` finds them.

Two legs are asked: out, and the acknowledgement back, for without it the message stays where it is. Ways out are the
same for all services of a database, ways back for all that answer it, and where several meet at an instance, what
comes of it from there on: each is traced once. With each way stands what it depends on.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Set
from typing import Final, TypeVar

import msgspec

from engine.core.catalog.database import CLOSED_TO_COMMANDS
from engine.core.routing.decision import Classification
from engine.core.routing.dialog_security import binding_of
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName, RouteName
from engine.core.vocabulary.limits import HOPS_MAX
from engine.core.vocabulary.messages import DialogTarget
from engine.whatif.acceptance import accepted, returned
from engine.whatif.beginning import begin_fault, speech_for
from engine.whatif.disposition import ARRIVED, Disposition, Light
from engine.whatif.facts import Fact, InsideFact, OutsideFact, ReachFact, ServiceFact
from engine.whatif.legs import Leg, round_trip, speaker_of
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion
from engine.whatif.tracing import Way, trace
from engine.whatif.watching import WatchedSnapshot

Path = tuple[tuple[InstanceName, DatabaseName, RouteName | None], ...]
_WHOLE: Final = 0.9999
"""Shares are products of fractions."""
_DELIVERED, _REFUSED = Disposition.DELIVERED, Disposition.REFUSED
_REMOTE = Classification.REMOTE
_AT_TARGETS: Final = frozenset({_DELIVERED, _REFUSED})


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """How a flow ends. Equal verdicts say that nothing has changed that a user would notice."""

    disposition: Disposition
    works: bool
    """It arrives by some way, and its sender can hear of it."""
    light: Light
    number: int | None = None
    instance: InstanceName | None = None
    """The last place reached."""
    database: DatabaseName | None = None
    path: Path = ()
    """Instance, table and route of every hop of the most likely way."""

    @property
    def route(self) -> RouteName | None:
        """The route that decided at the sender."""
        return self.path[0][2] if self.path else None


class _Traced(msgspec.Struct, frozen=True, gc=False):
    """The ways of one message."""

    ways: tuple[Way, ...]
    path: Path
    """Of the first of them."""
    facts: tuple[Fact, ...]
    """What they depend on."""

    def depends_on_these(self, facts: Container[Fact]) -> bool:
        """Whether nothing else could change them."""
        return all(fact in facts for fact in self.facts)


class FlowVerdicts:
    """Verdicts of one snapshot. With `base`, those of another, ways that no `changed` fact touches come from there."""

    def __init__(
        self, snapshot: WatchedSnapshot, base: FlowVerdicts | None = None, changed: Set[Fact] = frozenset()
    ) -> None:
        self.snapshot = snapshot
        self._base = base
        self._changed = changed
        self._asked = snapshot.asked
        self._traced: dict[InsideFact, _Traced] = {}
        self._onward: dict[OutsideFact, _Traced] = {}
        self._errors: dict[InsideFact, _Traced] = {}
        """Ways of Errors back to who was refused."""
        self._by_legs: dict[FlowQuestion, _Traced] = {}
        """Flows whose legs had to be gone one by one."""

    def of(self, flow: FlowQuestion) -> Verdict:
        """The verdict of a flow. Its names must be in the estate."""
        out = self._way_out(flow)
        if len(out.ways) != 1 or self._may_be_secured(flow):
            return self._leg_by_leg(flow, out)
        way = out.ways[0]
        speech = speech_for(self.snapshot, flow, out.ways)
        fault = begin_fault(self.snapshot, flow, speech, out.ways)
        if fault is not None:
            return Verdict(Disposition.NOT_BEGUN, False, Light.RED, fault, flow.instance, flow.database)
        if way.disposition is _DELIVERED:
            sender = (flow.instance, flow.database), flow.service
            way = accepted(self.snapshot, way, flow.to_service, sender, speech)
        if way.disposition in (_REFUSED, *ARRIVED) and self._comes_back_strangely(flow, out, way):
            return self._leg_by_leg(flow, out)
        if way.disposition is _REFUSED:
            return self._refusal(flow, out, way) or self._leg_by_leg(flow, out)
        heard = 0.0
        light = Light.RED
        if way.disposition in ARRIVED:
            heard = 1.0 if way.is_local else self._heard(flow, way)
            light = Light.GREEN if way.disposition is _DELIVERED and heard >= _WHOLE else Light.AMBER
        return Verdict(way.disposition, heard > 0.0, light, way.number, way.instance, way.database, out.path)

    def _may_be_secured(self, flow: FlowQuestion) -> bool:
        """Whether security may have a say: of all other flows what is sent in clear is all there is to it."""
        sender = self.snapshot.catalogs[flow.instance].databases[flow.database]
        return flow.encryption or binding_of(sender, flow.to_service) is not None

    def _comes_back_strangely(self, flow: FlowQuestion, out: _Traced, way: Way) -> bool:
        """Whether the answer comes by another neighbour than the message has left by, who may not be believed.

        What is taken in within the instance needs no answer; an Error about what is refused there may go far.
        """
        if way.database is None or (way.is_local and way.disposition is not _REFUSED):
            return False
        next_hop = out.path[1][0] if len(out.path) > 1 else None
        usual = (None, flow.instance, way.instance, next_hop)
        return any(speaker_of(back) not in usual for back in self._ways_back(flow, way))

    def _ways_back(self, flow: FlowQuestion, way: Way) -> tuple[Way, ...]:
        """Of an acknowledgement, or of the Error about what is refused."""
        return (self._error_back(flow, way) if way.disposition is _REFUSED else self._way_back(flow, way)).ways

    def is_drawn(self, flow: FlowQuestion) -> bool:
        """Whether there are several ways out or back of a flow that was asked for, so that chance has a say."""
        if self._known_legs(flow) is not None:
            return True
        way = self._way_out(flow).ways[0]
        return way.disposition is _DELIVERED and not way.is_local and len(self._way_back(flow, way).ways) > 1

    def facts_of(self, flow: FlowQuestion) -> Iterator[Fact]:
        """What the verdict of a flow depends on, once it was asked for; some facts several times."""
        by_legs = self._known_legs(flow)
        if by_legs is not None:
            yield from by_legs.facts
            return
        out = self._way_out(flow)
        yield from self._named_facts(flow, out)
        yield from out.facts
        way = out.ways[0]
        if way.disposition is _DELIVERED and not way.is_local:
            yield from self._way_back(flow, way).facts
        if way.disposition in _AT_TARGETS and way.database is not None:
            error = self._known_error(self._back(flow, way))
            yield from () if error is None else error.facts

    def _named_facts(self, flow: FlowQuestion, out: _Traced) -> Iterator[Fact]:
        """Who sends, and who takes what arrives."""
        yield ServiceFact(flow.instance, flow.database, flow.service)
        for way in out.ways:
            if way.disposition is _DELIVERED and way.database is not None:
                yield ServiceFact(way.instance, way.database, flow.to_service)

    def rebased(self) -> None:
        """Take over what still stands of the verdicts that these are based on, so that those can be forgotten."""
        base, changed = self._base, self._changed
        if base is not None:
            self._traced = {**_standing(base._traced, changed), **self._traced}
            self._onward = {**_standing(base._onward, changed), **self._onward}
            self._errors = {**_standing(base._errors, changed), **self._errors}
            self._by_legs = {**_standing(base._by_legs, changed), **self._by_legs}
            self._base, self._changed = None, frozenset()

    def forget_all_but(self, facts: Container[Fact]) -> None:
        """Forget ways that depend on anything else than these facts: nobody would notice that they have changed."""
        self._traced = {key: known for key, known in self._traced.items() if known.depends_on_these(facts)}
        self._onward = {key: known for key, known in self._onward.items() if known.depends_on_these(facts)}
        self._errors = {key: known for key, known in self._errors.items() if known.depends_on_these(facts)}
        self._by_legs = {key: known for key, known in self._by_legs.items() if known.depends_on_these(facts)}

    def _refusal(self, flow: FlowQuestion, out: _Traced, way: Way) -> Verdict | None:
        """The verdict of what is refused where it arrives, if its sender hears of it surely or surely not."""
        if way.database is None:
            return None
        found = self._error_back(flow, way)
        heard = sum(each.share for each in found.ways if each.disposition in ARRIVED and each.instance == flow.instance)
        if 1.0 - _WHOLE < heard < _WHOLE:
            return None
        end = _REFUSED if heard >= _WHOLE else Disposition.REFUSED_UNHEARD
        return Verdict(end, False, Light.RED, way.number, way.instance, way.database, out.path)

    def _error_back(self, flow: FlowQuestion, way: Way) -> _Traced:
        key = self._back(flow, way)
        own = self.snapshot.catalogs[flow.instance].databases[flow.database].broker_instance
        found = self._known_error(key)
        if found is None:
            found = self._errors[key] = self._joining(key, own) or self._alone(key, own, is_answer=True)
        return found

    def _heard(self, flow: FlowQuestion, way: Way) -> float:
        """Share of the draws on the way back by which the sender hears of the arrival."""
        home = (flow.instance, flow.database)
        ways = self._way_back(flow, way).ways
        return sum(back.share for back in ways if returned(back, home, is_reply=False).disposition in ARRIVED)

    def _leg_by_leg(self, flow: FlowQuestion, out: _Traced) -> Verdict:
        self._asked.clear()
        legs = round_trip(self.snapshot, flow, legs=2)
        facts = dict.fromkeys((*self._named_facts(flow, out), *out.facts, *self._asked))
        self._asked.clear()
        self._by_legs[flow] = _Traced(out.ways, out.path, tuple(facts))
        return verdict_of_legs(legs)

    def _known_legs(self, flow: FlowQuestion) -> _Traced | None:
        known = self._by_legs.get(flow)
        if known is None and self._base is not None:
            known = self._base._by_legs.get(flow)
            if known is not None and not self._changed.isdisjoint(known.facts):
                return None
        return known

    # ── ways, each once ──────────────────────────────────────────────────────────────────────────────────────────
    def _way_out(self, flow: FlowQuestion) -> _Traced:
        broker = flow.broker_instance
        number = None if broker is None else broker.int
        key = InsideFact(flow.instance, flow.database, flow.to_service, number, False)
        return self._known(key) or self._follow(key, broker)

    def _back(self, flow: FlowQuestion, way: Way) -> InsideFact:
        assert way.database is not None, "what has arrived is in a database"
        own = self.snapshot.catalogs[flow.instance].databases[flow.database].broker_instance
        return InsideFact(way.instance, way.database, flow.service, own.int, True)

    def _way_back(self, flow: FlowQuestion, way: Way) -> _Traced:
        own = self.snapshot.catalogs[flow.instance].databases[flow.database].broker_instance
        key = self._back(flow, way)
        return self._known(key) or self._follow(key, own)

    def _known(self, key: InsideFact) -> _Traced | None:
        known = self._traced.get(key)
        if known is None and self._base is not None:
            known = self._base._traced.get(key)
            if known is not None and not self._changed.isdisjoint(known.facts):
                return None
        return known

    def _known_error(self, key: InsideFact) -> _Traced | None:
        known = self._errors.get(key)
        if known is None and self._base is not None:
            known = self._base._errors.get(key)
            if known is not None and not self._changed.isdisjoint(known.facts):
                return None
        return known

    def _known_onward(self, key: OutsideFact) -> _Traced | None:
        known = self._onward.get(key)
        if known is None and self._base is not None:
            known = self._base._onward.get(key)
            if known is not None and not self._changed.isdisjoint(known.facts):
                return None
        return known

    def _follow(self, key: InsideFact, broker: BrokerInstanceId | None) -> _Traced:
        found = self._traced[key] = self._joining(key, broker) or self._alone(key, broker)
        return found

    def _joining(self, key: InsideFact, broker: BrokerInstanceId | None) -> _Traced | None:
        """What goes in one way to an instance that others have asked the same; None for all else."""
        snapshot, instance, database = self.snapshot, key.instance, key.database
        if instance in snapshot.faults.down or is_closed(snapshot, instance, database):
            return None
        if not key.from_target and snapshot.asks_for_binding(instance, database, key.service):
            return None
        target = DialogTarget(key.service, broker)
        choices = snapshot.router(instance).inside(database, target, from_target=key.from_target)
        decision = choices[0].decision
        address, route = decision.address, decision.route
        if len(choices) > 1 or address is None or decision.classification is not _REMOTE or decision.via is not None:
            return None
        if route is None or route.mirror_address is not None:
            return None
        reached = snapshot.reach(instance, address)
        if reached.number is not None or reached.instance is None:
            return None
        onward = self._known_onward(OutsideFact(reached.instance, key.service, key.number, key.from_target))
        if onward is None:
            return None
        path = ((instance, decision.table, route.name), *onward.path)
        return _Traced(onward.ways, path, (key, ReachFact(instance, address), *onward.facts))

    def _alone(self, key: InsideFact, broker: BrokerInstanceId | None, *, is_answer: bool = False) -> _Traced:
        """Traced from the sender on; what it finds where it first arrives is kept for others."""
        asked = self._asked
        asked.clear()
        target = DialogTarget(key.service, broker)
        place = (key.instance, key.database)
        ways = trace(self.snapshot, *place, target, from_target=key.from_target, is_answer=is_answer).ways
        found = _Traced(ways, path_of(ways[0]), tuple(dict.fromkeys((key, *asked))))
        way = ways[0]
        # Of what was drawn, and of ways so long that their hops may not suffice, nothing is kept.
        if (
            len(ways) == 1
            and way.share > _WHOLE
            and 1 < len(way.hops) < HOPS_MAX
            and way.hops[1].instance != key.instance
        ):
            since = next((at for at, fact in enumerate(asked) if type(fact) is OutsideFact), len(asked))
            there = OutsideFact(way.hops[1].instance, key.service, key.number, key.from_target)
            self._onward.setdefault(there, _Traced(ways, found.path[1:], tuple(dict.fromkeys(asked[since:]))))
        asked.clear()
        return found


def is_closed(snapshot: Snapshot, instance: InstanceName, database: DatabaseName) -> bool:
    """Whether the state of a database lets nobody send."""
    return snapshot.catalogs[instance].databases[database].state in CLOSED_TO_COMMANDS


Key = TypeVar("Key")


def _standing(traced: dict[Key, _Traced], changed: Set[Fact]) -> dict[Key, _Traced]:
    return {key: known for key, known in traced.items() if changed.isdisjoint(known.facts)}


def path_of(way: Way) -> Path:
    """Instance, table and route of every hop."""
    return tuple(
        (hop.instance, hop.decision.table, None if hop.decision.route is None else hop.decision.route.name)
        for hop in way.hops
    )


def verdict_of_legs(legs: tuple[Leg, ...]) -> Verdict:
    """The verdict of the first two legs of a flow."""
    first, second = legs
    way = first.ways[0]
    works = first.arrives > 0.0 and second.arrives > 0.0
    is_green = first.light is Light.GREEN and second.light is Light.GREEN
    light = Light.GREEN if is_green else Light.AMBER if first.arrives > 0.0 else Light.RED
    return Verdict(way.disposition, works, light, way.number, way.instance, way.database, path_of(way))
