"""`Identity`: one active broker for each id, and what comes back is what was saved (identity.md 4, 5)."""

from __future__ import annotations

from engine.core.catalog.database import DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.changes import AppendQueue, AppendTransmission, DropDatabaseRows, PutCatalog, PutEndpoint
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName
from engine.sim.checkers.checker import Checker
from engine.sim.history import Committed, Entry, Transmitted
from engine.sim.ledger import Ledger, Return
from engine.sim.scenario import COPY_SUFFIX, Scenario

_CLOSED = (DatabaseState.MIRROR, DatabaseState.OFFLINE)


class Identity(Checker):
    """Compares catalogs with one another, backups with what was written of them, and watches copies."""

    name = "identity"
    watches = (Committed, Transmitted)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._originals = scenario.homes().keys()
        self._copies: dict[InstanceName, dict[DatabaseName, BrokerInstanceId]] = {}

    def observe(self, entry: Entry) -> None:
        """Look at what is written, and at who speaks."""
        if isinstance(entry, Committed):
            born = self._look_at_catalog(entry)
            for returned in self.ledger.returns:
                self._check_return(entry, returned)
            if self._copies.get(entry.instance):
                self._look_at_copies(entry, born)
        elif isinstance(entry, Transmitted) and self._copies.get(entry.instance):
            self._look_at_speaker(entry)

    def _look_at_catalog(self, entry: Committed) -> set[DatabaseName]:
        """Answers the copies that this commit has brought."""
        if not any(isinstance(change, PutCatalog) for change in entry.changes):
            return set()
        catalog = self.ledger.catalogs[entry.instance]
        self._check_twins(entry, catalog)
        before = self._copies.get(entry.instance, {})
        copies = {
            name: database.broker_instance
            for name, database in catalog.databases.items()
            if name.endswith(COPY_SUFFIX) and (entry.instance, name) not in self._originals
        }
        self._copies[entry.instance] = copies
        return copies.keys() - before.keys()

    def _check_twins(self, entry: Committed, catalog: InstanceCatalog) -> None:
        active: dict[BrokerInstanceId, DatabaseName] = {}
        for name, database in catalog.databases.items():
            if not database.is_broker_enabled or database.state in _CLOSED:
                continue
            other = active.setdefault(database.broker_instance, name)
            if other != name:
                text = f"{other} and {name} are both active as {database.broker_instance}"
                self.find(entry.at, entry.instance, text)

    def _check_return(self, entry: Committed, returned: Return) -> None:
        """Every row of the backup is written, and the id is the one that was saved."""
        saved, (_, name) = returned.backup, returned.place
        if self.ledger.catalogs[entry.instance].databases[name].broker_instance != saved.definition.broker_instance:
            self.find(entry.at, entry.instance, f"{name} came back with another broker id than was saved")
        written = [change for change in entry.changes if not isinstance(change, PutCatalog | DropDatabaseRows)]
        messages = {change.row.queuing_order for change in written if isinstance(change, AppendQueue)}
        waiting = {
            (change.row.conversation_handle, change.row.message_sequence_number)
            for change in written
            if isinstance(change, AppendTransmission)
        }
        endpoints = {change.endpoint.conversation_handle for change in written if isinstance(change, PutEndpoint)}
        lost = sum(row.queuing_order not in messages for rows in saved.rows.queues.values() for row in rows)
        lost += sum(
            (row.conversation_handle, row.message_sequence_number) not in waiting for row in saved.rows.transmission
        )
        lost += sum(row.conversation_handle not in endpoints for row in saved.rows.endpoints)
        if lost:
            self.find(entry.at, entry.instance, f"{lost} rows of the backup of {name} did not come back")

    def _look_at_copies(self, entry: Committed, born: set[DatabaseName]) -> None:
        """What a copy holds came with it; nothing is delivered to it afterwards."""
        copies = self._copies[entry.instance]
        for change in entry.changes:
            if isinstance(change, AppendQueue) and change.database in copies and change.database not in born:
                self.find(entry.at, entry.instance, f"{change.database} is a copy and has taken a message")

    def _look_at_speaker(self, entry: Transmitted) -> None:
        source = entry.message.message.source.broker_instance
        for name, own_id in self._copies[entry.instance].items():
            if own_id == source and not self._is_shared(entry.instance, own_id):
                self.find(entry.at, entry.instance, f"{name} is a copy and has sent a message")

    def _is_shared(self, instance: InstanceName, own_id: BrokerInstanceId) -> bool:
        """Whether the original has the same id, and so may have spoken."""
        databases = self.ledger.catalogs[instance].databases
        return any(
            database.broker_instance == own_id and (instance, name) in self._originals
            for name, database in databases.items()
        )
