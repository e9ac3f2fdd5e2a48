"""Forwarding against protocol.md 7.4: PARIS ──▶ HUB ──▶ LYON, and home the same way.

Each test names the row of the table that it holds.
"""

import msgspec
import pytest

from engine.core.catalog.changes import EndpointAltered, EndpointDropped, RouteAltered, RouteCreated, RouteDropped
from engine.core.catalog.objects import EndpointState
from engine.core.catalog.route import NetworkAddress
from engine.core.exchange.events import ForwardedMessageDropped, ForwardedMessageSent
from engine.core.vocabulary.identifiers import BrokerInstanceId
from engine.core.vocabulary.limits import FORWARD_SECONDS_MAX
from engine.core.vocabulary.messages import ForwardedMessage, MessageKind, MessagesReturned, TcpAddress
from engine.core.vocabulary.moment import Duration
from tests.support.wire_messages import message
from tests.support.world import Node, World, route

LYON = TcpAddress("lyon", 4022)


class Estate:
    """PARIS, HUB and, once it is built, LYON."""

    def __init__(self) -> None:
        self.world = World()
        self.paris = self.world.instance("PARIS", self.world.database("Ventes", ["Client"], route("Entrepôt", "hub")))
        routes = [
            RouteCreated(database="msdb", route=each) for each in (route("Entrepôt", "lyon"), route("Client", "paris"))
        ]
        self.hub = self.world.instance("HUB", routes, forwards=True)

    def lyon(self, by: str = "hub", host: str = "lyon") -> Node:
        return self.world.instance(host.upper(), self.world.database("Stock", ["Entrepôt"], route("Client", by)))

    def say(self, count: int = 1, body: bytes = b"bonjour") -> None:
        dialog = self.paris.begin("Ventes", "Client", "Entrepôt")
        for _ in range(count):
            self.paris.say("Ventes", dialog, body)

    def dropped(self) -> list[int]:
        return [event.number for event in self.hub.told(ForwardedMessageDropped)]

    def waiting(self) -> int:
        return self.hub.instance.view(10).forwarding_messages

    def at_home(self) -> int:
        return self.paris.view("Ventes").transmission_queue_total


@pytest.fixture
def estate() -> Estate:
    return Estate()


def transit(number: int = 0, **journey: object) -> ForwardedMessage:
    """A message of a stranger to the service at LYON."""
    return msgspec.structs.replace(message(number), **journey)


# ── acknowledgement, durability, fragments, security ──
def test_ack_a_forwarder_acknowledges_nothing_and_passes_the_acknowledgement_of_the_destination_on(estate: Estate):
    lyon = estate.lyon()
    estate.say(20)
    estate.world.run(3)
    own = {database.broker_instance for database in estate.hub.instance.catalog.databases.values()}
    assert [each for each in estate.hub.sent if each.message.message.source.broker_instance in own] == []
    lyon_id = lyon.instance.catalog.databases["Stock"].broker_instance
    acknowledged_by = {
        each.message.message.acknowledgement.broker_instance
        for each in estate.hub.sent
        if each.message.message.acknowledgement is not None
    }
    assert acknowledged_by == {lyon_id}
    assert estate.at_home() == 0


def test_durability_a_forwarder_stores_nothing_and_its_crash_loses_nothing(estate: Estate):
    estate.say(5)
    estate.world.run(1)
    assert (estate.waiting(), estate.at_home()) == (5, 5)
    stored = estate.hub.store.load()
    assert [rows for rows in stored.databases if rows.transmission or rows.endpoints] == []
    assert [row for rows in stored.databases for queue in rows.queues.values() for row in queue] == []
    estate.hub.kill()
    lyon = estate.lyon()
    estate.hub.start()
    assert estate.waiting() == 0
    estate.world.run(150)
    assert (estate.at_home(), lyon.view("Stock").queues[0].ready) == (0, 5)


def test_fragments_what_goes_on_is_what_came_but_for_its_journey(estate: Estate):
    """Nothing is put together, opened or written into: only hops and time change."""
    estate.lyon()
    estate.say(10)
    estate.world.run(3)
    came = {each.message.message.sequence: each.message.message for each in estate.paris.sent}
    went = [each for each in estate.hub.sent if each.address == LYON and each.message.message.kind is MessageKind.USER]
    assert len(went) >= 10
    assert all(each.message.message == came[each.message.message.sequence] for each in went)


def test_memory_limit_messages_that_together_are_larger_than_the_limit_pass_one_after_the_other(estate: Estate):
    estate.hub.define(EndpointAltered(name="Broker", message_forward_size_megabytes=1))
    lyon = estate.lyon()
    estate.say(4, b"x" * 700_000)
    estate.world.run(300)
    assert lyon.view("Stock").queues[0].ready == 4
    assert estate.waiting() == 0


# ── hops and time ──
def test_hops_a_forward_costs_one_and_at_none_the_message_is_dropped_with_11285(estate: Estate):
    estate.lyon()
    estate.world.run(1)
    estate.hub.feed(transit(0, hops_remaining=2))
    estate.hub.feed(transit(1, hops_remaining=0))
    estate.world.run(1)
    assert [event.hops_remaining for event in estate.hub.told(ForwardedMessageSent)] == [1]
    assert estate.dropped() == [11285]


def test_time_consumed_grows_by_what_was_spent_in_each_forwarder(estate: Estate):
    estate.hub.feed(transit(time_to_live=Duration(60.0), time_consumed=Duration(3.0)))
    estate.world.run(20)
    oslo = estate.lyon(host="oslo")
    address = route("Entrepôt", "oslo").address
    estate.hub.define(RouteAltered(database="msdb", name="to Entrepôt by lyon", address=address))
    estate.world.run(15)
    [sent] = [each.message for each in estate.hub.sent if each.address == TcpAddress("oslo", 4022)]
    assert oslo.listens
    assert 23.0 <= sent.time_consumed < 38.0


def test_time_over_on_arrival_is_11291(estate: Estate):
    estate.hub.feed(transit(time_to_live=Duration(60.0), time_consumed=Duration(60.0)))
    assert estate.dropped() == [11291]


def test_time_over_while_it_waits_is_11290(estate: Estate):
    estate.hub.feed(transit(time_to_live=Duration(30.0)))
    estate.world.run(29)
    assert (estate.dropped(), estate.waiting()) == ([], 1)
    estate.world.run(2)
    assert (estate.dropped(), estate.waiting()) == ([11290], 0)
    [event] = estate.hub.told(ForwardedMessageDropped)
    assert event.time_consumed == pytest.approx(30.0, abs=1.0)


def test_time_to_live_is_cut_to_what_a_forwarder_gives_whatever_its_sender_claims(estate: Estate):
    """A hostile peer would else fill the memory for good, and nothing of anybody would pass (11289)."""
    for number in range(20):
        estate.hub.feed(transit(number, time_to_live=Duration(1e300)))
    assert estate.waiting() == 20
    estate.world.run(FORWARD_SECONDS_MAX + 1)
    assert estate.waiting() == 0
    assert set(estate.dropped()) == {11290}


# ── the other reasons ──
def test_duplicates_a_copy_of_what_waits_here_is_11288(estate: Estate):
    estate.say()
    estate.world.run(10)
    assert set(estate.dropped()) == {11288}
    assert estate.waiting() == 1


def test_memory_limit_what_would_exceed_it_is_11289_and_the_text_names_the_limit(estate: Estate):
    estate.hub.define(EndpointAltered(name="Broker", message_forward_size_megabytes=1))
    for number in range(2):
        estate.hub.feed(transit(number, message=message(number, bytes(600_000)).message))
    [event] = estate.hub.told(ForwardedMessageDropped)
    assert (event.number, "1 megabytes" in event.text) == (11289, True)


def test_out_of_memory_is_11286(estate: Estate, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("engine.core.forwarding.transmitter.FORWARDED_MESSAGES_MAX", 1)
    estate.hub.feed(transit(0))
    estate.hub.feed(transit(1))
    assert estate.dropped() == [11286]


def test_send_error_a_link_that_is_full_is_11292_and_the_text_names_the_address(estate: Estate):
    estate.hub.feed(MessagesReturned(address=LYON, messages=(transit(),), is_closed=False))
    [event] = estate.hub.told(ForwardedMessageDropped)
    assert (event.number, "TCP://lyon:4022" in event.text) == (11292, True)


def test_send_error_own_messages_are_no_forwarded_ones(estate: Estate):
    own = BrokerInstanceId(estate.hub.instance.catalog.databases["msdb"].broker_instance)
    mine = transit()
    source = msgspec.structs.replace(mine.message.source, broker_instance=own)
    mine = msgspec.structs.replace(mine, message=msgspec.structs.replace(mine.message, source=source))
    estate.hub.feed(MessagesReturned(address=LYON, messages=(mine,), is_closed=False))
    assert (estate.dropped(), estate.waiting()) == ([], 0)


def test_another_connection_what_a_closed_one_has_not_sent_goes_by_the_next_one(estate: Estate):
    estate.hub.feed(MessagesReturned(address=LYON, messages=(transit(hops_remaining=15),), is_closed=True))
    assert (estate.dropped(), estate.waiting()) == ([], 1)
    estate.lyon()
    estate.world.run(61)
    [sent] = [each.message for each in estate.hub.sent if each.address == LYON]
    assert sent.hops_remaining == 15, "the forward that did not happen costs nothing"


def test_another_connection_what_cannot_be_put_on_one_is_28071(estate: Estate):
    estate.hub.feed(transit())
    estate.hub.feed(MessagesReturned(address=LYON, messages=(transit(),), is_closed=True))
    assert (estate.dropped(), estate.waiting()) == ([28071], 1)


@pytest.mark.parametrize(
    "change",
    [EndpointAltered(name="Broker", state=EndpointState.STOPPED), EndpointDropped(name="Broker")],
    ids=["stopped", "dropped"],
)
def test_transport_shutting_down_is_11293(estate: Estate, change: EndpointAltered | EndpointDropped):
    estate.hub.feed(transit(0))
    estate.hub.feed(transit(1))
    estate.world.run(10)
    estate.hub.define(change)
    assert (estate.dropped(), estate.waiting()) == ([11293, 11293], 0)
    assert {round(event.time_consumed) for event in estate.hub.told(ForwardedMessageDropped)} == {10}


def test_destination_route_invalid_is_11294(estate: Estate):
    estate.hub.feed(transit())
    estate.hub.define(RouteDropped(database="msdb", name="to Entrepôt by lyon"))
    assert (estate.dropped(), estate.waiting()) == ([11294], 0)


def test_forwarding_switched_off_leaves_what_waits_without_a_route(estate: Estate):
    estate.hub.feed(transit())
    estate.hub.define(EndpointAltered(name="Broker", is_message_forwarding_enabled=False))
    assert estate.dropped() == [11294]


def test_a_route_that_is_altered_takes_what_waits_along(estate: Estate):
    nice = TcpAddress("nice", 4022)
    estate.lyon(host="nice")
    estate.hub.feed(transit())
    estate.world.run(1)
    address = NetworkAddress("TCP://nice:4022", nice)
    estate.hub.define(RouteAltered(database="msdb", name="to Entrepôt by lyon", address=address))
    estate.world.run(5)
    assert [each.address for each in estate.hub.sent] == [nice]
    assert (estate.dropped(), estate.waiting()) == ([], 0)


def test_a_link_that_fails_gives_its_messages_to_an_equal_route(estate: Estate):
    estate.lyon(host="nice")
    estate.hub.define(RouteCreated(database="msdb", route=route("Entrepôt", "nice")))
    for number in range(6):
        estate.hub.feed(transit(number))
    estate.world.run(120)
    assert estate.dropped() == []
    assert sorted(each.message.message.sequence for each in estate.hub.sent) == list(range(6))


def test_switch_without_forwarding_nothing_is_taken_in(estate: Estate):
    estate.hub.define(EndpointAltered(name="Broker", is_message_forwarding_enabled=False))
    estate.lyon()
    estate.say()
    estate.world.run(3)
    assert (estate.hub.sent, estate.waiting(), estate.at_home()) == ([], 0, 1)
