"""An estate of two instances, defined and used through the engine's client as anybody else would.

PARIS  db ventes  service //exemple/Commandes ──── TCP://lyon:4022 ────▶  LYON  db stock  service //exemple/Entrepôt
                                              ◀─── TCP://paris:4022 ────
"""

import time
from uuid import UUID, uuid4, uuid5

from engine.core.catalog.changes import (
    CatalogChange,
    DatabaseCreated,
    EndpointAltered,
    EndpointCreated,
    QueueCreated,
    RouteCreated,
    ServiceCreated,
)
from engine.core.catalog.objects import DEFAULT_CONTRACT, Endpoint, EndpointState, Queue, Service
from engine.core.catalog.route import NetworkAddress, Route
from engine.core.exchange.commands import ApplyCatalog, BeginDialog, Command, Receive, Send
from engine.core.exchange.replies import CatalogRevised, DialogBegun, MessageSent, MessagesReceived, Reply
from engine.core.exchange.views import DatabaseView
from engine.core.vocabulary.identifiers import (
    MSDB,
    BrokerInstanceId,
    CatalogRevision,
    CommandId,
    ConversationHandle,
    DatabaseName,
    EndpointName,
    QueueName,
    RouteName,
    ServiceName,
)
from engine.core.vocabulary.messages import TcpAddress
from engine.hosting import client
from engine.hosting.errors import EngineUnavailable

ESTATE = "démo"
PARIS, LYON = "PARIS", "LYON"
VENTES, STOCK = DatabaseName("ventes"), DatabaseName("stock")
ORDERS, WAREHOUSE = ServiceName("//exemple/Commandes"), ServiceName("//exemple/Entrepôt")
QUEUE = QueueName("dbo.Courrier")
PACE = 50.0
"""Retries and suppressions of seconds take milliseconds."""
WAIT_SECONDS_MAX = 60.0
"""On a machine that has much else to do; who has what it waits for waits no longer."""
patience_seconds = client.COMMAND_SECONDS
"""How long an instance may take to answer."""


def define() -> None:
    """Open both instances and give them their catalogs; harmless when they have them."""
    for name in (PARIS, LYON):
        client.open_instance(ESTATE, name, pace=PACE)
    apply(PARIS, 1, *side(VENTES, ORDERS, UUID(int=1), "TCP://lyon:4022", WAREHOUSE))
    apply(LYON, 1, *side(STOCK, WAREHOUSE, UUID(int=2), "TCP://paris:4022", ORDERS))


def side(
    database: DatabaseName, service: ServiceName, broker: UUID, address: str, far: ServiceName
) -> list[CatalogChange]:
    host = address.removeprefix("TCP://").removesuffix(":4022")
    route = Route(
        name=RouteName("VersLAutre"),
        address=NetworkAddress(address, TcpAddress(host, 4022)),
        service_name=far,
    )
    return [
        DatabaseCreated(database=MSDB, broker_instance=BrokerInstanceId(UUID(int=broker.int + 10))),
        DatabaseCreated(database=database, broker_instance=BrokerInstanceId(broker)),
        QueueCreated(database=database, queue=Queue(QUEUE)),
        ServiceCreated(database=database, service=Service(service, QUEUE, (DEFAULT_CONTRACT,))),
        RouteCreated(database=database, route=route),
        EndpointCreated(endpoint=Endpoint(EndpointName("Broker"), 4022, EndpointState.STARTED)),
    ]


def apply(instance: str, revision: int, *changes: CatalogChange) -> None:
    command = ApplyCatalog(
        command_id=CommandId(uuid4()),
        base=CatalogRevision(revision - 1),
        revision=CatalogRevision(revision),
        changes=changes,
    )
    reply = ask(instance, command)
    assert isinstance(reply, CatalogRevised), reply


def set_endpoint(instance: str, revision: int, state: EndpointState) -> None:
    apply(instance, revision, EndpointAltered(name="Broker", state=state))


def ask(instance: str, command: Command) -> Reply:
    (reply,) = client.execute(ESTATE, instance, [command], timeout_seconds=patience_seconds)
    return reply


def insist(instance: str, command: Command) -> Reply:
    """As `ask`, again and again while nobody answers: a command has a key, and is carried out once."""
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while True:
        try:
            return ask(instance, command)
        except EngineUnavailable:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def begin_dialog(command_id: UUID | None = None) -> ConversationHandle:
    reply = insist(
        PARIS,
        BeginDialog(
            command_id=CommandId(command_id or uuid4()), database=VENTES, from_service=ORDERS, to_service=WAREHOUSE
        ),
    )
    assert isinstance(reply, DialogBegun), reply
    return reply.conversation_handle


def send(handle: ConversationHandle, number: int) -> None:
    """Send message `number`; done twice, it is sent once."""
    command_id = CommandId(uuid5(handle, str(number)))
    body = str(number).encode()
    reply = ask(PARIS, Send(command_id=command_id, database=VENTES, conversation_handle=handle, body=body))
    assert isinstance(reply, MessageSent), reply


def receive_all() -> list[int]:
    """The numbers of all messages that are ready in LYON's queue, taken."""
    received: list[int] = []
    while True:
        reply = insist(LYON, Receive(command_id=CommandId(uuid4()), database=STOCK, queue=QUEUE, top=1000))
        assert isinstance(reply, MessagesReceived), reply
        if not reply.messages:
            return received
        received += [int(message.message_body or b"") for message in reply.messages]


def database(instance: str) -> DatabaseView:
    view = client.read_view(ESTATE, instance, 1000)
    return next(each for each in view.databases if each.name in (VENTES, STOCK))


def ready_at_lyon() -> int:
    return database(LYON).queues[0].ready


def waiting_at_paris() -> int:
    return database(PARIS).transmission_queue_total
