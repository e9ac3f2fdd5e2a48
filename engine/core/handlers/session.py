"""What a statement sees and locks: committed rows, and over them what its transaction has done (protocol.md 10).

Without a transaction a statement commits at once: it locks nothing, but waits for nobody either. Where the vendor
makes a statement wait for a locked group, it is refused here (1222), as it is there with SET LOCK_TIMEOUT 0.
"""

from __future__ import annotations

from typing import Final

import msgspec

from engine.core.catalog.builtin import BROKER_SERVICE
from engine.core.catalog.database import DatabaseCatalog
from engine.core.dialog.states import DialogInput, allows, next_state
from engine.core.exchange.commands import EndConversation, Statement
from engine.core.handlers.broker import Broker
from engine.core.queues.reader import UNHINDERED, Reader
from engine.core.queues.transactions import HeldBack, Transaction, TransactionReader
from engine.core.vocabulary.errors import LimitExceeded, LocalProtocolError
from engine.core.vocabulary.identifiers import (
    ConversationGroupId,
    ConversationHandle,
    DatabaseName,
    QueueName,
    TransactionId,
)
from engine.core.vocabulary.limits import (
    TRANSACTION_BYTES_MAX,
    TRANSACTION_GROUPS_MAX,
    TRANSACTION_STATEMENTS_MAX,
    TRANSACTIONS_BYTES_MAX,
)
from engine.core.vocabulary.moment import Instant
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState

GROUP_LOCKED, TOO_MANY, NO_SUCH_TRANSACTION = 1222, 1204, 3971


class Session:
    """One statement in its database. Raises 911 for a database and 3971 for a transaction that are not there."""

    def __init__(self, broker: Broker, statement: Statement) -> None:
        self._broker = broker
        self.database: Final = database_of(broker, statement.database)
        self.transaction: Final = (
            None if statement.transaction is None else transaction_of(broker, statement.transaction)
        )

    def row(self, handle: ConversationHandle) -> ConversationEndpoint:
        """A conversation of the database as the session sees it, or 8426, as for one that the broker itself holds."""
        key = (self.database.name, handle)
        own = self.transaction
        endpoint = self._broker.conversations.get(key)
        row = endpoint.row if endpoint is not None else None
        if own is not None and row is None:
            row = own.begun.get(key)
        state = row.state if row is not None else None
        if own is not None and state is not None:
            # What arrives does not wait for locks, so the state is reckoned anew from what it is now.
            state = _after(state, [DialogInput.SEND] if own.sends[key] else [])
            state = _after(state, [input_of(each) for each in own.ended.get(key, ())])
        if row is None or state is None or row.service == BROKER_SERVICE:
            raise no_conversation(self._broker, self.database.name, handle)
        if own is None:
            return row
        group = own.moved.get(key, row.conversation_group_id)
        send_sequence = row.send_sequence + own.sends[key]
        return msgspec.structs.replace(row, state=state, conversation_group_id=group, send_sequence=send_sequence)

    def has_group(self, group: ConversationGroupId) -> bool:
        """Whether the session sees a conversation of the group."""
        return bool(self._members(group))

    def queue_of_group(self, group: ConversationGroupId) -> QueueName | None:
        """The queue that all conversations of a group share; None when the session sees no such group."""
        members = self._members(group)
        service = self.database.services.get(members[0].service) if members else None
        return service.queue if service is not None else None

    def _members(self, group: ConversationGroupId) -> list[ConversationEndpoint]:
        name = self.database.name
        rows = [endpoint.row for endpoint in self._broker.conversations.of_group(name, group)]
        if self.transaction is not None:
            rows += [row for (database, _), row in self.transaction.begun.items() if database == name]
            moved = self.transaction.moved
            where = [(moved.get((name, row.conversation_handle), row.conversation_group_id), row) for row in rows]
            rows = [row for in_group, row in where if in_group == group]
        return rows

    def may_lock(self, *groups: ConversationGroupId) -> bool:
        """Whether nobody else holds any of the groups."""
        book = self._broker.transactions
        return all(book.may_lock(self.database.name, group, self.transaction) for group in groups)

    def lock(self, *groups: ConversationGroupId) -> None:
        """Lock groups for the transaction, all or none; without one only see that nobody holds them (1222)."""
        book, own = self._broker.transactions, self.transaction
        for group in groups:
            if not book.may_lock(self.database.name, group, own):
                raise LocalProtocolError(GROUP_LOCKED, value=str(group))
        if own is not None:
            for group in groups:
                book.lock(own, self.database.name, group)

    def check_room(self, statements: int = 1, size: int = 1) -> None:
        """Whether the transaction may hold back so many statements and bytes more, and lock what it needs (1204).

        One statement may always be as large as it likes: the largest body can be sent in a transaction, too.
        """
        own, book = self.transaction, self._broker.transactions
        if own is None:
            return
        for needs, limit, detail in (
            (len(own.held_back) + statements, TRANSACTION_STATEMENTS_MAX, "The transaction has too many statements"),
            (len(own.groups) + 1, TRANSACTION_GROUPS_MAX, "The transaction has locked too many conversation groups"),
            (own.held_bytes + size, TRANSACTION_BYTES_MAX, "The transaction holds back too many bytes"),
            (book.held_bytes + size, TRANSACTIONS_BYTES_MAX, "The open transactions hold back too many bytes"),
        ):
            if needs > limit:
                raise LimitExceeded(TOO_MANY, detail=detail, limit=limit)

    def has_room(self) -> bool:
        """Whether `check_room` lets one more statement pass."""
        try:
            self.check_room()
        except LimitExceeded:
            return False
        return True

    def hold_back(self, statement: HeldBack) -> None:
        """Keep a statement, which was checked, for the commit."""
        assert self.transaction is not None, "what is not in a transaction happens at once"
        self._broker.transactions.hold_back(self.transaction, statement, self._broker.now.utc)

    def reader(self) -> Reader:
        """The queues of the database as the session sees them."""
        if not self._broker.transactions.open:
            return UNHINDERED
        return TransactionReader(self._broker.transactions, self.database.name, self.transaction)


def input_of(command: EndConversation) -> DialogInput:
    """What an END CONVERSATION is to the state of its endpoint."""
    if command.with_cleanup:
        return DialogInput.END_WITH_CLEANUP
    return DialogInput.END_LOCAL if command.error_code is None else DialogInput.END_WITH_ERROR


def _after(state: ConversationState | None, inputs: list[DialogInput]) -> ConversationState | None:
    """The state after statements that were legal when made; what has arrived since may have overtaken them."""
    for each in inputs:
        if state is not None and allows(state, each):
            state = next_state(state, each)
    return state


def transaction_of(broker: Broker, transaction_id: TransactionId, missing: int = NO_SUCH_TRANSACTION) -> Transaction:
    """An open transaction, whose session has just shown that it lives; the number `missing` when there is none."""
    transaction = broker.transactions.open.get(transaction_id)
    if transaction is None:
        raise LocalProtocolError(missing)
    transaction.idle_at = Instant(broker.now.monotonic + broker.settings.transaction_idle_seconds)
    return transaction


def no_conversation(broker: Broker, database: DatabaseName, handle: ConversationHandle) -> LocalProtocolError:
    """Why a conversation was not found: there is no such database (911), or none in it (8426)."""
    database_of(broker, database)
    return LocalProtocolError(8426, conversation_handle=str(handle))


def database_of(broker: Broker, name: DatabaseName) -> DatabaseCatalog:
    """A database of the instance, or 911."""
    database = broker.catalog.databases.get(name)
    if database is None:
        raise LocalProtocolError(911, database=name)
    return database
