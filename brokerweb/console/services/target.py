"""`WatchedTarget`: a live instance for the session of one person: what they may not is refused, what they did is noted.

Only statements that the instance has carried out are counted; DDL is a revision of the estate, with its own row of the
log.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import Final

import msgspec

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right
from brokerweb.common.database import release_connection
from brokerweb.common.errors import WebProblem
from brokerweb.operations.services.console import roles_change
from brokerweb.topology.models import Instance
from brokerweb.topology.selectors.catalogs import instance_catalog
from brokerweb.topology.selectors.places import InstancePlace
from brokerweb.topology.services.certificate_files import EstateFiles
from brokerweb.topology.services.typed import definitions_type
from engine import api as engine

BODY_COLUMN: Final = "message_body"
PERMISSION_DENIED: Final = 15247

_VERBS: Final[dict[type, str]] = {
    engine.BeginDialog: "BEGIN DIALOG",
    engine.Send: "SEND",
    engine.commands.SendMany: "SEND",
    engine.Receive: "RECEIVE",
    engine.commands.MoveConversation: "MOVE CONVERSATION",
    engine.EndConversation: "END CONVERSATION",
    engine.commands.BeginConversationTimer: "BEGIN CONVERSATION TIMER",
    engine.commands.SetQueueStatus: "ALTER QUEUE",
    engine.commands.SetMirroringRole: "ALTER DATABASE",
}
"""Statements that change something, by their commands."""


_BACKUP: Final = "BACKUP CERTIFICATE"
"""Counted by the file: no command of the instance."""

_ENDINGS: Final = (engine.commands.CommitTransaction, engine.commands.RollbackTransaction)
"""What a statement that is cancelled still has to say: it leaves nothing open that is its own."""


class ScriptCancelled(Exception):
    """Its reader wants no more of the script; nothing that runs may catch it."""


class WatchedTarget(engine.console.LiveTarget):
    """An instance as one person may use it. `engine.console.ConsoleTarget`."""

    def __init__(self, place: InstancePlace, user: User) -> None:
        super().__init__(
            place.estate,
            place.instance,
            catalog=self._wanted,
            change=self._decide,
            fail_over=self._change_roles,
            smith=engine.keys.key_vault(),
            files=EstateFiles(place.estate, self._may_edit, self._has_backed_up),
        )
        self._place = place
        self.user = user
        """Whose rights count; read again before each statement."""
        self.done: dict[str, int] = {}
        """How often each statement that changes something was carried out."""
        self._is_cancelled = Event()

    # ── cancelling ───────────────────────────────────────────────────────────────────────────────────────────────
    def begin(self) -> None:
        """A script begins."""
        self._is_cancelled.clear()
        self.done = {}

    def cancel(self) -> None:
        """From another thread: the script ends where it next asks the instance; what waits is answered at once.

        To be repeated until the script has ended: a WAITFOR may just be on its way to the instance.
        """
        self._is_cancelled.set()
        self.give_up()

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody wants more of the script."""
        return self._is_cancelled.is_set()

    def _go_on(self) -> None:
        """Before each statement: is it still wanted, and does its person still have the right?"""
        if self.is_cancelled:
            raise ScriptCancelled
        person = User.objects.filter(pk=self.user.pk).first()
        if person is None or Right.OPERATE not in person.rights:
            raise engine.LocalProtocolError(PERMISSION_DENIED)
        self.user = person
        # A statement may wait for as long as its person does.
        release_connection()

    # ── what the session asks ────────────────────────────────────────────────────────────────────────────────────
    def execute(self, commands: Sequence[engine.Command]) -> list[engine.Reply]:
        """Carry out commands, unless the script is cancelled; what was received by then is not lost."""
        if not all(isinstance(each, _ENDINGS) for each in commands):
            self._go_on()
        replies = super().execute(commands)
        for command, reply in zip(commands, replies, strict=True):
            verb = _VERBS.get(type(command))
            if verb is not None and not isinstance(reply, engine.Refusal) and not _is_empty(reply):
                self.done[verb] = self.done.get(verb, 0) + 1
        if not self._may_read_bodies:
            replies = [_without_bodies(each) for each in replies]
        return replies

    def system_view(self, query: engine.SystemViewQuery) -> engine.SystemViewRows:
        """A page of a view; bodies of messages are NULL for who may not read them."""
        self._go_on()
        page = super().system_view(query)
        hidden = [at for at, each in enumerate(page.columns) if each.name.lower() == BODY_COLUMN]
        if self._may_read_bodies or not hidden:
            return page
        rows = tuple(tuple(None if at in hidden else cell for at, cell in enumerate(row)) for row in page.rows)
        return msgspec.structs.replace(page, rows=rows)

    def pause(self, seconds: float) -> None:
        """WAITFOR DELAY."""
        self._go_on()
        super().pause(seconds)

    @property
    def _may_read_bodies(self) -> bool:
        return Right.READ_PAYLOADS in self.user.rights

    def _may_edit(self) -> None:
        self._go_on()
        if Right.EDIT not in self.user.rights:
            raise engine.LocalProtocolError(PERMISSION_DENIED)

    def _has_backed_up(self) -> None:
        self.done[_BACKUP] = self.done.get(_BACKUP, 0) + 1

    # ── definitions ──────────────────────────────────────────────────────────────────────────────────────────────
    def _wanted(self) -> engine.InstanceCatalog:
        row = Instance.objects.filter(estate__name=self._place.estate, name=self._place.instance).first()
        if row is None:
            raise engine.console.TargetUnavailable(f"There is no instance {self._place.instance} any more.")
        return instance_catalog(row)

    def _decide(self, changes: Sequence[engine.CatalogChange]) -> None:
        """DDL as a revision of the estate, which the instance has when this returns."""
        self._may_edit()
        try:
            definitions_type(self._place, changes, user=self.user, is_given_up=lambda: self.is_cancelled)
        except WebProblem as error:
            raise engine.console.NotTakenYet(error.detail) from error

    def _change_roles(self, database: engine.DatabaseName, is_forced: bool) -> None:
        """As on the page of the database, with the right that it takes; the log has its row."""
        self._may_edit()
        roles_change(self._place, database, is_forced=is_forced, user=self.user)


def _is_empty(reply: engine.Reply) -> bool:
    return isinstance(reply, engine.MessagesReceived) and not reply.messages


def _without_bodies(reply: engine.Reply) -> engine.Reply:
    if not isinstance(reply, engine.MessagesReceived):
        return reply
    return msgspec.structs.replace(
        reply, messages=tuple(msgspec.structs.replace(each, message_body=None) for each in reply.messages)
    )
