"""`HostedInstance`: one instance with everything around it: store, connections, listener, driver, inbox.

It lives on its host's event loop. What comes in (commands, messages, changes of connections, the alarm) waits in the
inbox for the next turn of the loop; the driver then takes all of it in one commit. A commit therefore blocks the loop
for a moment, which costs less than handing it to a thread and back (performance.md B7).
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import msgspec

from engine.core.catalog.hosts import host_names
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import EndpointState
from engine.core.exchange.commands import Command
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.inputs import STARTED, TIMER_FIRED, Input, WaitCancelled
from engine.core.exchange.readers import ReaderEnded, ReaderStart
from engine.core.exchange.replies import Reply
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.exchange.views import InstanceView, QueuePeek
from engine.core.instance import Instance
from engine.core.link.handshake import LinkIdentity, LoginTerms
from engine.core.link.negotiation import policy_of
from engine.core.link.sending import wire_bytes
from engine.core.vocabulary.identifiers import CommandId, DatabaseName, EventSequence, QueueName
from engine.core.vocabulary.limits import COMMIT_INPUTS_MAX, INBOX_BYTES_MAX
from engine.core.vocabulary.messages import ForwardedMessage, LinkChange, TcpAddress
from engine.core.vocabulary.moment import Instant
from engine.hosting.directory import Listener
from engine.hosting.errors import EngineUnavailable
from engine.hosting.inbox import Waiting, answer
from engine.hosting.late_replies import LateReplies, answer_seconds_max
from engine.hosting.link_certificates import LinkCertificates
from engine.hosting.listener_terms import ListenerTerms, cannot_listen, port_in_use
from engine.hosting.readers import ReaderThreads, answer_from_loop
from engine.hosting.shelf import InstanceKey, InstanceNote, settings_of, write_note
from engine.hosting.surroundings import Surroundings
from engine.runtime.driver import InstanceDriver
from engine.storage.errors import StoreFailed
from engine.storage.sqlite import SqliteStore
from engine.storage.work_table import SqliteWorkTable
from engine.transport.dialer import Dialer
from engine.transport.endpoint import BrokerEndpoint
from engine.transport.link import ENDPOINT_STOPPED
from engine.transport.network import TcpNetwork
from engine.transport.switchboard import Switchboard

logger = logging.getLogger(__name__)


class HostedInstance:
    """One living instance. `failure` is empty while it works and says why when it does not any more.

    Raises `StoreFailed` when its store cannot be read. It is also the `EventSink` and the `Alarm` of its driver.
    """

    def __init__(self, key: InstanceKey, note: InstanceNote, store: SqliteStore, surroundings: Surroundings) -> None:
        self.note: Final = note
        self.failure = ""
        self._store = store
        self._around = surroundings
        state = store.load()
        self._last_event = state.last_event
        settings = settings_of(note, surroundings.dialog)
        self._work_table = SqliteWorkTable()
        self._instance = Instance(
            state.catalog, state.databases, settings, surroundings.entropy, self._work_table, surroundings.vault
        )
        self._estate, self._name = key
        identity = LinkIdentity(
            estate=self._estate, instance=self._name, arbitration_id=surroundings.entropy.new_uuid()
        )
        self._link_settings = settings.link
        self._certificates = LinkCertificates(surroundings.vault)
        self._switchboard = Switchboard(identity.arbitration_id, on_login=self._put_one)
        self._dialer = Dialer(
            identity,
            settings.link,
            surroundings.clock,
            resolve=self._resolve,
            on_change=self._put_report,
            on_messages=self._put_messages,
            on_claim=self._put_one,
            on_returned=self._put_one,
            switchboard=self._switchboard,
            terms=self._terms,
        )
        self._endpoint = BrokerEndpoint(
            identity,
            settings.link,
            surroundings.clock,
            on_messages=self._put_messages,
            on_asker=self._put_one,
            host=surroundings.listen_host,
            switchboard=self._switchboard,
            terms=self._terms,
        )
        self._late_replies = LateReplies(give_up=self._put)
        self._driver = InstanceDriver(
            self._instance,
            store=store,
            transport=TcpNetwork(self._dialer, self._endpoint),
            sink=self,
            alarm=self,
            clock=surroundings.clock,
            activator=self,
            late_replies=self._late_replies,
        )
        self._loop = asyncio.get_running_loop()
        self._readers = ReaderThreads(self._execute_for_reader, self._put_from_thread, surroundings.entropy)
        self._inbox: deque[Waiting] = deque()
        self._inbox_bytes = 0
        self._turn: asyncio.Handle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._catalog_seen: InstanceCatalog | None = None
        self._listener_seen: ListenerTerms | None = None
        self._served: ListenerTerms | None = None
        self._listener_turn = asyncio.Lock()
        self._listener_tasks: set[asyncio.Task[None]] = set()
        self._real_port: int | None = None
        self._listening_error = ""

    # ── for the host ─────────────────────────────────────────────────────────────────────────────────────────────
    async def listen(self) -> None:
        """Follow the endpoint as it is defined now, and be found in the directory."""
        self._listener_seen = ListenerTerms.of(self._instance.catalog)
        await self._follow_endpoint()

    async def mend_listener(self) -> None:
        """Try once more to listen where it was not possible; harmless when nothing is wrong."""
        if self._listening_error:
            await self._follow_endpoint()

    def begin(self) -> None:
        """Let everything that waited go on; its neighbours should listen by now."""
        self._put([STARTED])

    async def execute(self, commands: Sequence[Command]) -> list[Reply]:
        """Carry out commands in their order, durably; behind a refused one and a WAITFOR the next ones go on."""
        self._ensure_works()
        if not commands:
            return []
        replies: asyncio.Future[list[Reply | None]] = asyncio.get_running_loop().create_future()
        self._enqueue(Waiting(commands, replies))
        return await self._late_replies.complete(commands, replies)

    def cancel_wait(self, command_id: CommandId) -> None:
        """Whoever waits with this WAITFOR is answered with the empty set; harmless when nobody does."""
        self._ensure_works()
        self._put([WaitCancelled(command_id)])

    def view(self, rows_max: int) -> InstanceView:
        """The live rows, with what only the host knows."""
        self._ensure_works()
        return msgspec.structs.replace(
            self._instance.view(rows_max),
            last_event=self._last_event,
            listening_port=self._real_port,
            listening_error=self._listening_error,
        )

    def peek(self, database: DatabaseName, queue: QueueName, top: int) -> QueuePeek:
        """The first messages of a queue; `BrokerError` when there is no such queue."""
        self._ensure_works()
        return self._instance.peek(database, queue, top)

    def system_view(self, query: SystemViewQuery) -> SystemViewRows:
        """One page of a system view; `BrokerError` when the query names what is not there."""
        self._ensure_works()
        return self._instance.system_view(query, self._switchboard.facts())

    def events_after(self, sequence: EventSequence, limit: int) -> Sequence[tuple[EventSequence, BrokerEvent]]:
        """Events from the log, oldest first."""
        self._ensure_works()
        return self._store.events_after(sequence, limit)

    def remember_closed(self) -> None:
        """Write that no worker is to host it; it goes on working until `close`. `StoreFailed`."""
        write_note(self._store, msgspec.structs.replace(self.note, is_open=False))

    async def close(self) -> None:
        """Take in what has arrived, then let go of everything; it cannot be used any more."""
        while self._inbox and not self.failure:
            self._take_turn()
        self._fall_silent(f"Instance {self._name} is being closed.")
        for task in list(self._listener_tasks):
            await task

    # ── ports of the driver ──────────────────────────────────────────────────────────────────────────────────────
    def publish(self, first: EventSequence, events: Sequence[BrokerEvent]) -> None:
        """The driver tells of committed events."""
        self._last_event = EventSequence(first + len(events) - 1)
        if self._around.wakeups is not None:
            self._around.wakeups.note(self._estate, self._name, self._last_event)

    def start_reader(self, reader: ReaderStart) -> None:
        """The driver asks for an internal reader."""
        self._readers.start_reader(reader)

    def arm(self, at: Instant | None) -> None:
        """The driver wishes to be woken."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if at is not None:
            delay = max(at - self._around.clock.now().monotonic, 0.0)
            self._timer = asyncio.get_running_loop().call_later(delay, self._put, [TIMER_FIRED])

    # ── for internal readers, on their threads ───────────────────────────────────────────────────────────────────
    def _execute_for_reader(self, commands: Sequence[Command]) -> list[Reply]:
        return answer_from_loop(self.execute(commands), self._loop, answer_seconds_max(commands))

    def _put_from_thread(self, ended: ReaderEnded) -> None:
        # A loop that is closed has nobody left to tell.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._put, [ended])

    # ── the inbox ────────────────────────────────────────────────────────────────────────────────────────────────
    def _put(self, inputs: Sequence[ForwardedMessage | LinkChange | Input]) -> None:
        if not self.failure:
            self._enqueue(Waiting(inputs))

    def _put_messages(self, messages: Sequence[ForwardedMessage]) -> None:
        """From the network; when more comes than is taken in, the neighbours are not read for a while."""
        if not self.failure:
            self._enqueue(Waiting(messages, bytes=sum(map(wire_bytes, messages))))
            self._switchboard.hold_receiving(is_held=self._inbox_bytes > INBOX_BYTES_MAX)

    def _put_one(self, each: Input) -> None:
        self._put([each])

    def _put_report(self, change: LinkChange) -> None:
        if not self.failure:
            self._enqueue(Waiting([change], report=change))

    def _enqueue(self, waiting: Waiting) -> None:
        self._inbox.append(waiting)
        self._inbox_bytes += waiting.bytes
        if self._turn is None:
            self._turn = asyncio.get_running_loop().call_soon(self._take_turn)

    def _take_turn(self) -> None:
        """Everything that waits, up to a bound, in one commit."""
        self._turn = None
        batch = self._next_batch()
        inputs = [each for waiting in batch for each in waiting.inputs]
        if not inputs:
            return
        try:
            replies = self._driver.process(inputs)
        except Exception as error:
            self._fail(error, batch)
            return
        answer(batch, replies)
        self._inbox_bytes -= sum(waiting.bytes for waiting in batch)
        if self._inbox_bytes <= INBOX_BYTES_MAX // 2:
            self._switchboard.hold_receiving(is_held=False)
        if self._inbox and self._turn is None:
            self._turn = asyncio.get_running_loop().call_soon(self._take_turn)
        self._look_at_endpoint()

    def _next_batch(self) -> list[Waiting]:
        """What goes into one commit.

        A report follows no other input: what those decide, a hang-up above all, is done before it is looked at. One
        that does not stand any more is dropped.
        """
        batch: list[Waiting] = []
        count = 0
        while self._inbox and count < COMMIT_INPUTS_MAX:
            if self._inbox[0].report is not None and batch and batch[-1].report is None:
                break
            waiting = self._inbox.popleft()
            if waiting.report is None or self._dialer.stands(waiting.report):
                batch.append(waiting)
                count += len(waiting.inputs)
        return batch

    def _ensure_works(self) -> None:
        if self.failure:
            raise EngineUnavailable(self.failure)

    def _fail(self, error: Exception, batch: Sequence[Waiting]) -> None:
        """Memory is ahead of the disk: nothing more may leave. The host loads the instance anew."""
        logger.error("Instance %s of estate %s has failed.", self._name, self._estate, exc_info=error)
        reason = str(error) if isinstance(error, StoreFailed) else f"internal fault, {type(error).__name__}: {error}"
        self._inbox.extendleft(reversed(batch))
        self._fall_silent(f"Instance {self._name} has stopped: {reason}. It is tried again shortly.")

    def _fall_silent(self, reason: str) -> None:
        """Answer nobody any more, call nobody, listen to nobody; harmless when silent."""
        if self.failure:
            return
        self.failure = reason
        for waiting in self._inbox:
            if waiting.replies is not None and not waiting.replies.done():
                waiting.replies.set_exception(EngineUnavailable(reason))
        self._inbox.clear()
        self._late_replies.fail(reason)
        self.arm(None)
        self._dialer.close()
        self._endpoint.stop()
        self._real_port = None
        # An entry that stays behind leads to a port that refuses, which is as good.
        with suppress(OSError):
            self._enter()
        self._store.close()
        self._work_table.close()

    # ── the listener ─────────────────────────────────────────────────────────────────────────────────────────────
    def _resolve(self, address: TcpAddress) -> tuple[str, int]:
        return self._around.directory.resolve(self._estate, address)

    def _terms(self) -> LoginTerms:
        """What the endpoint demands of a connection that is opened now."""
        catalog = self._instance.catalog
        return LoginTerms(
            policy=policy_of(catalog.endpoint, self._link_settings.authentication),
            security=self._certificates.of(catalog),
            listening_port=self._real_port,
        )

    def _look_at_endpoint(self) -> None:
        """Follow the endpoint when the catalog has changed it, or the names of the server."""
        if self._instance.catalog is self._catalog_seen:
            # A changed catalog is another object; asked after every turn, this is all that it costs.
            return
        self._catalog_seen = self._instance.catalog
        wanted = ListenerTerms.of(self._catalog_seen)
        if wanted == self._listener_seen:
            return
        self._listener_seen = wanted
        task = asyncio.get_running_loop().create_task(self._follow_endpoint())
        self._listener_tasks.add(task)
        task.add_done_callback(self._listener_tasks.discard)

    async def _follow_endpoint(self) -> None:
        """Bring the real listener to what is wanted now; one at a time, since a change may follow a change."""
        async with self._listener_turn:
            if self._is_silent():
                return
            wanted = ListenerTerms.of(self._instance.catalog)
            endpoint, trouble = wanted.endpoint, ""
            try:
                if endpoint is None or endpoint.state is not EndpointState.STARTED:
                    self._stop_listener()
                else:
                    if (reason := wanted.reason_to_restart(self._served)) is not None:
                        self._stop_listener(reason)
                    trouble = await self._start_listener(wanted, endpoint.port)
                if self._is_silent():
                    # It fell silent while the listener came up.
                    self._stop_listener()
                    return
                self._enter()
            except OSError as error:
                self._stop_listener()
                trouble = cannot_listen(error)
            self._listening_error = trouble

    def _is_silent(self) -> bool:
        """Asked anew each time: it changes while a coroutine waits."""
        return bool(self.failure)

    def _stop_listener(self, reason: int = ENDPOINT_STOPPED) -> None:
        self._endpoint.stop(reason)
        self._real_port = self._served = None

    async def _start_listener(self, wanted: ListenerTerms, port: int) -> str:
        """Listen, unless another instance of the same server does so on this port: answers why not. `OSError`."""
        occupant = self._around.directory.occupant(self._estate, self._entry(None))
        if occupant is None:
            self._real_port, self._served = await self._endpoint.start(), wanted
            return ""
        self._stop_listener()
        return port_in_use(port, occupant)

    def _enter(self) -> None:
        """Tell the neighbours, through the directory, where this instance is."""
        real = None if self._real_port is None else (self._around.listen_host, self._real_port)
        self._around.directory.put(self._estate, self._entry(real))

    def _entry(self, real: tuple[str, int] | None) -> Listener:
        endpoint = self._instance.catalog.endpoint
        return Listener(
            instance=self._name,
            hosts=host_names(self._name, self._instance.catalog.host_names),
            modelled_port=None if endpoint is None else endpoint.port,
            real=real,
        )
