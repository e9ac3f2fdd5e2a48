"""`Instance`: one server with its databases, as a function from inputs to an outcome. The only door to the core.

Whoever drives it says what time it is (`begin`), hands in what has come, one input after another (`take`), and obeys
what follows from all of them (`finish`). It touches nothing outside itself. Rebuilt from its rows after a crash, it
goes on where the last commit left it: what was not acknowledged is sent again, what was received is not received twice.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.commands import CommandBase
from engine.core.exchange.explaining import TransmissionExplanation
from engine.core.exchange.inputs import Input
from engine.core.exchange.outcome import Outcome
from engine.core.exchange.pictures import Picture, PictureQuery
from engine.core.exchange.replies import Reply
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.exchange.views import Backlog, InstanceView, QueuePeek
from engine.core.handlers import (
    activation,
    availability,
    dynamic_routing,
    inbound,
    links,
    outbound,
    serving,
    timers,
    views,
)
from engine.core.handlers.broker import Broker
from engine.core.handlers.dispatch import COMMAND_HANDLERS, EVENT_HANDLERS, FREQUENT
from engine.core.handlers.restoring import restore
from engine.core.link.facts import LinkTraffic, NetworkFacts
from engine.core.pictures.explaining import explain_transmission
from engine.core.pictures.journal import PictureJournal
from engine.core.pictures.reading import read_picture
from engine.core.routing.draws import Draws
from engine.core.system_views.counter_views import CounterRow, counter_rows
from engine.core.system_views.query import read_system_view
from engine.core.transmission.work_table import MemoryWorkTable, WorkTable
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName, EventSequence, QueueName, TransactionId
from engine.core.vocabulary.keys import KeyVault
from engine.core.vocabulary.message_memory import MessageSource
from engine.core.vocabulary.moment import Instant, Now
from engine.core.vocabulary.rows import DatabaseRows
from engine.core.vocabulary.settings import EngineSettings


class Instance:
    """The broker of one instance. Not responsible for storing, sending or waking: see `runtime.driver`."""

    def __init__(
        self,
        definitions: InstanceCatalog,
        rows: Iterable[DatabaseRows],
        settings: EngineSettings,
        entropy: Entropy,
        work_table: WorkTable | None = None,
        vault: KeyVault | None = None,
        messages: MessageSource | None = None,
        draws: Draws | None = None,
    ) -> None:
        """Rebuild an instance from its rows; in `work_table` it keeps what nobody needs, in memory without one.

        `rows` may be pieces of databases (see `DatabaseRows`): what nobody needs leaves memory after each of them.

        `vault` opens and uses the keys of secured dialogs; without one they wait with 28054.

        From `messages`, the store that the outcomes are committed to, come those that memory has no room for;
        without it all of them stay, and `rows` has no spans.

        `draws` answers what routing draws; without it equally good answers take turns (routing.md E8, E9).
        """
        table = MemoryWorkTable() if work_table is None else work_table
        self._broker = Broker(definitions, settings, entropy, inbound.accept, table, vault, messages, draws)
        for piece in rows:
            restore(self._broker, piece)
            self._broker.make_room()
            self._broker.conversations.flush_now()

    @property
    def catalog(self) -> InstanceCatalog:
        """What is defined now; not to be changed by the reader."""
        return self._broker.catalog

    # ── inputs ───────────────────────────────────────────────────────────────────────────────────────────────────
    def begin(self, now: Now) -> None:
        """The inputs that follow happen at `now`; the outcome before is committed. What nobody needs leaves memory."""
        self._broker.begin(now)
        self._broker.make_room()
        self._broker.conversations.flush(now.monotonic)

    def take(self, given: Input) -> Reply | None:
        """Take one input; answers the reply of a command, None for what merely happens and for a WAITFOR that waits.

        Raises `BrokerError` for a command that is refused; then it has changed nothing, and the others stand.
        """
        broker = self._broker
        # What one arriving message sets off has none of the security of the one before.
        broker.arrival = None
        handle = FREQUENT.get(type(given))
        if handle is None:
            return self._take_alone(given)
        if broker.has_closed:
            self._check(given)
        reply = handle(broker, given)
        if broker.own_mail or broker.missing_routes or broker.missing_bindings or broker.activity.stirred:
            self._attend()
        return reply

    def _take_alone(self, given: Input) -> Reply | None:
        """An input that may change where messages go: what was left for later is done before, and what it did after."""
        self._settle()
        self._check(given)
        if isinstance(given, CommandBase):
            reply: Reply | None = COMMAND_HANDLERS[type(given)](self._broker, given)
        else:
            reply = None
            EVENT_HANDLERS[type(given)](self._broker, given)
        self._attend()
        self._settle()
        return reply

    def _check(self, given: Input) -> None:
        if isinstance(given, CommandBase):
            availability.check(self._broker.catalog, given)

    def finish(self) -> Outcome:
        """What all inputs since `begin` lead to."""
        broker = self._broker
        self._settle()
        activation.attend(broker)
        while broker.noticed or broker.wants_attention:
            # What the broker itself has to say is sent like anything else, and may call for more.
            self._attend()
            self._settle()
        return broker.outcome()

    def _settle(self) -> None:
        """Do what frequent inputs have left for later: one look at each of their conversations is enough."""
        broker = self._broker
        broker.arrival = None
        while broker.noticed:
            noticed, broker.noticed = broker.noticed, {}
            for endpoint in noticed:
                if endpoint.is_known:
                    outbound.transmit_if_changed(broker, endpoint)
        if broker.opened:
            links.let_in(broker)

    def _attend(self) -> None:
        """What the broker itself has to say; what one of the two has done may be the other's business."""
        while self._broker.wants_attention:
            serving.attend(self._broker)
            dynamic_routing.attend(self._broker)
            activation.attend(self._broker)

    def wake_at(self) -> Instant | None:
        """When `TimerFired` has something to do next; None for never."""
        return timers.wake_at(self._broker)

    def has_transaction(self, transaction: TransactionId) -> bool:
        """Whether a transaction of a session is open."""
        return transaction in self._broker.transactions.open

    # ── views ────────────────────────────────────────────────────────────────────────────────────────────────────
    def view(self, rows_max: int) -> InstanceView:
        """The live rows, at most `rows_max` a list; the host fills in what only it knows."""
        return views.instance_view(self._broker, rows_max)

    def backlog(self) -> Backlog:
        """How far the instance is behind; takes time in proportion to the conversations in memory."""
        return views.backlog(self._broker)

    def counters(self, traffic: LinkTraffic | None = None) -> tuple[CounterRow, ...]:
        """The performance counters (views.md 6), with what went over all connections, where there is a network."""
        return counter_rows(self._broker, traffic)

    def peek(self, database: DatabaseName, queue: QueueName, top: int, with_bodies: bool = True) -> QueuePeek:
        """The first messages of a queue, not taken; bodies are cut as `QueuePeek` says."""
        return views.queue_peek(self._broker, database, queue, top, with_bodies)

    def system_view(self, query: SystemViewQuery, network: NetworkFacts | None = None) -> SystemViewRows:
        """One page of a catalog view, DMV or queue (views.md 1, 2, 6); errors as `read_system_view`."""
        return read_system_view(self._broker, query, network)

    def picture(
        self,
        query: PictureQuery,
        journal: PictureJournal,
        now: Now,
        network: NetworkFacts | None = None,
    ) -> Picture:
        """What a view shows after the last event of the journal (ADR 25); errors as `read_picture`."""
        return read_picture(self._broker, query, journal, now, network)

    def explain(
        self, database: DatabaseName, handle: ConversationHandle, sequence: EventSequence, now: Now
    ) -> TransmissionExplanation:
        """Why the messages of a conversation wait (diagnose.md 4); errors as `explain_transmission`."""
        return explain_transmission(self._broker, database, handle, sequence, now)
