"""Places in which a console input is tried, and what comes of it in one list."""

from __future__ import annotations

from typing import Any

from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.sandbox.sandbox import Sandbox
from engine.sandbox.target import OwnHands, SandboxTarget
from engine.tsql.console.outputs import ConsoleOutput, Failed, Printed, ResultSet
from engine.tsql.console.session import ConsoleSession
from engine.tsql.server_files import MemoryFiles
from tests.engine.sandbox.worlds import spec
from tests.support.certificates import VAULT
from tests.support.console_world import Consoles, Typing
from tests.support.diagnosed_estates import sound_estate
from tests.support.numbered_entropy import NumberedEntropy

MASTER = DatabaseName("master")


class InWorld:
    """WEST and EAST of a simulated world, with keys and a folder for certificates."""

    def __init__(self) -> None:
        self._consoles, self._files = Consoles("WEST", "EAST"), MemoryFiles()

    def open(self, instance: str = "WEST") -> Typing:
        """A session in `master`."""
        found = self._consoles.target(instance)
        found.smith, found.files = VAULT, self._files
        return Typing(ConsoleSession(found, MASTER))


class InSandbox:
    """WEST and EAST of a sandbox."""

    def __init__(self) -> None:
        self._hands, self._entropy = OwnHands(Sandbox(spec(estate=sound_estate()))), NumberedEntropy(10_000)

    def open(self, instance: str = "WEST") -> Typing:
        """A session in `master`."""
        return Typing(ConsoleSession(SandboxTarget(self._hands, InstanceName(instance), self._entropy, VAULT), MASTER))


def error_line(number: int, line: int, message: str) -> str:
    """An error as the tables of inputs write it."""
    return f"Msg {number}, Line {line}: {message}"


def shown(outputs: list[ConsoleOutput]) -> list[Any]:
    """Rows, printed texts and errors, in their order."""
    found: list[Any] = []
    for output in outputs:
        match output:
            case ResultSet():
                found.append(list(output.rows))
            case Printed():
                found.append(output.text)
            case Failed():
                found.append(error_line(output.number, output.line, output.message))
    return found


def check_shown(found: list[Any], expected: list[Any]) -> None:
    """Fail where other things are shown; of an error only the beginning may be expected."""
    cut = [
        one[: len(other)] if str(other).startswith("Msg ") else one for one, other in zip(found, expected, strict=False)
    ]
    assert [*cut, *found[len(cut) :]] == expected, f"\n{found}\nis not\n{expected}"
