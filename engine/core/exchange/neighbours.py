"""`Neighbour`: who has handed over a message, as the transport knows it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from engine.core.vocabulary.identifiers import BrokerInstanceId, InstanceName
from engine.core.vocabulary.messages import TcpAddress


class Neighbour(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Goes in front of the messages that came over its connection; those behind it are of this one.

    What is said of it here was proved or is known to the hosts; its own claims are not here.
    """

    instance: InstanceName
    """What it calls itself; proved where a host vouches for it."""
    principal: str | None = None
    """Owner of its certificate, if it has shown one."""
    is_vouched: bool = False
    """A host vouches for it: what it has and whether it forwards is known, and nothing else is true of it."""
    is_self: bool = False
    """This very instance, which called itself."""
    forwards: bool = False
    """An instance of the estate that passes messages of others on."""
    brokers: frozenset[BrokerInstanceId] = frozenset()
    """Databases of an instance of the estate."""
    brokers_of_others: frozenset[BrokerInstanceId] = frozenset()
    """Databases of the other instances of the estate. Empty for a neighbour that a host vouches for, of which `brokers`
    says everything, and for one whose certificate is not known, which may be any instance."""
    is_at: Callable[[TcpAddress], bool] = lambda _: False
    """Whether an address leads to it."""
    is_at_another: Callable[[TcpAddress], bool] = lambda _: False
    """Whether an address leads to another instance of the estate."""

    def has(self, broker_instance: BrokerInstanceId | None) -> bool:
        """Whether a database is its own, or it is known to pass on what others say."""
        return self.is_self or self.forwards or broker_instance in self.brokers

    @property
    def who(self) -> tuple[InstanceName, str | None]:
        """By which two connections are known to be of one neighbour."""
        return self.instance, self.principal
