"""`Clerk`: carries commands to servers as a caller must who never knows what became of the last attempt.

A command keeps its id through all attempts until one is answered; sometimes a queue delivers it once more after that.
A statement that met a lock, or a database that is on its way to another server, is given anew a little later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from engine.core.exchange.commands import Command, Receive, SetQueueStatus, Statement
from engine.core.exchange.replies import Reply
from engine.core.vocabulary.identifiers import CommandId
from engine.sim.clock import Agenda
from engine.sim.entropy import Dice
from engine.sim.history import Issued, Journal, Replied, RepliedAgain
from engine.sim.server import Server
from engine.sim.site import Site
from engine.sim.store import is_passing

OnAnswer = Callable[[Reply], None]

RETRY_SECONDS: Final = (0.5, 2.0)
LATE_SECONDS_MAX: Final = 10.0


class Clerk:
    """Gives commands and brings replies, each reply once."""

    def __init__(self, agenda: Agenda, journal: Journal, dice: Dice) -> None:
        self.redelivery = 0.0
        """Probability that a command is delivered once more after it was answered."""
        self.outstanding_work = 0
        """Commands without a reply, not counting those that only look into a queue."""
        self._agenda = agenda
        self._journal = journal
        self._dice = dice

    def new_id(self) -> CommandId:
        """An id for a command."""
        return CommandId(self._dice.uuid())

    def ask(self, site: Site, command: Command, then: OnAnswer) -> None:
        """Give a command until it is answered, wherever the database is."""
        weight = 0 if isinstance(command, Receive) else 1
        self.outstanding_work += weight
        self._journal.record(Issued(at=self._agenda.seconds, instance=site.home, command=command))
        server = site.server

        def attempt() -> None:
            nonlocal server
            server = site.server
            server.execute(command, answered)

        def answered(reply: Reply | None) -> None:
            nonlocal command
            if reply is not None and _is_passing(command, reply):
                # What was refused is remembered as refused: another attempt is another command.
                command, reply = msgspec.structs.replace(command, command_id=self.new_id()), None
            if reply is None:
                self._agenda.after(self._dice.between(*RETRY_SECONDS), attempt)
                return
            self.outstanding_work -= weight
            self._journal.record(Replied(at=self._agenda.seconds, instance=site.home, command=command, reply=reply))
            if self._dice.chance(self.redelivery):
                # A refusal of the moment is known where it was given; whatever else was answered moves with the data.
                late = server if is_passing(reply) else None
                self._agenda.after(self._dice.between(0.0, LATE_SECONDS_MAX), lambda: once_more(late or site.server))
            then(reply)

        def once_more(at: Server) -> None:
            at.execute(command, answered_again)

        def answered_again(reply: Reply | None) -> None:
            if reply is not None:
                self._journal.record(
                    RepliedAgain(at=self._agenda.seconds, instance=site.home, command=command, reply=reply)
                )

        attempt()


def _is_passing(command: Command, reply: Reply) -> bool:
    """Whether a statement is worth another attempt. Whoever reads looks again anyway; a transaction is over."""
    if isinstance(command, SetQueueStatus):
        return is_passing(reply)
    if not isinstance(command, Statement) or isinstance(command, Receive):
        return False
    return command.transaction is None and is_passing(reply)
