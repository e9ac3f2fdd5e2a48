"""What the transport reports about outgoing connections, and what follows for those who wait for them."""

from __future__ import annotations

from engine.core.handlers import forwarding, mirroring
from engine.core.handlers.broker import Broker
from engine.core.handlers.outbound import transmit
from engine.core.mirroring.monitor import MirrorMonitor
from engine.core.vocabulary.messages import LinkChange, LinkHasRoom, LinkState, TcpAddress
from engine.core.vocabulary.mirrors import RoleClaimed
from engine.core.vocabulary.moment import Instant, earlier


def link_changed(broker: Broker, change: LinkChange) -> None:
    """A connection came up: everything unacknowledged goes again. It went down: whoever waits learns why."""
    link = broker.links.apply(change, broker.now.monotonic)
    if link is None:
        return
    broker.counters.link_changed(change.address, change.state, broker.now.utc)
    broker.tell_connection(change.address)
    if change.state not in (LinkState.LOGGED_IN, LinkState.CLOSED):
        return
    for monitor in broker.mirrors.watching(change.address):
        before = monitor.principal
        if not link.is_up:
            monitor.lost(change.address, link.error, link.detail)
        follow(broker, monitor, before)
    if link.is_up:
        forwarding.flush(broker, change.address, change.address)
    elif broker.transmitter.holds(change.address):
        forwarding.route_anew(broker, change.address)
    for key in list(link.conversations):
        endpoint = broker.conversations.live(key)
        if endpoint is None or endpoint.decision is None or endpoint.decision.address != change.address:
            link.conversations.pop(key, None)
            continue
        if link.is_up:
            endpoint.sender.start_over()
        transmit(broker, endpoint)


def room_made(broker: Broker, made: LinkHasRoom) -> None:
    """A connection takes more: those it has turned away have their turns, until it is full again."""
    link = broker.links.has_room(made.address)
    while link.is_up and link.room > 0 and (key := link.turned_away.next()) is not None:
        endpoint = broker.conversations.live(key)
        if endpoint is not None:
            transmit(broker, endpoint)
    for way, owner in broker.links.crowded():
        if owner is link and way.lets_in:
            broker.opened[way] = None


def let_in(broker: Broker) -> None:
    """What was under way has arrived: those who were turned away have their turns, until there is no room again.

    A link that is full tells when it is not; then, or when something has arrived, those who are left go on.
    """
    opened = dict.fromkeys(broker.opened)
    broker.opened.clear()
    for way, link in broker.links.crowded():
        if way not in opened:
            continue
        way.is_serving = True
        while link.room > 0 and way.lets_in and (key := way.turned_away.next()) is not None:
            endpoint = broker.conversations.live(key)
            if endpoint is not None:
                transmit(broker, endpoint)
        way.is_serving = False


def give_up(broker: Broker) -> None:
    """Where nothing has arrived for the time of a retry, those who wait do so no longer."""
    patience = broker.settings.dialog.retry_seconds[0]
    for way, _ in broker.links.crowded():
        at = way.given_up_at(patience)
        if at is not None and at <= broker.now.monotonic:
            way.give_up()
        if way.lets_in:
            broker.opened[way] = None
    if broker.opened:
        let_in(broker)


def role_claimed(broker: Broker, claimed: RoleClaimed) -> None:
    """A partner has told its role; what came over a connection that is gone is not believed."""
    if not broker.links[claimed.address].is_up:
        return
    for monitor in broker.mirrors.watching(claimed.address):
        if monitor.pair.broker_instance == claimed.broker_instance:
            before = monitor.principal
            monitor.claimed(claimed.address, broker.now.monotonic, is_principal=claimed.is_principal)
            follow(broker, monitor, before)


def follow(broker: Broker, monitor: MirrorMonitor, before: TcpAddress | None) -> None:
    """After a change: ask on, and let those who use the route go where the principal is now, or learn why they wait.

    With a principal that was not there before everything unacknowledged goes again (mirroring.md 3).
    """
    mirroring.attend(broker, monitor)
    principal = monitor.principal
    if principal is not None:
        forwarding.flush(broker, monitor.pair, principal)
    for key in list(monitor.users):
        endpoint = broker.conversations.live(key)
        if endpoint is None:
            monitor.users.pop(key, None)
            continue
        if principal is not None and principal != before:
            endpoint.sender.start_over()
        transmit(broker, endpoint)


def try_again(broker: Broker) -> None:
    """Links whose suppression is over are dialled if somebody waits for them, partners are asked again.

    Whoever waits for what is under way and does not arrive waits no longer.
    """
    give_up(broker)
    now = broker.now.monotonic
    broker.forget_unused_links()
    for address, link in broker.links.items():
        waited_for = link.conversations or broker.transmitter.holds(address)
        if waited_for and not link.is_up and broker.links.may_dial(address, now):
            broker.dial(address)
    for monitor in broker.mirrors.all():
        if monitor.wakes_at is not None and monitor.wakes_at <= now and not mirroring.let_rest(broker, monitor):
            follow(broker, monitor, monitor.principal)


def wake_at(broker: Broker) -> Instant | None:
    """When `try_again` has something to do."""
    at = earlier(broker.links.wake_at(broker.transmitter.holds), broker.mirrors.wake_at())
    patience = broker.settings.dialog.retry_seconds[0]
    for way, _ in broker.links.crowded():
        at = earlier(at, way.given_up_at(patience))
    return at
