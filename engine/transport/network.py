"""`TcpNetwork`: the core's `Transport` over TCP, made of the connections we open and of those that are opened to us."""

from __future__ import annotations

from engine.core.vocabulary.messages import Outbound, TcpAddress
from engine.core.vocabulary.mirrors import RoleAnswer, RoleQuestion
from engine.transport.dialer import Dialer
from engine.transport.endpoint import BrokerEndpoint


class TcpNetwork:
    """Hands each wish of the core to the half that fulfils it; opens, closes and keeps nothing itself."""

    def __init__(self, dialer: Dialer, endpoint: BrokerEndpoint) -> None:
        self._dialer = dialer
        self._endpoint = endpoint

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

    def ask_role(self, question: RoleQuestion) -> None:
        """Ask over a connection that we opened."""
        self._dialer.ask_role(question)

    def answer_role(self, answer: RoleAnswer) -> None:
        """Answer over a connection that was opened to us."""
        self._endpoint.answer_role(answer)
