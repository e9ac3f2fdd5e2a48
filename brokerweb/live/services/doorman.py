"""`Doorman`: who the browsers of a process are *now*, asked for all who want to know at the same moment together."""

from __future__ import annotations

import asyncio
from typing import Final

from channels.db import database_sync_to_async

from brokerweb.accounts.models import User
from brokerweb.accounts.selectors import session_users
from brokerweb.common.errors import WebProblem
from brokerweb.topology.private_estates import admitted, is_private
from engine import api as engine

GATHER_SECONDS: Final = 0.02
"""How long somebody waits for others, so that the database is asked once for all of them."""


class Doorman:
    """Belongs to one event loop."""

    def __init__(self) -> None:
        self._asked: dict[str, asyncio.Future[User | None]] = {}
        self._asking: set[asyncio.Task[None]] = set()

    async def user(self, session_key: str | None) -> User | None:
        """Whom a session belongs to; None for nobody, as where it has ended meanwhile."""
        if session_key is None:
            return None
        if not self._asked:
            task = asyncio.create_task(self._ask())
            self._asking.add(task)
            task.add_done_callback(self._asking.discard)
        answer = self._asked.get(session_key)
        if answer is None:
            answer = self._asked[session_key] = asyncio.get_running_loop().create_future()
        # Who is cancelled takes the answer from nobody else.
        return await asyncio.shield(answer)

    async def keeps_out(self, estate: str, user: User) -> WebProblem | None:
        """Why somebody may not look at an estate; None when they may. Estates of people are for all who may look."""
        if not is_private(estate):
            return None
        try:
            # It may have to be found out what an examination was worth when its time was over.
            await database_sync_to_async(admitted, thread_sensitive=False)(estate, user)
        except WebProblem as problem:
            return problem
        except engine.EngineUnavailable:
            # It is theirs, and it is being found out what it was worth: the next look knows.
            return None
        return None

    async def _ask(self) -> None:
        await asyncio.sleep(GATHER_SECONDS)
        asked, self._asked = self._asked, {}
        try:
            users = await database_sync_to_async(session_users)(set(asked))
        except BaseException as error:
            for answer in asked.values():
                answer.set_exception(error)
                # Also where nobody waits any more.
                answer.exception()
            if not isinstance(error, Exception):
                raise
            return
        for key, answer in asked.items():
            answer.set_result(users.get(key))
