"""Whose turn it is where several answers are equally good (routing.md E8, E9).

Three questions are drawn: which broker id (match step 3), which route (choose), which database (locate). The live
engine takes turns; an explanation takes every answer once; a conversation that has a path already stays on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from engine.core.routing.decision import ClassifierDecision
from engine.core.vocabulary.identifiers import DatabaseName, ServiceName


class Question(StrEnum):
    """What is drawn."""

    BROKER_INSTANCE = "broker-instance"
    ROUTE = "route"
    DATABASE = "database"


class Draws(Protocol):
    """Answers one of the questions."""

    def take(self, table: DatabaseName, service: ServiceName, question: Question, options: Sequence[object]) -> int:
        """The index of the answer among at least two."""
        ...


_Turn = tuple[DatabaseName, ServiceName, Question, tuple[int, ...]]

TURNS_MAX = 100_000
"""Questions whose turn is remembered; those asked longest ago begin anew. TRANSPORT knows no end of services."""


class Rotation:
    """Each in its turn, counted per table, service, question and the answers before it in the same decision.

    In memory only: a restart begins with the first. Were a question counted without the answers before it, those that
    alternate in step would always meet: of two ids with two routes each, an id would have the same route every time.
    """

    def __init__(self) -> None:
        self._turns: dict[_Turn, int] = {}
        self._answers: tuple[int, ...] = ()
        """Of the decision under way."""

    def begin(self) -> None:
        """What is taken from here on is of another decision."""
        self._answers = ()

    def take(self, table: DatabaseName, service: ServiceName, question: Question, options: Sequence[object]) -> int:
        """The index whose turn it is, and on to the next."""
        key = (table, service, question, self._answers)
        turn = self._turns.pop(key, 0)
        self._turns[key] = turn + 1
        if len(self._turns) > TURNS_MAX:
            del self._turns[next(iter(self._turns))]
        answer = turn % len(options)
        self._answers += (answer,)
        return answer


class Onward:
    """A conversation that was classified before: it stays where it was, or goes on to the next (routing.md 3.5, E9)."""

    def __init__(
        self, before: Mapping[tuple[DatabaseName, Question], object], advances: bool, otherwise: Draws
    ) -> None:
        self._before = before
        self._step = 1 if advances else 0
        self._otherwise = otherwise

    def take(self, table: DatabaseName, service: ServiceName, question: Question, options: Sequence[object]) -> int:
        """The answer of before or the one after it; a fresh draw when that answer is no option any more."""
        answer = self._before.get((table, question))
        if answer not in options:
            return self._otherwise.take(table, service, question, options)
        return (options.index(answer) + self._step) % len(options)


class Record:
    """Passes questions on and remembers that there were any."""

    def __init__(self, draws: Draws) -> None:
        self._draws = draws
        self.was_asked = False

    def take(self, table: DatabaseName, service: ServiceName, question: Question, options: Sequence[object]) -> int:
        """The other's answer."""
        self.was_asked = True
        return self._draws.take(table, service, question, options)


class Branch:
    """Follows given answers, then takes the first of each question; remembers how many answers there were."""

    def __init__(self, answers: Sequence[int]) -> None:
        self.answers = list(answers)
        self.counts: list[int] = []

    def take(self, table: DatabaseName, service: ServiceName, question: Question, options: Sequence[object]) -> int:
        """The given answer, or the first."""
        at = len(self.counts)
        self.counts.append(len(options))
        if at == len(self.answers):
            self.answers.append(0)
        return self.answers[at]

    def next_answers(self) -> list[int] | None:
        """The answers of the branch after this one; None after the last."""
        for at in reversed(range(len(self.counts))):
            if self.answers[at] + 1 < self.counts[at]:
                return [*self.answers[:at], self.answers[at] + 1]
        return None

    @property
    def weight(self) -> float:
        """How often this branch is taken, all branches together being 1."""
        weight = 1.0
        for options in self.counts:
            weight /= options
        return weight


def answers_of(decision: ClassifierDecision) -> dict[tuple[DatabaseName, Question], object]:
    """What was drawn for a decision, and for the one before it when its address was this very instance."""
    answers = answers_of(decision.via) if decision.via is not None else {}
    route = decision.route
    return {
        (decision.table, Question.BROKER_INSTANCE): route.broker_instance if route is not None else None,
        (decision.table, Question.ROUTE): route,
        (decision.table, Question.DATABASE): decision.database,
        **answers,
    }
