"""`Operator`: changes one server, one thing after the other, until each is answered."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from engine.core.catalog.changes import CatalogChange
from engine.core.exchange.commands import ApplyCatalog, AttachDatabase, Command, DetachDatabase, RestoreDatabase
from engine.core.exchange.replies import Refusal, Reply
from engine.core.vocabulary.identifiers import MASTER, CatalogRevision, CommandId
from engine.sim.asking import Clerk, OnAnswer
from engine.sim.server import Server
from engine.sim.site import Site

Order = Callable[[CommandId, CatalogRevision, CatalogRevision], Command]
"""Makes a command from its id, the revision that the server has, and the next one."""

_Revising = ApplyCatalog | AttachDatabase | DetachDatabase | RestoreDatabase


class Operator:
    """The person in charge of one server."""

    def __init__(self, clerk: Clerk, server: Server) -> None:
        self._clerk = clerk
        self._site = Site(server, MASTER)
        self._revision = server.instance.catalog.revision
        self._waiting: deque[tuple[Order, OnAnswer]] = deque()
        self._is_busy = False
        self._is_halted = False

    def change(self, change: CatalogChange) -> None:
        """Apply a change after all that were asked for before."""
        self.do(lambda command_id, base, revision: _applied(command_id, base, revision, change))

    def do(self, order: Order, then: OnAnswer = lambda reply: None, *, is_first: bool = False) -> None:
        """Give a command after all that were asked for before, or before all of them."""
        if is_first:
            self._waiting.appendleft((order, then))
        else:
            self._waiting.append((order, then))
        self._next()

    def halt(self) -> None:
        """Do nothing more until told to: a database is away."""
        self._is_halted = True

    def resume(self, first: Callable[[], None]) -> None:
        """Go on, with `first` before everything that has waited."""
        self._is_halted = False
        first()
        self._next()

    def _next(self) -> None:
        if self._is_busy or self._is_halted or not self._waiting:
            return
        self._is_busy = True
        order, then = self._waiting.popleft()
        base = self._revision
        command = order(self._clerk.new_id(), base, CatalogRevision(base + 1))

        def answered(reply: Reply) -> None:
            self._is_busy = False
            if isinstance(command, _Revising) and not isinstance(reply, Refusal):
                self._revision = command.revision
            then(reply)
            self._next()

        self._clerk.ask(self._site, command, answered)


def _applied(
    command_id: CommandId, base: CatalogRevision, revision: CatalogRevision, change: CatalogChange
) -> ApplyCatalog:
    return ApplyCatalog(command_id=command_id, base=base, revision=revision, changes=(change,))
