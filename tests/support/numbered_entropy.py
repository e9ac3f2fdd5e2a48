"""Entropy without chance: identifiers count up, the first choice is taken, nothing jitters."""

from uuid import UUID

from engine.core.vocabulary.moment import Duration


class NumberedEntropy:
    """Identifiers 00000000-…-01, …-02 and so on, so that a test can name them."""

    def __init__(self, first: int = 1) -> None:
        self._next = first

    def new_uuid(self) -> UUID:
        self._next += 1
        return UUID(int=self._next - 1)

    def choose_index(self, count: int) -> int:
        assert count >= 1
        return 0

    def jitter(self, base: Duration) -> Duration:
        return Duration(0 * base)
