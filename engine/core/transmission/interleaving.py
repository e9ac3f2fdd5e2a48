"""Fairness between dialogs: fragments of large messages let what others send pass (protocol.md 3.3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from engine.core.vocabulary.messages import Outbound


def interleaved(sends: Sequence[Outbound]) -> tuple[Outbound, ...]:
    """What one input sends, one piece of each dialog in turn when any of it is a fragment; else as it is.

    The order within one direction of a dialog, and of what has no fragments at all, is kept.
    """
    if len(sends) < 2 or not [each for each in sends if each.message.message.fragment is not None]:
        return tuple(sends)
    dialogs: dict[tuple[object, bool], deque[Outbound]] = {}
    for each in sends:
        message = each.message.message
        dialogs.setdefault((message.conversation_id, message.from_initiator), deque()).append(each)
    turns = deque(dialogs.values())
    ordered: list[Outbound] = []
    while turns:
        dialog = turns.popleft()
        ordered.append(dialog.popleft())
        if dialog:
            turns.append(dialog)
    return tuple(ordered)
