"""`WaitingRoom`: messages that came before the first of their dialog, for a few seconds (protocol.md 3.8, 8.2 row 7).

In memory only, bounded, and never acknowledged: what is lost from here its sender repeats. Without it one lost message
0 would throw away everything that was sent behind it.
"""

from __future__ import annotations

from collections import OrderedDict

from engine.core.vocabulary.identifiers import ConversationId
from engine.core.vocabulary.limits import WAITING_ROOM_BYTES_MAX, WAITING_ROOM_MESSAGES_MAX, WAITING_ROOM_SECONDS
from engine.core.vocabulary.messages import DialogMessage, Position
from engine.core.vocabulary.moment import Instant


class _Dialog:
    """The messages of one dialog that wait, and when the first of them came."""

    def __init__(self, since: Instant) -> None:
        self.since = since
        self.messages: dict[Position, DialogMessage] = {}


class WaitingRoom:
    """Messages of dialogs that are not known here yet, oldest dialog first."""

    def __init__(self) -> None:
        self._dialogs: OrderedDict[ConversationId, _Dialog] = OrderedDict()
        self._bytes = 0
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def offer(self, message: DialogMessage, now: Instant) -> bool:
        """Keep a message for a while; answers whether there was room. A copy takes the place of the one before."""
        size = message.size
        full = self._count >= WAITING_ROOM_MESSAGES_MAX or self._bytes + size > WAITING_ROOM_BYTES_MAX
        if full or message.sequence is None:
            return False
        dialog = self._dialogs.setdefault(message.conversation_id, _Dialog(now))
        position = (message.sequence, message.fragment.number if message.fragment is not None else 0)
        if position not in dialog.messages:
            self._count += 1
            self._bytes += size
            dialog.messages[position] = message
        return True

    def take(self, conversation_id: ConversationId) -> list[DialogMessage]:
        """Everything of a dialog, in order: it has begun."""
        dialog = self._dialogs.pop(conversation_id, None)
        return [] if dialog is None else self._leave(dialog)

    def expire(self, now: Instant) -> list[DialogMessage]:
        """What waited for too long; its sender has repeated it by then, or will."""
        expired: list[DialogMessage] = []
        while self._dialogs and next(iter(self._dialogs.values())).since + WAITING_ROOM_SECONDS <= now:
            _, dialog = self._dialogs.popitem(last=False)
            expired += self._leave(dialog)
        return expired

    def _leave(self, dialog: _Dialog) -> list[DialogMessage]:
        messages = [dialog.messages[position] for position in sorted(dialog.messages)]
        self._count -= len(messages)
        self._bytes -= sum(message.size for message in messages)
        return messages

    def wake_at(self) -> Instant | None:
        """When to call `expire` next; None when nothing waits."""
        oldest = next(iter(self._dialogs.values()), None)
        return None if oldest is None else Instant(oldest.since + WAITING_ROOM_SECONDS)
