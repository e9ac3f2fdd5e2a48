"""`ConversationIndex`: by what else than their handles the endpoints of one database are found that are in memory.

Nearly every conversation is the only one of its group, so a group of one holds its endpoint without a container.
"""

from __future__ import annotations

from collections.abc import Collection

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.vocabulary.identifiers import ConversationGroupId, ConversationId


class ConversationIndex:
    """The endpoints of one database by conversation and side, and by conversation group."""

    __slots__ = ("_groups", "_sides")

    def __init__(self) -> None:
        # Ids stand here by their numbers: hashing a UUID runs Python code.
        self._sides: tuple[dict[int, DialogEndpoint], dict[int, DialogEndpoint]] = ({}, {})
        """Targets, then initiators."""
        self._groups: dict[int, DialogEndpoint | dict[int, DialogEndpoint]] = {}
        """An endpoint that is alone in its group, or several by the numbers of their handles."""

    def side(self, conversation_id: ConversationId, is_initiator: bool) -> DialogEndpoint | None:
        """One side of a conversation."""
        return self._sides[is_initiator].get(conversation_id.int)

    def of_group(self, group: ConversationGroupId) -> Collection[DialogEndpoint]:
        """The endpoints of a conversation group."""
        found = self._groups.get(group.int)
        if found is None:
            return ()
        return found.values() if isinstance(found, dict) else (found,)

    def enter(self, endpoint: DialogEndpoint) -> None:
        """Take in an endpoint."""
        row = endpoint.row
        self._sides[row.is_initiator][row.conversation_id.int] = endpoint
        self.join_group(endpoint)

    def leave(self, endpoint: DialogEndpoint) -> None:
        """Forget an endpoint that is here."""
        row = endpoint.row
        del self._sides[row.is_initiator][row.conversation_id.int]
        self.leave_group(endpoint)

    def join_group(self, endpoint: DialogEndpoint) -> None:
        """The endpoint is in the group that its row names."""
        group = endpoint.row.conversation_group_id.int
        others = self._groups.get(group)
        if others is None:
            self._groups[group] = endpoint
        elif isinstance(others, dict):
            others[_number(endpoint)] = endpoint
        else:
            self._groups[group] = {_number(others): others, _number(endpoint): endpoint}

    def leave_group(self, endpoint: DialogEndpoint) -> None:
        """The endpoint is not in the group any more that its row names."""
        group = endpoint.row.conversation_group_id.int
        members = self._groups[group]
        if not isinstance(members, dict):
            del self._groups[group]
            return
        del members[_number(endpoint)]
        if len(members) == 1:
            self._groups[group] = next(iter(members.values()))


def _number(endpoint: DialogEndpoint) -> int:
    return endpoint.row.conversation_handle.int
