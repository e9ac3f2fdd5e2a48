"""How a program is left before its end."""

from __future__ import annotations


class BatchEnded(Exception):
    """The rest of the batch does not run; what there is to say has been said."""


class ScriptEnded(Exception):
    """The rest of the script does not run; what there is to say has been said."""


class Left(Exception):
    """BREAK, CONTINUE or RETURN on its way."""

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word
