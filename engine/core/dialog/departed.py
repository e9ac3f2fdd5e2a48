"""`DepartedSessions`: the keys of secured conversations that are gone; their late messages can be read and answered.

Whoever repeats a message to somebody who is gone must hear so, or it repeats for the lifetime of its conversation
(protocol.md 8.2, row 30; 9.3). So the keys outlive the conversation, and the process; of the last ones, for there is
no moment after which nothing can come any more.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.dialog.session import DialogSession
from engine.core.vocabulary.identifiers import ConversationId, DatabaseName
from engine.core.vocabulary.limits import DEPARTED_SESSIONS_MAX
from engine.core.vocabulary.rows import DepartedSession

_Side = tuple[DatabaseName, int, bool]


@dataclass(slots=True)
class Departed:
    """One side of a conversation that is gone."""

    row: DepartedSession
    session: DialogSession | None = None
    """Its keys in use, once they were needed."""


class DepartedSessions:
    """The last `limits.DEPARTED_SESSIONS_MAX` of an instance, oldest first."""

    def __init__(self) -> None:
        self._kept: dict[_Side, Departed] = {}

    def keep(self, database: DatabaseName, departed: Departed) -> None:
        """One side of a conversation is gone, or is loaded as such."""
        row = departed.row
        self._kept[database, row.conversation_id.int, row.is_initiator] = departed

    def drop_oldest(self) -> tuple[DatabaseName, DepartedSession] | None:
        """Forget the oldest if there are too many; answers it with its database."""
        if len(self._kept) <= DEPARTED_SESSIONS_MAX:
            return None
        side = next(iter(self._kept))
        return side[0], self._kept.pop(side).row

    def find(self, database: DatabaseName, conversation_id: ConversationId, *, is_initiator: bool) -> Departed | None:
        """A side that is gone, while it is remembered."""
        return self._kept.get((database, conversation_id.int, is_initiator)) if self._kept else None

    def of(self, database: DatabaseName) -> list[DepartedSession]:
        """The rows of a database, oldest first."""
        return [departed.row for side, departed in self._kept.items() if side[0] == database]

    def forget(self, database: DatabaseName) -> None:
        """A database is gone with all its rows."""
        for side in [side for side in self._kept if side[0] == database]:
            del self._kept[side]
