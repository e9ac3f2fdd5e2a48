"""`SandboxServer`: a simulated server that can be asked what a hosted instance is asked, and answers at once.

A command is carried out at the very moment at which it is given, in a turn of its own: so a sandbox whose time stands
still can be operated. What it sends needs time to arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.commands import Command
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.explaining import TransmissionExplanation
from engine.core.exchange.inputs import WaitCancelled
from engine.core.exchange.pictures import Picture, PictureQuery, SummaryPicture
from engine.core.exchange.replies import Reply
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.exchange.views import InstanceView, QueuePeek
from engine.core.link.facts import LinkTraffic, NetworkFacts
from engine.core.pictures.journal import PictureJournal
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import CommandId, ConversationHandle, DatabaseName, EventSequence, QueueName
from engine.core.vocabulary.messages import LinkState, TcpAddress
from engine.sim.clock import MachineClock
from engine.sim.link import SimulatedLink
from engine.sim.server import Server, World

REPLIES_KEPT: Final = 1_000
"""Late replies that an instance remembers for whoever has not asked for them yet."""

OnEvents = Callable[["SandboxServer", Sequence[BrokerEvent]], None]


class InstanceDown(Exception):
    """The instance does not run: nobody answers."""


class SandboxServer(Server):
    """One instance of a sandbox. What is read changes nothing, however often it is read."""

    holds_events = False

    on_events: OnEvents | None = None
    """Told of everything that is committed, where somebody wants to know."""

    def __init__(self, world: World, catalog: InstanceCatalog, address: TcpAddress, clock: MachineClock) -> None:
        self.late_replies: dict[CommandId, Reply | None] = {}
        """What waiting commands came to; None when the instance died meanwhile."""
        self._open_waits: set[CommandId] = set()
        super().__init__(world, catalog, address, clock)

    def start(self) -> None:
        """Load the instance from its disk; harmless when it runs."""
        if self.is_alive:
            return
        self._pictures = PictureJournal(self.store.last_event)
        self._closed_traffic = LinkTraffic()
        super().start()
        self.dialer.on_login = self.put

    def publish(self, first: EventSequence, events: Sequence[BrokerEvent]) -> None:
        """The driver tells of committed events."""
        self._pictures.note(first, events)
        if self.on_events is not None:
            self.on_events(self, events)

    # ── commands ─────────────────────────────────────────────────────────────────────────────────────────────────
    def execute_now(self, commands: Sequence[Command]) -> tuple[list[Reply | None], list[CommandId]]:
        """Carry out commands in their order, now: the replies, and which of them wait. `InstanceDown`."""
        self._ensure_runs()
        heard: dict[int, Reply | None] = {}
        for place, command in enumerate(commands):
            self._lay_in(command, partial(self._hear, heard, place, command.command_id))
        self._take_turns()
        waiting = [each.command_id for place, each in enumerate(commands) if place not in heard]
        self._open_waits.update(waiting)
        return [heard.get(place) for place in range(len(commands))], waiting

    def give_up(self, command_id: CommandId) -> None:
        """Whoever waits with this WAITFOR is answered now. `InstanceDown`."""
        self._ensure_runs()
        self._lay_in(WaitCancelled(command_id))
        self._take_turns()

    def _hear(self, heard: dict[int, Reply | None], place: int, command_id: CommandId, reply: Reply | None) -> None:
        if command_id not in self._open_waits:
            heard[place] = reply
            return
        self._open_waits.discard(command_id)
        self.late_replies[command_id] = reply
        while len(self.late_replies) > REPLIES_KEPT:
            del self.late_replies[next(iter(self.late_replies))]

    def _take_turns(self) -> None:
        while self.is_alive and self._inbox:
            self._take_turn(self._process)

    def _accepted_changed(self, link: SimulatedLink) -> None:
        if (login := link.connection.login_ended()) is not None:
            self.put(login)
        if link.connection.state is LinkState.CLOSED and link in self._accepted:
            self._closed_traffic.add(link.connection.facts().traffic)
        super()._accepted_changed(link)

    # ── what is ──────────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def catalog(self) -> InstanceCatalog:
        """What is defined now; of an instance that is down, as its disk has it. Not to be changed by the reader."""
        return self.instance.catalog if self.is_alive else self.store.load().catalog

    @property
    def listening_port(self) -> int | None:
        """Where it accepts connections; None where it does not."""
        endpoint = self.instance.catalog.endpoint
        return endpoint.port if self.listens and endpoint is not None else None

    def pictures(self, queries: Sequence[PictureQuery]) -> list[Picture | BrokerError]:
        """What views show now; a `BrokerError` where a query names what is not there. `InstanceDown`."""
        self._ensure_runs()
        now, facts = self.clock.now(), self._facts()
        found: list[Picture | BrokerError] = []
        for query in queries:
            try:
                picture = self.instance.picture(query, self._pictures, now, facts)
            except BrokerError as error:
                found.append(error)
                continue
            if isinstance(picture, SummaryPicture):
                picture = msgspec.structs.replace(picture, listening_port=self.listening_port)
            found.append(picture)
        return found

    def view(self, rows_max: int) -> InstanceView:
        """The live rows, at most `rows_max` in each list. `InstanceDown`."""
        self._ensure_runs()
        view = self.instance.view(rows_max)
        return msgspec.structs.replace(view, last_event=self._pictures.last, listening_port=self.listening_port)

    def system_view(self, query: SystemViewQuery) -> SystemViewRows:
        """One page of a system view or a queue; errors as `Instance.system_view`. `InstanceDown`."""
        self._ensure_runs()
        return self.instance.system_view(query, self._facts())

    def peek(self, database: DatabaseName, queue: QueueName, top: int, with_bodies: bool = True) -> QueuePeek:
        """The first messages of a queue, not taken; `BrokerError` when there is no such queue. `InstanceDown`."""
        self._ensure_runs()
        return self.instance.peek(database, queue, top, with_bodies)

    def explain(self, database: DatabaseName, handle: ConversationHandle) -> TransmissionExplanation:
        """Why the messages of a conversation wait; errors as `Instance.explain`. `InstanceDown`."""
        self._ensure_runs()
        return self.instance.explain(database, handle, self._pictures.last, self.clock.now())

    def events_after(self, sequence: EventSequence, limit: int) -> list[tuple[EventSequence, BrokerEvent]]:
        """At most `limit` events later than `sequence`, oldest first. `InstanceDown`."""
        self._ensure_runs()
        return list(self.store.events_after(sequence, limit))

    def _facts(self) -> NetworkFacts:
        connections = [link.connection.facts() for link in self.links()]
        total = LinkTraffic()
        for traffic in (self._closed_traffic, self.dialer.ended, *(each.traffic for each in connections)):
            total.add(traffic)
        connections.sort(key=lambda each: each.connect_time or self.clock.now().utc)
        return NetworkFacts(connections, total)

    def _ensure_runs(self) -> None:
        if not self.is_alive:
            raise InstanceDown(f"Instance {self.name} is down.")
