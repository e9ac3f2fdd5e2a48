"""`SimulatedTransport`: the core's `Transport` on the simulated network; twin of `transport.network.TcpNetwork`."""

from __future__ import annotations

from collections.abc import Callable

from engine.core.vocabulary.messages import Outbound, TcpAddress
from engine.core.vocabulary.mirrors import RoleAnswer, RoleQuestion
from engine.sim.dialer import SimulatedDialer


class SimulatedTransport:
    """Hands each wish of the core to the half that fulfils it."""

    def __init__(self, dialer: SimulatedDialer, on_answer: Callable[[RoleAnswer], None]) -> None:
        self._dialer = dialer
        self._on_answer = on_answer

    def dial(self, address: TcpAddress) -> None:
        """Open a connection."""
        self._dialer.dial(address)

    def hang_up(self, address: TcpAddress) -> None:
        """Close a connection that we opened."""
        self._dialer.hang_up(address)

    def send(self, outbound: Outbound) -> None:
        """Hand over a message to a connection that we opened."""
        self._dialer.send(outbound)

    def tell_room(self, address: TcpAddress) -> None:
        """Tell when a connection that we opened takes more."""
        self._dialer.tell_room(address)

    def flush(self) -> None:
        """The turn is over: what was handed over goes its way."""
        self._dialer.flush()

    def ask_role(self, question: RoleQuestion) -> None:
        """Ask over a connection that we opened."""
        self._dialer.ask_role(question)

    def answer_role(self, answer: RoleAnswer) -> None:
        """Answer over a connection that was opened to us."""
        self._on_answer(answer)
