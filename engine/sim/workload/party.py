"""`Party`: one side of a conversation as its application knows it; does one thing after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from engine.core.exchange.commands import Command, EndConversation, Send
from engine.core.exchange.replies import MessageSent, Refusal, Reply
from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName, TransactionId
from engine.sim.asking import Clerk
from engine.sim.site import Site
from engine.sim.workload.bodies import Letter, write

APPLICATION_ERROR: Final = 4711
"""Code of every END CONVERSATION WITH ERROR."""


class Party:
    """Sends, and ends once; a refusal tells it that the conversation takes nothing more."""

    def __init__(self, clerk: Clerk, site: Site, database: DatabaseName, handle: ConversationHandle) -> None:
        self.sent = 0
        self.heard = 0
        self.has_ended = False
        self.is_mute = False
        """Whether a SEND was refused: the conversation takes nothing more."""
        self.when_heard: Callable[[], None] | None = None
        self._clerk = clerk
        self._site = site
        self._database = database
        self._handle = handle
        self._tasks: deque[Callable[[], Command | None]] = deque()
        self._is_busy = False

    def say(self, orders: tuple[str, ...], size: int) -> None:
        """SEND, after everything that was asked for before."""
        self._push(lambda: self.draft(orders, size))

    def end(self, *, with_error: bool = False, again: bool = False) -> None:
        """END CONVERSATION, after everything that was asked for before; `again` also when it was given before."""
        self._push(lambda: self._last_word(with_error, again))

    def end_when_heard(self, replies: int) -> None:
        """END CONVERSATION as soon as so many messages were received."""

        def look() -> None:
            if self.heard >= replies:
                self.when_heard = None
                self.end()

        self.when_heard = look
        look()

    def hear(self) -> None:
        """A message was received for good."""
        self.heard += 1
        if self.when_heard is not None:
            self.when_heard()

    def _push(self, task: Callable[[], Command | None]) -> None:
        self._tasks.append(task)
        if not self._is_busy:
            self._next()

    def _next(self) -> None:
        while self._tasks:
            command = self._tasks.popleft()()
            if command is not None:
                self._is_busy = True
                self._clerk.ask(self._site, command, self._answered)
                return
        self._is_busy = False

    def _answered(self, reply: Reply) -> None:
        if isinstance(reply, MessageSent):
            self.sent += 1
        elif isinstance(reply, Refusal):
            self.is_mute = True
        self._next()

    def draft(
        self, orders: tuple[str, ...], size: int, transaction: TransactionId | None = None, ahead: int = 0
    ) -> Send | None:
        """The next SEND, `ahead` of it others that are not committed; None when nothing more is taken."""
        if self.has_ended or self.is_mute:
            return None
        return Send(
            command_id=self._clerk.new_id(),
            database=self._database,
            conversation_handle=self._handle,
            body=write(Letter(self._handle, self.sent + ahead, orders), size),
            transaction=transaction,
        )

    def draft_end(
        self, with_error: bool, transaction: TransactionId | None = None, *, again: bool = False
    ) -> EndConversation | None:
        """The END; None when it was given before, unless it is to be given `again`."""
        if self.has_ended and not again:
            return None
        return EndConversation(
            command_id=self._clerk.new_id(),
            database=self._database,
            conversation_handle=self._handle,
            error_code=APPLICATION_ERROR if with_error else None,
            error_description="enough" if with_error else None,
            transaction=transaction,
        )

    def _last_word(self, with_error: bool, again: bool) -> EndConversation | None:
        end = self.draft_end(with_error, again=again)
        self.has_ended = True
        return end
