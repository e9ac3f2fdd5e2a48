"""A small world on virtual time: real instances and drivers, stores in memory, a network that can lose and repeat.

It plugs into `engine.runtime.ports` and nowhere else. Time passes only when `World.run` is told to let it.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Sequence
from itertools import count
from uuid import UUID

from engine.core.catalog.changes import (
    CatalogChange,
    DatabaseCreated,
    EndpointCreated,
    QueueCreated,
    RouteCreated,
    ServiceCreated,
)
from engine.core.catalog.hosts import is_loopback
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Endpoint, EndpointState, Queue, Service
from engine.core.catalog.revision import apply_changes, copy, new_instance
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route, RouteAddress
from engine.core.exchange.changes import PutCatalog
from engine.core.exchange.commands import (
    ApplyCatalog,
    BeginDialog,
    Command,
    EndConversation,
    Receive,
    Send,
)
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.inputs import STARTED, TIMER_FIRED, Input
from engine.core.exchange.readers import ReaderStart
from engine.core.exchange.replies import LateReply, Refusal, Reply
from engine.core.exchange.views import DatabaseView
from engine.core.instance import Instance
from engine.core.link.codec import FrameReader, encode
from engine.core.link.frames import Fragments, RoleClaim, RoleRequest
from engine.core.transmission.work_table import MemoryWorkTable, WorkTable
from engine.core.vocabulary.identifiers import AskerId, InstanceName
from engine.core.vocabulary.keys import KeyVault
from engine.core.vocabulary.messages import (
    DialogMessage,
    ForwardedMessage,
    LinkChange,
    LinkHasRoom,
    LinkState,
    LoginEnded,
    Outbound,
    TcpAddress,
)
from engine.core.vocabulary.mirrors import AskerGone, RoleAnswer, RoleAsked, RoleClaimed, RoleQuestion
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.rows import QueueRow
from engine.core.vocabulary.settings import EngineSettings
from engine.runtime.driver import InstanceDriver
from engine.storage.memory import MemoryStore
from tests.support.acquaintances import Acquaintances
from tests.support.certificates import VAULT
from tests.support.seeded_entropy import SeededEntropy

EPOCH = 1_700_000_000.0
_command_ids = count(1)


class World:
    """Virtual time, a network, and the instances on it."""

    def __init__(self, seed: int = 1, loss: float = 0.0, duplication: float = 0.0, *, reorders: bool = False) -> None:
        self.dice = random.Random(seed)
        self.entropy = SeededEntropy(self.dice)
        self.loss, self.duplication, self.reorders = loss, duplication, reorders
        self.settings = EngineSettings()
        self.make_work_table: Callable[[], WorkTable] = MemoryWorkTable
        self.vault: KeyVault | None = VAULT
        self.seconds = 0.0
        self.transmissions = 0
        self.loses: Callable[[DialogMessage], bool] = lambda message: False
        """Loses a chosen message beside those that chance loses."""
        self.nodes: dict[TcpAddress, Node] = {}
        self.cuts: set[tuple[str, TcpAddress]] = set()  # who cannot reach which address, though somebody lives there
        self.calls = count(1)
        self._agenda: list[tuple[float, int, Callable[[], object]]] = []
        self._ticket = count()

    def at(self, seconds: float, happening: Callable[[], object]) -> None:
        heapq.heappush(self._agenda, (seconds, next(self._ticket), happening))

    def now(self) -> Now:
        return Now(Instant(self.seconds), UtcTime(EPOCH + self.seconds))

    def run(self, seconds: float) -> None:
        """Let time pass; everything that falls due happens in order."""
        until = self.seconds + seconds
        while self._agenda and self._agenda[0][0] <= until:
            at, _, happening = heapq.heappop(self._agenda)
            self.seconds = max(self.seconds, at)
            happening()
        self.seconds = until

    def cut(self, node: Node, host: str) -> None:
        """From now on `node` does not reach `host`; a connection that is open breaks."""
        address = TcpAddress(host, 4022)
        self.cuts.add((node.name, address))
        node.lose(address)

    def mend(self, node: Node, host: str) -> None:
        self.cuts.discard((node.name, TcpAddress(host, 4022)))

    def node_at(self, address: TcpAddress, caller: Node) -> Node | None:
        """Who has an address; loopback is the caller's own host, whose port decides."""
        host = caller.name.lower() if is_loopback(address.host) else address.host
        return self.nodes.get(TcpAddress(host, address.port))

    def instance(self, name: str, *databases: Sequence[CatalogChange], forwards: bool = False) -> Node:
        """An instance with an endpoint on port 4022 of the host of its own name."""
        state = EndpointState.STARTED
        endpoint = Endpoint("Broker", 4022, state, is_message_forwarding_enabled=forwards)
        changes = [change for database in databases for change in database]
        catalog = apply_changes(new_instance(name, self.entropy), [*changes, EndpointCreated(endpoint=endpoint)])
        node = Node(self, catalog)
        self.nodes[TcpAddress(name.lower(), 4022)] = node
        return node

    def database(self, name: str, services: Sequence[str], *routes: Route) -> list[CatalogChange]:
        """A database whose services accept the DEFAULT contract, each on its own queue `dbo.<service>`."""
        return [
            DatabaseCreated(database=name, broker_instance=self.entropy.new_uuid()),
            *(QueueCreated(database=name, queue=Queue(f"dbo.{service}")) for service in services),
            *(
                ServiceCreated(database=name, service=Service(service, f"dbo.{service}", ("DEFAULT",)))
                for service in services
            ),
            *(RouteCreated(database=name, route=route) for route in routes),
        ]


def route(service: str | None, host: str | None = None, **fields: object) -> Route:
    """A route to the port of custom of `host`, or LOCAL; named after what it matches."""
    address: RouteAddress = LocalAddress()
    if host is not None:
        address = NetworkAddress(f"TCP://{host}:4022", TcpAddress(host, 4022))
    return Route(name=f"to {service} by {host}", address=address, service_name=service, **fields)


class Node:
    """One instance with its driver; clock, transport, sink and alarm are the world's."""

    def __init__(self, world: World, catalog: InstanceCatalog) -> None:
        self.world = world
        self.name = catalog.name
        self.store = MemoryStore(catalog.name)
        self.store.commit([PutCatalog(catalog=copy(catalog))], [])
        self.events: list[BrokerEvent] = []
        self.links: dict[TcpAddress, int] = {}
        """Connections we opened, each with the number under which the far side knows it."""
        self.acquaintances = Acquaintances(self)
        self.askers: dict[int, tuple[Node, TcpAddress]] = {}
        """Who has asked for our role, over which of its connections."""
        self.questions: list[RoleQuestion] = []
        self.sent: list[Outbound] = []
        self.readers: list[ReaderStart] = []
        self.late: dict[UUID, Reply] = {}
        self.wakes = 0
        """How often the alarm has rung."""
        self.is_alive = False
        self._last_arrival: dict[TcpAddress, float] = {}
        self._incarnation = 0
        self._alarm = 0
        self.start()

    # ── life and death ──
    def start(self) -> None:
        state = self.store.load(in_spans=True)
        self._incarnation += 1
        self.is_alive = True
        self.links = {}
        self.askers = {}
        self.instance = Instance(
            state.catalog,
            state.databases,
            self.world.settings,
            self.world.entropy,
            self.world.make_work_table(),
            self.world.vault,
            self.store,
        )
        self.driver = InstanceDriver(
            self.instance,
            store=self.store,
            transport=self,
            sink=self,
            alarm=self,
            clock=self.world,
            activator=self,
            late_replies=self,
        )
        self.driver.process([STARTED])

    def kill(self) -> None:
        """As `kill -9`: memory is gone, connections break, the store keeps what was committed."""
        self.is_alive = False
        for address in list(self.links):
            self.hang_up(address)
        self._break_incoming()

    def _break_incoming(self) -> None:
        for node in self.world.nodes.values():
            for address in list(node.links) if node.is_alive else ():
                if self.world.node_at(address, node) is self:
                    node.lose(address)

    def lose(self, address: TcpAddress) -> None:
        """A connection we opened breaks."""
        if address in self.links:
            self.hang_up(address)
            self.feed(LinkChange(address=address, state=LinkState.CLOSED, error=9755, detail="reset"))

    def feed(self, each: Input) -> Reply | None:
        return self.driver.process([each])[0]

    # ── the ports ──
    def dial(self, address: TcpAddress) -> None:
        incarnation = self._incarnation

        def answer() -> None:
            if not self.is_alive or self._incarnation != incarnation:
                return
            peer = self.world.node_at(address, self)
            if peer is not None and peer.listens and (self.name, address) not in self.world.cuts:
                self.links[address] = next(self.world.calls)
                self.feed(LinkChange(address=address, state=LinkState.LOGGED_IN, peer=peer.name))
                self.feed(_logged_in(peer.name, is_accept=False))
                peer.feed(_logged_in(self.name, is_accept=True))
            else:
                self.feed(LinkChange(address=address, state=LinkState.CLOSED, error=9754, detail="refused"))

        self.world.at(self.world.seconds + 0.01, answer)

    @property
    def listens(self) -> bool:
        endpoint = self.instance.catalog.endpoint
        return self.is_alive and endpoint is not None and endpoint.state is EndpointState.STARTED

    def hang_up(self, address: TcpAddress) -> None:
        call = self.links.pop(address, None)
        peer = self.world.node_at(address, self)
        if call is not None and peer is not None and peer.askers.pop(call, None) and peer.is_alive:
            self.world.at(self.world.seconds, lambda: peer.is_alive and peer.feed(AskerGone(AskerId(call))))

    def tell_room(self, address: TcpAddress) -> None:
        self.world.at(self.world.seconds + 0.1, lambda: address in self.links and self.feed(LinkHasRoom(address)))

    def ask_role(self, question: RoleQuestion) -> None:
        self.questions.append(question)
        address, call = question.address, self.links.get(question.address)
        peer = self.world.node_at(address, self)
        if call is None or peer is None:
            return

        def arrive() -> None:
            if peer.listens and self.links.get(address) == call:
                peer.askers[call] = (self, address)
                (frame,) = FrameReader().feed(encode(RoleRequest(broker_instance=question.broker_instance)))
                assert isinstance(frame, RoleRequest)
                peer.feed(RoleAsked(AskerId(call), frame.broker_instance))

        self.world.at(self.world.seconds + 0.01, arrive)

    def answer_role(self, answer: RoleAnswer) -> None:
        if answer.asker not in self.askers:
            return
        node, address = self.askers[answer.asker]

        def arrive() -> None:
            if node.is_alive and node.links.get(address) == answer.asker:
                claim = RoleClaim(broker_instance=answer.broker_instance, is_principal=answer.is_principal)
                (frame,) = FrameReader().feed(encode(claim))
                assert isinstance(frame, RoleClaim)
                node.feed(RoleClaimed(address, frame.broker_instance, frame.is_principal))

        self.world.at(self.world.seconds + 0.01, arrive)

    def send(self, outbound: Outbound) -> None:
        world = self.world
        world.transmissions += 1
        self.sent.append(outbound)
        for _ in range(2 if world.dice.random() < world.duplication else 1):
            lost = world.dice.random() < world.loss or world.loses(outbound.message.message)
            if outbound.address in self.links and not lost:
                arrival = world.seconds + 0.01 + world.dice.random() * 0.05
                if not world.reorders:
                    arrival = max(arrival, self._last_arrival.get(outbound.address, 0.0))
                self._last_arrival[outbound.address] = arrival
                world.at(arrival, lambda: self._arrive(outbound))

    def _arrive(self, outbound: Outbound) -> None:
        peer = self.world.node_at(outbound.address, self)
        if peer is not None and peer.listens:
            # Through the real wire format, so that nothing travels here which a real peer would refuse.
            for frame in FrameReader().feed(encode(Fragments(messages=(outbound.message,)))):
                assert isinstance(frame, Fragments)
                peer.hear(self, frame.messages[0])

    def hear(self, speaker: Node, message: ForwardedMessage) -> None:
        """A message comes over a connection with `speaker`."""
        self.driver.process([self.acquaintances.of(speaker), message])

    def publish(self, first: int, events: Sequence[BrokerEvent]) -> None:
        self.events.extend(events)

    def arm(self, at: Instant | None) -> None:
        self._alarm += 1
        alarm = self._alarm
        if at is not None:
            wake = max(at, self.world.seconds)
            self.world.at(wake, lambda: self.is_alive and self._alarm == alarm and self._wake())

    def _wake(self) -> None:
        self.wakes += 1
        self.feed(TIMER_FIRED)

    def reply_late(self, late: LateReply) -> None:
        assert late.command_id not in self.late, "a command has one reply"
        self.late[late.command_id] = late.reply

    def start_reader(self, reader: ReaderStart) -> None:
        self.readers.append(reader)

    # ── what people do ──
    def do(self, command: type[Command], **fields: object) -> Reply:
        """Give a command; answers whatever it answers, refusals too."""
        reply = self.feed(command(command_id=UUID(int=next(_command_ids)), **fields))
        assert reply is not None
        return reply

    def wait(self, command: type[Command], **fields: object) -> UUID:
        """Give a command that waits; answers the id under which `late` gets its reply."""
        command_id = UUID(int=next(_command_ids))
        assert self.feed(command(command_id=command_id, **fields)) is None
        return command_id

    def begin(self, database: str, from_service: str, to_service: str, **fields: object) -> UUID:
        reply = self.do(BeginDialog, database=database, from_service=from_service, to_service=to_service, **fields)
        assert not isinstance(reply, Refusal), reply
        return reply.conversation_handle

    def say(self, database: str, handle: UUID, body: bytes | str) -> Reply:
        body = body.encode() if isinstance(body, str) else body
        return self.do(Send, database=database, conversation_handle=handle, body=body)

    def end(self, database: str, handle: UUID, **fields: object) -> Reply:
        return self.do(EndConversation, database=database, conversation_handle=handle, **fields)

    def receive(self, database: str, queue: str, top: int = 1000) -> tuple[QueueRow, ...]:
        return self.do(Receive, database=database, queue=f"dbo.{queue}", top=top).messages

    def define(self, *changes: CatalogChange) -> Reply:
        revision = self.instance.catalog.revision
        reply = self.do(ApplyCatalog, base=revision, revision=revision + 1, changes=tuple(changes))
        if not self.listens:
            self._break_incoming()
        return reply

    def view(self, database: str) -> DatabaseView:
        views = self.instance.view(10_000).databases
        return next(view for view in views if view.name == database)

    def statuses(self, database: str) -> set[int | None]:
        """Status numbers of what waits in the transmission queue."""
        return {row.transmission_status_number for row in self.view(database).transmission_queue}

    def told(self, kind: type[BrokerEvent]) -> list[BrokerEvent]:
        return [event for event in self.events if isinstance(event, kind)]


def _logged_in(peer: str, *, is_accept: bool) -> LoginEnded:
    """What the transport tells of a handshake that went well."""
    return LoginEnded(
        subclass=1,
        is_accept=is_accept,
        peer=InstanceName(peer),
        principal=None,
        method="TEST",
        protection="NONE",
        login_state="ONLINE",
    )
