"""Backup, restore, attach and detach with the broker state (identity.md 4, 6)."""

import msgspec
import pytest

from engine.contracts.codec import (
    binary_encoder,
    binary_reply_decoder,
    command_decoder,
    json_encoder,
    reply_decoder,
)
from engine.core.catalog.backup import AttachOption
from engine.core.catalog.changes import (
    BrokerSwitched,
    DatabaseStateSet,
    PartnerSet,
    PriorityHonoured,
    QueueAltered,
    RouteAltered,
    RouteCreated,
)
from engine.core.catalog.database import DatabaseState
from engine.core.exchange.commands import (
    AttachDatabase,
    BackupDatabase,
    DetachDatabase,
    GetConversationGroup,
    RestoreDatabase,
    SetQueueStatus,
)
from engine.core.exchange.events import DatabaseBrokerChanged, MessageUndeliverable
from engine.core.exchange.replies import DatabaseAttached, DatabaseBackedUp, DatabaseDetached
from engine.core.vocabulary.rows import ConversationState, put_together
from engine.core.vocabulary.settings import RestoreDelivery
from engine.storage.sqlite import SqliteStore
from tests.support.backups import attach, backup, detach, dialog_under_way, restore
from tests.support.mirrored import SERVICE, MirroredWorld, bodies, step_down, take_over
from tests.support.world import route

ENABLE, ERROR, NEW = AttachOption


@pytest.fixture
def world():
    return dialog_under_way()


def stock(node, name="Stock"):
    return node.instance.catalog.databases[name]


def texts(node, database="Stock", queue="Entrepôt"):
    return [row.message_body for row in node.receive(database, queue)]


def told(node):
    return [(event.database, event.is_enabled, event.number) for event in node.told(DatabaseBrokerChanged)]


# ── what travels ──
def test_a_restored_database_is_what_was_backed_up(world):
    world.lyon.say("Stock", world.there, "waits")
    taken, before = backup(world.lyon, "Stock"), world.lyon.view("Stock")
    world.lyon.receive("Stock", "Entrepôt")
    world.lyon.end("Stock", world.there, with_cleanup=True)
    world.lyon.define(QueueAltered(database="Stock", name="dbo.Entrepôt", is_enabled=False))
    assert isinstance(restore(world.lyon, "Stock", taken), DatabaseAttached)
    after = world.lyon.view("Stock")
    for field in ("conversation_endpoints", "queues", "transmission_queue_total"):
        assert getattr(after, field) == getattr(before, field), field
    assert stock(world.lyon) == taken.definition


def test_what_does_not_travel_is_what_belongs_to_the_instance(world):
    world.lyon.define(RouteCreated(database="msdb", route=route("Entrepôt", "lyon")))
    attach(world.rome, "Stock", backup(world.lyon, "Stock"))
    assert list(world.rome.instance.catalog.databases["msdb"].routes) == ["AutoCreatedLocal"]
    assert set(stock(world.rome).routes) == {"AutoCreatedLocal", "to Client by paris"}


def test_a_restored_database_survives_a_restart(world):
    taken = backup(world.lyon, "Stock")
    restore(world.lyon, "Stock", taken)
    before = world.lyon.view("Stock")
    world.lyon.kill()
    world.lyon.start()
    assert world.lyon.view("Stock") == before
    assert texts(world.lyon) == [b"two"]


def test_a_restored_database_is_stored_row_by_row(world, tmp_path):
    """The store that a real instance has takes the same changes and gives the same rows back."""
    taken = backup(world.lyon, "Stock")
    changes = []
    commit = world.lyon.store.commit
    world.lyon.store.commit = lambda batch, events: (changes.extend(batch), commit(batch, events))[1]
    restore(world.lyon, "Stock", taken)
    store = SqliteStore(tmp_path / "lyon.db", "LYON")
    store.commit(changes, [])
    loaded = {rows.name: rows for rows in put_together(store.load().databases)}["Stock"]
    assert loaded.endpoints == taken.rows.endpoints
    assert loaded.queues == taken.rows.queues
    store.close()


def test_commands_and_replies_survive_the_wire(world):
    taken = backup(world.lyon, "Stock")
    fields = {"command_id": world.here, "base": 1, "revision": 2, "database": "Stock"}
    for command in (
        BackupDatabase(command_id=world.here, database="Stock"),
        DetachDatabase(**fields),
        AttachDatabase(**fields, backup=taken, option=NEW),
        RestoreDatabase(**fields, backup=taken, replaces=True),
    ):
        assert command_decoder.decode(json_encoder.encode(command)) == command
    for reply in (DatabaseBackedUp(backup=taken), DatabaseDetached(backup=taken, revision=2)):
        assert reply_decoder.decode(json_encoder.encode(reply)) == reply
        assert binary_reply_decoder.decode(binary_encoder.encode(reply)) == reply


# ── purposes (the second table of identity.md 4) ──
def test_recover_in_place_at_the_same_point_as_the_peers(world):
    taken = backup(world.lyon, "Stock")
    restore(world.lyon, "Stock", taken, option=ENABLE)
    world.paris.say("Ventes", world.here, "three")
    world.run(2)
    assert texts(world.lyon) == [b"two", b"three"]
    world.lyon.say("Stock", world.there, "answer")
    world.run(2)
    assert texts(world.paris, "Ventes", "Client") == [b"answer"]


def test_recover_to_an_earlier_point_than_the_peers(world):
    """Sequence numbers no longer fit, so both sides end with an error and can begin anew."""
    taken = backup(world.lyon, "Stock")
    world.paris.say("Ventes", world.here, "three")
    world.run(2)
    reply = restore(world.lyon, "Stock", taken, option=ERROR)
    assert (reply.is_broker_enabled, reply.notice) == (True, None)
    assert reply.broker_instance == taken.definition.broker_instance
    world.run(2)
    for node, database in ((world.lyon, "Stock"), (world.paris, "Ventes")):
        assert [row.state for row in node.view(database).conversation_endpoints] == [ConversationState.ERROR]
    again = world.paris.begin("Ventes", "Client", "Entrepôt")
    world.paris.say("Ventes", again, "anew")
    world.run(2)
    assert b"anew" in texts(world.lyon) + texts(world.lyon)


def test_make_a_copy_beside_the_original(world):
    taken = backup(world.lyon, "Stock")
    reply = attach(world.lyon, "Copie", taken, option=NEW)
    assert (reply.is_broker_enabled, reply.notice) == (True, None)
    assert reply.broker_instance == stock(world.lyon, "Copie").broker_instance != taken.definition.broker_instance
    states = [row.state for row in world.lyon.view("Copie").conversation_endpoints]
    assert states == [ConversationState.ERROR]
    world.paris.say("Ventes", world.here, "three")
    world.run(5)
    assert texts(world.lyon) == [b"two", b"three"]
    assert world.paris.view("Ventes").transmission_queue_total == 0


def test_inspect_a_backup_next_to_the_original(world):
    """The copy keeps the id, is off, and gets nothing: its conversations are those of the original."""
    reply = attach(world.lyon, "Copie", backup(world.lyon, "Stock"))
    assert (reply.is_broker_enabled, reply.notice) == (False, 9773)
    assert "Stock" in reply.notice_text
    copied = world.lyon.view("Copie")
    world.paris.say("Ventes", world.here, "three")
    world.lyon.say("Stock", world.there, "answer")
    world.run(5)
    assert world.lyon.view("Copie") == copied
    assert texts(world.lyon) == [b"two", b"three"]
    assert texts(world.paris, "Ventes", "Client") == [b"answer"]
    world.lyon.end("Copie", world.there, with_cleanup=True)
    world.paris.say("Ventes", world.here, "four")
    world.run(5)
    assert texts(world.lyon) == [b"four"]


def test_move_to_another_instance(world):
    world.paris.say("Ventes", world.here, "three")
    gone = detach(world.lyon, "Stock")
    assert "Stock" not in world.lyon.instance.catalog.databases
    reply = attach(world.rome, "Stock", gone.backup)
    assert (reply.is_broker_enabled, reply.broker_instance) == (True, gone.backup.definition.broker_instance)
    name = "to Entrepôt by lyon"
    world.paris.define(RouteAltered(database="Ventes", name=name, address=route("Entrepôt", "rome").address))
    world.run(100)
    assert texts(world.rome) == [b"two", b"three"]
    world.rome.say("Stock", world.there, "from here now")
    world.run(5)
    assert texts(world.paris, "Ventes", "Client") == [b"from here now"]
    assert world.paris.view("Ventes").transmission_queue_total == 0


def test_set_up_a_standby_and_fail_over_to_it_in_the_middle_of_a_dialog():
    """mirroring.md 3: exactly once and in order, with the tail of the old principal."""
    world = MirroredWorld()
    dialog = world.settle("0")
    world.paris.say("Ventes", dialog, "1")
    world.run(2)
    step_down(world.lyon)
    world.paris.say("Ventes", dialog, "2")
    world.run(5)
    world.berlin.define(PartnerSet(database="Stock", partner_address=None))
    reply = restore(world.berlin, "Stock", backup(world.lyon, "Stock"), is_recovered=False)
    assert isinstance(reply, DatabaseAttached)
    assert stock(world.berlin).state is DatabaseState.MIRROR
    world.run(5)
    assert world.berlin.sent == []
    take_over(world.berlin)
    world.run(10)
    assert bodies(world.berlin) == [b"0", b"1", b"2"]
    assert world.paris.view("Ventes").transmission_queue_total == 0
    (arrived,) = world.berlin.view("Stock").conversation_endpoints
    world.berlin.say("Stock", arrived.conversation_handle, "answer")
    world.run(5)
    assert [row.message_body for row in world.paris.receive("Ventes", "Client")] == [b"answer"]
    assert world.berlin.instance.catalog.databases["Stock"].services[SERVICE]


# ── delivery after it ──
@pytest.mark.parametrize("was_on", [True, False])
@pytest.mark.parametrize(
    ("setting", "option", "is_on"),
    [
        (RestoreDelivery.UNCHANGED, None, None),
        (RestoreDelivery.OFF, None, False),
        (RestoreDelivery.UNCHANGED, ENABLE, True),
        (RestoreDelivery.OFF, ENABLE, True),
        (RestoreDelivery.OFF, ERROR, True),
        (RestoreDelivery.OFF, NEW, True),
    ],
)
@pytest.mark.parametrize("bring", [attach, restore])
def test_delivery_is_as_saved_unless_the_option_or_the_setting_says_otherwise(
    world, was_on, setting, option, is_on, bring
):
    taken = backup(world.lyon, "Stock")
    saved = msgspec.structs.replace(taken.definition, is_broker_enabled=was_on)
    taken = msgspec.structs.replace(taken, definition=saved)
    world.settings = msgspec.structs.replace(world.settings, restore_delivery=setting)
    world.rome.kill()
    world.rome.start()
    reply = bring(world.rome, "Stock", taken, option=option)
    wanted = was_on if is_on is None else is_on
    assert (reply.is_broker_enabled, reply.notice) == (wanted, None)
    assert stock(world.rome).is_broker_enabled is wanted
    assert told(world.rome) == [("Stock", wanted, None)]
    assert (reply.broker_instance == saved.broker_instance) is (option is not NEW)


def test_a_standby_keeps_what_was_saved_whatever_the_setting(world):
    """Database mirroring exception: the broker is on after a failover."""
    world.settings = msgspec.structs.replace(world.settings, restore_delivery=RestoreDelivery.OFF)
    world.rome.kill()
    world.rome.start()
    reply = restore(world.rome, "Stock", backup(world.lyon, "Stock"), is_recovered=False)
    assert reply.is_broker_enabled
    assert stock(world.rome).state is DatabaseState.MIRROR


@pytest.mark.parametrize("option", [None, NEW], ids=["no option", "NEW_BROKER"])
def test_a_read_only_database_stays_read_only_and_gets_no_new_broker(world, option):
    taken = backup(world.lyon, "Stock")
    world.lyon.define(DatabaseStateSet(database="Stock", state=DatabaseState.READ_ONLY))
    reply = attach(world.rome, "Stock", backup(world.lyon, "Stock"), option=option)
    assert stock(world.rome).state is DatabaseState.READ_ONLY
    assert reply.broker_instance == taken.definition.broker_instance
    assert (reply.is_broker_enabled, reply.notice) == ((True, None) if option is None else (False, 9774))
    states = [row.state for row in world.rome.view("Stock").conversation_endpoints]
    assert states == [ConversationState.CONVERSING]


def test_a_mirrored_database_comes_back_unmirrored_and_on_line():
    world = MirroredWorld()
    taken = backup(world.berlin, "Stock")
    rome = world.instance("ROME")
    restore(rome, "Stock", taken)
    assert (stock(rome).state, stock(rome).partner_address) == (DatabaseState.ONLINE, None)


# ── one backup ──
def test_with_replace_another_database_goes_and_its_peers_hear_nothing(world):
    world.rome.define(*world.database("Stock", []))
    restore(world.rome, "Stock", backup(world.lyon, "Stock"), replaces=True)
    assert stock(world.rome).services.keys() == {"Entrepôt"}
    assert world.rome.sent == []
    assert texts(world.rome) == [b"two"]


def test_a_backup_is_of_its_instant(world):
    taken = backup(world.lyon, "Stock")
    before = json_encoder.encode(taken)
    world.lyon.receive("Stock", "Entrepôt")
    world.lyon.define(RouteCreated(database="Stock", route=route("Autre", "rome")))
    assert json_encoder.encode(taken) == before


def test_one_backup_serves_many_restores(world):
    taken = backup(world.lyon, "Stock")
    before = json_encoder.encode(taken)
    for name in ("One", "Two"):
        attach(world.rome, name, taken, option=NEW)
        assert [row.message_body for row in world.rome.receive(name, "Entrepôt", 1)]
    assert json_encoder.encode(taken) == before
    ids = {stock(world.rome, name).broker_instance for name in ("One", "Two")}
    assert len(ids) == 2


# ── what was under way ──
@pytest.mark.parametrize("restarts", [False, True], ids=["running", "restarted"])
def test_what_waits_in_the_transmission_queue_goes_on_after_a_restore(world, restarts):
    world.paris.kill()
    world.lyon.say("Stock", world.there, "waits")
    restore(world.lyon, "Stock", backup(world.lyon, "Stock"))
    if restarts:
        world.lyon.kill()
        world.lyon.start()
    world.paris.start()
    world.run(100)
    assert texts(world.paris, "Ventes", "Client") == [b"waits"]
    assert world.lyon.view("Stock").transmission_queue_total == 0


def test_what_is_received_after_a_restore_stays_received(world):
    restore(world.lyon, "Stock", backup(world.lyon, "Stock"))
    assert texts(world.lyon) == [b"two"]
    world.lyon.kill()
    world.lyon.start()
    assert texts(world.lyon) == []


def test_a_backup_with_its_broker_off_needs_no_notice_beside_the_original(world):
    taken = backup(world.lyon, "Stock")
    off = msgspec.structs.replace(taken.definition, is_broker_enabled=False)
    reply = attach(world.lyon, "Copie", msgspec.structs.replace(taken, definition=off))
    assert (reply.is_broker_enabled, reply.notice, reply.notice_text) == (False, None, "")


# ── the original and a copy of its conversations on one instance ──
def copy_first(world, **option):
    """The copy is attached before the original comes back, so nothing favours the original by its age."""
    gone = detach(world.lyon, "Stock").backup
    attach(world.lyon, "Copie", gone, **option)
    if not option:
        world.lyon.define(BrokerSwitched(database="Copie", is_enabled=False))
    attach(world.lyon, "Stock", gone, option=ENABLE)


def test_messages_find_the_conversation_of_the_original_not_that_of_the_copy(world):
    copy_first(world, option=NEW)
    copied = world.lyon.view("Copie")
    world.paris.say("Ventes", world.here, "three")
    world.run(5)
    assert texts(world.lyon) == [b"two", b"three"]
    assert world.lyon.view("Copie") == copied


def test_a_message_without_id_finds_the_conversation_wherever_it_is_within_reach(world):
    """Until the first acknowledgement a message names no id, and another database may be drawn for it."""
    world.cut(world.lyon, "paris")
    again = world.paris.begin("Ventes", "Client", "Entrepôt")
    world.paris.say("Ventes", again, "new")
    world.run(2)
    copy_first(world)
    world.lyon.define(*world.database("Autre", ["Entrepôt"]))
    world.lyon.events.clear()
    world.run(600)
    assert {event.number for event in world.lyon.told(MessageUndeliverable)} == {11218}
    assert world.lyon.view("Autre").conversation_endpoints_total == 0


@pytest.mark.parametrize("comes_back", [attach, restore])
def test_4_priorities_are_not_honoured_in_a_database_that_comes_back(comes_back):
    world = dialog_under_way()
    world.lyon.define(PriorityHonoured(database="Stock", is_honoured=True))
    comes_back(world.rome, "Stock", backup(world.lyon, "Stock"))
    assert world.lyon.instance.catalog.databases["Stock"].is_priority_honoured
    assert not world.rome.instance.catalog.databases["Stock"].is_priority_honoured


def test_commands_of_a_queue_are_refused_by_a_database_that_is_off_line():
    world = dialog_under_way()
    world.lyon.define(DatabaseStateSet(database="Stock", state=DatabaseState.OFFLINE))
    for command, fields in (
        (GetConversationGroup, {"queue": "Entrepôt"}),
        (SetQueueStatus, {"queue": "Entrepôt", "is_enabled": False}),
    ):
        assert world.lyon.do(command, database="Stock", **fields).number == 942
