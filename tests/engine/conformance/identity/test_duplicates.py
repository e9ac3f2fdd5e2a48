"""One broker id, more than one database (identity.md 1, 5)."""

from uuid import UUID

import pytest

from engine.core.catalog.backup import AttachOption
from engine.core.catalog.changes import (
    BrokerConversationsErrored,
    BrokerRenewed,
    BrokerSwitched,
    DatabaseCreated,
    QueueCreated,
    ServiceCreated,
)
from engine.core.catalog.objects import Queue, Service
from engine.core.catalog.revision import copy
from engine.core.exchange.changes import PutCatalog
from engine.core.exchange.events import DatabaseBrokerChanged
from engine.core.exchange.replies import Refusal
from engine.core.vocabulary.rows import ConversationState
from tests.support.backups import attach, backup
from tests.support.world import World, route

ID, OTHER_ID = UUID(int=501), UUID(int=502)


@pytest.fixture
def lyon():
    world = World()
    node = world.instance("LYON")
    node.define(DatabaseCreated(database="Stock", broker_instance=ID))
    node.define(DatabaseCreated(database="Copie", broker_instance=ID))
    return node


def is_on(node):
    databases = node.instance.catalog.databases
    return databases["Stock"].is_broker_enabled, databases["Copie"].is_broker_enabled


def last(node):
    event = node.told(DatabaseBrokerChanged)[-1]
    return event.database, event.is_enabled, event.number


def test_the_later_one_is_born_with_its_broker_off_and_9773_says_why(lyon):
    assert is_on(lyon) == (True, False)
    assert last(lyon) == ("Copie", False, 9773)
    assert "Stock" in lyon.told(DatabaseBrokerChanged)[-1].text


@pytest.mark.parametrize(
    "change",
    [BrokerSwitched(database="Copie", is_enabled=True), BrokerConversationsErrored(database="Copie")],
    ids=["ENABLE_BROKER", "ERROR_BROKER_CONVERSATIONS"],
)
def test_the_second_cannot_be_switched_on_9772(lyon, change):
    before = lyon.store.load().catalog
    reply = lyon.define(change)
    assert isinstance(reply, Refusal)
    assert reply.number == 9772
    assert lyon.store.load().catalog == before


def test_no_database_takes_an_id_that_is_active(lyon):
    lyon.define(BrokerRenewed(database="Copie", broker_instance=OTHER_ID))
    reply = lyon.define(BrokerRenewed(database="Copie", broker_instance=ID))
    assert isinstance(reply, Refusal)
    assert reply.number == 9772


def test_with_one_of_them_off_all_is_well(lyon):
    lyon.define(BrokerSwitched(database="Stock", is_enabled=False))
    lyon.define(BrokerSwitched(database="Copie", is_enabled=True))
    assert is_on(lyon) == (False, True)
    assert last(lyon) == ("Copie", True, None)


def test_new_broker_makes_the_copy_a_broker_of_its_own(lyon):
    lyon.define(BrokerRenewed(database="Copie", broker_instance=OTHER_ID))
    assert is_on(lyon) == (True, True)


OPTIONS = {
    "no option": (None, (False, 9773), ConversationState.CONVERSING),
    "ENABLE_BROKER": (AttachOption.ENABLE_BROKER, (False, 9772), ConversationState.CONVERSING),
    "ERROR_BROKER_CONVERSATIONS": (
        AttachOption.ERROR_BROKER_CONVERSATIONS,
        (False, 9772),
        ConversationState.CONVERSING,
    ),
    "NEW_BROKER": (AttachOption.NEW_BROKER, (True, None), ConversationState.ERROR),
}


@pytest.mark.parametrize(("option", "expected", "state"), OPTIONS.values(), ids=OPTIONS.keys())
def test_a_twin_that_is_attached_is_off_and_the_original_and_its_peers_notice_nothing(option, expected, state):
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "one")
    world.run(2)
    reply = attach(lyon, "Copie", backup(lyon, "Stock"), option=option)
    assert (reply.is_broker_enabled, reply.notice) == expected
    assert last(lyon) == ("Copie", *expected)
    assert [row.state for row in lyon.view("Copie").conversation_endpoints] == [state]
    world.run(100)
    assert [row.state for row in paris.view("Ventes").conversation_endpoints] == [ConversationState.CONVERSING]
    paris.say("Ventes", dialog, "two")
    world.run(5)
    assert [row.message_body for row in lyon.receive("Stock", "Entrepôt")] == [b"one", b"two"]


def test_at_start_up_the_first_stays_a_broker_and_the_later_one_is_not_started_9723(lyon):
    """A file that was edited, or written by something else: no command of ours leads there."""
    queue, service = Queue("dbo.S"), Service("S", "dbo.S", ("DEFAULT",))
    lyon.define(QueueCreated(database="Copie", queue=queue), ServiceCreated(database="Copie", service=service))
    catalog = copy(lyon.instance.catalog)
    catalog.databases["Copie"].is_broker_enabled = True
    lyon.kill()
    lyon.store.commit([PutCatalog(catalog=catalog)], [])
    lyon.start()
    assert is_on(lyon) == (True, False)
    assert last(lyon) == ("Copie", False, 9723)
    assert not lyon.store.load().catalog.databases["Copie"].is_broker_enabled
    dialog = lyon.begin("Copie", "S", "Elsewhere")
    lyon.say("Copie", dialog, "waits")
    assert lyon.statuses("Copie") == {9791}
    told = len(lyon.told(DatabaseBrokerChanged))
    lyon.kill()
    lyon.start()
    assert len(lyon.told(DatabaseBrokerChanged)) == told


def test_on_different_instances_no_server_notices():
    world = World()
    nodes = [world.instance(name) for name in ("LYON", "BERLIN")]
    for node in nodes:
        node.define(DatabaseCreated(database="Stock", broker_instance=ID))
    assert [last(node) for node in nodes] == [("Stock", True, None)] * 2


def test_the_id_is_made_with_the_database_and_travels_with_it(lyon):
    berlin = lyon.world.instance("BERLIN")
    attach(berlin, "Anders", backup(lyon, "Stock"))
    assert berlin.instance.catalog.databases["Anders"].broker_instance == ID
