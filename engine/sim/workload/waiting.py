"""How applications read a queue that wait for what comes (protocol.md 12): WAITFOR (RECEIVE …), TIMEOUT …"""

from __future__ import annotations

from typing import Final

from engine.core.exchange.commands import Receive
from engine.core.exchange.replies import MessagesReceived, Reply
from engine.sim.workload.readers import POLL_SECONDS, ReaderPlace

TIMEOUT_SECONDS: Final = (0.05, 40.0)
"""Shortest and longest TIMEOUT."""


class WaitingReader:
    """One WAITFOR after another, each with the TIMEOUT of this reader, and some time to handle what came."""

    def __init__(self, place: ReaderPlace) -> None:
        self.delay_seconds = place.dice.scale(0.001, 1.0)
        """Mean time between a reply and the next statement."""
        self._milliseconds = round(place.dice.scale(*TIMEOUT_SECONDS) * 1000)
        self._top = place.dice.choose((1, 5, 100))
        self._place = place
        self._is_waiting = False

    def wake(self) -> None:
        """There is something to receive: nobody needs to tell, the statement ends by itself."""

    def poll(self) -> None:
        """Begin to wait, if the last statement was refused; and again later, for ever."""
        self._wait()
        self._place.agenda.after(POLL_SECONDS, self.poll)

    def hurry(self) -> None:
        """Who waits for messages has them at once: there is nothing to hurry."""

    def _wait(self) -> None:
        if self._is_waiting:
            return
        self._is_waiting = True
        place = self._place
        command = Receive(
            command_id=place.clerk.new_id(),
            database=place.site.database,
            queue=place.queue,
            top=self._top,
            waitfor_milliseconds=self._milliseconds,
        )
        place.clerk.ask(place.site, command, self._received)

    def _received(self, reply: Reply) -> None:
        place = self._place
        self._is_waiting = False
        if isinstance(reply, MessagesReceived):
            if reply.messages:
                place.handle(place.site, reply.messages)
            place.agenda.after(place.dice.about(self.delay_seconds), self._wait)
