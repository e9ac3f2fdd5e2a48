"""`ReplyLog`: what commands were answered, so that one that is delivered again hears the same and is not done again.

The replies of one commit are one row. Which command stands in which row is known in memory: nearly every command is
new, and asking the file about each of them would cost more than carrying it out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import apsw
import msgspec

from engine.contracts.codec import binary_encoder, binary_reply_decoder
from engine.core.exchange.changes import PutCommandReply
from engine.core.exchange.replies import Reply
from engine.core.vocabulary.identifiers import CommandId
from engine.core.vocabulary.limits import (
    COMMAND_REPLIES_BYTES_MAX,
    COMMAND_REPLIES_KEPT,
    COMMAND_REPLIES_SECONDS_MIN,
)
from engine.storage.commit_log.entries import Entry, EntryKind
from engine.storage.commit_log.unfolded import Statement, Unfolded

TRIM_EVERY: Final = 1000
"""Replies beyond what is kept before the oldest are deleted: one after the other would cost more than all at once."""

ID_BYTES: Final = 16

_batch_decoder: Final = msgspec.msgpack.Decoder(list[msgspec.Raw])


class _Batch(NamedTuple):
    """The replies of one commit."""

    row: int
    commands: tuple[int, ...]
    size: int
    """Bytes of the replies."""
    replied_at: float


class ReplyLog:
    """Makes entries of the log and reads them there and in the file."""

    def __init__(self, connection: apsw.Connection, unfolded: Unfolded) -> None:
        """Reads which commands the file knows; nothing is unfolded."""
        self._connection = connection
        self._unfolded = unfolded
        self._rows: dict[int, int] = {}
        """Row by number of the command id."""
        self._batches: deque[_Batch] = deque()
        self._count = self._bytes = 0
        self._next_row = 1
        self._gone = 0
        """Row up to which the file has what is not kept any more."""
        query = "SELECT id, command_ids, length(replies), replied_at FROM reply_batches ORDER BY id"
        records: Any = connection.execute(query)
        for row, ids, size, replied_at in records:
            self._know(_Batch(row, tuple(_numbers(ids)), size, replied_at))

    def of(self, command_id: CommandId) -> Reply | None:
        """The reply of a command that was seen before."""
        row = self._rows.get(command_id.int)
        if row is None:
            return None
        recent = self._unfolded.replies.get(row)
        if recent is not None:
            _, ids, replies, _ = recent
        else:
            [(ids, replies)] = self._read("SELECT command_ids, replies FROM reply_batches WHERE id = ?", row)
        place = list(_numbers(ids)).index(command_id.int)
        reply: Reply = binary_reply_decoder.decode(_batch_decoder.decode(replies)[place])
        return reply

    def entry(self, run: Sequence[PutCommandReply]) -> Entry:
        """The entry that remembers replies; `committed` makes it so."""
        body = binary_encoder.encode([change.reply for change in run])
        ids = b"".join([change.command_id.int.to_bytes(ID_BYTES) for change in run])
        return int(EntryKind.REPLIES), (self._next_row, ids, body, float(run[-1].replied_at))

    def committed(self, entry: Entry) -> None:
        """The entry is durable; the oldest may go."""
        row, ids, body, at = entry[1]
        self._know(_Batch(row, tuple(_numbers(ids)), len(body), at))
        self._trim(at)

    def trimming(self) -> Statement:
        """What deletes the oldest from the file, once it is up to date."""
        return "DELETE FROM reply_batches WHERE id <= ?", [(self._gone,)]

    def _trim(self, now: float) -> None:
        """Forget the oldest beyond their number, or beyond their bytes where nobody wants them any more."""
        if self._count < COMMAND_REPLIES_KEPT + TRIM_EVERY and self._bytes <= COMMAND_REPLIES_BYTES_MAX:
            return
        while self._batches and self._may_go(self._batches[0], now):
            self._gone = self._forget_oldest()

    def _may_go(self, oldest: _Batch, now: float) -> bool:
        if self._count - len(oldest.commands) >= COMMAND_REPLIES_KEPT:
            return True
        return self._bytes > COMMAND_REPLIES_BYTES_MAX and oldest.replied_at <= now - COMMAND_REPLIES_SECONDS_MIN

    def _know(self, batch: _Batch) -> None:
        self._batches.append(batch)
        self._next_row = batch.row + 1
        self._count += len(batch.commands)
        self._bytes += batch.size
        for command in batch.commands:
            self._rows[command] = batch.row

    def _forget_oldest(self) -> int:
        batch = self._batches.popleft()
        self._count -= len(batch.commands)
        self._bytes -= batch.size
        for command in batch.commands:
            if self._rows.get(command) == batch.row:
                del self._rows[command]
        return batch.row

    def _read(self, query: str, *parameters: object) -> list[Any]:
        found: list[Any] = self._connection.execute(query, parameters).fetchall()
        return found


def _numbers(ids: bytes) -> Iterator[int]:
    return (int.from_bytes(ids[at : at + ID_BYTES]) for at in range(0, len(ids), ID_BYTES))
