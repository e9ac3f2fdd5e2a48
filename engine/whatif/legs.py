"""`round_trip`: the four legs of a conversation's first message, each over all its ways (product.md 1b, 2).

A message stays in its sender's transmission queue until the acknowledgement arrives, so a fault on the way back looks
like one on the way out. Each leg sets out from where the one before has ended; shares of a leg are of what sets out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from engine.core.routing.dialog_security import is_secured_within
from engine.core.routing.next_hops import next_hops_of
from engine.core.vocabulary.dialog_security import SecurityKind
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.messages import DialogTarget
from engine.whatif.acceptance import Place, accepted, answered, returned
from engine.whatif.beginning import begin_fault, not_begun, security_of, speech_for
from engine.whatif.disposition import ARRIVED, Disposition, LegKind, Light
from engine.whatif.security_proof import CANNOT_DECRYPT, reply_fault
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion
from engine.whatif.tracing import Way, trace

NOT_ENTITLED: Final = 11211
_WHOLE = 0.9999
"""Shares are sums of fractions."""


class Leg(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One leg over all its ways, the most likely first; empty when nothing sets out on it."""

    kind: LegKind
    ways: tuple[Way, ...]

    @property
    def arrives(self) -> float:
        """Share of what sets out that arrives, 0 to 1."""
        return min(1.0, sum(way.share for way in self.ways if way.disposition in ARRIVED))

    @property
    def followed(self) -> float:
        """Share of what sets out whose end is known; 1 where nothing sets out."""
        return min(1.0, sum(way.share for way in self.ways)) if self.ways else 1.0

    @property
    def light(self) -> Light:
        """What the leg looks like from afar."""
        if not self.ways:
            return Light.GREY
        arrives = self.arrives
        if arrives == 0.0:
            return Light.RED if self.followed >= _WHOLE else Light.AMBER
        is_whole = arrives >= _WHOLE and all(way.disposition is not Disposition.HELD_QUEUE_OFF for way in self.ways)
        return Light.GREEN if is_whole else Light.AMBER


class _Outcome(msgspec.Struct, frozen=True, gc=False):
    """One end of one leg, and the ways that led there before."""

    share: float
    """Of all messages."""
    ways: tuple[Way, ...]

    @property
    def last(self) -> Way:
        """The way of the leg that was gone last."""
        return self.ways[-1]


class Course(msgspec.Struct, frozen=True, gc=False):
    """One course that a whole round trip may take: a way of each leg, up to the first leg that is not gone."""

    share: float
    """Of all messages."""
    ways: tuple[Way, ...]
    """Of the legs, in the order of `LegKind`."""


def courses(snapshot: Snapshot, asked: FlowQuestion) -> tuple[Course, ...]:
    """Every course of a flow, one for each combination of what is drawn. The question's names must be in the estate."""
    trip = Trip(snapshot, asked)
    message = trip.message()
    acknowledgement = trip.acknowledgement(message)
    reply = trip.reply(acknowledgement)
    ended = [
        *(outcome for outcome in message if outcome.last.disposition not in ARRIVED),
        *(outcome for outcome in acknowledgement if outcome.ways[0].disposition is Disposition.HELD_QUEUE_OFF),
        *(outcome for outcome in reply if outcome.last.disposition not in ARRIVED),
        *trip.reply_acknowledgement(reply),
    ]
    return tuple(Course(outcome.share, outcome.ways) for outcome in ended)


def round_trip(snapshot: Snapshot, asked: FlowQuestion, *, legs: int = 4) -> tuple[Leg, ...]:
    """The legs of a flow, the first `legs` of them. The question's names must be in the estate."""
    return Trip(snapshot, asked).legs(legs)


class Trip:
    """The work of one round trip."""

    def __init__(self, snapshot: Snapshot, asked: FlowQuestion) -> None:
        self._snapshot = snapshot
        self._asked = asked
        self._home: Place = (asked.instance, asked.database)
        sender = snapshot.catalogs[asked.instance].databases[asked.database]
        self._back = DialogTarget(asked.service, sender.broker_instance)
        target = DialogTarget(asked.to_service, asked.broker_instance)
        out = trace(snapshot, *self._home, target, security=security_of(snapshot, asked)).ways
        self.speech: Final = speech_for(snapshot, asked, out)
        """What is said, by whichever way it goes."""
        fault = begin_fault(snapshot, asked, self.speech, out)
        self._out = out if fault is None else (not_begun(asked, fault),)

    def legs(self, legs: int = 4) -> tuple[Leg, ...]:
        """The first so many of the four."""
        first = self.message()
        found = [_leg(LegKind.MESSAGE, first)]
        if legs > 1:
            second = self.acknowledgement(first)
            found.append(_leg(LegKind.ACKNOWLEDGEMENT, second))
        if legs > 2:
            third = self.reply(second)
            found.append(_leg(LegKind.REPLY, third))
            found.append(_leg(LegKind.REPLY_ACKNOWLEDGEMENT, self.reply_acknowledgement(third)))
        return tuple(found)

    def message(self) -> list[_Outcome]:
        """The first message of a dialog."""
        return [
            _Outcome(way.share, (way,))
            for found in self._out
            for way in self._answered(self._taken_in(found), self._home[0], self._back, from_target=True)
        ]

    def _taken_in(self, way: Way) -> Way:
        asked = self._asked
        sender = self._home, asked.service
        return accepted(self._snapshot, way, asked.to_service, sender, self.speech, encryption=asked.encryption)

    def _answered(self, way: Way, sender: InstanceName, to: DialogTarget, *, from_target: bool) -> list[Way]:
        """A refusal as its sender hears it, or does not: the error is routed like any message (routing.md E39)."""
        if way.disposition is not Disposition.REFUSED or way.database is None:
            return [way]
        errors = trace(self._snapshot, way.instance, way.database, to, from_target=from_target, is_answer=True)
        heard = [each for each in errors.ways if each.disposition in ARRIVED and each.instance == sender]
        if from_target:
            heard = [each for each in heard if self._spoken(way, each).disposition in ARRIVED]
        share = min(1.0, sum(each.share for each in heard))
        told = msgspec.structs.replace(way, share=way.share * share)
        untold = msgspec.structs.replace(way, share=way.share * (1.0 - share), disposition=Disposition.REFUSED_UNHEARD)
        return [each for each in (told, untold) if each.share > way.share * (1.0 - _WHOLE)]

    def acknowledgement(self, before: Sequence[_Outcome]) -> list[_Outcome]:
        """From where the message has arrived; within one instance being taken in is the acknowledgement."""
        found: list[_Outcome] = []
        for outcome in _arrived(before):
            if outcome.last.is_local:
                found.append(_with(outcome, _within(self._home)))
                continue
            for way in self._from_target(outcome.last, None):
                back = self._spoken(outcome.last, returned(way, self._home, is_reply=False))
                found.append(_with(outcome, back))
        return found

    def reply(self, before: Sequence[_Outcome]) -> list[_Outcome]:
        """From the same place by the same path; a queue that is off lets nobody answer."""
        found: list[_Outcome] = []
        for outcome in before:
            message, acknowledgement = outcome.ways[0], outcome.last
            if message.disposition is Disposition.HELD_QUEUE_OFF:
                continue
            fault = self._reply_fault(message)
            for way in self._from_target(message, acknowledgement):
                arrived = self._spoken(message, self._returned_reply(message, way))
                arrived = answered(self._snapshot, arrived, self._home, self._asked.service, fault)
                ends = self._answered(arrived, message.instance, self._pinned(message), from_target=False)
                found += [_with(outcome, each) for each in ends]
        return found

    def _returned_reply(self, message: Way, way: Way) -> Way:
        """A reply where it arrives; an instance that does not know the conversation cannot open a secured one."""
        unopened = None
        if way.disposition is Disposition.DELIVERED and way.instance != self._home[0] and self._has_key(message):
            unopened = self._unopened(message, way)
        if unopened is None:
            return returned(way, self._home, is_reply=True)
        return msgspec.structs.replace(way, disposition=Disposition.DISCARDED, number=unopened)

    def _unopened(self, message: Way, way: Way) -> int | None:
        assert message.database is not None, "what has arrived is in a database"
        assert way.database is not None, "what has arrived is in a database"
        security = None if message.is_local or message.first is None else message.first.security
        if security is None:
            return CANNOT_DECRYPT
        databases = [
            self._snapshot.catalogs[instance].databases[database]
            for instance, database in (self._home, (message.instance, message.database), (way.instance, way.database))
        ]
        home, target, elsewhere = databases
        return reply_fault(home, security, target, elsewhere, self._asked.service, self._snapshot.at)

    def _spoken(self, message: Way, back: Way) -> Way:
        """What comes back to the sender in clear is taken from who may speak for the far end (`speakers`)."""
        speaker = speaker_of(back)
        if back.disposition not in ARRIVED or back.is_local or speaker is None or message.database is None:
            return back
        if self._has_key(message):
            return back
        if speaker in (self._home[0], message.instance) or speaker in self._next_hops(message):
            return back
        return msgspec.structs.replace(back, disposition=Disposition.DISCARDED, number=NOT_ENTITLED, database=None)

    def _has_key(self, message: Way) -> bool:
        """Whether both ends have a key once the message has arrived: then who hands a message over does not matter."""
        if message.is_local and message.database is not None:
            databases = self._snapshot.catalogs[message.instance].databases
            here, there = databases[self._home[1]], databases[message.database]
            return is_secured_within(here, there, self._asked.to_service, encryption=self._asked.encryption)
        first = message.first
        security = None if first is None else first.security
        return security is not None and security.kind is not SecurityKind.NONE

    def _next_hops(self, message: Way) -> set[InstanceName]:
        """Who is at the addresses to which the sender's own messages to that copy of the service could go next."""
        instance, database = self._home
        pinned = self._pinned(message)
        ways = [message, *trace(self._snapshot, instance, database, pinned).ways]
        decided = {
            there
            for way in ways
            for hop in way.hops
            if hop.instance == instance
            for address in next_hops_of(hop.decision)
            for there in self._snapshot.hosts.at(address, instance)
        }
        return decided | self._snapshot.next_hops(instance, database, pinned)

    def _reply_fault(self, message: Way) -> int | None:
        """What the sender's database has against the type of the reply."""
        assert message.database is not None, "what has arrived is in a database"
        definitions, contract = self._snapshot.definitions, self.speech.contract
        said = definitions.reply((message.instance, message.database), self._home, contract)
        return None if said is None else definitions.reply_fault(self._home, contract, said)

    def _from_target(self, message: Way, before: Way | None) -> Iterable[Way]:
        assert message.database is not None, "what has arrived is in a database"
        decision = None if before is None else before.first
        return trace(
            self._snapshot, message.instance, message.database, self._back, from_target=True, before=decision
        ).ways

    def _pinned(self, message: Way) -> DialogTarget:
        """The copy of the service that has the message."""
        assert message.database is not None, "what has arrived is in a database"
        far = self._snapshot.catalogs[message.instance].databases[message.database]
        return DialogTarget(self._asked.to_service, far.broker_instance)

    def reply_acknowledgement(self, before: Sequence[_Outcome]) -> list[_Outcome]:
        """From the sender to the one copy of the service that has acknowledged (routing.md E34)."""
        found: list[_Outcome] = []
        for outcome in _arrived(before):
            message = outcome.ways[0]
            assert message.database is not None, "what has arrived is in a database"
            place = (message.instance, message.database)
            if outcome.last.is_local:
                found.append(_with(outcome, _within(place)))
                continue
            ways = trace(self._snapshot, *self._home, self._pinned(message), before=message.first).ways
            found += [_with(outcome, returned(way, place, is_reply=False)) for way in ways]
        return found


def speaker_of(way: Way) -> InstanceName | None:
    """Who hands a message over at the end of its way; None when that is who sends it, or nobody."""
    last = next((hop for hop in reversed(way.hops) if hop.reached is not None), None)
    return None if last is None else last.instance


def _arrived(outcomes: Iterable[_Outcome]) -> list[_Outcome]:
    return [outcome for outcome in outcomes if outcome.last.disposition in ARRIVED]


def _with(outcome: _Outcome, way: Way) -> _Outcome:
    return _Outcome(outcome.share * way.share, (*outcome.ways, way))


def _within(place: Place) -> Way:
    """An acknowledgement that needs no way: it is given with the message, in the same instance."""
    instance, database = place
    return Way(
        share=1.0, hops=(), disposition=Disposition.DELIVERED, instance=instance, database=database, is_local=True
    )


def _leg(kind: LegKind, outcomes: Sequence[_Outcome]) -> Leg:
    """The ways of a leg; those that are the same, whatever came before, count as one."""
    whole = sum(outcome.share for outcome in outcomes)
    sums: dict[object, tuple[float, Way]] = {}
    for outcome in outcomes:
        way = outcome.last
        key = (
            way.disposition,
            way.instance,
            way.database,
            tuple((hop.instance, id(hop.decision.route), hop.address, hop.decision.table) for hop in way.hops),
        )
        share, _ = sums.get(key, (0.0, way))
        sums[key] = (share + outcome.share, way)
    # What was not followed on a leg before is not held against this one; what is not followed on this one is.
    set_out = whole if kind is LegKind.MESSAGE else _set_out(outcomes)
    scale = 1.0 if kind is LegKind.MESSAGE or set_out == 0.0 else set_out
    ways = [msgspec.structs.replace(way, share=share / scale) for share, way in sums.values()]
    return Leg(kind=kind, ways=tuple(sorted(ways, key=lambda way: -way.share)))


def _set_out(outcomes: Iterable[_Outcome]) -> float:
    """Share of all messages for which anything sets out on the leg that was gone last."""
    starts: dict[tuple[int, ...], float] = {}
    for outcome in outcomes:
        start = tuple(id(way) for way in outcome.ways[:-1])
        starts[start] = outcome.share / outcome.last.share if outcome.last.share else 0.0
    return sum(starts.values())
