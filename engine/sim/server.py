"""`Server`: one instance with its process, disk, clock and connections; twin of `hosting.hosted.HostedInstance`.

Everything that comes in waits in the inbox for the next turn; a turn is one batch, one commit, and takes a moment. A
process that dies takes inbox, memory and connections with it; the disk stays, and the server is started again from it.
"""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import ClassVar, Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import EndpointState
from engine.core.catalog.revision import copy
from engine.core.exchange.changes import PutCatalog, StateChange
from engine.core.exchange.commands import Command, WaitingStatement
from engine.core.exchange.events import BrokerEvent, MessageDelivered
from engine.core.exchange.inputs import STARTED, TIMER_FIRED, Input
from engine.core.exchange.replies import LateReply, Reply
from engine.core.instance import Instance
from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.frames import RoleClaim, RoleRequest
from engine.core.link.handshake import OPEN_TERMS, LinkIdentity, LoginTerms
from engine.core.link.states import LinkRole
from engine.core.routing.draws import Draws
from engine.core.vocabulary.identifiers import (
    AskerId,
    CommandId,
    DatabaseName,
    EstateName,
    EventSequence,
    InstanceName,
    QueueName,
)
from engine.core.vocabulary.keys import KeyVault
from engine.core.vocabulary.limits import COMMIT_INPUTS_MAX, EVENTS_KEPT
from engine.core.vocabulary.messages import ForwardedMessage, LinkChange, LinkState, Outbound, TcpAddress
from engine.core.vocabulary.mirrors import AskerGone, RoleAnswer, RoleAsked
from engine.core.vocabulary.moment import Instant
from engine.core.vocabulary.settings import EngineSettings
from engine.runtime.driver import InstanceDriver
from engine.sim.clock import MachineClock
from engine.sim.dialer import SimulatedDialer
from engine.sim.entropy import Dice, SeededEntropy
from engine.sim.history import Arrived, Committed, Died, Entry, Journal, RepliedLate, Started, Transmitted, WaitBegun
from engine.sim.link import SimulatedLink
from engine.sim.neighbours import Hosted, SimulatedNeighbours
from engine.sim.network import Network, Socket
from engine.sim.securing import VAULT
from engine.sim.store import PowerLost, SimulatedStore
from engine.sim.transport import SimulatedTransport
from engine.storage.errors import StoreFailed

ESTATE: Final = EstateName("simulation")
ENDPOINT_STOPPED: Final = 9666
HOST_TRIES_AGAIN_SECONDS: Final = 5.0
"""After a commit that failed the host loads the instance anew; so long it waits."""

OnReply = Callable[[Reply | None], None]
"""Takes the reply of a command; None when the process died before it could answer."""


class World(msgspec.Struct, frozen=True, kw_only=True):
    """What all servers of a simulation share."""

    network: Network
    journal: Journal
    entropy: SeededEntropy
    dice: Dice
    settings: EngineSettings
    on_delivered: Callable[[InstanceName, DatabaseName, QueueName], None]
    """Told that a queue has something to receive, once it is committed."""
    draws: Mapping[InstanceName, Draws] = {}
    """Who answers what routing draws, where it does not take turns."""
    servers: dict[InstanceName, Hosted] = {}
    """Every instance by its machine."""
    terms: Callable[[InstanceCatalog], LoginTerms] = lambda catalog: OPEN_TERMS
    """What an endpoint demands of a connection that is opened now."""
    vault: KeyVault = VAULT
    """Opens the keys of every instance."""
    events_kept: int = EVENTS_KEPT
    """Events that each store keeps before the oldest are forgotten."""


class _Waiting(msgspec.Struct, frozen=True):
    """One input, and who waits for its reply, if anybody does."""

    given: Input
    on_reply: OnReply | None = None
    is_report: bool = False
    """Whether it tells of a connection, and may have been overtaken by events."""


class Server:
    """One instance on its machine. `EventSink`, `ReplySink`, `Alarm` and, towards the network, `Host`."""

    holds_events: ClassVar[bool] = True
    """Whether what passes through is told with a later commit, as where commits cost something (`InstanceDriver`)."""

    def __init__(self, world: World, catalog: InstanceCatalog, address: TcpAddress, clock: MachineClock) -> None:
        self.name: Final = catalog.name
        self.address: Final = address
        self.clock: Final = clock
        self.is_alive = False
        self.turn_seconds = 0.001
        """Mean time that a turn takes, the commit above all."""
        self._world = world
        self.store = SimulatedStore(self.name, self._committed, world.events_kept)
        self.store.commit([PutCatalog(catalog=copy(catalog))], [])
        self._process = 0
        """Number of the process; what was planned for an earlier one does not happen."""
        self._alarm = 0
        """Number of the alarm; one that was set for an earlier instant does not ring."""
        self._armed_at: Instant | None = None
        self._asker_ids = count(1)
        self._neighbours = SimulatedNeighbours(self.name, world.servers, world.network)
        world.servers[self.name] = self
        self.start()

    # ── life and death ───────────────────────────────────────────────────────────────────────────────────────────
    def start(self) -> None:
        """Load the instance from its disk; harmless when it runs."""
        if self.is_alive:
            return
        world = self._world
        state = self.store.load(in_spans=True)
        self.is_alive = True
        self._process += 1
        self._armed_at = None
        self._inbox: deque[_Waiting] = deque()
        self._turn_planned = False
        self._waits: dict[CommandId, OnReply] = {}
        """Who waits for the reply of a WAITFOR."""
        self._late: list[LateReply] = []
        self._accepted: dict[SimulatedLink, AskerId] = {}
        self.instance = Instance(
            state.catalog,
            state.databases,
            world.settings,
            world.entropy,
            vault=world.vault,
            messages=self.store,
            draws=world.draws.get(self.name),
        )
        self._identity = LinkIdentity(estate=ESTATE, instance=self.name, arbitration_id=world.entropy.new_uuid())
        self.dialer = SimulatedDialer(
            self._identity,
            world.settings.link,
            self.clock,
            world.network,
            world.dice,
            self._terms,
            on_change=self._put_report,
            on_messages=self._put_messages,
            on_send=self._sent,
            on_claim=self.put,
            on_room=self.put,
        )
        self._transport = SimulatedTransport(self.dialer, self._answer_role)
        self._driver = InstanceDriver(
            self.instance,
            store=self.store,
            transport=self._transport,
            sink=self,
            alarm=self,
            clock=self.clock,
            late_replies=self,
            holds_events=self.holds_events,
        )
        self._record(Started(at=self._seconds, instance=self.name))
        self.put(STARTED)

    def die(self, reason: str, *, is_engine_fault: bool = False) -> None:
        """As `kill -9`: memory is gone, connections break, the store keeps what was committed. Harmless when dead."""
        if not self.is_alive:
            return
        self.is_alive = False
        self._process += 1
        self._record(Died(at=self._seconds, instance=self.name, reason=reason, is_engine_fault=is_engine_fault))
        self.dialer.die()
        for link in self._accepted:
            link.die()
        inbox, self._inbox = self._inbox, deque()
        waits, self._waits, self._late = self._waits, {}, []
        for on_reply in (*(waiting.on_reply for waiting in inbox), *waits.values()):
            if on_reply is not None:
                on_reply(None)

    @property
    def _seconds(self) -> float:
        return self._world.network.agenda.seconds

    def _record(self, entry: Entry) -> None:
        self._world.journal.record(entry)

    def _committed(self, changes: Sequence[StateChange], events: Sequence[BrokerEvent]) -> None:
        self._record(Committed(at=self._seconds, instance=self.name, changes=tuple(changes), events=tuple(events)))

    # ── the inbox ────────────────────────────────────────────────────────────────────────────────────────────────
    def put(self, given: Input, on_reply: OnReply | None = None) -> None:
        """Something for the next turn. A process that is dead answers nobody."""
        if self.is_alive:
            self._lay_in(given, on_reply)
            self._plan_turn()
        elif on_reply is not None:
            on_reply(None)

    def _lay_in(self, given: Input, on_reply: OnReply | None = None) -> None:
        """Something for a turn that is planned, or taken by whoever lays it in."""
        self._inbox.append(_Waiting(given, on_reply))

    def execute(self, command: Command, on_reply: OnReply) -> None:
        """A command of somebody; `on_reply` hears its reply, or None when it is unknown what became of it."""
        self.put(command, on_reply)

    def _put_messages(self, link: SimulatedLink, messages: Sequence[ForwardedMessage]) -> None:
        self.put(self._neighbours.at(link.ends[1]))
        for message in messages:
            self.put(message)

    def _put_report(self, change: LinkChange) -> None:
        if self.is_alive:
            self._inbox.append(_Waiting(change, is_report=True))
            self._plan_turn()

    def _plan_turn(self) -> None:
        if self._turn_planned:
            return
        self._turn_planned = True
        process = self._process
        delay = self._world.dice.between(0.0, 2 * self.turn_seconds)
        self._world.network.agenda.after(delay, lambda: self._take_turn(process))

    def _take_turn(self, process: int) -> None:
        """Everything that waits, up to a bound, in one commit."""
        if self._process != process:
            return
        self._turn_planned = False
        batch = self._next_batch()
        if not batch:
            return
        for waiting in batch:
            if isinstance(waiting.given, ForwardedMessage):
                self._record(Arrived(at=self._seconds, instance=self.name, message=waiting.given))
        replies = self._process_batch(batch)
        if replies is None:
            for waiting in batch:
                if waiting.on_reply is not None:
                    waiting.on_reply(None)
            return
        self._transport.flush()
        self._follow_endpoint()
        for waiting, reply in zip(batch, replies, strict=True):
            if reply is None and isinstance(waiting.given, WaitingStatement) and waiting.on_reply is not None:
                self._record(WaitBegun(at=self._seconds, instance=self.name, command=waiting.given))
                self._waits[waiting.given.command_id] = waiting.on_reply
            elif waiting.on_reply is not None:
                waiting.on_reply(reply)
        self._answer_late()
        if self._inbox:
            self._plan_turn()

    def _answer_late(self) -> None:
        """What the turn has told to those who wait, perhaps since this very turn."""
        late, self._late = self._late, []
        for each in late:
            entry = RepliedLate(at=self._seconds, instance=self.name, command_id=each.command_id, reply=each.reply)
            self._record(entry)
            on_reply = self._waits.pop(each.command_id, None)
            if on_reply is not None:
                on_reply(each.reply)

    def _process_batch(self, batch: Sequence[_Waiting]) -> list[Reply | None] | None:
        """The replies; None when the process died of it."""
        try:
            return self._driver.process([waiting.given for waiting in batch])
        except PowerLost as error:
            self.die(str(error))
        except StoreFailed as error:
            self.die(str(error))
            self._world.network.agenda.after(HOST_TRIES_AGAIN_SECONDS, self.start)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            file = place.filename.rpartition("/engine/")[2]
            self.die(f"{type(error).__name__}: {error} (engine/{file}:{place.lineno})", is_engine_fault=True)
            self._world.network.agenda.after(HOST_TRIES_AGAIN_SECONDS, self.start)
        return None

    def _next_batch(self) -> list[_Waiting]:
        """What goes into one commit; a report follows no other input, and one that does not stand is dropped."""
        batch: list[_Waiting] = []
        while self._inbox and len(batch) < COMMIT_INPUTS_MAX:
            if self._inbox[0].is_report and batch and not batch[-1].is_report:
                break
            waiting = self._inbox.popleft()
            if isinstance(waiting.given, LinkChange) and not self.dialer.stands(waiting.given):
                continue
            batch.append(waiting)
        if self._inbox:
            self._plan_turn()
        return batch

    # ── ports of the driver ──────────────────────────────────────────────────────────────────────────────────────
    def publish(self, first: EventSequence, events: Sequence[BrokerEvent]) -> None:
        """The driver tells of committed events; readers hear of what they wait for."""
        queues = {(event.database, event.queue): None for event in events if isinstance(event, MessageDelivered)}
        for database, queue in queues:
            self._world.on_delivered(self.name, database, queue)

    def reply_late(self, late: LateReply) -> None:
        """The driver has the reply of a WAITFOR; told at the end of the turn, as every reply."""
        self._late.append(late)

    def arm(self, at: Instant | None) -> None:
        """The driver wishes to be woken."""
        if at == self._armed_at:
            return
        self._armed_at = at
        self._alarm += 1
        if at is not None:
            alarm, process = self._alarm, self._process
            self._world.network.agenda.at(self.clock.true_time_of(at), lambda: self._ring(alarm, process))

    def _ring(self, alarm: int, process: int) -> None:
        if (alarm, process) == (self._alarm, self._process):
            self._armed_at = None
            self.put(TIMER_FIRED)

    def _sent(self, outbound: Outbound) -> None:
        self._record(
            Transmitted(at=self._seconds, instance=self.name, address=outbound.address, message=outbound.message)
        )

    # ── towards the network ──────────────────────────────────────────────────────────────────────────────────────
    @property
    def catalog(self) -> InstanceCatalog:
        """As it is now, or was when the process died."""
        return self.instance.catalog

    @property
    def listens(self) -> bool:
        """Whether connections are accepted."""
        endpoint = self.instance.catalog.endpoint
        return self.is_alive and endpoint is not None and endpoint.state is EndpointState.STARTED

    def accept(self, caller: InstanceName) -> Socket:
        """Our end of a connection that `caller` has opened."""
        world = self._world
        connection = AdjacentBrokerConnection(
            LinkRole.ACCEPTING, self._identity, world.settings.link, self.clock.now(), terms=self._terms()
        )
        link = SimulatedLink(
            connection,
            world.network,
            (self.name, caller),
            self.clock,
            self._put_messages,
            self._accepted_changed,
            self._role_heard,
        )
        self._accepted[link] = AskerId(next(self._asker_ids))
        return link

    def _terms(self) -> LoginTerms:
        return self._world.terms(self.instance.catalog)

    def links(self) -> list[SimulatedLink]:
        """Every connection of this process, outgoing ones first."""
        return [*self.dialer.links(), *self._accepted]

    def _accepted_changed(self, link: SimulatedLink) -> None:
        if link.connection.state is LinkState.CLOSED and link in self._accepted:
            self.put(AskerGone(self._accepted.pop(link)))

    def _role_heard(self, link: SimulatedLink, heard: RoleRequest | RoleClaim) -> None:
        """A caller asks for our role."""
        if isinstance(heard, RoleRequest) and link in self._accepted:
            self.put(RoleAsked(self._accepted[link], heard.broker_instance))

    def _answer_role(self, answer: RoleAnswer) -> None:
        """Tell a caller our role; lost when it is not connected any more."""
        for link in [link for link, asker in self._accepted.items() if asker == answer.asker]:
            link.claim_role(answer.broker_instance, is_principal=answer.is_principal)

    def _follow_endpoint(self) -> None:
        """An endpoint that is stopped closes what it has accepted."""
        if not self.listens:
            for link in list(self._accepted):
                link.close(ENDPOINT_STOPPED)
