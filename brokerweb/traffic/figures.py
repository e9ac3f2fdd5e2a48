"""What a run of test traffic has done so far; kept in its row, as JSON."""

from __future__ import annotations

from typing import Any

import msgspec

ENGINE_UNAVAILABLE = "engine-unavailable"


class ErrorFigure(msgspec.Struct, kw_only=True):
    """One number that the engine has refused something with, or that an Error message has told."""

    count: int = 0
    text: str = ""
    """The last time, in English."""
    parameters: dict[str, Any] | None = None
    """What the text was filled with; None where nobody can word it again."""


class PairFigures(msgspec.Struct, kw_only=True):
    """Sums of one pair since its run was started; a worker that takes over goes on with them."""

    sent: int = 0
    received: int = 0
    """Taken from the target's queue by the generator; stays 0 where the queue has a reader of its own."""
    replied: int = 0
    """Answers that the generator has sent for the target."""
    answered: int = 0
    """Answers that have come back to the sender, whoever sent them."""
    failed: int = 0
    dialogs: int = 0
    """Dialogs that were begun."""
    waiting: int = 0
    """Messages of open dialogs that were sent and not received yet."""
    is_held: bool = False
    """Whether no more is sent until some of them have arrived."""
    errors: dict[str, ErrorFigure] = msgspec.field(default_factory=dict)
    """By number, or `engine-unavailable`."""

    def fail(self, code: str, count: int = 1, *, text: str = "", parameters: dict[str, Any] | None = None) -> None:
        """So many things did not work."""
        self.failed += count
        figure = self.errors.setdefault(code, ErrorFigure())
        figure.count += count
        figure.text, figure.parameters = text, parameters


class RunFigures(msgspec.Struct, kw_only=True):
    """The figures of all pairs, in the order of the plan."""

    pairs: list[PairFigures]
    rate: float = 0.0
    """Messages a second that were sent in the last few seconds, all pairs together."""
    left_open: int = 0
    """Ends of conversations that could not be closed when the run ended."""


def figures_from(stored: Any, pairs: int) -> RunFigures:
    """The stored figures, or none at all for as many pairs."""
    if stored is None:
        return RunFigures(pairs=[PairFigures() for _ in range(pairs)])
    return msgspec.convert(stored, RunFigures)
