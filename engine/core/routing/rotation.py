"""Whose turn it is when several routes or broker ids are equally good (routing.md E8, E9: round-robin)."""

from __future__ import annotations

from engine.core.vocabulary.identifiers import DatabaseName, ServiceName


class Rotation:
    """Turns, counted per table, service and question. In memory only: a restart begins with the first again."""

    def __init__(self) -> None:
        self._turns: dict[tuple[DatabaseName, ServiceName, str], int] = {}

    def take(self, table: DatabaseName, service: ServiceName, question: str, count: int) -> int:
        """The index whose turn it is among `count`, and on to the next."""
        if count == 1:
            return 0
        key = (table, service, question)
        turn = self._turns.get(key, 0)
        self._turns[key] = turn + 1
        return turn % count
