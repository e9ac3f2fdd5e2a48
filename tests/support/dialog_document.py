"""The generated parts of docs/protocol/dialogs.md: the life of an endpoint as a picture and as a table."""

from pathlib import Path

from engine.core.dialog.states import ROWS_ELSEWHERE, TABLE, Transition
from engine.core.vocabulary.rows import ConversationState

DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol" / "dialogs.md"


def generated_parts() -> dict[str, str]:
    """The text of each part by its name."""
    return {"state-diagram": _diagram(), "transitions": _table()}


def _diagram() -> str:
    """Every step that changes the state, as a Mermaid diagram; steps between the same two states share an arrow."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for each in TABLE:
        if each.state is not each.after:
            arrows.setdefault((_node(each.state), _node(each.after)), []).append(each.happening.value)
    names = [f"    {state.value} : {state.value} {state.name}" for state in ConversationState]
    lines = [f"    {start} --> {end} : {', '.join(inputs)}" for (start, end), inputs in arrows.items()]
    return "\n".join(["```mermaid", "stateDiagram-v2", *names, *lines, "```", ""])


def _node(state: ConversationState | None) -> str:
    return "[*]" if state is None else state.value


def _table() -> str:
    rows = [_row(each) for each in sorted(TABLE, key=_first_row)]
    elsewhere = [f"| {row} | | | | {text} |" for row, text in ROWS_ELSEWHERE.items()]
    head = ["| row | in | when | then | what goes with it |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows, *elsewhere, ""])


def _first_row(each: Transition) -> tuple[int, str]:
    first = each.rows.partition(" ")[0]
    return (int(first) if first else 99, each.happening.value)


def _row(each: Transition) -> str:
    before, after = (each.state.value if each.state else "none", each.after.value if each.after else "gone")
    if each.refusal is not None:
        after = f"discarded, {each.refusal}"
    rows = each.rows.replace(" ", ", ") or "-"
    return f"| {rows} | {before} | {each.happening.value} | {after} | {each.effect} |"
