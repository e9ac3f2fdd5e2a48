"""`Ground`: what a session stands on, for one person: an instance of an estate, or one of a sandbox of theirs.

A ground says what its person may, what the session works on, and takes down what its scripts have done.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Protocol

from brokerweb.accounts.models import User
from engine import api as engine

Outputs = Generator[engine.console.ConsoleOutput]


class Ground(Protocol):
    """For the thread of one session; what is said to be for other threads is so."""

    instance: str
    database: str
    target: engine.console.ConsoleTarget

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody wants more of the script. For any thread."""
        ...

    def withholds_bodies(self, user: User) -> bool:
        """Whether bodies of messages read as NULL."""
        ...

    def may_define(self, user: User) -> bool:
        """Whether DDL is carried out."""
        ...

    def begin(self, user: User) -> None:
        """Something begins, in the name of a person whose rights are as they are now. For any thread."""
        ...

    def cancel(self) -> None:
        """What runs is to end. From another thread, and to be repeated until it has: a wait may just be beginning."""
        ...

    def run(self, session: engine.console.ConsoleSession, script: str) -> Outputs:
        """What a script answers; when it is over, however it ends, what it has done is noted."""
        ...

    def close(self, session: engine.console.ConsoleSession) -> None:
        """What is open is rolled back. No script runs any more."""
        ...

    def over(self) -> str | None:
        """Why there can be no session on it any more, for its person; None as long as there can. For any thread."""
        ...
