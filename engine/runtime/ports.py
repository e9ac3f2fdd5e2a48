"""The doors of the engine: clock, store, transport, event sink, alarm, and the activator for internal readers.

Live, simulated and bulk runs of the core differ in nothing but what stands behind these protocols.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.changes import StateChange
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.readers import ReaderStart
from engine.core.exchange.replies import LateReply, Reply
from engine.core.vocabulary.identifiers import CommandId, EventSequence
from engine.core.vocabulary.message_memory import MessageSource
from engine.core.vocabulary.messages import Outbound, TcpAddress
from engine.core.vocabulary.mirrors import RoleAnswer, RoleQuestion
from engine.core.vocabulary.moment import Instant, Now
from engine.core.vocabulary.rows import DatabaseRows


class InstanceState(msgspec.Struct, kw_only=True):
    """Everything durable of an instance, as loaded at start."""

    catalog: InstanceCatalog
    databases: Iterable[DatabaseRows]
    """To be read once, before anything is committed, for it may come from the disk piece by piece."""
    last_event: EventSequence = EventSequence(0)


class Clock(Protocol):
    """Both readings of the host's time."""

    def now(self) -> Now:
        """The time, now."""
        ...


class Store(MessageSource, Protocol):
    """Durable state of one instance. Not responsible for order or meaning: it obeys changes."""

    def load(self, *, in_spans: bool = False) -> InstanceState:
        """Everything kept so far; an empty catalog for an instance that was never committed to.

        With `in_spans` messages that wait for transmission are told by their numbers alone, for an instance that reads
        them when it needs them. Reading the databases may raise `StoreFailed` as well.
        """
        ...

    def reply_of(self, command_id: CommandId) -> Reply | None:
        """The stored reply of a command that was seen before; None for a new one."""
        ...

    def commit(self, changes: Sequence[StateChange], events: Sequence[BrokerEvent]) -> EventSequence:
        """Make all of it durable in one transaction; answer the number of the first event.

        When there are no events the answer is the number that the next one would get. Raises `StoreFailed` when
        the disk refuses; then nothing of it is kept. A server that is lost meanwhile raises it as well and may have
        kept all of it: loading anew tells. Raises `StoreFenced` when a later owner has the store, nothing kept.
        """
        ...

    def events_after(self, sequence: EventSequence, limit: int) -> Sequence[tuple[EventSequence, BrokerEvent]]:
        """At most `limit` events later than `sequence`, oldest first."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


class Transport(Protocol):
    """The network as one instance sees it. Delivers at most once, in order per connection, or not at all."""

    def dial(self, address: TcpAddress) -> None:
        """Open a connection; its fate is told by a `LinkChange`."""
        ...

    def hang_up(self, address: TcpAddress) -> None:
        """Close the connection to `address` if there is one."""
        ...

    def send(self, outbound: Outbound) -> None:
        """Hand over a message for a connection that is logged in; silently lost when it is not any more."""
        ...

    def tell_room(self, address: TcpAddress) -> None:
        """Tell by a `LinkHasRoom` when half of `LinkSettings.room_bytes` or less is unsent; never when it closes."""
        ...

    def ask_role(self, question: RoleQuestion) -> None:
        """Ask a partner over a connection that is logged in; the answer comes as a `RoleClaimed`, or never."""
        ...

    def answer_role(self, answer: RoleAnswer) -> None:
        """Tell a neighbour our role over the connection on which it asked; silently lost when that is closed."""
        ...


class EventSink(Protocol):
    """Whoever listens to committed events."""

    def publish(self, first: EventSequence, events: Sequence[BrokerEvent]) -> None:
        """Tell of committed events; `first` numbers the first of them."""
        ...


class Activator(Protocol):
    """Runs internal readers: callables that are registered under the names of procedures (protocol.md 17.2)."""

    def start_reader(self, reader: ReaderStart) -> None:
        """Start a reader without waiting for it; its end is told by a `ReaderEnded`, also when it could not start."""
        ...


class ReplySink(Protocol):
    """Whoever waits for the replies of commands that had to wait for them (protocol.md 12, WAITFOR)."""

    def reply_late(self, late: LateReply) -> None:
        """Give a reply, which is durable; nobody may be there any more to hear it."""
        ...


class Alarm(Protocol):
    """Wakes the driver once."""

    def arm(self, at: Instant | None) -> None:
        """Wake at `at`, replacing any earlier wish; None cancels."""
        ...
