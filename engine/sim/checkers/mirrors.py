"""`MirrorRule` (mirroring.md 3): a mirror copy takes nothing, and is sent nothing unless it was the principal once."""

from __future__ import annotations

from engine.core.catalog.database import DatabaseState
from engine.core.catalog.route import NetworkAddress, Route
from engine.core.exchange.changes import AppendQueue, DropDatabaseRows, PutCatalog
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName
from engine.core.vocabulary.messages import TcpAddress
from engine.sim.checkers.checker import Checker
from engine.sim.history import Committed, Entry, Transmitted
from engine.sim.ledger import Ledger
from engine.sim.scenario import Scenario


class MirrorRule(Checker):
    """Roles are read from the committed states of databases."""

    name = "mirror-rule"
    watches = (Committed, Transmitted)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._listens = {instance.address: instance.name for instance in scenario.instances}
        self._were_principal: set[tuple[InstanceName, BrokerInstanceId]] = set()

    def observe(self, entry: Entry) -> None:
        """Watch what copies take, and what partners are sent."""
        match entry:
            case Committed():
                for change in entry.changes:
                    if isinstance(change, PutCatalog):
                        self._roles(entry.instance)
                    elif isinstance(change, AppendQueue):
                        self._taken(entry, change)
            case Transmitted() if entry.message.message.is_sequenced:
                self._sent(entry)
            case _:
                pass

    def _roles(self, instance: InstanceName) -> None:
        for database in self.ledger.catalogs[instance].databases.values():
            if database.state is not DatabaseState.MIRROR:
                self._were_principal.add((instance, database.broker_instance))

    def _taken(self, entry: Committed, change: AppendQueue) -> None:
        if self._is_copying(entry, change.database):
            return
        database = self.ledger.catalogs[entry.instance].databases.get(change.database)
        if database is not None and database.state is DatabaseState.MIRROR:
            self.find(entry.at, entry.instance, f"{change.database} is a mirror copy and has taken a message")

    @staticmethod
    def _is_copying(entry: Committed, database: DatabaseName) -> bool:
        """Whether the commit sets the mirror copy up anew: then its messages come from the principal's disk."""
        return any(isinstance(change, DropDatabaseRows) and change.database == database for change in entry.changes)

    def _sent(self, entry: Transmitted) -> None:
        target = entry.message.message.target.broker_instance
        if target is None or not self._is_over_mirrored_route(entry.instance, target, entry.address):
            return
        partner = self._listens.get(entry.address)
        if partner is not None and (partner, target) not in self._were_principal:
            self.find(
                entry.at, entry.instance, f"a message went to {partner}, which never was the principal of {target}"
            )

    def _is_over_mirrored_route(self, sender: InstanceName, target: BrokerInstanceId, address: TcpAddress) -> bool:
        return any(
            route.broker_instance == target and address in _partners(route)
            for database in self.ledger.catalogs[sender].databases.values()
            for route in database.routes.values()
        )


def _partners(route: Route) -> list[TcpAddress]:
    """Both addresses of a mirrored route; none of a plain one."""
    if route.mirror_address is None:
        return []
    return [each.tcp for each in (route.address, route.mirror_address) if isinstance(each, NetworkAddress)]
