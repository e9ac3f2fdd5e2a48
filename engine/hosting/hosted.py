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
from functools import partial
from typing import Final

import msgspec

from engine.core.exchange.commands import Command
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.explaining import TransmissionExplanation
from engine.core.exchange.inputs import STARTED, Input, WaitCancelled
from engine.core.exchange.pictures import Picture, PictureQuery
from engine.core.exchange.readers import ReaderEnded
from engine.core.exchange.replies import Reply
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.exchange.views import InstanceView, QueuePeek
from engine.core.link.handshake import LinkIdentity
from engine.core.link.sending import wire_bytes
from engine.core.pictures.journal import PictureJournal
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import CommandId, ConversationHandle, DatabaseName, EventSequence, QueueName
from engine.core.vocabulary.limits import INBOX_BYTES_MAX
from engine.core.vocabulary.messages import ForwardedMessage, LinkChange
from engine.hosting.alarm import RING, InboxAlarm
from engine.hosting.errors import EngineUnavailable
from engine.hosting.figures import Watch, figures_of
from engine.hosting.hold import Hold
from engine.hosting.inbox import Waiting, answer, next_batch
from engine.hosting.instance_readers import InstanceReaders
from engine.hosting.late_replies import LateReplies
from engine.hosting.leases import InstanceFigures
from engine.hosting.link_certificates import LinkCertificates
from engine.hosting.listening import InstanceListener
from engine.hosting.loading import LoadedInstance
from engine.hosting.metrics.reading import InstanceReading
from engine.hosting.neighbourhood import Neighbourhood
from engine.hosting.picturing import pictures_of
from engine.hosting.reader_tasks.calls import ReaderPass
from engine.hosting.session.server import SessionServer
from engine.hosting.shelf import InstanceKey, settings_of, write_note
from engine.hosting.surroundings import Surroundings
from engine.hosting.tenure import Tenure
from engine.runtime.driver import InstanceDriver
from engine.storage.errors import StoreFailed, StoreFenced
from engine.transport.dialer import Dialer
from engine.transport.endpoint import BrokerEndpoint
from engine.transport.link import LinkShell
from engine.transport.network import TcpNetwork
from engine.transport.switchboard import Switchboard

LEASE_OVER: Final = "its lease has ended"

logger = logging.getLogger(__name__)


class HostedInstance:
    """One living instance. `failure` is empty while it works and says why when it does not any more.

    It is also the `EventSink` of its driver.
    """

    def __init__(self, key: InstanceKey, loaded: LoadedInstance, surroundings: Surroundings, tenure: Tenure) -> None:
        self.key: Final = key
        self.note: Final = loaded.note
        self.failure = ""
        self.is_lost = False
        """Whether another host has the instance, or may have it: then it is not to be loaded here anew."""
        self._tenure = tenure
        self.store: Final = loaded.store
        self._around = surroundings
        self._journal = PictureJournal(loaded.last_event)
        settings = settings_of(loaded.note, surroundings.settings)
        self._work_table = loaded.work_table
        self._instance = loaded.instance
        self._estate, self._name = key
        identity = LinkIdentity(estate=key[0], instance=key[1], arbitration_id=surroundings.entropy.new_uuid())
        self._neighbourhood = Neighbourhood(surroundings.directory, key, lambda: self._instance.catalog)
        self._certificates = LinkCertificates(surroundings.vault, key[0])
        self._switchboard = Switchboard(identity.arbitration_id, self._put_one, self._neighbourhood.is_tenant)
        self._dialer = Dialer(
            identity,
            settings.link,
            surroundings.clock,
            resolve=self._neighbourhood.resolve,
            on_change=self._put_report,
            on_messages=self._put_messages,
            on_claim=self._put_one,
            on_room=self._put_one,
            on_returned=self._put_one,
            switchboard=self._switchboard,
            terms=lambda: self._listener.terms(self._certificates, settings.link.authentication),
            tenant=self._neighbourhood.tenant,
        )
        self._endpoint = BrokerEndpoint(
            identity,
            settings.link,
            surroundings.clock,
            on_messages=self._put_messages,
            on_asker=self._put_one,
            host=surroundings.listen_host,
            switchboard=self._switchboard,
            terms=lambda: self._listener.terms(self._certificates, settings.link.authentication),
        )
        self._listener = InstanceListener(
            key, self._instance, self._endpoint, surroundings, is_silent=lambda: bool(self.failure)
        )
        self._late_replies = LateReplies(give_up=self._put)
        self._backlog = Watch(self._instance.backlog)
        self._counters = Watch(lambda: self._instance.counters(self._switchboard.facts().traffic))
        self._readers = InstanceReaders(key, surroundings, self.execute, self._put_one)
        self._alarm = InboxAlarm(surroundings.clock, self._put)
        self._driver = InstanceDriver(
            self._instance,
            store=loaded.store,
            transport=TcpNetwork(self._dialer, self._endpoint),
            sink=self,
            alarm=self._alarm,
            clock=surroundings.clock,
            activator=self._readers,
            late_replies=self._late_replies,
        )
        plate, asked = surroundings.plate_of(key), (self.execute, self.execute_for_reader)
        self._hold = Hold(self._go_on)
        self._sessions = SessionServer(plate, *asked, self._readers.gone, self.system_view, self._hold)
        self._inbox: deque[Waiting] = deque()
        self._inbox_bytes = 0
        self._turn: asyncio.Handle | None = None

    # ── for the host ─────────────────────────────────────────────────────────────────────────────────────────────
    async def listen(self) -> None:
        """Follow the endpoint as it is defined now, and be found in the directory."""
        await self._listener.begin()
        await self._receive_sessions()

    async def mend(self) -> None:
        """Try once more to listen and be found where it was not possible; harmless when nothing is wrong."""
        if self._listener.error:
            await self._listener.follow()
        with suppress(OSError):
            self._listener.stay_found()
        await self._receive_sessions()

    async def _receive_sessions(self) -> None:
        """Where it is not possible the instance lives without: its neighbours and its tasks need no session."""
        if self.failure:
            return
        try:
            await self._sessions.start()
        except OSError as error:
            logger.warning("Instance %s of estate %s receives no sessions: %s.", self._name, self._estate, error)

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

    async def execute_for_reader(self, whose: ReaderPass, commands: Sequence[Command]) -> list[Reply]:
        """As `execute`, for a reader that runs somewhere else; `ReaderNotExpected` when it is not to run any more."""
        self._ensure_works()
        return await self._readers.execute(whose, commands)

    def end_reader(self, whose: ReaderPass, ended: ReaderEnded) -> None:
        """A reader that runs somewhere else tells how it has ended; `ReaderNotExpected`."""
        self._ensure_works()
        self._readers.end(whose, ended)

    def cancel_wait(self, command_id: CommandId) -> None:
        """Whoever waits with this WAITFOR is answered with the empty set; harmless when nobody does."""
        self._ensure_works()
        self._put([WaitCancelled(command_id)])

    def view(self, rows_max: int) -> InstanceView:
        """The live rows, with what only the host knows. Whoever reads them may be following."""
        self._ensure_works()
        self._is_looked_at()
        return msgspec.structs.replace(
            self._instance.view(rows_max),
            last_event=self._journal.last,
            listening_port=self._listener.port,
            listening_error=self._listener.error,
        )

    def peek(self, database: DatabaseName, queue: QueueName, top: int, with_bodies: bool = True) -> QueuePeek:
        """The first messages of a queue; `BrokerError` when there is no such queue."""
        self._ensure_works()
        return self._instance.peek(database, queue, top, with_bodies)

    def system_view(self, query: SystemViewQuery) -> SystemViewRows:
        """One page of a system view; `BrokerError` when the query names what is not there."""
        self._ensure_works()
        return self._instance.system_view(query, self._switchboard.facts())

    def reading(self) -> InstanceReading:
        """What is measured of it now; a failed instance has a reason instead of counters."""
        counters = () if self.failure else self._counters.now()
        return InstanceReading(key=(self._estate, self._name), figures=self.figures(0), counters=counters)

    def pictures(self, queries: Sequence[PictureQuery]) -> list[Picture | BrokerError]:
        """What views show after every event so far; a `BrokerError` where a query names what is not there."""
        self._ensure_works()
        # Events of messages that passed through may be held for a moment: what they tell of is in the picture.
        self._settle()
        self._ensure_works()
        self._is_looked_at()
        facts = self._switchboard.facts()
        return pictures_of(self._instance, queries, self._journal, self._around.clock.now(), facts, self._listener)

    def explain(self, database: DatabaseName, handle: ConversationHandle) -> TransmissionExplanation:
        """Why the messages of a conversation wait; `BrokerError` when there is no such conversation."""
        self._ensure_works()
        return self._instance.explain(database, handle, self._journal.last, self._around.clock.now())

    def events_after(self, sequence: EventSequence, limit: int) -> Sequence[tuple[EventSequence, BrokerEvent]]:
        """Events from the log, oldest first."""
        self._ensure_works()
        return self.store.events_after(sequence, limit)

    def figures(self, worker_bytes: int) -> InstanceFigures:
        """How it is, for whoever asks who hosts what."""
        if self.failure:
            return InstanceFigures(worker_bytes=worker_bytes, failure=self.failure)
        return figures_of(
            self._instance,
            self._backlog.now(),
            last_event=self._journal.last,
            inbox=len(self._inbox),
            worker_bytes=worker_bytes,
            now=self._around.clock.now().utc,
        )

    def remember_closed(self) -> None:
        """Write that no worker is to host it; it goes on working until `close`. `StoreFailed`."""
        self._hold.end()
        write_note(self.store, msgspec.structs.replace(self.note, is_open=False))

    def lose(self, reason: str) -> None:
        """It is another host's, or may be: fall silent at once; harmless when silent."""
        self.is_lost = True
        self._fall_silent(f"Instance {self._name} is not hosted by this worker any more: {reason}.")

    async def close(self) -> None:
        """Take in what has arrived, then let go of everything; it cannot be used any more."""
        self._hold.end()
        self._alarm.silence()
        while self._inbox and not self.failure:
            self._take_turn()
        if not self.failure:
            self._settle()
        self._fall_silent(f"Instance {self._name} is being closed.")
        await self._listener.ended()

    # ── ports of the driver ──────────────────────────────────────────────────────────────────────────────────────
    def publish(self, first: EventSequence, events: Sequence[BrokerEvent]) -> None:
        """The driver tells of committed events."""
        self._journal.note(first, events)
        if self._around.wakeups is not None:
            self._around.wakeups.note(self._estate, self._name, self._journal.last)

    # ── the inbox ────────────────────────────────────────────────────────────────────────────────────────────────
    def _put(self, inputs: Sequence[ForwardedMessage | LinkChange | Input]) -> None:
        if not self.failure:
            self._enqueue(Waiting(inputs))

    def _put_messages(self, link: LinkShell, messages: Sequence[ForwardedMessage]) -> None:
        """From the network; when more comes than is taken in, the neighbours are not read for a while."""
        if not self.failure:
            neighbour = self._neighbourhood.of(link.connection.known_peer, self._switchboard.place_of(link))
            self._enqueue(Waiting([neighbour, *messages], bytes=sum(map(wire_bytes, messages))))
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

    def _go_on(self) -> None:
        if self._inbox and self._turn is None and not self.failure:
            self._turn = asyncio.get_running_loop().call_soon(self._take_turn)

    def _take_turn(self) -> None:
        """Everything that waits, up to a bound, in one commit."""
        self._turn = None
        if self._hold.is_held:
            return
        if self._tenure.is_over():
            self.lose(LEASE_OVER)
            return
        batch = next_batch(self._inbox, self._dialer.stands)
        if any(waiting.inputs is RING for waiting in batch):
            self._alarm.taken()
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
        self._go_on()
        self._listener.look()

    def _settle(self) -> None:
        try:
            if not self._hold.is_held:
                self._driver.settle()
        except Exception as error:
            self._fail(error, ())

    def _is_looked_at(self) -> None:
        if self._around.wakeups is not None:
            self._around.wakeups.looked(self._estate, self._name)

    def _ensure_works(self) -> None:
        if self._tenure.is_over():
            # It was stopped for longer than the lease lasts, and has just woken up.
            self.lose(LEASE_OVER)
        if self.failure:
            raise EngineUnavailable(self.failure)

    def _fail(self, error: Exception, batch: Sequence[Waiting]) -> None:
        """Memory is ahead of the disk: nothing more may leave. The host loads the instance anew."""
        self._inbox.extendleft(reversed(batch))
        if isinstance(error, StoreFenced):
            logger.warning("Instance %s of estate %s has a later owner: %s", self._name, self._estate, error)
            self.lose("a later owner commits to its store")
            return
        # The disk's own reason is enough; of a fault of ours the way to it is wanted, too.
        is_ours = not isinstance(error, StoreFailed)
        reason = f"internal fault, {type(error).__name__}: {error}" if is_ours else str(error)
        trace = error if is_ours else None
        logger.error("Instance %s of estate %s has failed: %s.", self._name, self._estate, reason, exc_info=trace)
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
        # One of them may fail, as on a disk that has become read-only: the next ones must not stay open for that.
        for step in (
            self._hold.end,
            partial(self._late_replies.fail, reason),
            self._readers.close,
            self._alarm.silence,
            self._sessions.stop,
            self._dialer.close,
            self._listener.stop,
            self._leave_directory,
            self.store.close,
            self._work_table.close,
        ):
            try:
                step()
            except Exception:
                logger.exception("Instance %s of estate %s did not stop cleanly.", self._name, self._estate)

    def _leave_directory(self) -> None:
        """Say that nothing listens, unless the entry is the next owner's; one that stays leads to a closed port."""
        if not self.is_lost:
            with suppress(OSError):
                self._listener.enter()
