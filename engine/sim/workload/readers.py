"""How applications read a queue without transactions, and the place where any of them reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

import msgspec

from engine.core.exchange.commands import Receive
from engine.core.exchange.replies import MessagesReceived, Reply
from engine.core.vocabulary.identifiers import QueueName
from engine.core.vocabulary.rows import QueueRow
from engine.sim.asking import Clerk
from engine.sim.clock import Agenda
from engine.sim.entropy import Dice
from engine.sim.site import Site
from engine.sim.workload.wishes import Wish

POLL_SECONDS: Final = 15.0
"""How often a reader looks into its queue although nobody has told it of anything."""
HURRIED_SECONDS: Final = 0.5
"""Mean delay of a reader, at most, once the faults are over."""

HandleRows = Callable[[Site, Sequence[QueueRow]], None]
ReadRows = Callable[[Site, Sequence[QueueRow]], list[Wish]]


class ReaderPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where a reader reads, and what it needs for that."""

    site: Site
    queue: QueueName
    agenda: Agenda
    clerk: Clerk
    dice: Dice
    handle: HandleRows
    """What is to be done with received messages, once they are received for good."""
    wishes: ReadRows
    """The same as a list, for whoever does it in the transaction that has received them."""


class Reader(Protocol):
    """Reads one queue for as long as the world lasts."""

    def wake(self) -> None:
        """There is something to receive."""
        ...

    def poll(self) -> None:
        """Look now, and again later, for ever."""
        ...

    def hurry(self) -> None:
        """The faults are over: take less time, and let everything succeed."""
        ...


class AutocommitReader:
    """RECEIVE TOP (n) without a transaction: some time after it hears of something, and now and then without."""

    def __init__(self, place: ReaderPlace) -> None:
        self.delay_seconds = place.dice.scale(0.005, 5.0)
        """Mean time between hearing of a message and looking."""
        self._top = place.dice.choose((1, 5, 100))
        self._place = place
        self._is_on_its_way = False

    def wake(self) -> None:
        """There is something to receive."""
        if not self._is_on_its_way:
            self._is_on_its_way = True
            self._place.agenda.after(self._place.dice.about(self.delay_seconds), self._receive)

    def poll(self) -> None:
        """Look now, and again later, for ever."""
        self.wake()
        self._place.agenda.after(POLL_SECONDS, self.poll)

    def hurry(self) -> None:
        """Take less time from now on."""
        self.delay_seconds = min(self.delay_seconds, HURRIED_SECONDS)

    def _receive(self) -> None:
        place = self._place
        command = Receive(
            command_id=place.clerk.new_id(), database=place.site.database, queue=place.queue, top=self._top
        )
        place.clerk.ask(place.site, command, self._received)

    def _received(self, reply: Reply) -> None:
        self._is_on_its_way = False
        if isinstance(reply, MessagesReceived) and reply.messages:
            self._place.handle(self._place.site, reply.messages)
            self.wake()
