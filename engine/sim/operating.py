"""`Operator`: changes the catalog of one server, one change after the other, until each is answered."""

from __future__ import annotations

from collections import deque

from engine.core.catalog.changes import CatalogChange
from engine.core.exchange.commands import ApplyCatalog
from engine.core.exchange.replies import Reply
from engine.core.vocabulary.identifiers import CatalogRevision
from engine.sim.asking import Clerk
from engine.sim.server import Server


class Operator:
    """The person in charge of one server."""

    def __init__(self, clerk: Clerk, server: Server) -> None:
        self._clerk = clerk
        self._server = server
        self._revision = server.instance.catalog.revision
        self._waiting: deque[CatalogChange] = deque()
        self._is_busy = False

    def change(self, change: CatalogChange) -> None:
        """Apply a change after all that were asked for before."""
        self._waiting.append(change)
        if not self._is_busy:
            self._next()

    def _next(self) -> None:
        self._is_busy = bool(self._waiting)
        if self._waiting:
            base, self._revision = self._revision, CatalogRevision(self._revision + 1)
            command = ApplyCatalog(
                command_id=self._clerk.new_id(),
                base=base,
                revision=self._revision,
                changes=(self._waiting.popleft(),),
            )
            self._clerk.ask(self._server, command, self._answered)

    def _answered(self, _: Reply) -> None:
        self._next()
