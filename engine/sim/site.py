"""`Site`: where a database is at work now. A failover moves it to another server; applications follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.sim.scenario import Scenario
from engine.sim.server import Server


class Site:
    """One database of a world, or a whole server for those who operate it. It has one name wherever it is."""

    def __init__(self, server: Server, database: DatabaseName) -> None:
        self.server = server
        """The server at which it is at work now."""
        self.home: Final[InstanceName] = server.name
        """The instance under whose name it is known in the journal and in the books."""
        self.database: Final = database
        self.is_busy = False
        """Whether it is being moved, restored or detached now; one such thing at a time."""


def sites_of(
    scenario: Scenario, servers: Mapping[InstanceName, Server]
) -> dict[tuple[InstanceName, DatabaseName], Site]:
    """Every database of a world; both partners of a mirrored pair are one."""
    homes = scenario.homes()
    sites = {place: Site(servers[place[0]], place[1]) for place in dict.fromkeys(homes.values())}
    return {place: sites[home] for place, home in homes.items()}
