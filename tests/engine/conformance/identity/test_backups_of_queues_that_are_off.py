"""What has come for a queue that is off goes along into a backup and comes back (identity.md 4; protocol.md 4)."""

from engine.core.catalog.backup import AttachOption
from engine.core.catalog.changes import QueueAltered
from engine.core.exchange.commands import SetQueueStatus
from tests.support.backups import attach, backup, detach, dialog_under_way, restore


def test_what_waits_for_its_queue_is_in_the_backup_and_let_in_after_the_restore():
    world = dialog_under_way()
    world.lyon.receive("Stock", "Entrepôt")
    world.lyon.define(QueueAltered(database="Stock", name="dbo.Entrepôt", is_enabled=False))
    world.paris.say("Ventes", world.here, "three")
    world.run(2)
    taken = backup(world.lyon, "Stock")
    restore(world.lyon, "Stock", taken, option=AttachOption.ENABLE_BROKER)
    (waiting,) = world.lyon.view("Stock").transmission_queue
    assert (waiting.to_service_name, waiting.transmission_status_number) == ("Entrepôt", 9617)
    world.lyon.do(SetQueueStatus, database="Stock", queue="dbo.Entrepôt", is_enabled=True)
    assert [row.message_body for row in world.lyon.receive("Stock", "Entrepôt")] == [b"three"]


def test_it_survives_being_detached_and_attached_and_a_restart():
    world = dialog_under_way()
    world.lyon.receive("Stock", "Entrepôt")
    world.lyon.define(QueueAltered(database="Stock", name="dbo.Entrepôt", is_enabled=False))
    world.paris.say("Ventes", world.here, "three")
    world.run(2)
    attach(world.rome, "Stock", detach(world.lyon, "Stock").backup, option=AttachOption.ENABLE_BROKER)
    world.rome.kill()
    world.rome.start()
    world.rome.do(SetQueueStatus, database="Stock", queue="dbo.Entrepôt", is_enabled=True)
    assert [row.message_body for row in world.rome.receive("Stock", "Entrepôt")] == [b"three"]
