"""`Guide`: what routing draws in one instance goes the way that somebody wants to see (routing.md E8, E9)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.routing.draws import Question
from engine.core.vocabulary.identifiers import DatabaseName, ServiceName

Asked = tuple[DatabaseName, ServiceName, Question]


class Guide:
    """Answers of one instance, wished for in advance. A question that nobody has a wish for gets the first option."""

    def __init__(self) -> None:
        self._wishes: dict[Asked, list[object]] = {}
        self._turns: dict[Asked, int] = {}

    def wish(self, asked: Asked, answer: object) -> None:
        """The next time that this is asked it shall be this one; after the last wish it begins again."""
        self._wishes.setdefault(asked, []).append(answer)

    def forget(self) -> None:
        """No wishes any more."""
        self._wishes.clear()
        self._turns.clear()

    def take(self, table: DatabaseName, service: ServiceName, question: Question, options: Sequence[object]) -> int:
        """The index of what is wished for, or of the first option."""
        asked = (table, service, question)
        wishes = self._wishes.get(asked, ())
        if not wishes:
            return 0
        turn = self._turns.get(asked, 0)
        self._turns[asked] = turn + 1
        wish = wishes[turn % len(wishes)]
        return options.index(wish) if wish in options else 0
