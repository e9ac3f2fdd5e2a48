"""When an endpoint is to be looked at again: the nearest of all its deadlines."""

from __future__ import annotations

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.handlers import mirroring
from engine.core.handlers.broker import Broker
from engine.core.handlers.freezing import next_deadline
from engine.core.routing.decision import ClassifierDecision
from engine.core.vocabulary.moment import earlier


def plan(broker: Broker, endpoint: DialogEndpoint) -> None:
    """Put the next deadline of an endpoint on the agenda.

    Retries and acknowledgements have none while their link is down: the link's return wakes them.
    """
    if broker.is_out_of_reach(endpoint):
        broker.schedule(endpoint, endpoint.reclassify_at)
        return
    decision, now = endpoint.decision, broker.now
    at = endpoint.reclassify_at
    due_at = next_deadline(endpoint.row, broker.settings.dialog)
    if due_at is not None:
        at = earlier(at, now.monotonic_at(due_at))
    if decision is not None and decision.expires_at is not None and endpoint.wants_to_send:
        at = earlier(at, now.monotonic_at(decision.expires_at))
    owed = endpoint.receiver.acknowledge_at
    retry = None if endpoint.is_frozen else endpoint.sender.wake_at()
    if (owed is not None or retry is not None) and (decision is None or flows(broker, decision)):
        at = earlier(earlier(at, owed), retry)
    broker.schedule(endpoint, at)


def flows(broker: Broker, decision: ClassifierDecision) -> bool:
    """Whether messages can leave now: then, and only then, a deadline of theirs can be kept."""
    if decision.address is None or broker.obstacle is not None:
        return False
    pair = mirroring.mirrored_pair(decision)
    if pair is None:
        return broker.links[decision.address].is_up
    monitor = broker.mirrors.find(pair)
    return monitor is not None and monitor.principal is not None
