"""Mirrored routes at work: who is asked for its role, what its answer means, and what is answered to others.

`attend` is the heart: after whatever has happened to a monitor it asks, dials or waits, as the partners' connections
allow, and tells when anything has changed. Whoever changes a monitor calls it.
"""

from __future__ import annotations

from engine.core.catalog.objects import EndpointState
from engine.core.exchange.events import MirroredRouteStateChanged
from engine.core.handlers.broker import Broker
from engine.core.mirroring.book import pair_of
from engine.core.mirroring.claims import is_principal
from engine.core.mirroring.monitor import MirrorMonitor
from engine.core.mirroring.states import Partner
from engine.core.routing.decision import Classification, ClassifierDecision
from engine.core.vocabulary.messages import LinkState
from engine.core.vocabulary.mirrors import MirroredPair, PartnerState, RoleAnswer, RoleAsked, RoleQuestion
from engine.core.vocabulary.moment import Duration, Instant

_NO_LINK = (LinkState.NEW, LinkState.CLOSED)


def mirrored_pair(decision: ClassifierDecision) -> MirroredPair | None:
    """The pair to one of which a message goes; None when the decision is not for a mirrored route."""
    return pair_of(decision.route) if decision.classification is Classification.REMOTE else None


# ── our own questions ────────────────────────────────────────────────────────────────────────────────────────────────
def engage(broker: Broker, decision: ClassifierDecision, *, at_least: Duration | None = None) -> MirrorMonitor | None:
    """Somebody has something to send: the monitor of the route, active; None when the route is not mirrored.

    It stays active for a while, for `at_least` so many seconds.
    """
    pair, route = mirrored_pair(decision), decision.route
    if pair is None or route is None:
        return None
    monitor = broker.mirrors.open(pair, route.name)
    was_active = monitor.is_active
    monitor.engage(broker.now.monotonic, at_least=at_least)
    if not was_active:
        attend(broker, monitor)
    return monitor


def attend(broker: Broker, monitor: MirrorMonitor) -> None:
    """Ask whoever is to be asked, dial whom nothing connects us to, and tell what has changed."""
    if monitor.is_active and _may_talk(broker):
        for partner in monitor.wanted():
            _pursue(broker, monitor, partner)
        # The first may have failed at once, and then the other one is wanted too.
        for partner in monitor.wanted():
            _pursue(broker, monitor, partner)
        monitor.wakes_at = _wake_at(broker, monitor)
    _tell(broker, monitor)


def _may_talk(broker: Broker) -> bool:
    own = broker.catalog.endpoint
    return own is not None and own.state is EndpointState.STARTED


def _pursue(broker: Broker, monitor: MirrorMonitor, partner: Partner) -> None:
    now = broker.now.monotonic
    known = monitor.partners[partner]
    link = broker.links[known.address]
    can_connect = link.state not in _NO_LINK or broker.links.may_dial(known.address, now)
    is_idle = known.state is PartnerState.INACTIVE or (known.state is PartnerState.DISCONNECTED and can_connect)
    if is_idle or monitor.is_due(partner, now):
        monitor.ask(partner)
    if known.state is not PartnerState.PROBING:
        return
    if not can_connect:
        # Others have tried the address a moment ago; it is left alone until their suppression ends.
        monitor.lost(known.address, link.error, link.detail)
    elif not link.is_up:
        broker.dial(known.address)
    elif not known.is_asked:
        broker.ask_role(RoleQuestion(known.address, monitor.pair.broker_instance))
        monitor.asked(partner, now)


def _wake_at(broker: Broker, monitor: MirrorMonitor) -> Instant | None:
    """When there is something to do that no connection and no answer will tell of."""
    wishes = [] if monitor.users else [monitor.used_until]
    for partner in monitor.wanted():
        known = monitor.partners[partner]
        if known.state is PartnerState.DISCONNECTED:
            wishes.append(broker.links[known.address].suppressed_until)
        elif known.state is not PartnerState.CONNECTED_PRINCIPAL:
            wishes.append(known.asks_again_at)
    return min((at for at in wishes if at is not None), default=None)


def let_rest(broker: Broker, monitor: MirrorMonitor) -> bool:
    """Let a monitor rest whose time is over; answers whether it does now."""
    now = broker.now.monotonic
    if monitor.users or monitor.used_until is None or monitor.used_until > now:
        return False
    if broker.transmitter.holds(monitor.pair):
        monitor.engage(now)
        return False
    monitor.rest()
    _tell(broker, monitor)
    broker.mirrors.forget_undefined(broker.catalog)
    return True


def rest_all(broker: Broker) -> None:
    """Our own endpoint has stopped: there is nobody to ask. Who was the principal stays known."""
    for monitor in broker.mirrors.all():
        if monitor.is_active:
            monitor.rest()
            _tell(broker, monitor)


def _tell(broker: Broker, monitor: MirrorMonitor) -> None:
    known = monitor.snapshot()
    if known == monitor.told:
        return
    monitor.note_told(known, broker.now.utc)
    broker.tell(
        MirroredRouteStateChanged(
            at=broker.now.utc,
            route=monitor.route,
            service=monitor.pair.service,
            broker_instance=monitor.pair.broker_instance,
            address=monitor.pair.address,
            mirror_address=monitor.pair.mirror_address,
            state=known.state,
            address_state=known.address_state,
            mirror_address_state=known.mirror_address_state,
            principal=known.principal,
            error=known.error,
            detail=known.detail,
            are_both_principal=known.are_both_principal,
        )
    )


# ── the questions of others ──────────────────────────────────────────────────────────────────────────────────────────
def answer(broker: Broker, asked: RoleAsked) -> None:
    """A neighbour wants to know whether the principal is here; it will be told when that changes."""
    claims = is_principal(broker.catalog, asked.broker_instance)
    _answer(broker, RoleAnswer(asked.asker, asked.broker_instance, claims))


def catalog_changed(broker: Broker) -> None:
    """Tell neighbours that have asked what is not true any more, and forget routes that are gone."""
    for overtaken in broker.roles.overtaken(broker.catalog):
        _answer(broker, overtaken)
    broker.mirrors.forget_undefined(broker.catalog)


def _answer(broker: Broker, told: RoleAnswer) -> None:
    broker.roles.answered(told)
    broker.answer_role(told)
