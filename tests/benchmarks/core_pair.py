"""Two instances joined in memory: drivers, stores, transport and clock, without disk, sockets or waiting."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import count
from random import Random
from uuid import UUID

from engine.core.catalog.changes import DatabaseCreated, EndpointCreated, QueueCreated, RouteCreated, ServiceCreated
from engine.core.catalog.objects import Endpoint, EndpointState, Queue, Service
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.catalog.route import NetworkAddress, Route
from engine.core.exchange.changes import PutCatalog
from engine.core.exchange.commands import BeginDialog, Receive, Send
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.inputs import STARTED, TIMER_FIRED
from engine.core.instance import Instance
from engine.core.transmission.work_table import MemoryWorkTable, WorkTable
from engine.core.vocabulary.limits import COMMIT_INPUTS_MAX
from engine.core.vocabulary.messages import ForwardedMessage, LinkChange, LinkHasRoom, LinkState, Outbound, TcpAddress
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.settings import EngineSettings
from engine.runtime.driver import InstanceDriver
from engine.storage.memory import MemoryStore
from tests.support.seeded_entropy import SeededEntropy

READERS = 8
"""Sessions that read the queue at once; what they ask for at the same time shares a commit, as in a host."""

_EPOCH = 1_700_000_000.0


class Side:
    """One instance; what it sends waits in `sent` until somebody carries it."""

    def __init__(self, pair: CorePair, name: str, service: str, peer: str, far_service: str) -> None:
        self.pair = pair
        self.sent: list[ForwardedMessage] = []
        self.events = 0
        self._command = count(1)
        address = TcpAddress(peer.lower(), 4022)
        self.store = MemoryStore(name)
        changes = [
            DatabaseCreated(database="Base", broker_instance=pair.entropy.new_uuid()),
            QueueCreated(database="Base", queue=Queue("dbo.Q")),
            ServiceCreated(database="Base", service=Service(service, "dbo.Q", ("DEFAULT",))),
            RouteCreated(
                database="Base",
                route=Route(
                    name="R", address=NetworkAddress(f"TCP://{address.host}:4022", address), service_name=far_service
                ),
            ),
            EndpointCreated(endpoint=Endpoint("Broker", 4022, EndpointState.STARTED)),
        ]
        catalog = apply_changes(new_instance(name, pair.entropy), changes)
        self.store.commit([PutCatalog(catalog=catalog)], [])
        self.driver = InstanceDriver(
            Instance(catalog, self.store.load().databases, pair.settings, pair.entropy, pair.make_work_table()),
            store=self.store,
            transport=self,
            sink=self,
            alarm=self,
            clock=pair,
        )
        self.driver.process([STARTED])

    def command_id(self) -> UUID:
        return UUID(int=next(self._command))

    # ── the ports ──
    def dial(self, address: TcpAddress) -> None:
        self.pair.dialled.append((self, address))

    def hang_up(self, address: TcpAddress) -> None:
        """Nobody hangs up here."""

    def send(self, outbound: Outbound) -> None:
        self.sent.append(outbound.message)

    def tell_room(self, address: TcpAddress) -> None:
        self.pair.filled.append((self, address))

    def publish(self, first: int, events: Sequence[BrokerEvent]) -> None:
        self.events += len(events)

    def arm(self, at: Instant | None) -> None:
        """Time passes where the pair says so."""


class CorePair:
    """PARIS and LYON, with `dialogs` open conversations from the one to the other."""

    def __init__(
        self,
        dialogs: int,
        body: bytes,
        *,
        settings: EngineSettings | None = None,
        make_work_table: Callable[[], WorkTable] = MemoryWorkTable,
        many_groups: bool = False,
        has_talked: bool = True,
    ) -> None:
        """`many_groups`: a RECEIVE takes messages of many conversations; `has_talked`: each has had a message."""
        self.seconds = 0.0
        self.settings = settings or EngineSettings()
        self.make_work_table = make_work_table
        self._many_groups = many_groups
        self.entropy = SeededEntropy(Random(1))
        self.dialled: list[tuple[Side, TcpAddress]] = []
        self.filled: list[tuple[Side, TcpAddress]] = []
        self.paris = Side(self, "PARIS", "Client", "lyon", "Stock")
        self.lyon = Side(self, "LYON", "Stock", "paris", "Client")
        self._body = body
        self.handles: list[UUID] = []
        while len(self.handles) < dialogs:
            self.handles += self._begin(min(COMMIT_INPUTS_MAX, dialogs - len(self.handles)))
        self._sends: deque[Send] = deque()
        self._receives: deque[Receive] = deque()
        if has_talked:
            self.prepare(len(self.handles))
            self.exchange(len(self.handles))

    def now(self) -> Now:
        return Now(Instant(self.seconds), UtcTime(_EPOCH + self.seconds))

    def _begin(self, count: int) -> list[UUID]:
        commands = [
            BeginDialog(command_id=self.paris.command_id(), database="Base", from_service="Client", to_service="Stock")
            for _ in range(count)
        ]
        replies = self.paris.driver.process(commands)
        self.seconds += 1.0
        return [reply.conversation_handle for reply in replies]

    def prepare(self, messages: int) -> None:
        """What sessions will ask for when so many more messages are exchanged: to make it is not the core's work."""
        self._sends.extend(self._send(number) for number in range(messages))
        missing = 2 * messages + READERS * (messages // COMMIT_INPUTS_MAX + 2)
        self._receives.extend(self._receive_command() for _ in range(missing))

    def exchange(self, messages: int) -> int:
        """Send so many messages round robin, carry them, acknowledge them, receive them; answers how many came out."""
        received = 0
        for start in range(0, messages, COMMIT_INPUTS_MAX):
            count = min(COMMIT_INPUTS_MAX, messages - start)
            self.paris.driver.process([self._sends.popleft() for _ in range(count)])
            self._carry()
            received += self._receive()
        self.seconds += 1.0
        self.paris.driver.process([TIMER_FIRED])
        self.lyon.driver.process([TIMER_FIRED])
        self._carry()
        return received + self._receive()

    def _send(self, number: int) -> Send:
        handle = self.handles[number % len(self.handles)]
        return Send(command_id=self.paris.command_id(), database="Base", conversation_handle=handle, body=self._body)

    def _receive_command(self) -> Receive:
        return Receive(
            command_id=self.lyon.command_id(), database="Base", queue="dbo.Q", top=100, many_groups=self._many_groups
        )

    def _carry(self) -> None:
        """Take messages across until none is under way."""
        while self.paris.sent or self.lyon.sent or self.dialled or self.filled:
            filled, self.filled = self.filled, []
            for side, address in filled:
                side.driver.process([LinkHasRoom(address)])
            dialled, self.dialled = self.dialled, []
            for side, address in dialled:
                side.driver.process([LinkChange(address=address, state=LinkState.LOGGED_IN, peer=None)])
            for here, there in ((self.paris, self.lyon), (self.lyon, self.paris)):
                messages, here.sent = here.sent, []
                for start in range(0, len(messages), COMMIT_INPUTS_MAX):
                    there.driver.process(messages[start : start + COMMIT_INPUTS_MAX])

    def _receive(self) -> int:
        received = 0
        while True:
            commands = [self._receives.popleft() for _ in range(READERS)]
            taken = sum(len(reply.messages) for reply in self.lyon.driver.process(commands))
            if not taken:
                return received
            received += taken
