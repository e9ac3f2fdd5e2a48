"""State machines as pictures and tables for the documents, made from the tables that are the code path."""

from collections.abc import Mapping
from enum import Enum


def diagram(transitions: Mapping[tuple[Enum, Enum], Enum]) -> str:
    """A Mermaid state diagram; inputs that leave a state as it is are left to the table."""
    arrows: dict[tuple[Enum, Enum], list[str]] = {}
    for (state, happening), after in transitions.items():
        if after is not state:
            arrows.setdefault((state, after), []).append(happening.value)
    states = dict.fromkeys(state for state, _ in transitions)
    return "\n".join(
        [
            "",
            "```mermaid",
            "stateDiagram-v2",
            *(f'    state "{state.value}" as {state.name}' for state in states),
            *(f"    {old.name} --> {new.name}: {', '.join(inputs)}" for (old, new), inputs in arrows.items()),
            "```",
            "",
        ]
    )


def table(transitions: Mapping[tuple[Enum, Enum], Enum]) -> str:
    """Every pair of state and input; a dash where nothing changes."""
    inputs = dict.fromkeys(happening for _, happening in transitions)
    rows = [
        f"| {state.value} | "
        + " | ".join("–" if (after := transitions[state, happening]) is state else after.value for happening in inputs)
        + " |"
        for state in dict.fromkeys(state for state, _ in transitions)
    ]
    head = f"| state | {' | '.join(happening.value for happening in inputs)} |"
    return "\n".join(["", head, "|---" * (len(inputs) + 1) + "|", *rows, ""])
