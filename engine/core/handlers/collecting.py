"""`OutcomeCollector`: what inputs lead to, noted piece by piece and handed out as one value (ADR 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.exchange.changes import PutEndpoint, StateChange
from engine.core.exchange.events import BrokerEvent, ConversationGroupChanged, ConversationStateChanged
from engine.core.exchange.outcome import Outcome
from engine.core.exchange.readers import ReaderStart
from engine.core.exchange.replies import LateReply, Reply
from engine.core.transmission.send_order import SendOrder
from engine.core.vocabulary.identifiers import CommandId, ConversationGroupId, DatabaseName
from engine.core.vocabulary.limits import PRIORITY_LEVEL_DEFAULT
from engine.core.vocabulary.messages import Outbound, TcpAddress
from engine.core.vocabulary.mirrors import RoleAnswer, RoleQuestion
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.subclasses import ConversationHappening


class OutcomeCollector:
    """Collects since the last `outcome`; knows the time of the inputs that are being handled."""

    def __init__(self) -> None:
        self.now = Now(Instant(0.0), UtcTime(0.0))
        self._changes: list[StateChange] = []
        self.change: Final[Callable[[StateChange], None]] = self._changes.append
        """Note a write."""
        self._events: list[BrokerEvent] = []
        self.tell: Final[Callable[[BrokerEvent], None]] = self._events.append
        """Note an event."""
        self.touched: dict[DialogEndpoint, None] = {}
        """Endpoints whose durable row has changed; each is written once, however often that happens."""
        self._dials: dict[TcpAddress, None] = {}
        self._hang_ups: list[TcpAddress] = []
        self._sends = SendOrder()
        self._fillings: list[TcpAddress] = []
        self._questions: list[RoleQuestion] = []
        self._answers: list[RoleAnswer] = []
        self._reader_starts: list[ReaderStart] = []
        self._late_replies: list[LateReply] = []

    def begin(self, now: Now) -> None:
        """Time moves on."""
        self.now = now

    def noted(self) -> Sequence[StateChange]:
        """The writes so far, but for those of touched endpoints."""
        return self._changes

    def outcome(self) -> Outcome:
        """Everything since the last call, as one value."""
        for endpoint in self.touched:
            self.change(PutEndpoint(database=endpoint.database, endpoint=endpoint.row))
        self.touched.clear()
        outcome = Outcome(
            changes=tuple(self._changes),
            dials=tuple(self._dials),
            hang_ups=tuple(self._hang_ups),
            reader_starts=tuple(self._reader_starts),
            late_replies=tuple(self._late_replies),
            sends=self._sends.take(),
            fillings=tuple(self._fillings),
            questions=tuple(self._questions),
            answers=tuple(self._answers),
            events=tuple(self._events),
        )
        for collected in (self._changes, self._hang_ups, self._reader_starts, self._late_replies):
            collected.clear()
        for told in (self._fillings, self._questions, self._answers, self._events):
            told.clear()
        self._dials.clear()
        return outcome

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

    def reply_late(self, command_id: CommandId, reply: Reply) -> None:
        """Note the reply to a command that has waited for it."""
        self._late_replies.append(LateReply(command_id, reply))

    def send(self, outbounds: Sequence[Outbound], priority: int = PRIORITY_LEVEL_DEFAULT) -> None:
        """Note messages of one conversation for a link that is up; those of higher priority leave first."""
        self._sends.add(outbounds, priority)

    def send_one(self, outbound: Outbound, priority: int = PRIORITY_LEVEL_DEFAULT) -> None:
        """As `send`, of a single message."""
        self._sends.add_one(outbound, priority)

    def want_room(self, address: TcpAddress) -> None:
        """Note a connection that is to tell when it takes more."""
        self._fillings.append(address)

    def ask_role(self, question: RoleQuestion) -> None:
        """Note a question for a partner whose link is up."""
        self._questions.append(question)

    def answer_role(self, answer: RoleAnswer) -> None:
        """Note what a neighbour is to be told of our role."""
        self._answers.append(answer)
