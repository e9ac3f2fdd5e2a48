"""`answer_from`: a message of the other end of a conversation: where what the target's end sends would go.

The conversation has begun, so nobody is asked for a binding, and the message is routed by the service and the broker id
of its initiator. Only its way is followed: by which path an acknowledgement comes, the first message has decided.
"""

from __future__ import annotations

from engine.core.vocabulary.messages import DialogTarget
from engine.whatif.acceptance import parked
from engine.whatif.disposition import LegKind
from engine.whatif.legs import Leg
from engine.whatif.odds import Odds, share
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion
from engine.whatif.tracing import trace
from engine.whatif.verdict import Verdict, path_of


def answer_from(snapshot: Snapshot, flow: FlowQuestion) -> tuple[Verdict, Odds]:
    """The verdict of a message that the target's end, `flow.service`, sends to the initiator, `flow.to_service`.

    Works what arrives by some way. The question's names must be in the estate; its contract is not looked at.
    """
    target = DialogTarget(flow.to_service, flow.broker_instance)
    found = trace(snapshot, flow.instance, flow.database, target, from_target=True).ways
    leg = Leg(kind=LegKind.REPLY, ways=tuple(parked(snapshot, way, flow.to_service) for way in found))
    way = leg.ways[0]
    verdict = Verdict(
        way.disposition, leg.arrives > 0.0, leg.light, way.number, way.instance, way.database, path_of(way)
    )
    return verdict, Odds(share(way.share), share(leg.arrives), None)
