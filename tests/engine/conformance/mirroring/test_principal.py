"""Finding and keeping the principal of a mirrored route (mirroring.md 3)."""

import msgspec
import pytest

from engine.core.catalog.changes import BrokerSwitched, EndpointAltered, RouteCreated, RouteDropped
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.objects import EndpointState
from engine.core.exchange.events import ForwardedMessageDropped, MessageUndeliverable
from engine.core.vocabulary.mirrors import MirrorState, PartnerState, RoleClaimed
from tests.support.mirrored import (
    BERLIN,
    ID,
    LYON,
    OTHER_ID,
    SERVICE,
    MirroredWorld,
    bodies,
    mirrored_route,
    step_down,
    stock,
    take_over,
)
from tests.support.world import World, route


def test_unknown_messages_wait_with_9794_until_somebody_answers():
    world = MirroredWorld()
    world.say()
    assert world.route.state is MirrorState.UNKNOWN
    assert world.paris.statuses("Ventes") == {9794}
    assert world.receivers == set()


def test_unknown_the_first_claim_counts_while_the_other_partner_has_not_answered():
    world = MirroredWorld()
    world.say()
    world.run(0.015)
    for address in (LYON, BERLIN):
        assert address in world.paris.links
    world.berlin.kill()
    world.run(1)
    assert world.route.state is MirrorState.KNOWN_A
    assert bodies(world.lyon) == [b"bonjour"]


def test_known_every_message_of_every_conversation_goes_to_the_principal_and_nobody_else_is_contacted():
    world = MirroredWorld()
    world.settle()
    for number in range(20):
        world.say(f"{number}")
        world.run(5)
    assert world.receivers == {"lyon"}
    assert "berlin" not in world.asked
    assert len(bodies(world.lyon)) == 21


def test_known_a_lost_link_asks_the_other_partner_and_the_principal_alike():
    world = MirroredWorld()
    world.settle()
    world.say("more")
    world.cut(world.paris, "lyon")
    world.run(0.1)
    assert world.asked == ["berlin"]
    assert world.route.address_state is PartnerState.DISCONNECTED


def test_known_only_what_is_unacknowledged_is_sent_to_the_new_principal():
    world = MirroredWorld()
    acknowledged = world.settle()
    take_over(world.berlin)
    world.lyon.kill()
    world.say("new")
    world.run(200)
    to_berlin = [each.message.message for each in world.paris.sent if each.address == BERLIN]
    assert {message.body for message in to_berlin if message.is_sequenced} == {b"new"}
    assert acknowledged in {row.conversation_handle for row in world.paris.view("Ventes").conversation_endpoints}


def test_searching_is_left_by_the_claim_of_either():
    for partner in ("lyon", "berlin"):
        world = MirroredWorld()
        world.settle()
        step_down(world.lyon)
        world.run(1)
        world.say("whoever it is")
        world.run(20)
        assert world.route.state is MirrorState.SEARCHING
        take_over(getattr(world, partner))
        world.run(2)
        assert bodies(getattr(world, partner))[-1] == b"whoever it is"
        assert world.receivers == {partner}


def test_a_change_of_the_role_is_told_at_once_not_at_the_next_question():
    world = MirroredWorld()
    world.settle()
    step_down(world.lyon)
    take_over(world.berlin)
    world.run(0.1)
    assert world.route.state is MirrorState.KNOWN_M
    assert world.asked in ([], ["berlin"])


def test_where_both_claim_it_the_last_claim_wins_and_a_warning_is_traced():
    world = MirroredWorld()
    world.settle()
    take_over(world.berlin)
    world.run(1)
    assert world.route.state is MirrorState.KNOWN_M
    assert world.changes()[-1].are_both_principal
    world.say("to the last one")
    world.run(2)
    assert bodies(world.berlin) == [b"to the last one"]
    assert world.receivers == {"berlin"}


def test_there_is_no_failback_while_the_principal_claims_the_role():
    world = MirroredWorld()
    world.settle()
    take_over(world.berlin)
    world.lyon.kill()
    world.say("over there")
    world.run(2)
    world.lyon.start()
    for _ in range(5):
        world.run(30)
        world.say("still there")
    world.run(2)
    assert world.route.state is MirrorState.KNOWN_M
    assert len(bodies(world.berlin)) == 6
    assert world.lyon.instance.view(10).databases[-1].conversation_endpoints_total == 1


def test_the_sender_forgets_the_principal_when_it_restarts_and_asks_both():
    world = MirroredWorld()
    world.settle()
    world.paris.kill()
    world.paris.start()
    assert world.paris.instance.view(10).mirrored_routes == ()
    world.say("after the restart")
    assert world.route.state is MirrorState.UNKNOWN
    world.run(2)
    assert sorted(world.asked) == ["berlin", "lyon"]
    assert bodies(world.lyon)[-1] == b"after the restart"


def test_what_waited_before_a_restart_of_the_sender_finds_the_principal_after_it():
    world = MirroredWorld()
    world.lyon.kill()
    world.say("kept")
    world.run(100)
    world.paris.kill()
    take_over(world.berlin)
    world.paris.start()
    world.run(2)
    assert bodies(world.berlin) == [b"kept"]


def test_a_message_that_reaches_the_mirror_copy_is_refused_with_28018():
    world = MirroredWorld()
    rome = world.instance("ROME", world.database("Vendite", ["Client"], route(SERVICE, "berlin", broker_instance=ID)))
    dialog = rome.begin("Vendite", "Client", SERVICE, to_broker_instance=ID)
    rome.say("Vendite", dialog, "ciao")
    world.run(2)
    assert [event.number for event in world.berlin.told(MessageUndeliverable)] == [28018]
    assert rome.view("Vendite").transmission_queue_total == 1
    assert world.berlin.view("Stock").conversation_endpoints_total == 0


def test_the_role_is_that_of_the_database_not_of_the_server():
    """Each of the two instances is the principal of one database and has the copy of the other."""
    world = MirroredWorld(principal="LYON")
    second = mirrored_route("lyon", "berlin", OTHER_ID)
    bestand = _renamed(stock("lyon", DatabaseState.ONLINE, OTHER_ID), "Bestand")
    berlin = world.instance("BERLIN", stock("lyon", DatabaseState.MIRROR, ID), bestand)
    rome = world.instance("ROME", world.database("Vendite", ["Client"], second))
    dialog = rome.begin("Vendite", "Client", SERVICE, to_broker_instance=OTHER_ID)
    rome.say("Vendite", dialog, "ciao")
    world.say("bonjour")
    world.run(2)
    assert world.route.state is MirrorState.KNOWN_A
    assert rome.instance.view(10).mirrored_routes[0].state is MirrorState.KNOWN_M
    assert bodies(world.lyon) == [b"bonjour"]
    assert len(berlin.receive("Bestand", SERVICE)) == 1


def _renamed(changes, name):
    return [msgspec.structs.replace(change, database=name) for change in changes]


# ── claims that are not believed ──
def test_a_claim_over_a_connection_that_is_gone_is_not_believed():
    world = MirroredWorld()
    world.lyon.kill()
    world.berlin.kill()
    world.say()
    world.run(1)
    world.paris.feed(RoleClaimed(BERLIN, ID, is_principal=True))
    assert world.route.principal is None
    assert world.receivers == set()


def test_a_claim_that_comes_before_the_connection_is_there_is_not_believed():
    world = MirroredWorld()
    world.say()
    assert world.route.address_state is PartnerState.PROBING
    world.paris.feed(RoleClaimed(LYON, ID, is_principal=True))
    assert world.route.principal is None
    assert world.receivers == set()


def test_a_partner_whose_broker_is_off_claims_nothing():
    world = MirroredWorld()
    world.lyon.define(BrokerSwitched(database="Stock", is_enabled=False))
    world.say()
    world.run(20)
    assert world.route.state is MirrorState.SEARCHING
    assert world.receivers == set()


def test_of_two_pairs_that_are_equally_good_the_other_one_is_taken_when_none_of_the_first_claims():
    """routing.md E9: the connection has failed, so the next one."""
    world = MirroredWorld()
    second = msgspec.structs.replace(mirrored_route("rome", "madrid"), name="second")
    world.paris.define(RouteCreated(database="Ventes", route=second))
    rome = world.instance("ROME", stock("madrid", DatabaseState.ONLINE, ID, route("Client", "paris")))
    world.lyon.kill()
    world.berlin.kill()
    for number in range(4):
        world.say(f"{number}")
    world.run(200)
    assert len(bodies(rome)) == 4
    assert world.receivers == {"rome"}


def test_a_claim_for_another_broker_id_changes_nothing():
    world = MirroredWorld()
    world.settle()
    world.paris.feed(RoleClaimed(BERLIN, OTHER_ID, is_principal=True))
    assert world.route.state is MirrorState.KNOWN_A


# ── the own endpoint, the own instance, the own catalog ──
def test_a_stopped_endpoint_asks_nobody_and_messages_wait_with_9666():
    world = MirroredWorld()
    world.settle()
    world.paris.define(EndpointAltered(name="Broker", state=EndpointState.STOPPED))
    assert world.route.address_state is PartnerState.INACTIVE
    world.say("waits")
    world.run(30)
    assert world.paris.statuses("Ventes") == {9666}
    assert world.asked == []
    assert world.route.address_state is PartnerState.INACTIVE
    world.paris.define(EndpointAltered(name="Broker", state=EndpointState.STARTED))
    world.run(30)
    assert bodies(world.lyon) == [b"first", b"waits"]
    assert world.asked[0] == "lyon"


def test_the_own_instance_is_asked_like_any_partner_and_takes_what_it_is_principal_of():
    """routing.md E27: through the msdb path."""
    world = World()
    outside = world.database("Ventes", ["Client"], mirrored_route("paris", "berlin"))
    paris = world.instance("PARIS", outside, stock("berlin", DatabaseState.ONLINE, ID, route("Client", "paris")))
    world.instance("BERLIN", stock("paris", DatabaseState.MIRROR, ID))
    dialog = paris.begin("Ventes", "Client", SERVICE)
    paris.say("Ventes", dialog, "to myself")
    world.run(5)
    assert sorted(question.address.host for question in paris.questions) == ["berlin", "paris"]
    assert bodies(paris) == [b"to myself"]
    assert {each.address.host for each in paris.sent} == {"paris"}


def test_a_route_that_is_dropped_is_forgotten_once_nobody_uses_it():
    world = MirroredWorld()
    world.settle()
    world.run(20)
    world.paris.define(RouteDropped(database="Ventes", name=mirrored_route().name))
    assert world.paris.instance.view(10).mirrored_routes == ()


def test_neighbours_that_hang_up_are_told_nothing_and_remembered_no_longer():
    world = MirroredWorld()
    world.settle()
    asked_by = len(world.lyon.askers)
    world.paris.kill()
    world.run(1)
    assert (asked_by, len(world.lyon.askers)) == (1, 0)
    step_down(world.lyon)


# ── forwarders ──
@pytest.fixture
def hub():
    """ROME ──▶ HUB ──▶ the pair: the mirrored route stands in HUB's msdb."""
    world = MirroredWorld()
    world.rome = world.instance(
        "ROME", world.database("Vendite", ["Client"], route(SERVICE, "hub", broker_instance=ID))
    )
    world.hub = world.instance("HUB", _in_msdb(mirrored_route(), route("Client", "rome")), forwards=True)
    for partner in (world.lyon, world.berlin):
        partner.define(*_client_by_hub())
    return world


def _in_msdb(*routes):
    return [RouteCreated(database="msdb", route=each) for each in routes]


def _client_by_hub():
    gone = RouteDropped(database="Stock", name="to Client by paris")
    return [gone, RouteCreated(database="Stock", route=route("Client", "hub"))]


def test_a_forwarder_hands_messages_to_the_principal_alone(hub):
    dialog = hub.rome.begin("Vendite", "Client", SERVICE, to_broker_instance=ID)
    hub.rome.say("Vendite", dialog, "ciao")
    hub.run(5)
    assert bodies(hub.lyon) == [b"ciao"]
    assert "berlin" not in {each.address.host for each in hub.hub.sent}
    assert hub.rome.view("Vendite").transmission_queue_total == 0


def test_a_forwarder_keeps_messages_in_memory_while_nobody_claims_and_drops_them_when_their_time_is_over(hub):
    hub.lyon.kill()
    dialog = hub.rome.begin("Vendite", "Client", SERVICE, to_broker_instance=ID)
    hub.rome.say("Vendite", dialog, "ciao")
    hub.run(65)
    assert hub.hub.sent == []
    assert 11290 in {event.number for event in hub.hub.told(ForwardedMessageDropped)}
    take_over(hub.berlin)
    hub.run(100)
    assert bodies(hub.berlin) == [b"ciao"]


def test_a_forwarder_watches_the_pair_as_long_as_it_holds_something_for_it(hub):
    hub.lyon.kill()
    dialog = hub.rome.begin("Vendite", "Client", SERVICE, to_broker_instance=ID)
    hub.rome.say("Vendite", dialog, "ciao")
    hub.run(1)
    hub.rome.kill()
    hub.run(40)
    take_over(hub.berlin)
    hub.run(1)
    assert bodies(hub.berlin) == [b"ciao"]


def test_an_answer_that_nobody_keeps_leaves_though_the_peer_repeats_itself_rarely():
    """-8462 is made anew at each repetition; the route must not rest again before the next one, 64 s later."""
    world = MirroredWorld()
    dialog = world.settle()
    [row] = world.lyon.receive("Stock", SERVICE)
    world.paris.end("Ventes", dialog, with_cleanup=True)
    world.loses = lambda message: not message.from_initiator
    world.lyon.say("Stock", row.conversation_handle, "toujours là ?")
    world.run(400)
    world.loses = lambda message: False
    world.run(400)
    [error] = world.lyon.receive("Stock", SERVICE)
    assert "-8462" in error.message_body.decode("utf-16")
