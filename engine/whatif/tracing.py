"""`trace`: one message from its sender to its end, over every way that the routers may choose (routing.md 3, 5, 9).

Ways are followed best first, by their share, so that a cap leaves out the least likely ones. What an instance decides
does not depend on how the message came there, so unlikely ways that are in one place after as many hops go on as one.
A way that comes back to where it was, with nothing drawn in between, is a loop and needs no sixteen hops to be told so.
"""

from __future__ import annotations

import heapq
from itertools import count
from typing import Final

import msgspec

from engine.core.catalog.database import CLOSED_TO_COMMANDS
from engine.core.mirroring.book import pair_of
from engine.core.routing.classifier import ASKING, NO_SUCH_SERVICE
from engine.core.routing.decision import Classification, ClassifierDecision, Origin
from engine.core.routing.dialog_security import SecurityDecision
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName
from engine.core.vocabulary.limits import HOPS_MAX
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from engine.core.vocabulary.mirrors import NOBODY_CLAIMS, MirroredPair
from engine.whatif.disposition import Disposition
from engine.whatif.reach import HOST_UNKNOWN, OWN_ENDPOINT, SLOWNESS, Reached
from engine.whatif.router import Choice
from engine.whatif.snapshot import Snapshot

WAYS_MAX: Final = 256
"""Ends of one message that are told; the share of the others is told as not followed."""
DECISIONS_MAX: Final = 4_000
"""Decisions that one trace looks at."""
SHARE_THIN: Final = 0.01
"""Ways that are less likely are followed together, and their ends told together where they are the same."""
HOPS_USED_UP: Final = 11285

_LOCAL, _REMOTE = Classification.LOCAL, Classification.REMOTE


class Hop(msgspec.Struct, frozen=True, gc=False):
    """One decision, whose it was, and where it led."""

    instance: InstanceName
    decision: ClassifierDecision
    share: float
    """Of the draw that led here."""
    address: TcpAddress | None = None
    """What is dialled; of a mirrored route that of the principal."""
    reached: InstanceName | None = None
    """Who is there."""


class Way(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One way to its end."""

    share: float
    hops: tuple[Hop, ...]
    disposition: Disposition
    instance: InstanceName
    """The last place that the message, or the attempt to send it, has reached."""
    database: DatabaseName | None = None
    """Where it is delivered, or which database answers with an error."""
    number: int | None = None
    further: InstanceName | None = None
    """Whom it was meant to reach next and did not."""
    why: str = ""
    """Why it did not, as a name of the phrase book."""
    detail: str = ""
    """What the handshake that failed says of it, in English."""
    name: str = ""
    """The certificate or the owner that it names."""
    is_local: bool = False
    """Handed over within the instance, without the network."""

    @property
    def first(self) -> ClassifierDecision | None:
        """The sender's own decision; where its address was that very instance, with what msdb decided then."""
        if not self.hops:
            return None
        own = self.hops[0].decision
        following = self.hops[1].decision if len(self.hops) > 1 else None
        return following if following is not None and following.via is own else own


class Trace(msgspec.Struct, frozen=True, gc=False):
    """All ways of one message, the most likely first."""

    ways: tuple[Way, ...]

    @property
    def followed(self) -> float:
        """Share of all draws that these ways are."""
        return min(1.0, sum(way.share for way in self.ways))


class _Dial(msgspec.Struct, frozen=True, gc=False):
    """An address that is dialled, and what comes of it."""

    address: TcpAddress
    reached: Reached


class _Open(msgspec.Struct, frozen=True, gc=False):
    """A message that has reached an instance and is to be decided about there."""

    share: float
    instance: InstanceName
    hops: tuple[Hop, ...]


class _Tracer:
    """The work of one trace."""

    def __init__(
        self,
        snapshot: Snapshot,
        target: DialogTarget,
        *,
        from_target: bool,
        asks_first: bool,
        is_answer: bool,
        security: SecurityDecision | None,
    ) -> None:
        self._snapshot = snapshot
        self._unsecured = None if security is None else security.status
        """Why the dialog cannot be secured, if it cannot."""
        self._is_answer = is_answer
        self._asks_first = asks_first
        self._target = target
        self._from_target = from_target
        self._ended: list[Way] = []
        self._thin_ends: dict[tuple[object, ...], Way] = {}
        self._thin: dict[tuple[int, InstanceName], _Open] = {}
        """Unlikely ways by their hops and the place they have reached, as many as there are: the first one's hops."""
        self._open: list[tuple[float, int, _Open]] = []
        self._order = count()
        self._decisions = 0

    # ── from start to end ────────────────────────────────────────────────────────────────────────────────────────
    def run(self, instance: InstanceName, choices: tuple[Choice, ...]) -> Trace:
        """Follow what the sender may decide, until everything has ended or a cap is hit."""
        self._go_on(_Open(1.0, instance, ()), choices)
        while (self._open or self._thin) and len(self._ended) < WAYS_MAX and self._decisions < DECISIONS_MAX:
            # Of the thin ones those first that have the fewest hops: others may still come to where later ones are.
            at = heapq.heappop(self._open)[2] if self._open else self._thin.pop(min(self._thin))
            self._decisions += 1
            choices = self._snapshot.router(at.instance).outside(self._target, from_target=self._from_target)
            self._go_on(at, choices)
        return Trace(tuple(sorted((*self._ended, *self._thin_ends.values()), key=lambda way: -way.share)))

    def _go_on(self, at: _Open, choices: tuple[Choice, ...]) -> None:
        """Every choice of one decision. What cannot get away takes an equal way, if there is one (routing.md E9)."""
        if len(choices) == 1 and len(dials := self._dials(at.instance, choices[0].decision)) == 1:
            self._take(choices[0], at, dials[0], 1.0)
            return
        dialled = [
            (Choice(choice.decision, choice.share / len(dials)), dial)
            for choice in choices
            for dials in (self._dials(at.instance, choice.decision),)
            for dial in dials
        ]
        moving = dialled
        if not at.hops and not self._is_answer:
            moving = [each for each in dialled if not self._moves_on(*each)] or dialled
        share = sum(choice.share for choice, _ in moving)
        grown = sum(choice.share for choice, _ in dialled) / share
        for choice, dial in moving:
            self._take(choice, at, dial, grown)

    def _moves_on(self, choice: Choice, dial: _Dial | None) -> bool:
        """Whether a sender takes another of several equal ways after a minute: it got nowhere by this one (E9).

        Not where its own endpoint keeps it, nor while the configuration service is asked, nor where the dialog cannot
        be secured. A forwarder waits for the connection that it was to take, as long as it may keep the message; what
        its sender repeats is drawn again.
        """
        if dial is None:
            return choice.decision.classification is Classification.DELAYED
        if self._asks_first or self._unsecured is not None or dial.reached.number in OWN_ENDPOINT:
            return False
        return not dial.reached.is_open

    def _dials(self, instance: InstanceName, decision: ClassifierDecision) -> tuple[_Dial | None, ...]:
        """What comes of sending by a decision, None when nothing is sent; more than one where it is equally likely."""
        address = decision.address
        if address is None:
            return (None,)
        pair = pair_of(decision.route) if decision.classification is _REMOTE else None
        if pair is None:
            return (_Dial(address, self._snapshot.reach(instance, address)),)
        return self._mirrored(instance, pair)

    def _mirrored(self, instance: InstanceName, pair: MirroredPair) -> tuple[_Dial, ...]:
        """The partner that claims to be the principal; where both do, whichever of them is heard last."""
        asked = [_Dial(each, self._snapshot.reach(instance, each)) for each in (pair.address, pair.mirror_address)]
        if asked[0].reached.number in OWN_ENDPOINT:
            return (asked[0],)
        claiming = {dial.reached.instance: dial for dial in asked if self._claims(dial, pair.broker_instance)}
        if claiming:
            return tuple(claiming.values())
        lost = [dial for dial in asked if not dial.reached.is_open]
        if len(lost) == len(asked):
            # What is told is the connection that failed last (mirroring.md 7, 8).
            return (max(lost, key=lambda dial: SLOWNESS[dial.reached.why]),)
        there = lost[0].reached.instance if lost else None
        return (_Dial(pair.address, Reached(there, NOBODY_CLAIMS, "nobody_claims")),)

    def _claims(self, dial: _Dial, broker: BrokerInstanceId) -> bool:
        there = dial.reached.instance
        return dial.reached.is_open and there is not None and self._snapshot.is_principal(there, broker)

    def _take(self, choice: Choice, at: _Open, dial: _Dial | None, grown: float) -> None:
        """One choice: an end, or on to the next instance."""
        decision, drawn = choice.decision, min(1.0, choice.share * grown)
        share = at.share * drawn
        hops = (*at.hops, *_hops_of(at.instance, decision, drawn, dial))
        if dial is None:
            self._end_here(at, decision, share, hops)
        elif not at.hops and self._asks_first and dial.reached.number not in OWN_ENDPOINT:
            self._end(share, hops, Disposition.ASKING, at.instance, number=ASKING)
        elif not at.hops and self._unsecured is not None and dial.reached.number not in OWN_ENDPOINT:
            self._end(share, hops, Disposition.DELAYED, at.instance, number=self._unsecured)
        elif not dial.reached.is_open:
            self._end_unsent(at, dial, share, hops)
        elif decision.classification is not _REMOTE:
            # To this very instance over its own address: it is taken in there, or answered with an error.
            self._end_at(at.instance, decision, share, hops)
        else:
            self._arrive(at, decision, dial, share, hops)

    def _arrive(
        self, at: _Open, decision: ClassifierDecision, dial: _Dial, share: float, hops: tuple[Hop, ...]
    ) -> None:
        there = dial.reached.instance
        assert there is not None, "an open connection has somebody at its end"
        # What its sender puts on the way to its own instance is decided about there first (routing.md 9).
        is_own = there == at.instance and bool(at.hops)
        is_round = is_own or any(hop.decision is decision for hop in at.hops)
        if is_round and _is_certain(hops, decision):
            self._end(share, hops, Disposition.LOOP, at.instance, number=HOPS_USED_UP, further=there)
        elif len(at.hops) > HOPS_MAX:
            self._end(share, hops, Disposition.HOPS_USED_UP, at.instance, number=HOPS_USED_UP, further=there)
        else:
            self._reach(_Open(share, there, hops))

    def _reach(self, reached: _Open) -> None:
        if reached.share >= SHARE_THIN:
            heapq.heappush(self._open, (-reached.share, next(self._order), reached))
            return
        key = (len(reached.hops), reached.instance)
        known = self._thin.get(key)
        together = reached.share if known is None else reached.share + known.share
        self._thin[key] = msgspec.structs.replace(known or reached, share=together)

    # ── ends ─────────────────────────────────────────────────────────────────────────────────────────────────────
    def _end_here(self, at: _Open, decision: ClassifierDecision, share: float, hops: tuple[Hop, ...]) -> None:
        if decision.origin is Origin.OUTSIDE and decision.via is None:
            self._end_at(at.instance, decision, share, hops)
        elif decision.classification is _LOCAL:
            self._end(share, hops, Disposition.DELIVERED, at.instance, database=decision.database, is_local=True)
        else:
            how = Disposition.ASKING if decision.status == ASKING else Disposition.DELAYED
            self._end(share, hops, how, at.instance, number=decision.status)

    def _end_at(
        self, instance: InstanceName, decision: ClassifierDecision, share: float, hops: tuple[Hop, ...]
    ) -> None:
        """What has arrived over the network."""
        if decision.classification is _LOCAL:
            self._end(share, hops, Disposition.DELIVERED, instance, database=decision.database)
        elif decision.status == NO_SUCH_SERVICE and decision.database is not None:
            self._end(share, hops, Disposition.REFUSED, instance, database=decision.database, number=NO_SUCH_SERVICE)
        else:
            self._end(share, hops, Disposition.DISCARDED, instance, number=decision.status)

    def _end_unsent(self, at: _Open, dial: _Dial, share: float, hops: tuple[Hop, ...]) -> None:
        reached = dial.reached
        how = Disposition.UNREACHABLE
        if reached.number == NOBODY_CLAIMS:
            how = Disposition.NOBODY_CLAIMS
        elif reached.instance is None and reached.number == HOST_UNKNOWN:
            how = Disposition.NOBODY_THERE
        self._end(
            share,
            hops,
            how,
            at.instance,
            number=reached.number,
            further=reached.instance,
            why=reached.why,
            detail=reached.detail,
            name=reached.name,
        )

    def _end(
        self,
        share: float,
        hops: tuple[Hop, ...],
        disposition: Disposition,
        instance: InstanceName,
        *,
        database: DatabaseName | None = None,
        number: int | None = None,
        further: InstanceName | None = None,
        why: str = "",
        detail: str = "",
        name: str = "",
        is_local: bool = False,
    ) -> None:
        way = Way(
            share=share,
            hops=hops,
            disposition=disposition,
            instance=instance,
            database=database,
            number=number,
            further=further,
            why=why,
            detail=detail,
            name=name,
            is_local=is_local,
        )
        if share >= SHARE_THIN:
            self._ended.append(way)
            return
        key = (disposition, instance, database, number, further, why, is_local)
        known = self._thin_ends.get(key)
        self._thin_ends[key] = way if known is None else msgspec.structs.replace(known, share=known.share + share)


def _hops_of(instance: InstanceName, decision: ClassifierDecision, drawn: float, dial: _Dial | None) -> tuple[Hop, ...]:
    """One hop; two where the first decision's address was this very instance and msdb decided again."""
    address = None if dial is None else dial.address
    reached = None if dial is None else dial.reached.instance
    last = Hop(instance, decision, drawn, address, reached)
    if decision.via is None:
        return (last,)
    if decision.classification is not _REMOTE:
        last = Hop(instance, decision, drawn)
    return Hop(instance, decision.via, drawn, decision.via.address, instance), last


def _is_certain(hops: tuple[Hop, ...], decision: ClassifierDecision) -> bool:
    """Whether nothing was drawn since the decision was made for the first time."""
    since = next(at for at, hop in enumerate(hops) if hop.decision is decision)
    return all(hop.share == 1.0 for hop in hops[since:])


def trace(
    snapshot: Snapshot,
    instance: InstanceName,
    database: DatabaseName,
    target: DialogTarget,
    *,
    from_target: bool = False,
    before: ClassifierDecision | None = None,
    is_answer: bool = False,
    security: SecurityDecision | None = None,
) -> Trace:
    """Every way of a message that leaves an endpoint of `database`.

    With `before`, its conversation's last decision, it stays on the same path while that is possible. Without it a
    message that is not `from_target` begins a dialog: it waits until the configuration service, where a route leads to
    one, was asked for a binding (routing.md 6.9). An Error that the broker makes `is_answer`: nobody keeps it, so it
    neither waits nor takes another way. `security` is how the dialog that begins is secured on the network.
    """
    home = snapshot.catalogs[instance].databases[database]
    is_down = instance in snapshot.faults.down
    closed = None if is_down else CLOSED_TO_COMMANDS.get(home.state)
    if is_down or closed is not None:
        why = "not_running" if is_down else ""
        way = Way(
            share=1.0,
            hops=(),
            disposition=Disposition.SENDER_DOWN,
            instance=instance,
            database=database,
            number=closed,
            why=why,
        )
        return Trace((way,))
    choices = snapshot.router(instance).inside(database, target, from_target=from_target, before=before)
    is_first = not (from_target or is_answer) and before is None
    asks_first = is_first and snapshot.asks_for_binding(instance, database, target.service_name)
    if security is not None:
        choices = tuple(_secured(choice, security) for choice in choices)
    tracer = _Tracer(
        snapshot, target, from_target=from_target, asks_first=asks_first, is_answer=is_answer, security=security
    )
    return tracer.run(instance, choices)


def _secured(choice: Choice, security: SecurityDecision) -> Choice:
    """A choice with how the dialog is secured, where it leads to the network (`securing.explained`)."""
    if choice.decision.address is None:
        return choice
    return Choice(msgspec.structs.replace(choice.decision, security=security), choice.share)
