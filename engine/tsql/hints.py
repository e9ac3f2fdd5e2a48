"""What comments of a script say for which T-SQL has no words, each given to the statement it stands beside."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime

import msgspec

from engine.core.vocabulary.moment import UtcTime
from engine.tsql.statements import (
    AlterRoute,
    AnyStatement,
    BrokerOption,
    Clause,
    CreateDatabase,
    CreateRoute,
    Place,
    SetBroker,
    SetPartner,
    Use,
)
from engine.tsql.tokens import Hint


class Hints:
    """The hints of one script, in the order of their lines; each is taken once. More may come while it is read."""

    def __init__(self, hints: Sequence[Hint]) -> None:
        self._hints = hints
        self._taken: set[int] = set()

    @property
    def left(self) -> list[Hint]:
        """Those that nothing took."""
        return [hint for index, hint in enumerate(self._hints) if index not in self._taken]

    def _between(self, first_line: int, last_line: int) -> list[tuple[int, Hint]]:
        start = bisect_left(self._hints, first_line, key=_line_of)
        end = bisect_left(self._hints, last_line + 1, key=_line_of)
        return [(index, self._hints[index]) for index in range(start, end) if index not in self._taken]

    def take_hosts(self, word: str, first_line: int, last_line: int) -> tuple[str, ...] | None:
        """The names that hints of this word give the server of :CONNECT in `first_line`; None without any hint."""
        names: list[str] | None = None
        for index, hint in self._between(first_line, last_line):
            if hint.word == word:
                names = [*(names or ()), *(name.strip() for name in hint.value.split(","))]
                self._taken.add(index)
        return None if names is None else tuple(name for name in names if name)

    def told(self, statement: AnyStatement, first_line: int, last_line: int) -> AnyStatement:
        """The statement with what is said about it: on its lines, or alone on the line before."""
        for index, hint in self._between(first_line - 1, last_line):
            if hint.line < first_line and not hint.is_alone:
                continue
            if (told := _told(statement, hint)) is not None:
                statement = told
                self._taken.add(index)
        return statement


def _line_of(hint: Hint) -> int:
    return hint.line


def _told(statement: AnyStatement, hint: Hint) -> AnyStatement | None:
    """The statement as the hint completes it; None when the hint is not about it."""
    replace = msgspec.structs.replace
    match statement, hint.word:
        case ((CreateDatabase() | Use() | SetBroker(option=BrokerOption.NEW)), "broker_instance"):
            return replace(statement, broker_instance=Clause(hint.value, Place(hint.line, hint.column)))
        case SetPartner(), "role" if hint.value.lower() in ("mirror", "principal"):
            is_copy = hint.value.lower() == "mirror"
            return replace(statement, is_mirror_copy=is_copy, is_principal=not is_copy)
        case ((CreateRoute() | AlterRoute()), "expires_at") if (instant := _instant(hint.value)) is not None:
            return replace(statement, clauses=replace(statement.clauses, expires_at=instant))
        case _:
            return None


def _instant(text: str) -> UtcTime | None:
    """The instant an ISO 8601 text with zone names; None when it names none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if moment.tzinfo is None else UtcTime(moment.timestamp())
