"""What-if and simulator about one message: does the world do what was foreseen, on each of the four legs?

`seen` reads the end of a leg off what the witness has written down. It knows nothing of how a what-if comes to its
answer, only the words for it: places, numbers and dispositions.
"""

from typing import NamedTuple

from engine.core.mirroring.book import pair_of
from engine.core.routing.draws import Question
from engine.core.vocabulary.settings import EngineSettings, WhilePending
from engine.sim.estate_world import EstateWorld
from engine.sim.guide import Guide
from engine.whatif.disposition import ARRIVED, Disposition, LegKind
from engine.whatif.legs import courses
from engine.whatif.snapshot import Snapshot
from tests.support.random_estates import NOW

LEGS = tuple(LegKind)
OUT, ACKNOWLEDGEMENT, BACK, BACK_ACKNOWLEDGEMENT = LEGS
WAITS_SECONDS = 320.0
"""Longer than four waits of a sender for another way, and five retries."""
MAYBE_LATE = 11288, 11218
"""Copies of what is on its way or has arrived already; they say nothing about the message."""
NO_DESTINATION = 11294
"""A forwarder had taken it in, could not connect, and drew a way that leads nowhere."""
GROWN_OLD = 11290, 11291
"""A forwarder had it in memory and could not pass it on."""
NOT_SAID = 8425, 8428, 8431, 8432, 9618
"""Why BEGIN DIALOG or SEND is not done, though the database takes commands."""
UNSECURED = 9727, 9728, 9730, 9731, 9733, 9734, 9735, 9737, 9768, 28024, 28025, 28050, 28051, 28054
"""The dialog cannot be secured, wherever it would go."""
NOT_YET = 9794, None
"""Statuses of somebody who has not heard anything yet."""
COURSES_MAX = 12
DIALOGS = 3


SETTINGS = EngineSettings(dynamic_routing_while_pending=WhilePending.WAIT)
"""Nobody answers what the configuration service is asked: so it is seen that it was asked, for as long as one looks."""
TOLD_AS = {
    8462: (11209,),
    8494: (11215, 28012),
    8490: (11210, 28012),
    8401: (28012,),
    8408: (11214, 28012),
    8425: (11214, 28012),
    8428: (11227, 28012),
    8430: (28012,),
    8498: (11227, 28012),
    8437: (11228, 28012),
    8457: (11228, 28012),
}
"""How the trace tells of a message whose sender is answered with an Error, and how a sender in the same instance."""


class Seen(NamedTuple):
    """How a leg ended in the world."""

    disposition: Disposition
    instance: str
    database: str | None = None
    numbers: tuple = ()
    """Under which numbers it may be told; empty when there is none."""


class Difference(NamedTuple):
    """What was foreseen and did not happen."""

    leg: LegKind
    foreseen: tuple
    """The way; of a world that takes turns all of them."""
    seen: object

    def __str__(self):
        ends = [(way.disposition.value, way.instance, way.database, way.number) for way in self.foreseen]
        return f"{self.leg}: {ends} was foreseen, and {self.seen} was seen"


# ── a world that takes one course ────────────────────────────────────────────────────────────────────────────────────
def replay(forecast, course, seed):
    """Let a world take one course of a forecast; answers the first difference, or None."""
    case = forecast.case
    guides = {name: Guide() for name in case.catalogs}
    _wish(guides, case, course.ways[:2], LEGS[:2])
    told = Teller(_world(case, seed, guides), case)
    for leg, way in zip(LEGS, course.ways, strict=False):
        if leg is BACK:
            if forecast.is_race:
                break
            for guide in guides.values():
                guide.forget()
            _wish(guides, case, course.ways[2:], LEGS[2:])
            told.reply()
        found = told.end_of(leg)
        if not fits(way, found):
            # What cannot be wished for: then the world takes another course, which was foreseen, too.
            ways = forecast.ways_of(leg)
            is_another = forecast.is_race or _is_drawn_otherwise(way) or {way.disposition, *_REFUSALS} <= _ends(ways)
            # Who got nowhere with the acknowledgement goes from one way to the next while that is looked at.
            is_another = is_another or (leg is BACK and course.ways[1].disposition not in ARRIVED)
            is_foreseen = is_another and any(fits(other, found, is_race=forecast.is_race) for other in ways)
            return None if is_foreseen else Difference(leg, (way,), found)
        if leg is OUT and way.disposition is Disposition.DELIVERED and not told.came_by(way, forecast):
            return Difference(leg, (way,), told.track(OUT).reached)
    return None


def _ends(ways):
    return {way.disposition for way in ways}


def _is_drawn_otherwise(way):
    """Whether a way ends in a forwarder that cannot connect, by another route than the message took there before.

    A forwarder that learns that draws anew at once, and goes by the wish for the next copy.
    """
    last = way.hops[-1] if way.hops else None
    before = [hop for hop in way.hops[:-1] if last is not None and hop.instance == last.instance]
    return way.disposition in _IN_TRANSIT and any(hop.decision.route != last.decision.route for hop in before)


def at_large(forecast, seed):
    """Let a world take turns as it will, for several dialogs at once; answers the first end that was not foreseen."""
    case = forecast.case
    world = _world(case, seed, {})
    supposed = {name: (each.databases, each.endpoint) for name, each in forecast.snapshot.catalogs.items()}
    if _catalogs_of(world) != supposed:
        return Difference(OUT, (), "other catalogs than faults are supposed to leave")
    dialogs = [Teller(world, case, is_at_large=True) for _ in range(DIALOGS)]
    for told in dialogs:
        found = told.end_of(OUT)
        if not any(fits(way, found, is_race=forecast.is_race) for way in forecast.ways_of(OUT)):
            return Difference(OUT, forecast.ways_of(OUT), found)
        if found.disposition in ARRIVED:
            heard = told.end_of(ACKNOWLEDGEMENT)
            if not any(fits(way, heard) for way in forecast.ways_of(ACKNOWLEDGEMENT)):
                return Difference(ACKNOWLEDGEMENT, forecast.ways_of(ACKNOWLEDGEMENT), heard)
    return None


def _catalogs_of(world):
    return {
        name: (server.instance.catalog.databases, server.instance.catalog.endpoint)
        for name, server in world.servers.items()
    }


def _world(case, seed, guides):
    return EstateWorld(case.catalogs, at=NOW, seed=seed, faults=case.faults, draws=guides, settings=SETTINGS)


def _wish(guides, case, ways, legs):
    """Tell every instance what it shall draw, so that the world goes these ways."""
    for leg, way in zip(legs, ways, strict=False):
        service = case.flow.to_service if leg in (OUT, BACK_ACKNOWLEDGEMENT) else case.flow.service
        for hop in way.hops:
            decision, guide = hop.decision, guides[hop.instance]
            if decision.route is not None:
                guide.wish((decision.table, service, Question.ROUTE), decision.route)
            picked = decision.route.broker_instance if decision.route is not None else None
            if picked is None and decision.candidates:
                routes = case.catalogs[hop.instance].databases[decision.table].routes
                picked = routes[decision.candidates[0]].broker_instance
            if picked is not None:
                guide.wish((decision.table, service, Question.BROKER_INSTANCE), picked)
            if decision.database is not None:
                guide.wish((decision.table, service, Question.DATABASE), decision.database)


class Teller:
    """Reads the ends of the four legs, one after another, off one conversation."""

    def __init__(self, world, case, *, is_at_large=False):
        self.is_at_large = is_at_large
        self.world, self.conversation = world, world.begin(case.flow)
        self.home = case.flow.instance, case.flow.database
        self.heard = 0

    def track(self, leg):
        return self.conversation.tracks[leg]

    @property
    def target(self):
        """Whoever has the message."""
        taken = self.track(OUT).taken[0]
        return next(
            side
            for side in self.conversation.targets
            if (side.instance, side.database) == (taken.instance, taken.database)
        )

    def reply(self):
        self.heard = len(self.target.statuses)
        self.world.reply(self.conversation, self.target)

    def end_of(self, leg):
        """How a leg ends, once the world has had time for it."""
        conversation = self.conversation
        if leg is OUT:
            self.world.run(WAITS_SECONDS, lambda: self.track(OUT).taken or conversation.has_ended_in_error)
            return self._out()
        if leg is ACKNOWLEDGEMENT:
            self.world.run(WAITS_SECONDS, lambda: conversation.is_acknowledged)
            if conversation.is_acknowledged:
                return Seen(Disposition.DELIVERED, *self.home)
            target = self.target
            return self._stuck_first(target, self.track(leg))
        if leg is BACK:
            track, target = self.track(BACK), self.target
            self.world.run(WAITS_SECONDS, lambda: track.taken or target.error is not None)
            return self._back(target, track)
        target = self.target
        self.world.run(WAITS_SECONDS, lambda: target.acknowledged_at is not None)
        if target.acknowledged_at is not None:
            return Seen(Disposition.DELIVERED, target.instance, target.database)
        return self._stuck(conversation.initiator, self.track(leg), conversation.initiator.statuses)

    def _out(self):
        conversation, track = self.conversation, self.track(OUT)
        if conversation.is_unanswered or conversation.refused is not None:
            numbers = () if conversation.refused is None else (conversation.refused,)
            how = Disposition.NOT_BEGUN if conversation.refused in NOT_SAID else Disposition.SENDER_DOWN
            return Seen(how, *self.home, numbers)
        if track.taken:
            return _taken(track)
        side = conversation.initiator
        if side.error is not None:
            return _refused(side, track)
        return self._stuck_first(side, track)

    def _back(self, target, track):
        if track.taken:
            return _taken(track)
        if target.error is not None:
            return _refused(target, track)
        return self._stuck(target, track, target.statuses[self.heard :] or target.statuses[-1:])

    def _stuck_first(self, side, track):
        """By the first way that was wished for; at large by the last one that the sender has come to."""
        if self.is_at_large and (not side.decisions or pair_of(side.decisions[-1].route) is None):
            return self._stuck(side, track, side.statuses[-1:])
        if self.is_at_large and any(each.route != side.decisions[-1].route for each in side.decisions):
            # It has come to two partners by another way, whose number was told before theirs.
            return self._stuck(side, track, side.statuses[::-1], side.decisions[-1:])
        return self._stuck(side, track, side.statuses, side.decisions[:1])

    def _stuck(self, side, track, statuses, decisions=None):
        """It has not arrived: it waits with its sender, in a forwarder, or copies of it are thrown away somewhere."""
        if not track.sent:
            return self._kept(side, statuses, decisions or side.decisions[-1:])
        stopped = [each for each in track.stopped if each.number not in MAYBE_LATE]
        final = [each for each in stopped if each.number not in GROWN_OLD]
        if final:
            last = final[0]
            numbers = tuple({each.number for each in final if each.instance == last.instance} | last.also)
            return Seen(_thrown_away(last), last.instance, None, numbers)
        place = track.reached[-1] if track.reached else side.instance
        witness = self.world.witness
        numbers = (*sorted(witness.link_errors.get(place, ())), *([9787] if place in witness.searching else ()))
        return Seen(Disposition.UNREACHABLE, place, None, numbers)

    def _kept(self, side, statuses, decisions):
        number = next((number for number in statuses if number not in NOT_YET), None)
        numbers = () if number is None else (number,)
        if decisions and pair_of(decisions[0].route) is not None:
            # Of two partners that cannot be reached the one that was tried last is told.
            numbers = tuple({each for each in statuses if each not in NOT_YET})
        if number in UNSECURED:
            return Seen(Disposition.DELAYED, side.instance, None, numbers)
        if number == 9770:
            return Seen(Disposition.ASKING, side.instance, None, numbers)
        if decisions and decisions[0].address is not None:
            if len(numbers) > 1 and number != 9787:
                return Seen(Disposition.UNREACHABLE, side.instance, None, numbers)
            how = {9783: Disposition.NOBODY_THERE, 9787: Disposition.NOBODY_CLAIMS}
            return Seen(how.get(number, Disposition.UNREACHABLE), side.instance, None, numbers)
        return Seen(Disposition.DELAYED, side.instance, None, numbers)

    def came_by(self, way, forecast):
        """Whether the message that has arrived came by the instances that were foreseen."""
        if forecast.is_race:
            return True
        expected = []
        for at, hop in enumerate(way.hops):
            following = way.hops[at + 1] if at + 1 < len(way.hops) else None
            is_skipped = following is not None and following.decision.via is hop.decision and following.reached
            if hop.reached is not None and not is_skipped:
                expected.append(hop.reached)
        return self.track(OUT).reached[: len(expected)] == expected


def _taken(track):
    taken = track.taken[0]
    how = Disposition.HELD_QUEUE_OFF if taken.is_parked else Disposition.DELIVERED
    return Seen(how, taken.instance, taken.database)


def _refused(side, track):
    """Whoever discarded it for the reason that the Error names; within one instance nobody tells of that."""
    told_as = (-side.error, *TOLD_AS.get(-side.error, ()))
    place = next((each.instance for each in track.stopped if each.number in told_as), side.instance)
    return Seen(Disposition.REFUSED, place, None, (-side.error,))


def _thrown_away(stopped):
    if stopped.number == 11285:
        return Disposition.LOOP
    return Disposition.DISCARDED


# ── comparing ────────────────────────────────────────────────────────────────────────────────────────────────────────
_SAME = {
    Disposition.HOPS_USED_UP: Disposition.LOOP,
    # Where nobody hears of a refusal it looks like any other copy that is thrown away.
    Disposition.REFUSED_UNHEARD: Disposition.DISCARDED,
}
_REFUSALS = {Disposition.REFUSED, Disposition.REFUSED_UNHEARD}
_IN_TRANSIT = {Disposition.UNREACHABLE, Disposition.NOBODY_THERE, Disposition.NOBODY_CLAIMS}


def fits(way, seen, *, is_race=False):
    """Whether a way that was foreseen and the end that was seen are the same.

    In a race the copy that could have heard of a refusal may go elsewhere.
    """
    foreseen = _SAME.get(way.disposition, way.disposition)
    disposition = seen.disposition
    if is_race and way.disposition is Disposition.REFUSED and disposition is Disposition.DISCARDED:
        foreseen = disposition
    if way.disposition is Disposition.REFUSED_UNHEARD and way.is_local:
        foreseen = Disposition.DELAYED
    if foreseen in _IN_TRANSIT and disposition in _IN_TRANSIT and len(way.hops) > 1:
        disposition = foreseen
    if way.is_local and foreseen is Disposition.DISCARDED and disposition is Disposition.DELAYED:
        # Within an instance nobody tells of an acknowledgement that is none of a conversation there.
        return not seen.numbers and way.instance == seen.instance
    if foreseen is not disposition:
        return False
    # In a race several may have refused it, and the one in the sender's own instance tells nobody.
    is_anywhere = foreseen is Disposition.LOOP or (is_race and foreseen is Disposition.REFUSED)
    if not is_anywhere and way.instance != seen.instance:
        return False
    if seen.database is not None and way.database != seen.database:
        return False
    numbers = (way.number, *TOLD_AS.get(way.number, ()))
    if foreseen is Disposition.DISCARDED and NO_DESTINATION in seen.numbers:
        return True
    return way.number is None or any(number in seen.numbers for number in numbers)


class Forecast:
    """What is foreseen for a case."""

    def __init__(self, case):
        self.case = case
        self.snapshot = Snapshot(case.catalogs, at=NOW, faults=case.faults, explain=True)
        self.courses = sorted(courses(self.snapshot, case.flow), key=lambda course: -course.share)
        hops = [hop for course in self.courses for way in course.ways for hop in way.hops]
        self.is_race = any(self._is_claimed_twice(hop) for hop in hops)

    def ways_of(self, leg):
        at = LEGS.index(leg)
        return [course.ways[at] for course in self.courses if len(course.ways) > at]

    def _is_claimed_twice(self, hop):
        pair = pair_of(hop.decision.route)
        if pair is None:
            return False
        found = [self.snapshot.reach(hop.instance, address) for address in (pair.address, pair.mirror_address)]
        return (
            len(
                {
                    each.instance
                    for each in found
                    if each.is_open and self.snapshot.is_principal(each.instance, pair.broker_instance)
                }
            )
            == 2
        )
