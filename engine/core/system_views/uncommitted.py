"""`Uncommitted`: conversations and queues as the transaction that reads them sees them (protocol.md 10).

A transaction holds its statements back until the commit. Here they are applied to copies of the committed rows, as the
commit would apply them now. Messages it has sent wait in the transmission queue: none of them leaves before the commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import count
from typing import Final

from msgspec.structs import replace

from engine.core.catalog.objects import DEFAULT_TYPE
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.error_message import error_body
from engine.core.dialog.states import DialogInput, allows, next_state
from engine.core.exchange.commands import EndConversation, MoveConversation, Send
from engine.core.handlers.broker import Broker
from engine.core.handlers.conversations import ENDED_HERE, MAY_SEND
from engine.core.handlers.session import input_of
from engine.core.queues.transactions import ConversationKey, HeldBack, TimerToSet, Transaction
from engine.core.vocabulary.identifiers import DatabaseName, MessageTypeName, QueueName
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.moment import NEVER_SET, UtcTime
from engine.core.vocabulary.rows import (
    ConversationEndpoint,
    ConversationState,
    QueueRow,
    QueueRowStatus,
    TransmissionRow,
)

FIRST_SERIAL: Final = 1 << 48
"""Serial number of the first dialog that a transaction has begun: they follow all that are committed."""

_ENDED_THERE: Final = frozenset({ConversationState.DISCONNECTED_INBOUND, ConversationState.ERROR})


class Uncommitted:
    """The changes of one open transaction to one database. Reads only."""

    def __init__(self, broker: Broker, database: DatabaseName, transaction: Transaction) -> None:
        self._broker = broker
        self._database = database
        self._transaction = transaction
        self._taken: Set[int] = transaction.taken.get(database, frozenset())
        self._changed: dict[ConversationKey, _Conversation] = {}

    # ── conversations ────────────────────────────────────────────────────────────────────────────────────────────
    def conversations(self, committed: Iterable[DialogEndpoint], after: int = 0) -> Iterator[DialogEndpoint]:
        """Copies of committed endpoints as they are now, then those begun whose serial number is later than `after`."""
        for endpoint in committed:
            if (seen := self._seen(endpoint)) is not None:
                yield seen
        yield from self._begun(after)

    def first_of_groups(self, conversations: Iterable[DialogEndpoint], after: int) -> Iterator[DialogEndpoint]:
        """The eldest conversation of each group, later than a serial number."""
        groups = set()
        for endpoint in conversations:
            group = endpoint.row.conversation_group_id
            if group not in groups and endpoint.serial > after:
                yield endpoint
            groups.add(group)

    def with_something_to_send(self, committed: Iterable[DialogEndpoint]) -> Iterator[DialogEndpoint]:
        """Endpoints with rows in the transmission queue, in the order of their making."""
        found = {endpoint.key: endpoint for endpoint in committed}
        for key in self._transaction.of_conversation:
            if key[0] == self._database and key not in found:
                endpoint = self._broker.conversations.look_at(key)
                if endpoint is not None:
                    found[key] = endpoint
        return self.conversations(sorted(found.values(), key=lambda each: each.serial))

    def pending(self, endpoint: DialogEndpoint) -> Iterator[TransmissionRow]:
        """What an endpoint has to send, oldest first."""
        changed = self._of(endpoint.key)
        if changed is None or changed.keeps_pending:
            yield from endpoint.sender.rows()
        if changed is not None:
            yield from changed.sent

    def _seen(self, endpoint: DialogEndpoint) -> DialogEndpoint | None:
        """An endpoint with its row as it is now, and all else that views read; None when it is gone.

        Not `copy`: an endpoint of the compiled engine cannot be copied.
        """
        changed = self._of(endpoint.key)
        if changed is None:
            return endpoint
        if changed.row is None:
            return None
        seen = self._broker.endpoint(self._database, changed.row)
        seen.sender, seen.receiver, seen.session = endpoint.sender, endpoint.receiver, endpoint.session
        seen.serial, seen.status = endpoint.serial, endpoint.status
        seen.decision, seen.scheduled_at = endpoint.decision, endpoint.scheduled_at
        return seen

    def _begun(self, after: int = 0) -> Iterator[DialogEndpoint]:
        for serial, (key, row) in enumerate(self._transaction.begun.items(), FIRST_SERIAL):
            if key[0] != self._database or serial <= after:
                continue
            changed = self._of(key)
            now = row if changed is None else changed.row
            if now is not None:
                endpoint = self._broker.endpoint(self._database, now)
                endpoint.serial = serial
                yield endpoint

    def _of(self, key: ConversationKey) -> _Conversation | None:
        """What the statements make of a conversation; None when they leave it as it is."""
        statements = self._transaction.of_conversation.get(key)
        if statements is None:
            return None
        changed = self._changed.get(key)
        if changed is None:
            endpoint = self._broker.conversations.look_at(key)
            row = self._transaction.begun.get(key) if endpoint is None else endpoint.row
            is_unheard = endpoint is None or not endpoint.row.send_sequence or endpoint.sender.is_untouched(0)
            changed = self._changed[key] = _Conversation(row, is_unheard=is_unheard)
            for at, statement in statements:
                changed.apply(statement, at)
        return changed

    # ── queues ───────────────────────────────────────────────────────────────────────────────────────────────────
    def messages(self, queue: QueueName, committed: Iterable[QueueRow]) -> Iterator[QueueRow]:
        """The messages of a queue, then the copies of those sent that it retains."""
        is_retained = self._broker.definition_of(self._database, queue).is_retention_enabled
        for row in committed:
            if (seen := self.message(row, is_retained=is_retained)) is not None:
                yield seen
        if is_retained:
            yield from self._sent_from(queue)

    def message(self, row: QueueRow, *, is_retained: bool = False) -> QueueRow | None:
        """A message of a queue as it is now; None when it has left."""
        if row.queuing_order in self._taken:
            if not is_retained:
                return None
            row = replace(row, status=QueueRowStatus.RECEIVED_RETAINED)
        changed = self._of((self._database, row.conversation_handle))
        if changed is None:
            return row
        if changed.row is None or not changed.keeps_messages:
            return None
        return replace(row, conversation_group_id=changed.row.conversation_group_id)

    def _sent_from(self, queue: QueueName) -> Iterator[QueueRow]:
        """Copies of what the transaction has sent (protocol.md 15). Their places count on from those in the queues."""
        places = count(self._broker.next_queuing_order.get(self._database, 1))
        for key in self._transaction.of_conversation:
            changed = self._of(key) if key[0] == self._database else None
            if changed is None or changed.row is None or not changed.keeps_messages:
                continue
            row = changed.row
            if self._broker.served(self._database, row.service).definition.name != queue:
                continue
            for sent in changed.sent:
                yield QueueRow(
                    queuing_order=next(places),
                    status=QueueRowStatus.SENT_RETAINED,
                    priority=row.priority,
                    conversation_group_id=row.conversation_group_id,
                    conversation_handle=row.conversation_handle,
                    message_sequence_number=sent.message_sequence_number,
                    service_name=row.service,
                    service_contract_name=row.contract,
                    message_type_name=sent.message_type_name or DEFAULT_TYPE,
                    message_body=sent.message_body,
                    message_enqueue_time=sent.enqueue_time,
                )


class _Conversation:
    """One conversation while the statements of a transaction are applied to it."""

    def __init__(self, row: ConversationEndpoint | None, *, is_unheard: bool) -> None:
        self.row = row
        """None when it is gone."""
        self.sent: list[TransmissionRow] = []
        self.keeps_pending = True
        """Whether committed messages still wait for transmission."""
        self.keeps_messages = True
        """Whether its messages are still in its queue."""
        self._is_unheard = is_unheard

    def apply(self, statement: HeldBack, at: UtcTime) -> None:
        """One statement, unless what has arrived since leaves it without effect."""
        row = self.row
        if row is None:
            return
        match statement:
            case Send(message_type=message_type, body=body) if row.state not in ENDED_HERE:
                if row.state in MAY_SEND:
                    self._move(row, DialogInput.SEND)
                self._enqueue(MessageKind.USER, message_type or DEFAULT_TYPE, body or None, at)
            case EndConversation() if allows(row.state, input_of(statement)):
                self._end(row, statement, at)
            case MoveConversation(conversation_group_id=group):
                self.row = replace(row, conversation_group_id=group)
            case TimerToSet(at=fires_at) if allows(row.state, DialogInput.SET_TIMER):
                self.row = replace(row, dialog_timer=fires_at)

    def _move(self, row: ConversationEndpoint, happening: DialogInput) -> None:
        state = next_state(row.state, happening)
        self.row = None if state is None else replace(row, state=state)

    def _end(self, row: ConversationEndpoint, command: EndConversation, at: UtcTime) -> None:
        is_error = command.error_code is not None
        if not command.with_cleanup:
            self.keeps_messages = False
            row = replace(row, dialog_timer=NEVER_SET)
        if is_error and row.is_initiator and self._is_unheard and row.state is ConversationState.CONVERSING:
            self._move(row, DialogInput.END_UNHEARD)
            return
        self._move(row, input_of(command))
        if self.row is None:
            return
        if row.state in _ENDED_THERE:
            self._drop_pending()
            if row.is_initiator:
                self._move(self.row, DialogInput.CLOSED_AS_INITIATOR)
            return
        self.row = replace(self.row, end_dialog_sequence=row.send_sequence)
        if command.error_code is None:
            self._enqueue(MessageKind.END_DIALOG, None, None, at)
            return
        self._drop_pending()
        self._enqueue(MessageKind.ERROR, None, error_body(command.error_code, command.error_description or ""), at)

    def _drop_pending(self) -> None:
        self.keeps_pending = False
        self.sent.clear()

    def _enqueue(
        self, kind: MessageKind, message_type: MessageTypeName | None, body: bytes | None, at: UtcTime
    ) -> None:
        assert self.row is not None, "what is gone sends nothing"
        self.sent.append(
            TransmissionRow(
                conversation_handle=self.row.conversation_handle,
                message_sequence_number=self.row.send_sequence,
                kind=kind,
                message_type_name=message_type,
                message_body=body,
                enqueue_time=at,
            )
        )
        self.row = replace(self.row, send_sequence=self.row.send_sequence + 1)
