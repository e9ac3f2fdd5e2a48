"""How a process asks its engine for pictures: one question at a time to each instance, for everybody who waits.

A question costs the way through the broker, whatever is asked; so whoever comes first waits a moment for the others who
are due at the same beat, and whoever comes while a question is under way is asked for together with all the others who
came meanwhile. The busier the engine, the more go together.
"""

from __future__ import annotations

import threading
import time
from typing import Final

from brokerweb.live.services.silence import Silence
from engine import api as engine

READ_SECONDS: Final = 3.0
"""How long the engine may take before an instance counts as silent."""
GATHER_SECONDS: Final = 0.004
"""How long the first waits for others: less than the way of a question of their own."""
TOGETHER_MAX: Final = 50
"""How many pictures one question asks for: the answer is to stay small."""


class Asking:
    """What a process knows of the engine's instances while it asks them. Used by many threads."""

    def __init__(self) -> None:
        self.silence = Silence()
        self._lock = threading.Lock()
        self._desks: dict[tuple[str, str], _Desk] = {}

    def picture(self, estate: str, instance: str, query: engine.pictures.PictureQuery) -> engine.pictures.Picture:
        """A picture of an instance; `EngineUnavailable`, `BrokerError`."""
        with self._lock:
            desk = self._desks.setdefault((estate, instance), _Desk(estate, instance))
        return desk.picture(query)


class _Waiting:
    """Somebody who waits for a picture."""

    def __init__(self, query: engine.pictures.PictureQuery) -> None:
        self.query = query
        self.turn = threading.Event()
        """Answered, or the next to ask for all who wait."""
        self.answer: engine.pictures.Picture | Exception | None = None


class _Desk:
    """Where the pictures of one instance are asked for."""

    def __init__(self, estate: str, instance: str) -> None:
        self._estate = estate
        self._instance = instance
        self._lock = threading.Lock()
        self._waiting: list[_Waiting] = []
        self._is_asking = False

    def picture(self, query: engine.pictures.PictureQuery) -> engine.pictures.Picture:
        """Wait until it is one's turn, or somebody else has asked."""
        mine = _Waiting(query)
        with self._lock:
            self._waiting.append(mine)
            is_first = not self._is_asking
            self._is_asking = True
        if is_first:
            time.sleep(GATHER_SECONDS)
        else:
            mine.turn.wait()
        if mine.answer is None:
            self._ask_for_all()
        if isinstance(mine.answer, Exception):
            raise mine.answer
        assert mine.answer is not None
        return mine.answer

    def _ask_for_all(self) -> None:
        with self._lock:
            together, self._waiting = self._waiting[:TOGETHER_MAX], self._waiting[TOGETHER_MAX:]
        try:
            queries = [each.query for each in together]
            answers = engine.read_pictures(self._estate, self._instance, queries, timeout_seconds=READ_SECONDS)
            for each, answer in zip(together, answers, strict=True):
                each.answer = answer
        except Exception as error:
            # An exception of its own for each: it is raised in as many threads.
            unavailable = isinstance(error, engine.EngineUnavailable)
            for each in together:
                each.answer = engine.EngineUnavailable(str(error)) if unavailable else RuntimeError(repr(error))
        with self._lock:
            following = self._waiting[0] if self._waiting else None
            self._is_asking = following is not None
        for each in together:
            each.turn.set()
        if following is not None:
            following.turn.set()
