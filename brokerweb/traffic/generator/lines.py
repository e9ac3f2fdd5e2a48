"""`InstanceLine`: how a run asks one instance: over a session where there is one, else by tasks."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import TimeoutError as AnswerTimeout
from time import monotonic
from typing import Final, TypeVar
from uuid import UUID, uuid4

from engine import api as engine

ANSWER_SECONDS: Final = 4.0
"""How long an instance may take to answer: less than a lease lasts, so that no run is lost by waiting."""
PAUSE_SECONDS: Final = 2.0
"""How long an instance that did not answer is left alone."""
SESSION_PAUSE_SECONDS: Final = 30.0
"""How long tasks are used where no session could be had: the host may be on another machine."""

R = TypeVar("R")


def new_key() -> engine.CommandId:
    """The key of a command that is given once."""
    return engine.CommandId(uuid4())


class InstanceLine:
    """One instance, for the thread of one run. Raises `EngineUnavailable` whenever it does not answer."""

    def __init__(self, estate: str, instance: str) -> None:
        self._place = (estate, instance)
        self._session: engine.EngineSession | None = None
        self._session_at = self._asked_at = 0.0

    def execute(self, commands: Sequence[engine.Command]) -> Sequence[engine.Reply]:
        """Have commands carried out in their order; a `Refusal` stands for what is refused."""
        if not commands:
            return ()
        if monotonic() < self._asked_at:
            raise engine.EngineUnavailable(f"Instance {self._place[1]} did not answer a moment ago.")
        try:
            session = self._open_session()
            if session is None:
                return engine.execute(*self._place, commands, timeout_seconds=ANSWER_SECONDS)
            return session.submit(commands).result(ANSWER_SECONDS)
        except (engine.EngineUnavailable, AnswerTimeout) as error:
            self.close()
            self._asked_at = monotonic() + PAUSE_SECONDS
            raise engine.EngineUnavailable(str(error) or f"Instance {self._place[1]} did not answer.") from error

    def ends(self, database: str, column: str, value: UUID, *columns: str) -> list[tuple[engine.Cell, ...]]:
        """The ends of conversations in a database whose column holds a value: these columns of each."""
        offset: int | None = 0
        found: list[tuple[engine.Cell, ...]] = []
        while offset is not None:
            query = engine.SystemViewQuery(
                view="sys.conversation_endpoints",
                database=engine.DatabaseName(database),
                columns=columns,
                filters=(engine.ColumnFilter(column=column, value=str(value)),),
                offset=offset,
                rows_max=1000,
            )
            page = engine.read_system_view(*self._place, query, timeout_seconds=ANSWER_SECONDS)
            found += page.rows
            offset = page.next_offset
        return found

    def close(self) -> None:
        """Let go of the session; harmless when there is none."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _open_session(self) -> engine.EngineSession | None:
        if self._session is None and monotonic() >= self._session_at:
            try:
                self._session = engine.open_session(*self._place)
            except engine.EngineUnavailable:
                self._session_at = monotonic() + SESSION_PAUSE_SECONDS
        return self._session


class Lines:
    """The lines of one run, opened when they are needed."""

    def __init__(self, estate: str) -> None:
        self._estate = estate
        self._lines: dict[str, InstanceLine] = {}

    def to(self, instance: str) -> InstanceLine:
        """The line to an instance."""
        if instance not in self._lines:
            self._lines[instance] = InstanceLine(self._estate, instance)
        return self._lines[instance]

    def close(self) -> None:
        """Let go of all of them."""
        for line in self._lines.values():
            line.close()
