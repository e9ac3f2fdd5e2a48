"""The generated parts of docs/protocol/queues.md: the queue monitor as a picture and as a table, and the bounds.

`python -m tests.support.queues_document` writes them anew; a test compares.
"""

import re
from pathlib import Path

from engine.core.queues.monitor import TRANSITIONS, MonitorInput, MonitorState
from engine.core.vocabulary import limits
from engine.core.vocabulary.errors import catalogue
from engine.core.vocabulary.settings import EngineSettings

DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol" / "queues.md"

NUMBERS = (153, 1060, 1204, 1222, 3902, 3903, 3971, 8410, 8426, 8436, 8438, 8439, 8458, 9617, 9618, 9717, 9718)
ABORTS = (8415, 28085, 28086, 28087, 28088)

_PART = re.compile(r"(<!-- generated: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def regenerated(document: str) -> str:
    """The document with its generated parts as they ought to be."""
    parts = generated_parts()
    return _PART.sub(lambda found: f"{found[1]}{parts[found[2]]}{found[3]}", document)


def generated_parts() -> dict[str, str]:
    """The text of each part by its name."""
    return {
        "monitor-picture": _picture(),
        "monitor-table": _table(),
        "numbers": _numbers(NUMBERS),
        "aborts": _numbers(ABORTS),
        "bounds": _bounds(),
    }


def _picture() -> str:
    arrows = [f"    {state} --> {after}: {happened}" for (state, happened), after in TRANSITIONS.items()]
    first = f"    [*] --> {MonitorState.INACTIVE}"
    return "\n".join(["```mermaid", "stateDiagram-v2", first, *arrows, "```", ""])


def _table() -> str:
    head = "| state | " + " | ".join(MonitorInput) + " |"
    rows = [
        f"| {state} | " + " | ".join(TRANSITIONS.get((state, each), "cannot happen") for each in MonitorInput) + " |"
        for state in MonitorState
    ]
    return "\n".join([head, "|---" * (len(MonitorInput) + 1) + "|", *rows, ""])


def _numbers(numbers: tuple[int, ...]) -> str:
    rows = [f"| {number} | {catalogue()[number].text} | {catalogue()[number].cure} |" for number in numbers]
    return "\n".join(["| number | what | cure |", "|---|---|---|", *rows, ""])


def _bounds() -> str:
    settings = EngineSettings()
    rows = (
        ("rollbacks in a row that switch a queue off", limits.POISON_ROLLBACKS_MAX),
        ("seconds between two readers of a queue", f"{settings.activation_check_seconds:g}"),
        ("seconds after which a silent session is rolled back", f"{settings.transaction_idle_seconds:g}"),
        ("transactions open at once in an instance", f"{limits.TRANSACTIONS_MAX:,}"),
        ("statements in one transaction", f"{limits.TRANSACTION_STATEMENTS_MAX:,}"),
        ("messages one RECEIVE hands out", f"{limits.RECEIVE_MESSAGES_MAX:,}"),
        ("messages sent past a waiting one of lower priority", limits.STARVATION_ELEVATION_EVERY),
    )
    return "\n".join(["| what | at most |", "|---|---|", *(f"| {what} | {value} |" for what, value in rows), ""])


def main() -> None:
    """Write the document anew."""
    DOCUMENT.write_text(regenerated(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
