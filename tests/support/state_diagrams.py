"""Pictures and tables of state machines, drawn from the transition tables that the code runs on."""

import re
from collections import defaultdict
from collections.abc import Mapping
from enum import StrEnum


def diagram(transitions: Mapping[tuple[StrEnum, StrEnum], StrEnum], *, initial: StrEnum) -> str:
    """A Mermaid state diagram: one arrow for each pair of states, with every input that leads along it."""
    arrows: dict[tuple[StrEnum, StrEnum], list[StrEnum]] = defaultdict(list)
    for (state, what), following in transitions.items():
        arrows[state, following].append(what)
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {_id(initial)}"]
    lines += [f"    {_id(a)} --> {_id(b)}: {', '.join(inputs)}" for (a, b), inputs in arrows.items()]
    return "\n".join([*lines, "```", ""])


def table(transitions: Mapping[tuple[StrEnum, StrEnum], StrEnum]) -> str:
    """A row for each state, a column for each input; an empty cell is a breach of the protocol."""
    states = list(dict.fromkeys([state for state, _ in transitions] + list(transitions.values())))
    inputs = list(dict.fromkeys(what for _, what in transitions))
    rows = [f"| state | {' | '.join(inputs)} |", "|---" * (len(inputs) + 1) + "|"]
    for state in states:
        cells = [transitions.get((state, what), "") for what in inputs]
        rows.append(f"| {state} | {' | '.join(cells)} |")
    return "\n".join([*rows, ""])


def _id(state: StrEnum) -> str:
    """Mermaid's names take no hyphen, no space and no bracket."""
    return re.sub(r"[-\s(]", "_", state.value).replace(")", "")
