"""`OpenReplies`: what statements of transactions were answered.

A transaction does not outlive its process, so neither do these replies: a statement that is delivered again after a
restart is refused for want of its transaction. The messages that a RECEIVE of a transaction has handed out are
therefore never written a second time.
"""

from __future__ import annotations

from collections import deque

from engine.core.exchange.commands import StatementBase
from engine.core.exchange.replies import MessagesReceived, Reply
from engine.core.vocabulary.identifiers import CommandId
from engine.core.vocabulary.limits import COMMAND_REPLIES_KEPT, OPEN_REPLIES_BYTES_MAX


class OpenReplies:
    """Replies by command, in memory; the oldest go when there are many, or when they are large."""

    def __init__(self) -> None:
        self._replies: dict[int, Reply] = {}
        self._ages: deque[tuple[int, int]] = deque()
        """Commands with the bytes of their replies, the oldest first."""
        self._bytes = 0
        self._waiting: set[int] = set()
        """Statements that wait (WAITFOR)."""

    def of(self, statement: StatementBase) -> Reply | None:
        """The reply of a statement that was seen before."""
        return self._replies.get(statement.command_id.int)

    def keep(self, statement: StatementBase, reply: Reply | None) -> None:
        """Remember a reply; None stands for one that comes later."""
        if reply is None:
            self._waiting.add(statement.command_id.int)
        else:
            self._remember(statement.command_id.int, reply)

    def keep_late(self, command_id: CommandId, reply: Reply) -> bool:
        """Remember the reply of a statement that has waited; False when it is in no transaction."""
        if command_id.int not in self._waiting:
            return False
        self._waiting.remove(command_id.int)
        self._remember(command_id.int, reply)
        return True

    def _remember(self, command: int, reply: Reply) -> None:
        size = _size(reply)
        self._replies[command] = reply
        self._ages.append((command, size))
        self._bytes += size
        while len(self._ages) > COMMAND_REPLIES_KEPT or (self._bytes > OPEN_REPLIES_BYTES_MAX and len(self._ages) > 1):
            oldest, freed = self._ages.popleft()
            self._replies.pop(oldest, None)
            self._bytes -= freed


def _size(reply: Reply) -> int:
    if not isinstance(reply, MessagesReceived):
        return 0
    return sum(len(row.message_body or b"") for row in reply.messages)
