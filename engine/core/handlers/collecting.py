"""`OutcomeCollector`: what one input leads to, noted piece by piece and handed out as one value (ADR 1)."""

from __future__ import annotations

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.exchange.changes import PutEndpoint, StateChange
from engine.core.exchange.events import BrokerEvent, ConversationGroupChanged, ConversationStateChanged
from engine.core.exchange.outcome import Outcome
from engine.core.exchange.readers import ReaderStart
from engine.core.exchange.replies import Reply
from engine.core.transmission.send_order import SendOrder
from engine.core.vocabulary.identifiers import ConversationGroupId, DatabaseName
from engine.core.vocabulary.limits import PRIORITY_LEVEL_DEFAULT
from engine.core.vocabulary.messages import Outbound, TcpAddress
from engine.core.vocabulary.mirrors import RoleAnswer, RoleQuestion
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.subclasses import ConversationHappening


class OutcomeCollector:
    """Collects since the last `outcome`; knows the time of the input that is being handled."""

    def __init__(self) -> None:
        self.now = Now(Instant(0.0), UtcTime(0.0))
        self._changes: list[StateChange] = []
        self._dirty: dict[DialogEndpoint, None] = {}
        self._dials: dict[TcpAddress, None] = {}
        self._hang_ups: list[TcpAddress] = []
        self._sends = SendOrder()
        self._questions: list[RoleQuestion] = []
        self._answers: list[RoleAnswer] = []
        self._reader_starts: list[ReaderStart] = []
        self._events: list[BrokerEvent] = []

    def begin(self, now: Now) -> None:
        """A new input: time moves on."""
        self.now = now

    def outcome(self, reply: Reply | None = None) -> Outcome:
        """Everything since the last call, as one value."""
        changes = self._changes
        for endpoint in self._dirty:
            changes.append(PutEndpoint(database=endpoint.database, endpoint=endpoint.row))
        outcome = Outcome(
            reply=reply,
            changes=tuple(changes),
            dials=tuple(self._dials),
            hang_ups=tuple(self._hang_ups),
            reader_starts=tuple(self._reader_starts),
            sends=self._sends.take(),
            questions=tuple(self._questions),
            answers=tuple(self._answers),
            events=tuple(self._events),
        )
        self._changes, self._dirty, self._dials = [], {}, {}
        self._questions, self._answers = [], []
        self._hang_ups, self._reader_starts, self._events = [], [], []
        return outcome

    def change(self, change: StateChange) -> None:
        """Note a write."""
        self._changes.append(change)

    def tell(self, event: BrokerEvent) -> None:
        """Note an event."""
        self._events.append(event)

    def announce_state(self, endpoint: DialogEndpoint, happening: ConversationHappening, *, gone: bool = False) -> None:
        """Tell that an endpoint was made, changed its state, or is gone, and what led there."""
        self.tell(
            ConversationStateChanged(
                at=self.now.utc,
                database=endpoint.database,
                conversation_handle=endpoint.row.conversation_handle,
                conversation_id=endpoint.row.conversation_id,
                is_initiator=endpoint.row.is_initiator,
                state=None if gone else endpoint.row.state,
                happening=happening,
                conversation_group_id=endpoint.row.conversation_group_id,
                priority=endpoint.row.priority,
            )
        )

    def announce_group(self, database: DatabaseName, group: ConversationGroupId, *, is_created: bool) -> None:
        """Tell that a conversation group has begun or is gone."""
        self.tell(
            ConversationGroupChanged(
                at=self.now.utc, database=database, conversation_group_id=group, is_created=is_created
            )
        )

    def start_reader(self, reader: ReaderStart) -> None:
        """Note a reader that the host is to start."""
        self._reader_starts.append(reader)

    def send(self, outbound: Outbound, priority: int = PRIORITY_LEVEL_DEFAULT) -> None:
        """Note a message for a link that is up; the higher priority leaves first (protocol.md 11)."""
        self._sends.add(outbound, priority)

    def ask_role(self, question: RoleQuestion) -> None:
        """Note a question for a partner whose link is up."""
        self._questions.append(question)

    def answer_role(self, answer: RoleAnswer) -> None:
        """Note what a neighbour is to be told of our role."""
        self._answers.append(answer)
