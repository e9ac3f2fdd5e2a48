"""Both ends of a connection, run against each other without a network."""

from uuid import UUID

from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.handshake import LinkIdentity
from engine.core.link.states import LinkRole
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.settings import LinkSettings

SETTINGS = LinkSettings()
ESTATE = EstateName("demo")


def at(seconds: float) -> Now:
    return Now(Instant(seconds), UtcTime(1_000_000 + seconds))


def identity(name: str, estate: str = ESTATE) -> LinkIdentity:
    return LinkIdentity(estate=EstateName(estate), instance=InstanceName(name), arbitration_id=UUID(int=len(name)))


class Pair:
    """PARIS dials LYON, both with a clock of the test; `run` carries bytes both ways until both are silent."""

    def __init__(self, accepting: LinkIdentity | None = None) -> None:
        self.paris = AdjacentBrokerConnection(LinkRole.DIALLING, identity("PARIS"), SETTINGS, at(0))
        self.lyon = AdjacentBrokerConnection(LinkRole.ACCEPTING, accepting or identity("LYON"), SETTINGS, at(0))
        self.arrived: list[object] = []

    def open(self) -> "Pair":
        self.paris.opened(at(0))
        self.lyon.opened(at(0))
        return self.run(at(0))

    def run(self, now: Now) -> "Pair":
        while data := self.paris.data_to_send():
            self.arrived += self.lyon.receive_data(data, now)
            self.paris.receive_data(self.lyon.data_to_send(), now)
        self.paris.receive_data(self.lyon.data_to_send(), now)
        return self
