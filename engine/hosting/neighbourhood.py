"""`Neighbourhood`: who listens where, as one instance of an estate asks the directory of ports."""

from __future__ import annotations

from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.messages import TcpAddress
from engine.hosting.directory import PortDirectory
from engine.hosting.shelf import InstanceKey
from engine.transport.switchboard import RealAddress


class Neighbourhood:
    """Asks anew each time: other workers write the directory. Every method raises `OSError` when it cannot be read."""

    def __init__(self, directory: PortDirectory, key: InstanceKey) -> None:
        self._directory = directory
        self._estate, self._name = key

    def resolve(self, address: TcpAddress) -> RealAddress:
        """The real place of a modelled address; raises as `PortDirectory.resolve`."""
        return self._directory.resolve(self._estate, address, self._name)

    def tenant(self, place: RealAddress) -> InstanceName | None:
        """Who listens at a real place; None when nobody of the estate is known to."""
        found = self._directory.listener_at(self._estate, place)
        return None if found is None else found.instance
