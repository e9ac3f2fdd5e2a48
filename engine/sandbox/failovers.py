"""`Failovers`: roles of mirrored pairs change, by a fault or by the statement that one partner is given."""

from __future__ import annotations

from engine.core.catalog.changes import PartnerSet
from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.names import find_database
from engine.core.exchange.commands import RestoreDatabase, SetMirroringRole
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import CatalogRevision, DatabaseName, InstanceName
from engine.core.vocabulary.mirrors import MirroringRole
from engine.sandbox.server import InstanceDown, SandboxServer
from engine.sandbox.world import SandboxWorld
from engine.whatif.faults import partners_in

NOT_MIRRORED, OUT_OF_REACH, WRONG_STATE, NOT_PRINCIPAL = 1416, 1422, 1455, 1470
SYNCHRONIZED = "SYNCHRONIZED"
"""The state of a pair whose partners reach each other, as sys.database_mirroring has it."""


class Failovers:
    """The copy is set up anew from the principal's disk in the moment when the roles change (mirroring.md 5)."""

    def __init__(self, world: SandboxWorld) -> None:
        self._world = world

    def fail_over(self, instance: InstanceName, database: DatabaseName, *, is_forced: bool) -> None:
        """The statement given to one partner: planned to the principal, by force to the copy that has lost it.

        `CatalogError` 911, 1416 not mirrored, 1470 not the principal, 1422 the copy is out of reach, 942 and 1455 a
        state that allows no change of roles, among them a copy whose principal is in reach; `InstanceDown`.
        """
        server = self._world.server(instance)
        if not server.is_alive:
            raise InstanceDown(f"Instance {server.name} is down.")
        own = find_database(server.catalog, database)
        is_copy = own.state is DatabaseState.MIRROR
        if own.partner_address is None and not is_copy:
            raise CatalogError(NOT_MIRRORED, database=own.name)
        partner = self._partner_in_reach(server, own.name)
        if is_forced:
            if not is_copy or partner is not None:
                state = SYNCHRONIZED if is_copy else own.state
                raise CatalogError(WRONG_STATE, database=own.name, value=MirroringRole.PRINCIPAL, state=state)
        elif is_copy:
            raise CatalogError(NOT_PRINCIPAL, database=own.name, name=server.name)
        elif own.state is not DatabaseState.ONLINE:
            raise CatalogError(WRONG_STATE, database=own.name, value=MirroringRole.MIRROR, state=own.state)
        elif partner is None:
            raise CatalogError(OUT_OF_REACH, database=own.name)
        self.exchange(server.name, own.name)

    def _partner_in_reach(self, server: SandboxServer, database: DatabaseName) -> SandboxServer | None:
        """The other instance of the pair, when it runs and nothing is cut between the two."""
        world = self._world
        for name, _ in partners_in(world.catalogs(), server.name, database)[1:]:
            other = world.server(name)
            paths = (world.network.path(server.name, name), world.network.path(name, server.name))
            if other.is_alive and not any(path.is_cut for path in paths):
                return other
        return None

    def exchange(self, instance: InstanceName, database: DatabaseName) -> None:
        """The copy becomes the principal, whoever has which role. 1416 without a partner; `InstanceDown`."""
        catalogs = self._world.catalogs()
        pair = partners_in(catalogs, instance, database)
        if not pair:
            raise CatalogError(NOT_MIRRORED, database=database)
        places = sorted(pair, key=lambda place: _is_copy(catalogs[place[0]].databases[place[1]]))
        (old_name, spelled), (new_name, _) = places
        old, new = self._world.server(old_name), self._world.server(new_name)
        if not new.is_alive:
            raise InstanceDown(f"Instance {new.name} is down: the database cannot fail over to it.")
        self._give_up(old, spelled)
        self._take_over(old, new, spelled)

    def _give_up(self, old: SandboxServer, database: DatabaseName) -> None:
        """The principal becomes the copy; one that is down learns of it when it starts."""
        if not old.is_alive:
            old.store.set_state(database, DatabaseState.MIRROR)
            return
        role = MirroringRole.MIRROR
        self._world.do(old, SetMirroringRole(command_id=self._world.new_id(), database=database, role=role))

    def _take_over(self, old: SandboxServer, new: SandboxServer, database: DatabaseName) -> None:
        world = self._world
        partner = new.instance.catalog.databases[database].partner_address
        backup = old.store.backup_of(database, new.clock.now().utc)
        new.store.adopt_replies(old.store)
        world.change(new, [PartnerSet(database=database, partner_address=None)])
        base = new.instance.catalog.revision
        restored = RestoreDatabase(
            command_id=world.new_id(),
            base=base,
            revision=CatalogRevision(base + 1),
            database=database,
            backup=backup,
            replaces=True,
            is_recovered=False,
        )
        world.do(new, restored)
        world.change(new, [PartnerSet(database=database, partner_address=partner)])
        role = MirroringRole.PRINCIPAL
        world.do(new, SetMirroringRole(command_id=world.new_id(), database=database, role=role))


def _is_copy(database: DatabaseCatalog) -> bool:
    return database.state is DatabaseState.MIRROR
