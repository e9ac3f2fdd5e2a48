"""A revision of many changes is what the same changes are as revisions of one each (architecture 8(ii)).

The changes reach an instance that lives: conversations within a database, between databases and over a link, messages
in queues and on their way, a transaction, timers, an event notification that cannot leave.
"""

from uuid import UUID

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from engine.core.catalog import changes as c
from engine.core.catalog.builtin import BROKER_SERVICE
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.names import with_schema
from engine.core.catalog.objects import (
    Contract,
    ContractUse,
    EventNotification,
    MessageType,
    Queue,
    QueueEvent,
    SentBy,
    Service,
)
from engine.core.catalog.revision import apply_change, copy
from engine.core.exchange.commands import (
    ApplyCatalog,
    BeginConversationTimer,
    BeginDialog,
    BeginTransaction,
    Receive,
)
from engine.core.exchange.replies import CatalogRevised, Refusal
from engine.core.vocabulary.errors import CatalogError
from tests.support.thoroughness import examples
from tests.support.world import World, route

DATABASES, QUEUES, SERVICES, CONTRACTS = ("A", "B"), ("dbo.S", "dbo.T", "Autre"), ("S", "T"), ("DEFAULT", "C")
ALIEN = c.ServiceDropped(database="A", name="never defined")
QUEUE_MADE = c.QueueCreated(database="A", queue=Queue("dbo.Autre"))
QUEUE_GONE = c.QueueDropped(database="A", name="dbo.Autre")
SERVICE_GONE = c.ServiceDropped(database="A", name="S")
BORN = c.DatabaseCreated(database="A", broker_instance=UUID(int=8))

databases, services = st.sampled_from((*DATABASES, "a")), st.sampled_from(SERVICES)
queues, contracts = st.sampled_from((*QUEUES, "DBO.S", "T")), st.sampled_from(CONTRACTS)
ids = st.integers(1, 9).map(lambda number: UUID(int=number))
notifications = st.builds(
    EventNotification,
    st.just("n"),
    queues.map(with_schema),
    st.just((QueueEvent.QUEUE_ACTIVATION,)),
    st.just("Loin"),
    st.just(UUID(int=5)),
)
contract = Contract("C", (ContractUse("M", SentBy.ANY),))
one_change = st.one_of(
    st.builds(c.DatabaseCreated, database=st.sampled_from(DATABASES), broker_instance=ids),
    st.builds(c.DatabaseDropped, database=databases),
    st.builds(c.BrokerSwitched, database=databases, is_enabled=st.booleans()),
    st.builds(c.BrokerRenewed, database=databases, broker_instance=ids),
    st.builds(c.BrokerConversationsErrored, database=databases),
    st.builds(c.DatabaseStateSet, database=databases, state=st.sampled_from(DatabaseState)),
    st.builds(c.MessageTypeCreated, database=databases, message_type=st.just(MessageType("M"))),
    st.builds(c.ContractCreated, database=databases, contract=st.just(contract)),
    st.builds(c.ContractDropped, database=databases, name=st.just("C")),
    st.builds(c.QueueCreated, database=databases, queue=queues.map(with_schema).map(Queue)),
    st.builds(
        c.QueueAltered,
        database=databases,
        name=queues,
        is_enabled=st.none() | st.booleans(),
        is_retention_enabled=st.none() | st.booleans(),
    ),
    st.builds(c.QueueDropped, database=databases, name=queues),
    st.builds(
        c.ServiceCreated,
        database=databases,
        service=st.builds(Service, services, queues.map(with_schema), st.just(("DEFAULT",))),
    ),
    st.builds(c.ServiceAltered, database=databases, name=services, queue=queues),
    st.builds(c.ServiceAltered, database=databases, name=services, drops=st.tuples(contracts)),
    st.builds(c.ServiceAltered, database=databases, name=services, adds=st.tuples(contracts)),
    st.builds(c.ServiceDropped, database=databases, name=services),
    st.builds(c.RouteCreated, database=databases, route=st.just(route("Loin", "lyon"))),
    st.builds(c.RouteDropped, database=databases, name=st.just("to Loin by lyon")),
    st.builds(c.EventNotificationCreated, database=databases, notification=notifications),
    st.builds(c.EventNotificationDropped, database=databases, name=st.just("n"), may_be_gone=st.just(True)),
)
WISHES = st.lists(one_change, min_size=2, max_size=12)


def living():
    """An instance in the middle of its work; two of them are equal."""
    world = World(7)
    world.instance("LYON", world.database("Stock", ["Loin"], route("S", "paris")))
    paris = world.instance("PARIS", world.database("A", SERVICES, route("Loin", "lyon")), world.database("B", SERVICES))
    notice = EventNotification("n", "dbo.T", (QueueEvent.QUEUE_ACTIVATION,), "Nulle part", UUID(int=6))
    paris.define(
        *(c.MessageTypeCreated(database=name, message_type=MessageType("M")) for name in DATABASES),
        *(c.ContractCreated(database=name, contract=contract) for name in DATABASES),
        c.ServiceAltered(database="A", name="T", adds=("C",)),
        c.RouteCreated(database="A", route=route("Nulle part", "ailleurs")),
        c.EventNotificationCreated(database="A", notification=notice),
    )
    within = paris.begin("A", "S", "T")
    paris.do(BeginDialog, database="A", from_service="S", to_service="T", contract="C")
    handles = [
        *(within, paris.begin("B", "S", "T"), paris.begin("A", "S", "Loin"), paris.begin("A", "S", "Nulle part")),
        paris.begin("B", "S", "S", to_broker_instance=paris.instance.catalog.databases["A"].broker_instance),
    ]
    for number, handle in enumerate(handles):
        database = "B" if number in (1, 4) else "A"
        for body in ("un", "deux"):
            assert not isinstance(paris.say(database, handle, body), Refusal)
    world.run(3)
    paris.say("A", handles[2], "en route")
    paris.do(BeginConversationTimer, database="A", conversation_handle=within, timeout_seconds=30)
    paris.end("B", handles[1])
    transaction = paris.do(BeginTransaction).transaction
    assert paris.do(Receive, database="A", queue="dbo.T", transaction=transaction).messages
    return world, paris


def obeyed(node, wishes):
    """Those of the changes that are valid one after another."""
    catalog, valid = copy(node.instance.catalog), []
    for change in wishes:
        try:
            apply_change(catalog, change)
        except CatalogError:
            continue
        valid.append(change)
    return valid


def defined(node):
    """Databases as they are defined; event notifications apart.

    The instance itself withdraws one whose conversation broke (tsql.md 11), which it learns after the revision.
    """
    databases = copy(node.instance.catalog).databases.values()
    return [msgspec.structs.replace(database, event_notifications={}) for database in databases]


def survivors(node):
    """Conversations with their states, and their messages in queues; without what the broker itself says."""
    on_disk = node.store.load().databases
    return {
        database.name: (
            {
                row.conversation_handle: (row.state, row.service, row.error_for_peer)
                for row in database.endpoints
                if row.service != BROKER_SERVICE
            },
            {
                (queue.casefold(), row.conversation_handle, row.message_sequence_number, row.message_type_name)
                for queue, rows in database.queues.items()
                for row in rows
                if row.service_name != BROKER_SERVICE
            },
        )
        for database in on_disk
    }


def assert_memory_is_disk(node):
    stored = node.store.load()
    assert stored.catalog == node.instance.catalog
    in_memory = {
        (database.name, endpoint.conversation_handle)
        for database in node.instance.view(10_000).databases
        for endpoint in database.conversation_endpoints
    }
    on_disk = {
        (database.name, endpoint.conversation_handle)
        for database in stored.databases
        for endpoint in database.endpoints
    }
    assert in_memory == on_disk


@examples(150)
@example(
    wishes=[
        c.BrokerSwitched(database="A", is_enabled=False),
        c.BrokerConversationsErrored(database="B"),
        c.BrokerConversationsErrored(database="A"),
    ]
)
@example(wishes=[QUEUE_MADE, c.QueueAltered(database="A", name="Autre", is_enabled=False), QUEUE_GONE])
@example(wishes=[QUEUE_MADE, c.ServiceAltered(database="A", name="S", queue="dbo.Autre"), SERVICE_GONE])
@example(wishes=[c.BrokerRenewed(database="A", broker_instance=UUID(int=9)), c.DatabaseDropped(database="A")])
@example(wishes=[c.DatabaseDropped(database="A"), BORN, c.DatabaseDropped(database="A"), BORN])
@given(wishes=WISHES)
def test_one_revision_leads_where_one_each_leads(wishes):
    (world, whole), (_, stepwise) = living(), living()
    changes = obeyed(whole, wishes)
    assert isinstance(whole.define(*changes), CatalogRevised)
    for change in changes:
        assert isinstance(stepwise.define(change), CatalogRevised)
    assert defined(whole) == defined(stepwise)
    assert survivors(whole) == survivors(stepwise)
    assert_memory_is_disk(whole)
    world.run(100)
    assert_memory_is_disk(whole)
    whole.kill()
    whole.start()
    world.run(100)


@examples(50)
@given(wishes=WISHES)
def test_a_refused_revision_changes_nothing(wishes):
    world, node = living()
    before, revision = survivors(node), node.instance.catalog.revision
    catalog = copy(node.instance.catalog)
    changes = (*obeyed(node, wishes), ALIEN)
    refused = node.do(ApplyCatalog, base=revision, revision=revision + 1, changes=changes)
    assert refused.number in (911, 15151)
    assert node.instance.catalog == catalog
    assert survivors(node) == before
    assert_memory_is_disk(node)
    world.run(50)
    assert_memory_is_disk(node)
