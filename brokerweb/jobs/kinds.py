"""Which work there is: each app tells its own, and no job knows what another does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from brokerweb.accounts.models import User


class JobCancelled(Exception):
    """Somebody has cancelled the job; the work lets it pass, and nothing of it is done."""


class JobRun(Protocol):
    """What the work sees of its job."""

    @property
    def owner(self) -> User | None:
        """Who asked for it."""
        ...

    def progress(self, stage: str, done: int, total: int) -> None:
        """Tell how far it is; raises `JobCancelled`. Outside of transactions: others must be able to see it."""
        ...


Work = Callable[[JobRun, bytes], bytes]
"""From arguments to result, both JSON."""
Wording = Callable[[str], str]
"""From a result as it is stored to the one that is shown, in the asker's language."""

_kinds: dict[str, Work] = {}
_wordings: dict[str, Wording] = {}


def job_kind(name: str, *, wording: Wording | None = None) -> Callable[[Work], Work]:
    """Register the work of a kind; apps do so in their `tasks` module, which every worker imports.

    With `wording` the result is stored in English and worded whenever somebody reads it.
    """

    def register(work: Work) -> Work:
        _kinds[name] = work
        if wording is not None:
            _wordings[name] = wording
        return work

    return register


def worded_result(kind: str, result: str) -> str:
    """What a job of a kind came to, in the asker's language."""
    wording = _wordings.get(kind)
    return result if wording is None else wording(result)


def work_of(kind: str) -> Work | None:
    """The work of a kind; None when no app of this version does such work."""
    return _kinds.get(kind)
