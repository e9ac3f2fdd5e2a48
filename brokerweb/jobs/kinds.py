"""Which work there is: each app tells its own, and no job knows what another does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right
from brokerweb.common.web_queue import WEB_QUEUE


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
_queues: dict[str, str] = {}
_rights: dict[str, Right] = {}


def job_kind(
    name: str, *, needs: Right = Right.VIEW, wording: Wording | None = None, queue: str = WEB_QUEUE
) -> Callable[[Work], Work]:
    """Register the work of a kind; apps do so in their `tasks` module, which every worker imports.

    Who asked for it must have the right that it `needs` when it begins: jobs wait, and rights are taken away meanwhile.

    With `wording` the result is stored in English and worded whenever somebody reads it. A worker does one job of a
    kind at a time; kinds with a `queue` of their own are done by the workers that take that queue, and share a turn.
    """

    def register(work: Work) -> Work:
        _kinds[name] = work
        _queues[name] = queue
        _rights[name] = needs
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


def right_for(kind: str) -> Right:
    """What the owner of a job of a kind must be allowed."""
    return _rights.get(kind, Right.VIEW)


def queue_of(kind: str) -> str:
    """The Celery queue on which work of a kind is announced."""
    return _queues.get(kind, WEB_QUEUE)


def turn_of(kind: str) -> str:
    """The name of the turn that a job of a kind holds while it runs: its own queue, else the kind itself."""
    queue = queue_of(kind)
    return kind if queue == WEB_QUEUE else queue


def kinds_of(turn: str) -> list[str]:
    """The kinds that share a turn."""
    return [kind for kind in _kinds if turn_of(kind) == turn]


def removable_kinds() -> list[str]:
    """The kinds whose jobs may be removed when they are over: no row of another app refers to them."""
    return [kind for kind, queue in _queues.items() if queue == WEB_QUEUE]
