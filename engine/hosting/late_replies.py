"""`LateReplies`: the callers of an instance that wait in WAITFOR, until they are answered or give up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeGuard

from engine.core.exchange.commands import WAIT_FOR_EVER, Command, GetConversationGroup, Receive, WaitingStatement
from engine.core.exchange.inputs import WaitCancelled
from engine.core.exchange.replies import LateReply, Reply
from engine.core.vocabulary.identifiers import CommandId
from engine.hosting.errors import EngineUnavailable

Expected = asyncio.Future[Reply]


def may_wait(command: Command) -> TypeGuard[WaitingStatement]:
    """Whether the reply to a command may come later."""
    return isinstance(command, (Receive, GetConversationGroup)) and bool(command.waitfor_milliseconds)


ANSWER_SECONDS_MAX: Final = 60.0
"""How long a thread waits for the loop; far beyond what an instance takes, so that a stuck loop is noticed."""


def answer_seconds_max(commands: Sequence[Command]) -> float | None:
    """How long a thread waits for the replies to commands; None for as long as it takes."""
    return waiting_seconds(commands, ANSWER_SECONDS_MAX)


def waiting_seconds(commands: Sequence[Command], answer_seconds: float) -> float | None:
    """What WAITFORs may wait, and the time for their answers on top; None for as long as it takes."""
    patience = [command.waitfor_milliseconds or 0 for command in commands if may_wait(command)]
    return None if WAIT_FOR_EVER in patience else answer_seconds + max(patience, default=0) / 1000


class LateReplies:
    """The `ReplySink` of a driver. Lives on the loop of its instance."""

    def __init__(self, give_up: Callable[[Sequence[WaitCancelled]], None]) -> None:
        """`give_up` is told of commands whose callers have gone."""
        self._expected: dict[CommandId, list[Expected]] = {}
        self._give_up = give_up

    async def complete(self, commands: Sequence[Command], replies: Awaitable[list[Reply | None]]) -> list[Reply]:
        """The replies to commands, once those that come later have come. Cancelled, it gives the commands up."""
        late = self._expect(commands)
        is_answered = False
        try:
            answers = [
                await late[command.command_id] if reply is None else reply
                for command, reply in zip(commands, await replies, strict=True)
            ]
            is_answered = True
            return answers
        finally:
            given_up = self._forget(late)
            if given_up and not is_answered:
                self._give_up(given_up)

    def _expect(self, commands: Sequence[Command]) -> dict[CommandId, Expected]:
        """What may come later. A command may be given, and waited for, twice."""
        futures: dict[CommandId, Expected] = {}
        for command in commands:
            if may_wait(command) and command.command_id not in futures:
                futures[command.command_id] = asyncio.get_running_loop().create_future()
                self._expected.setdefault(command.command_id, []).append(futures[command.command_id])
        return futures

    def _forget(self, futures: dict[CommandId, Expected]) -> list[WaitCancelled]:
        """Somebody waits no more; answers the commands for which nobody is left, and whose reply has not come."""
        given_up: list[WaitCancelled] = []
        for command_id, future in futures.items():
            others = self._expected[command_id]
            others.remove(future)
            if not others:
                del self._expected[command_id]
                if not future.done() or future.cancelled():
                    given_up.append(WaitCancelled(command_id))
            if not future.cancel() and not future.cancelled():
                # Whatever it says, its caller has heard it by another way.
                future.exception()
        return given_up

    def reply_late(self, late: LateReply) -> None:
        """The driver has a reply, which is durable."""
        for future in self._expected.get(late.command_id, ()):
            if not future.done():
                future.set_result(late.reply)

    def fail(self, reason: str) -> None:
        """The instance answers nobody any more."""
        for futures in self._expected.values():
            for future in futures:
                if not future.done():
                    future.set_exception(EngineUnavailable(reason))
