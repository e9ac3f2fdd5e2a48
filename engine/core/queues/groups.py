"""`ConversationGroups`: the conversations of a queue by their conversation groups (protocol.md 10)."""

from __future__ import annotations

from collections.abc import Collection

from engine.core.queues.places import ConversationPlaces
from engine.core.vocabulary.identifiers import ConversationGroupId


class ConversationGroups:
    """Most groups have one conversation, which takes no dictionary."""

    def __init__(self) -> None:
        # Ids stand here by their numbers: hashing a UUID runs Python code.
        self._groups: dict[int, ConversationPlaces | dict[int, ConversationPlaces]] = {}
        """A conversation that is alone in its group, or several by the numbers of their handles."""

    def of(self, group: ConversationGroupId) -> Collection[ConversationPlaces]:
        """The conversations of a group."""
        found = self._groups.get(group.int)
        if found is None:
            return ()
        return found.values() if isinstance(found, dict) else (found,)

    def join(self, conversation: ConversationPlaces) -> None:
        """A conversation is in its group from now on."""
        group = conversation.group.int
        others = self._groups.setdefault(group, conversation)
        if isinstance(others, dict):
            others[conversation.handle.int] = conversation
        elif others is not conversation:
            self._groups[group] = {each.handle.int: each for each in (others, conversation)}

    def leave(self, conversation: ConversationPlaces) -> None:
        """A conversation is not in its group any more."""
        group = conversation.group.int
        members = self._groups[group]
        if isinstance(members, dict) and len(members) > 1:
            del members[conversation.handle.int]
        else:
            del self._groups[group]
