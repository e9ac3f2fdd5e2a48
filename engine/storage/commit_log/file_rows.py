"""`SqliteRows`: what the file of an instance has, asked where a commit may meet it."""

from __future__ import annotations

from typing import Any, Final

import apsw

_HAS_WAITING: Final = (
    "SELECT EXISTS (SELECT 1 FROM transmission_queue"
    " WHERE conversation_handle = ? AND database_name = ? AND message_sequence_number = ?)"
)
_LAST_WAITING: Final = (
    "SELECT coalesce(max(message_sequence_number), -1) FROM transmission_queue"
    " WHERE conversation_handle = ? AND database_name = ?"
)
_QUEUE_AT: Final = "SELECT queue_name FROM queue_messages WHERE queuing_order = ? AND database_name = ?"
_LAST_PLACE: Final = "SELECT coalesce(max(queuing_order), -1) FROM queue_messages"


class SqliteRows:
    """The `FileRows` of a store. Not responsible for errors: the store puts them into words."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def has_waiting(self, database: str, handle: bytes, number: int) -> bool:
        """Whether a message of a conversation waits for transmission."""
        return bool(self._ask(_HAS_WAITING, handle, database, number))

    def last_waiting(self, database: str, handle: bytes) -> int:
        """Number of the last message of a conversation that waits; -1 when there is none. One look into the index."""
        return int(self._ask(_LAST_WAITING, handle, database))

    def queue_at(self, database: str, queuing_order: int) -> str | None:
        """The queue of the database that has a message at this place; None when none has."""
        found = self._ask(_QUEUE_AT, queuing_order, database)
        return None if found is None else str(found)

    def last_place(self) -> int:
        """The last place at which a queue of any database has a message; -1 when there is none."""
        return int(self._ask(_LAST_PLACE))

    def _ask(self, query: str, *parameters: object) -> Any:
        return self._connection.execute(query, parameters).get
