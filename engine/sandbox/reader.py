"""`ReaderLoop`: an application of a sandbox that reads a queue, each message in a transaction of its own.

What it cannot process it rolls back, and tries again a moment later: after five times in a row the queue goes off
(protocol.md 14).
"""

from __future__ import annotations

from typing import Final

from engine.core.catalog.objects import DIALOG_TIMER_TYPE, END_DIALOG_TYPE, ERROR_TYPE
from engine.core.exchange.commands import (
    BeginTransaction,
    Command,
    CommitTransaction,
    EndConversation,
    Receive,
    RollbackTransaction,
    Send,
)
from engine.core.exchange.replies import MessagesReceived, TransactionBegun
from engine.core.vocabulary.identifiers import TransactionId
from engine.core.vocabulary.rows import QueueRow
from engine.sandbox.bodies import body_of, has_text
from engine.sandbox.places import QueuePlace, is_readable
from engine.sandbox.server import SandboxServer
from engine.sandbox.spec import QueueReader
from engine.sandbox.world import SandboxWorld

READ_SECONDS: Final = 0.02
AFTER_FAILURE_SECONDS: Final = 1.0
_END_TYPES: Final = frozenset({END_DIALOG_TYPE, ERROR_TYPE})


class ReaderLoop:
    """One application; it looks when something has come, and rests when there is nothing."""

    def __init__(self, world: SandboxWorld, reader: QueueReader, place: QueuePlace, size: int) -> None:
        self.place: Final = place
        self._world, self._reader, self._size = world, reader, size
        self.is_over = False
        self._is_planned = False
        self.look()

    def look(self, seconds: float = READ_SECONDS) -> None:
        """Read soon; harmless when that is planned."""
        if not self._is_planned and not self.is_over:
            self._is_planned = True
            self._world.agenda.after(seconds, self._read)

    def _read(self) -> None:
        self._is_planned = False
        server = self._world.server(self.place.instance)
        if self.is_over or not is_readable(server, self.place):
            return
        begun = self._world.ask(server, BeginTransaction(command_id=self._world.new_id()))
        if not isinstance(begun, TransactionBegun):
            self.look(AFTER_FAILURE_SECONDS)
            return
        row = self._receive(server, begun.transaction)
        ids = self._world.new_id
        if row is None:
            self._world.ask(server, CommitTransaction(command_id=ids(), transaction=begun.transaction))
        elif self._reader.fails_on is not None and has_text(row.message_body, self._reader.fails_on):
            self._world.ask(server, RollbackTransaction(command_id=ids(), transaction=begun.transaction))
            self.look(AFTER_FAILURE_SECONDS)
        else:
            commands = self._processing(server, row, begun.transaction)
            for command in (*commands, CommitTransaction(command_id=ids(), transaction=begun.transaction)):
                self._world.ask(server, command)
            self.look()

    def _receive(self, server: SandboxServer, transaction: TransactionId) -> QueueRow | None:
        command = Receive(
            command_id=self._world.new_id(),
            database=self.place.database,
            queue=self.place.queue,
            transaction=transaction,
        )
        reply = self._world.ask(server, command)
        return reply.messages[0] if isinstance(reply, MessagesReceived) and reply.messages else None

    def _processing(self, server: SandboxServer, row: QueueRow, transaction: TransactionId) -> list[Command]:
        """What it does about one message."""
        reader, ids, database = self._reader, self._world.new_id, self.place.database
        is_end = row.message_type_name in _END_TYPES
        commands: list[Command] = []
        if reader.reply_type is not None and not is_end and row.message_type_name != DIALOG_TIMER_TYPE:
            commands.append(
                Send(
                    command_id=ids(),
                    database=database,
                    transaction=transaction,
                    conversation_handle=row.conversation_handle,
                    message_type=reader.reply_type,
                    body=body_of(server.catalog.databases.get(database), reader.reply_type, self._size),
                )
            )
        if is_end or reader.ends:
            commands.append(
                EndConversation(
                    command_id=ids(),
                    database=database,
                    transaction=transaction,
                    conversation_handle=row.conversation_handle,
                )
            )
        return commands
