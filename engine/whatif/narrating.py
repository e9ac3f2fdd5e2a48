"""`told`: legs as values that can be told: JSON, with numbers worded and proofs in sentences (`telling`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from engine.core.mirroring.book import pair_of
from engine.core.routing.decision import ClassifierDecision
from engine.core.vocabulary.errors import Parameter
from engine.core.vocabulary.messages import DialogTarget
from engine.core.vocabulary.translations import phrases_in
from engine.version import VERSION
from engine.whatif.deciding import Deciding, circumstances_of
from engine.whatif.disposition import ARRIVED, Disposition, LegKind, Light
from engine.whatif.legs import NOT_ENTITLED, Leg, speaker_of
from engine.whatif.numbering import told_number
from engine.whatif.proof import losses_of, proof_of
from engine.whatif.security_proof import security_proof
from engine.whatif.snapshot import Snapshot
from engine.whatif.speech import Speech
from engine.whatif.telling import FlowQuestion, ToldAnswer, ToldHop, ToldLeg, ToldLoss, ToldNumber, ToldWay
from engine.whatif.tracing import Hop, Way

_FROM_TARGET: Final = frozenset({LegKind.ACKNOWLEDGEMENT, LegKind.REPLY})


class Narrator:
    """Tells one answer in one language."""

    def __init__(self, snapshot: Snapshot, asked: FlowQuestion, language: str, speech: Speech) -> None:
        self._snapshot = snapshot
        self._speech = speech
        self._asked = asked
        self._language = language
        sender = snapshot.catalogs[asked.instance].databases[asked.database]
        self._sender_id = sender.broker_instance

    def told(self, legs: Iterable[Leg]) -> ToldAnswer:
        """The whole answer; its legs are all four, in their order."""
        told = tuple(self._leg(leg) for leg in legs)
        first, second = told[0], told[1]
        main = first.ways[0].disposition if first.ways else Disposition.DELAYED
        followed = 1.0
        for leg in legs:
            followed = min(followed, leg.followed)
        return ToldAnswer(
            question=self._asked,
            contract=self._speech.contract,
            message_type=self._speech.said.message_type,
            at=self._snapshot.at,
            faults=self._snapshot.faults.all,
            disposition=main,
            light=_light(told),
            stays_unacknowledged=first.arrives > 0.0 and second.arrives == 0.0,
            legs=told,
            followed=followed,
            engine_version=VERSION,
        )

    def _leg(self, leg: Leg) -> ToldLeg:
        return ToldLeg(
            kind=leg.kind,
            light=leg.light,
            arrives=leg.arrives,
            ways=tuple(self._way(leg.kind, way) for way in leg.ways),
        )

    def _way(self, kind: LegKind, way: Way) -> ToldWay:
        light = Light.RED
        if way.disposition in ARRIVED:
            light = Light.GREEN if way.disposition is Disposition.DELIVERED else Light.AMBER
        return ToldWay(
            share=way.share,
            disposition=way.disposition,
            light=light,
            hops=tuple(self._hop(kind, hop) for hop in way.hops),
            instance=way.instance,
            database=way.database,
            number=self.number(kind, way),
            further=way.further,
        )

    def number(self, kind: LegKind, way: Way) -> ToldNumber | None:
        """The number with which a way ends, if it has one."""
        if way.number is None:
            return None
        parameters = self._parameters(kind, way.hops[-1] if way.hops else None, way)
        found = told_number(way.number, parameters, self._language)
        refusal = way.detail.partition(":")[0]
        if not refusal.isdecimal():
            return found
        # The far end has refused the login, and has said why: its cure is the one that helps.
        refused = told_number(int(refusal), parameters, self._language)
        return msgspec.structs.replace(found, why=f"{refusal}: {refused.text}", cure=refused.cure)

    def _hop(self, kind: LegKind, hop: Hop) -> ToldHop:
        decision = hop.decision
        asked = circumstances_of(self.deciding(kind, hop), self._language)
        pair = pair_of(decision.route)
        losses = zip(decision.losses, losses_of(decision, asked), strict=True)
        return ToldHop(
            instance=hop.instance,
            origin=decision.origin,
            table=decision.table,
            classification=decision.classification,
            match_step=decision.match_step,
            choose_step=decision.choose_step,
            route=None if decision.route is None else decision.route.name,
            candidates=decision.candidates,
            losses=tuple(ToldLoss(loss.route, loss.reason, sentence, loss.parameter) for loss, sentence in losses),
            others=decision.others,
            address=None if hop.address is None else str(hop.address),
            next_instance=hop.reached,
            mirror_address=None
            if pair is None or hop.address is None
            else _other(hop, pair.address, pair.mirror_address),
            database=decision.database,
            number=None
            if decision.status is None
            else told_number(decision.status, self._parameters(kind, hop, None), self._language),
            caution=decision.caution,
            share=hop.share,
            proof=proof_of(decision, asked),
            security=()
            if decision.security is None
            else security_proof(
                decision.security, asked.target.service_name, self._asked.database, language=self._language
            ),
        )

    # ── words ────────────────────────────────────────────────────────────────────────────────────────────────────
    def deciding(self, kind: LegKind, hop: Hop) -> Deciding:
        """The decision of a hop with what its proof is told of; the principal of a mirrored route where it is known."""
        is_mirrored = pair_of(hop.decision.route) is not None and hop.address is not None
        return Deciding(
            decision=hop.decision,
            target=self._target(kind),
            from_target=kind in _FROM_TARGET,
            principal=hop.address if is_mirrored else None,
        )

    def _target(self, kind: LegKind) -> DialogTarget:
        if kind in _FROM_TARGET:
            return DialogTarget(self._asked.service, self._sender_id)
        return DialogTarget(self._asked.to_service, self._asked.broker_instance)

    def _parameters(self, kind: LegKind, hop: Hop | None, way: Way | None) -> dict[str, Parameter]:
        target = self._target(kind)
        decision: ClassifierDecision | None = None if hop is None else hop.decision
        broker = target.broker_instance or (None if decision is None else decision.broker_instance)
        address = None if hop is None else hop.address
        database = None if decision is None else decision.table
        detail = "" if way is None or not way.why else way.detail or phrases_in("en").get(way.why, "")
        return {
            "service": target.service_name,
            "broker_instance": "" if broker is None else str(broker),
            "address": target.service_name if address is None else str(address),
            "database": (way.database if way is not None else None) or database or "",
            "detail": detail,
            "value": self._blamed(decision, way),
            "name": self._speaker(way) or target.service_name,
            "limit": "",
            "queue": self._queue(target, way),
            "contract": self._speech.contract,
            "message_type": self._message_type(kind, way),
        }

    def _blamed(self, decision: ClassifierDecision | None, way: Way | None) -> str:
        """Whose certificate is at fault where a dialog cannot be secured, or a connection does not log in."""
        security = None if decision is None else decision.security
        named = "" if way is None else way.name
        return named or ("" if security is None else security.principal or "")

    def _speaker(self, way: Way | None) -> str | None:
        """Who hands over what is not taken from it, or what a connection that does not log in names."""
        if way is None or way.number != NOT_ENTITLED:
            return None if way is None else way.name
        return speaker_of(way)

    def _queue(self, target: DialogTarget, way: Way | None) -> str:
        """The queue of the service that a message has found; of one that was never sent that of its sender."""
        if way is None or way.database is None:
            return ""
        name = self._asked.service if way.disposition is Disposition.NOT_BEGUN else target.service_name
        service = self._snapshot.catalogs[way.instance].databases[way.database].services.get(name)
        return "" if service is None else service.queue

    def _message_type(self, kind: LegKind, way: Way | None) -> str:
        """Of the message, or of the reply to it by whoever has sent that."""
        if kind is LegKind.REPLY and way is not None and way.hops:
            target = (way.hops[0].instance, way.hops[0].decision.table)
            home = (self._asked.instance, self._asked.database)
            said = self._snapshot.definitions.reply(target, home, self._speech.contract)
            return "" if said is None else said.message_type
        return self._speech.said.message_type


def _other(hop: Hop, address: object, mirror_address: object) -> str:
    """The address of a mirrored route that is not dialled."""
    return str(address if hop.address == mirror_address else mirror_address)


def _light(legs: tuple[ToldLeg, ...]) -> Light:
    """The first leg's, amber where it is green and a later one is not."""
    first = legs[0].light
    if first is Light.GREEN and any(leg.light is not Light.GREEN for leg in legs[1:]):
        return Light.AMBER
    return first
