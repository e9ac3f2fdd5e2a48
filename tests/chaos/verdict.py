"""What came of it: every message that was confirmed has been received once, in the order of its dialog."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from tests.chaos.workload import Message


def findings(sent: Sequence[Message], received: Sequence[Message]) -> list[str]:
    """What is wrong, a sentence each; nothing when all is well."""
    found: list[str] = []
    lost = set(sent) - set(received)
    if lost:
        found.append(f"{len(lost)} messages are lost, first {min(lost)}")
    foreign = set(received) - set(sent)
    if foreign:
        found.append(f"{len(foreign)} messages were received that nobody was told had been sent, first {min(foreign)}")
    doubled = [message for message, count in Counter(received).items() if count > 1]
    if doubled:
        found.append(f"{len(doubled)} messages were received more than once, first {min(doubled)}")
    by_dialog: dict[int, list[int]] = defaultdict(list)
    for dialog, number in received:
        by_dialog[dialog].append(number)
    found += [f"dialog {dialog} is out of order" for dialog, numbers in by_dialog.items() if numbers != sorted(numbers)]
    return found
