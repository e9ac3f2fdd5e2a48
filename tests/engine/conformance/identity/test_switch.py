"""The delivery switch and the four options of ALTER DATABASE (identity.md 2, 3)."""

from uuid import UUID

import msgspec
import pytest

from engine.core.catalog.changes import (
    BrokerConversationsErrored,
    BrokerRenewed,
    BrokerSwitched,
    DatabaseStateSet,
    PartnerSet,
)
from engine.core.catalog.database import DatabaseState
from engine.core.dialog.error_message import error_body
from engine.core.exchange.events import (
    ConversationStateChanged,
    DatabaseBrokerChanged,
    MessageUndeliverable,
)
from engine.core.exchange.replies import Refusal
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.rows import ConversationState
from engine.core.vocabulary.settings import NewBrokerEnds
from tests.support.world import World, route

NEW_ID = UUID(int=4242)
OFF, ON = (BrokerSwitched(database="Ventes", is_enabled=each) for each in (False, True))
NEW = BrokerRenewed(database="Ventes", broker_instance=NEW_ID)
ERROR = BrokerConversationsErrored(database="Ventes")
ERROR_TYPE = "http://schemas.microsoft.com/SQL/ServiceBroker/Error"


@pytest.fixture
def world():
    """PARIS and LYON with one dialog under way: `world.here` and `world.there` are its handles."""
    world = World()
    world.paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    world.lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    world.here = world.paris.begin("Ventes", "Client", "Entrepôt")
    world.paris.say("Ventes", world.here, "one")
    world.run(2)
    (arrived,) = world.lyon.receive("Stock", "Entrepôt")
    world.there = arrived.conversation_handle
    for node in (world.paris, world.lyon):
        node.sent.clear()
        node.events.clear()
    return world


def state(node, database):
    return [row.state for row in node.view(database).conversation_endpoints]


def identity(node, database="Ventes"):
    catalog = node.instance.catalog.databases[database]
    return catalog.is_broker_enabled, catalog.broker_instance


def messages(node, database, queue):
    return [(row.message_type_name, row.message_body) for row in node.receive(database, queue)]


def error(number):
    return (ERROR_TYPE, error_body(-number, text_of(number)))


# ── 2: the switch ──
def test_while_it_is_off_commands_work_on_what_is_stored_and_nothing_leaves(world):
    paris = world.paris
    world.lyon.say("Stock", world.there, "answer")
    world.run(2)
    paris.define(OFF)
    paris.sent.clear()
    paris.say("Ventes", world.here, "two")
    second = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", second, "three")
    paris.end("Ventes", second)
    world.run(300)
    assert paris.sent == []
    assert paris.statuses("Ventes") == {9791}
    assert [row.message_body for row in paris.receive("Ventes", "Client")] == [b"answer"]


def test_while_it_is_off_arrivals_are_refused_and_come_again(world):
    world.paris.define(OFF)
    world.lyon.say("Stock", world.there, "answer")
    world.run(20)
    assert {event.number for event in world.paris.told(MessageUndeliverable)} <= {28012, 28013, 28016}
    assert world.lyon.view("Stock").transmission_queue_total == 1
    assert world.paris.receive("Ventes", "Client") == ()
    world.paris.define(ON)
    world.run(100)
    assert messages(world.paris, "Ventes", "Client") == [("DEFAULT", b"answer")]


def test_nothing_leaves_from_the_moment_it_is_off_not_even_what_was_on_its_way(world):
    world.lyon.kill()
    world.paris.say("Ventes", world.here, "two")
    world.paris.define(OFF)
    world.paris.sent.clear()
    world.lyon.start()
    world.run(300)
    assert world.paris.sent == []
    world.paris.define(ON)
    world.run(70)
    assert [body for _, body in messages(world.lyon, "Stock", "Entrepôt")] == [b"two"]


def test_lifetimes_tick_while_it_is_off_and_their_errors_come_when_it_is_on(world):
    world.paris.begin("Ventes", "Client", "Entrepôt", lifetime_seconds=60)
    world.paris.define(OFF)
    world.paris.events.clear()
    world.run(3600)
    assert world.paris.told(ConversationStateChanged) == []
    world.paris.define(ON)
    world.run(1)
    assert [event.state for event in world.paris.told(ConversationStateChanged)] == [ConversationState.ERROR]


def test_the_switch_survives_a_restart(world):
    world.paris.define(OFF)
    world.paris.kill()
    world.paris.start()
    assert not identity(world.paris)[0]
    world.paris.say("Ventes", world.here, "two")
    world.run(100)
    assert world.paris.sent == []


# ── 3: the table of options ──
OPTIONS = {
    "ENABLE_BROKER": (ON, True, False, ConversationState.CONVERSING),
    "DISABLE_BROKER": (OFF, False, False, ConversationState.CONVERSING),
    "NEW_BROKER": (NEW, True, True, ConversationState.ERROR),
    "ERROR_BROKER_CONVERSATIONS": (ERROR, True, False, ConversationState.ERROR),
}


@pytest.mark.parametrize("before", [ON, OFF], ids=["on", "off"])
@pytest.mark.parametrize(("option", "is_on", "renews", "after"), OPTIONS.values(), ids=OPTIONS.keys())
def test_delivery_id_and_conversations_after_each_option(world, before, option, is_on, renews, after):
    world.paris.define(before)
    old_id = identity(world.paris)[1]
    world.paris.define(option)
    assert identity(world.paris) == (is_on, NEW_ID if renews else old_id)
    assert state(world.paris, "Ventes") == [after]
    told = world.paris.told(DatabaseBrokerChanged)[-1]
    assert (told.is_enabled, told.broker_instance, told.number) == (is_on, identity(world.paris)[1], None)
    world.paris.kill()
    world.paris.start()
    assert identity(world.paris) == (is_on, NEW_ID if renews else old_id)
    assert state(world.paris, "Ventes") == [after]


@pytest.mark.parametrize("option", [ON, OFF, NEW], ids=["ENABLE_BROKER", "DISABLE_BROKER", "NEW_BROKER"])
def test_peers_hear_nothing_of_three_of_them(world, option):
    world.paris.define(option)
    world.run(100)
    assert world.paris.sent == []
    assert state(world.lyon, "Stock") == [ConversationState.CONVERSING]


def test_enabling_resumes_the_traffic(world):
    world.paris.define(OFF)
    world.paris.say("Ventes", world.here, "two")
    world.run(30)
    world.paris.define(ON)
    world.run(11)
    assert [body for _, body in messages(world.lyon, "Stock", "Entrepôt")] == [b"two"]


# ── NEW_BROKER ──
def test_new_broker_ends_every_conversation_with_an_error_in_its_own_queue(world):
    idle = world.paris.begin("Ventes", "Client", "Entrepôt")
    world.paris.define(NEW)
    assert messages(world.paris, "Ventes", "Client") == [error(9719)]
    assert messages(world.paris, "Ventes", "Client") == [error(9719)]
    for handle in (idle, world.here):
        assert not isinstance(world.paris.end("Ventes", handle), Refusal)
    assert world.paris.view("Ventes").conversation_endpoints_total == 0


def test_new_broker_ends_them_silently_when_the_setting_says_so(world):
    world.settings = msgspec.structs.replace(world.settings, new_broker_ends_conversations=NewBrokerEnds.SILENTLY)
    world.paris.kill()
    world.paris.start()
    world.paris.define(NEW)
    assert world.paris.view("Ventes").conversation_endpoints_total == 0
    assert world.paris.receive("Ventes", "Client") == ()
    assert world.paris.view("Ventes").transmission_queue_total == 0


def test_dialogs_that_peers_hold_never_get_through_to_a_new_broker(world):
    world.paris.define(NEW)
    world.paris.receive("Ventes", "Client")
    world.lyon.say("Stock", world.there, "answer")
    world.run(200)
    assert world.lyon.view("Stock").transmission_queue_total == 1
    assert messages(world.paris, "Ventes", "Client") == []
    world.lyon.end("Stock", world.there, with_cleanup=True)
    assert world.lyon.view("Stock").transmission_queue_total == 0


# ── ERROR_BROKER_CONVERSATIONS ──
def test_both_sides_find_an_error_in_their_queue_and_can_end(world):
    world.paris.define(ERROR)
    world.run(2)
    assert messages(world.paris, "Ventes", "Client") == [error(9719)]
    assert messages(world.lyon, "Stock", "Entrepôt") == [error(9720)]
    for node, database, handle in ((world.paris, "Ventes", world.here), (world.lyon, "Stock", world.there)):
        assert state(node, database) == [ConversationState.ERROR]
        assert not isinstance(node.end(database, handle), Refusal)


@pytest.mark.parametrize("restarts", [False, True], ids=["running", "restarted"])
def test_a_peer_that_could_not_be_reached_hears_of_it_when_it_next_talks(world, restarts):
    """protocol.md 8.2, row 15. What it says is not acknowledged, so nothing is lost unseen."""
    world.lyon.kill()
    world.paris.define(ERROR)
    world.run(70)
    world.lyon.start()
    if restarts:
        world.paris.kill()
        world.paris.start()
    world.run(70)
    assert state(world.lyon, "Stock") == [ConversationState.CONVERSING]
    world.lyon.say("Stock", world.there, "answer")
    world.run(70)
    assert messages(world.lyon, "Stock", "Entrepôt") == [error(9720)]
    assert world.lyon.view("Stock").transmission_queue_total == 1
    assert [body for _, body in messages(world.paris, "Ventes", "Client")] == [error(9719)[1]]


def test_a_dialog_inside_the_database_has_one_error_for_each_side(world):
    inside = world.paris.begin("Ventes", "Client", "Client")
    world.paris.say("Ventes", inside, "to myself")
    world.paris.receive("Ventes", "Client")
    world.paris.define(ERROR)
    world.run(2)
    found = []
    while taken := messages(world.paris, "Ventes", "Client"):
        found += taken
    assert found == [error(9719)] * 3, "the dialog to LYON has one, the one inside has two"


def test_what_has_ended_stays_ended_and_hears_nothing(world):
    world.lyon.end("Stock", world.there)
    world.run(2)
    world.paris.receive("Ventes", "Client")
    world.paris.end("Ventes", world.here)
    world.run(2)
    assert state(world.lyon, "Stock") == [ConversationState.CLOSED]
    world.lyon.define(BrokerConversationsErrored(database="Stock"))
    assert state(world.lyon, "Stock") == [ConversationState.CLOSED]
    assert world.lyon.receive("Stock", "Entrepôt") == ()


def test_only_errors_leave_and_each_once(world):
    world.paris.define(ERROR)
    world.run(300)
    assert [each.message.message.kind for each in world.paris.sent] == [MessageKind.ERROR]


# ── refused ──
PARTNER = PartnerSet(database="Ventes", partner_address="TCP://lyon:5022")


def in_state(database_state):
    return DatabaseStateSet(database="Ventes", state=database_state)


REFUSED = {
    "ENABLE of a mirroring principal": ([OFF, PARTNER], ON, 1468),
    "NEW in a read-only database": ([in_state(DatabaseState.READ_ONLY)], NEW, 9775),
    "NEW in a mirrored database": ([PARTNER], NEW, 9778),
    "NEW in a mirror copy": ([in_state(DatabaseState.MIRROR)], NEW, 9778),
    "ERROR in a database that is off-line": ([in_state(DatabaseState.OFFLINE)], ERROR, 942),
    "ERROR in a mirror copy": ([in_state(DatabaseState.MIRROR)], ERROR, 954),
    "ERROR in a read-only database": ([in_state(DatabaseState.READ_ONLY)], ERROR, 3906),
    "ERROR of a mirroring principal that is off": ([OFF, PARTNER], ERROR, 1468),
    "ERROR in no database": ([], BrokerConversationsErrored(database="Nowhere"), 911),
}


@pytest.mark.parametrize(("before", "option", "number"), REFUSED.values(), ids=REFUSED.keys())
def test_an_option_that_is_refused_changes_nothing(world, before, option, number):
    world.paris.define(*before)
    catalog, view, told = world.paris.store.load().catalog, world.paris.view("Ventes"), len(world.paris.events)
    reply = world.paris.define(option)
    assert isinstance(reply, Refusal)
    assert reply.number == number
    assert world.paris.store.load().catalog == catalog
    assert world.paris.view("Ventes") == view
    assert len(world.paris.events) == told


def test_a_second_time_changes_nothing_for_what_is_in_error(world):
    world.paris.define(ERROR)
    world.run(2)
    sent = len(world.paris.sent)
    world.paris.define(ERROR)
    world.run(2)
    assert messages(world.paris, "Ventes", "Client") == [error(9719)]
    assert len(world.paris.sent) == sent
