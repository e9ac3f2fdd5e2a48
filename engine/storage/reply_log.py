"""`ReplyLog`: what commands were answered, so that one that is delivered again hears the same and is not done again.

The replies of one commit are one row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import apsw
import msgspec

from engine.contracts.codec import binary_encoder, binary_reply_decoder
from engine.core.exchange.changes import PutCommandReply
from engine.core.exchange.replies import Reply
from engine.core.vocabulary.identifiers import CommandId
from engine.storage.commit_log.entries import Entry, EntryKind
from engine.storage.commit_log.unfolded import Statement, Unfolded
from engine.storage.known_replies import Batch, KnownReplies

ID_BYTES: Final = 16

_batch_decoder: Final = msgspec.msgpack.Decoder(list[msgspec.Raw])


class ReplyLog:
    """Makes entries of the log and reads them there and in the file."""

    def __init__(self, connection: apsw.Connection, unfolded: Unfolded) -> None:
        """Reads which commands the file knows; nothing is unfolded."""
        self._connection = connection
        self._unfolded = unfolded
        self._known = KnownReplies()
        self._next_row = 1
        self._gone = 0
        """Row up to which the file has what is not kept any more."""
        query = "SELECT id, command_ids, length(replies), replied_at FROM reply_batches ORDER BY id"
        records: Any = connection.execute(query)
        for row, ids, size, replied_at in records:
            self._know(Batch(row, tuple(_numbers(ids)), size, replied_at))

    def of(self, command_id: CommandId) -> Reply | None:
        """The reply of a command that was seen before."""
        row = self._known.row_of(command_id.int)
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
        batch = Batch(row, tuple(_numbers(ids)), len(body), at)
        self._know(batch)
        for gone in self._known.forget_oldest(at, len(batch.commands)):
            self._gone = gone.row

    def trimming(self) -> Statement:
        """What deletes the oldest from the file, once it is up to date."""
        return "DELETE FROM reply_batches WHERE id <= ?", [(self._gone,)]

    def _know(self, batch: Batch) -> None:
        self._known.know(batch)
        self._next_row = batch.row + 1

    def _read(self, query: str, *parameters: object) -> list[Any]:
        found: list[Any] = self._connection.execute(query, parameters).fetchall()
        return found


def _numbers(ids: bytes) -> Iterator[int]:
    return (int.from_bytes(ids[at : at + ID_BYTES]) for at in range(0, len(ids), ID_BYTES))
