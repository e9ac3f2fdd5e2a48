"""Backup, restore, attach and detach on a node of the small world."""

from engine.core.catalog.backup import DatabaseBackup
from engine.core.exchange.commands import AttachDatabase, BackupDatabase, DetachDatabase, RestoreDatabase
from engine.core.exchange.replies import Reply
from tests.support.world import Node, World, route


def dialog_under_way() -> World:
    """PARIS and LYON, one message received, one in LYON's queue; ROME is empty. `here`, `there`: the two handles."""
    world = World()
    world.paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    world.lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    world.rome = world.instance("ROME")
    world.here = world.paris.begin("Ventes", "Client", "Entrepôt")
    world.paris.say("Ventes", world.here, "one")
    world.run(2)
    world.there = world.lyon.receive("Stock", "Entrepôt")[0].conversation_handle
    world.paris.say("Ventes", world.here, "two")
    world.run(2)
    return world


def backup(node: Node, database: str) -> DatabaseBackup:
    return node.do(BackupDatabase, database=database).backup


def detach(node: Node, database: str) -> Reply:
    return node.do(DetachDatabase, database=database, **_revisions(node))


def attach(node: Node, database: str, taken: DatabaseBackup, **fields: object) -> Reply:
    return node.do(AttachDatabase, database=database, backup=taken, **_revisions(node), **fields)


def restore(node: Node, database: str, taken: DatabaseBackup, **fields: object) -> Reply:
    return node.do(RestoreDatabase, database=database, backup=taken, **_revisions(node), **fields)


def _revisions(node: Node) -> dict[str, int]:
    base = node.instance.catalog.revision
    return {"base": base, "revision": base + 1}
