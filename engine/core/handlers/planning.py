"""When an endpoint is to be looked at again: the nearest of all its deadlines."""

from __future__ import annotations

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.handlers import mirroring
from engine.core.handlers.broker import Broker
from engine.core.handlers.freezing import next_deadline
from engine.core.routing.decision import ClassifierDecision


def plan(broker: Broker, endpoint: DialogEndpoint) -> None:
    """Put the next deadline of an endpoint on the agenda.

    Retries and acknowledgements have none while their link is down: the link's return wakes them.
    """
    if broker.is_out_of_reach(endpoint):
        broker.schedule(endpoint, endpoint.reclassify_at)
        return
    decision, now = endpoint.decision, broker.now
    due_at = next_deadline(endpoint.row, broker.settings.dialog)
    wishes = [now.monotonic_at(due_at) if due_at is not None else None, endpoint.reclassify_at]
    if decision is not None and decision.expires_at is not None and endpoint.wants_to_send:
        wishes.append(now.monotonic_at(decision.expires_at))
    if decision is None or _flows(broker, decision):
        wishes.append(endpoint.receiver.acknowledge_at)
        if not endpoint.is_frozen:
            wishes.append(endpoint.sender.wake_at())
    broker.schedule(endpoint, min([at for at in wishes if at is not None], default=None))


def _flows(broker: Broker, decision: ClassifierDecision) -> bool:
    """Whether messages can leave now: then, and only then, a deadline of theirs can be kept."""
    if decision.address is None or broker.obstacle is not None:
        return False
    pair = mirroring.mirrored_pair(decision)
    if pair is None:
        return broker.links[decision.address].is_up
    monitor = broker.mirrors.find(pair)
    return monitor is not None and monitor.principal is not None
