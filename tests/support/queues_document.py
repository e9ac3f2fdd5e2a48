"""The generated parts of docs/protocol/queues.md: the queue monitor, numbers and bounds."""

from pathlib import Path

from engine.core.queues.monitor import TRANSITIONS, MonitorState
from engine.core.vocabulary import limits
from engine.core.vocabulary.errors import catalogue
from engine.core.vocabulary.settings import EngineSettings
from tests.support.state_diagrams import diagram, table

DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol" / "queues.md"

NUMBERS = (153, 1060, 1204, 1222, 3902, 3903, 3971, 8410, 8426, 8436, 8438, 8439, 8458, 9617, 9618, 9717, 9718)
ABORTS = (8415, 28085, 28086, 28087, 28088)


def generated_parts() -> dict[str, str]:
    """The text of each part by its name."""
    return {
        "monitor-picture": diagram(TRANSITIONS, initial=MonitorState.INACTIVE),
        "monitor-table": table(TRANSITIONS),
        "numbers": _numbers(NUMBERS),
        "aborts": _numbers(ABORTS),
        "bounds": _bounds(),
    }


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
        ("conversation groups one transaction locks", f"{limits.TRANSACTION_GROUPS_MAX:,}"),
        ("MB that one transaction holds back before it takes no other statement", limits.TRANSACTION_BYTES_MAX >> 20),
        ("MB that all open transactions hold back before they take no other", limits.TRANSACTIONS_BYTES_MAX >> 20),
        ("sessions that wait in WAITFOR in an instance", f"{limits.WAITERS_MAX:,}"),
        ("milliseconds of a TIMEOUT", f"{limits.WAITFOR_MILLISECONDS_MAX:,}"),
        ("messages one RECEIVE hands out", f"{limits.RECEIVE_MESSAGES_MAX:,}"),
        ("messages sent past a waiting one of lower priority", limits.STARVATION_ELEVATION_EVERY),
    )
    return "\n".join(["| what | at most |", "|---|---|", *(f"| {what} | {value} |" for what, value in rows), ""])
