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

_kinds: dict[str, Work] = {}


def job_kind(name: str) -> Callable[[Work], Work]:
    """Register the work of a kind; apps do so in their `tasks` module, which every worker imports."""

    def register(work: Work) -> Work:
        _kinds[name] = work
        return work

    return register


def work_of(kind: str) -> Work | None:
    """The work of a kind; None when no app of this version does such work."""
    return _kinds.get(kind)
