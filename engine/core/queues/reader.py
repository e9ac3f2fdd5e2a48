"""`Reader`: what one session may see of a queue."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from engine.core.vocabulary.identifiers import ConversationGroupId, ConversationHandle


class Reader(Protocol):
    """What one session may see of a queue; see `transactions.TransactionReader`."""

    def sees(self, group: ConversationGroupId, handle: ConversationHandle) -> bool:
        """Whether the group is free or the session's own, and the session has not ended the conversation."""
        ...

    def group_of(self, handle: ConversationHandle, group: ConversationGroupId) -> ConversationGroupId:
        """Where the session has moved a conversation to; else its `group`."""
        ...

    def moved_to(self, group: ConversationGroupId) -> Iterable[ConversationHandle]:
        """Conversations that the session has moved into a group."""
        ...


class _EverybodyAtOnce:
    """Nobody has locked, ended or moved anything."""

    def sees(self, group: ConversationGroupId, handle: ConversationHandle) -> bool:
        return True

    def group_of(self, handle: ConversationHandle, group: ConversationGroupId) -> ConversationGroupId:
        return group

    def moved_to(self, group: ConversationGroupId) -> Iterable[ConversationHandle]:
        return ()


UNHINDERED: Reader = _EverybodyAtOnce()
"""The reader of a queue while no transaction is open."""
