"""What cannot be backed up, detached, attached or restored has its number and changes nothing (identity.md 4)."""

import pytest

from engine.core.catalog.backup import AttachOption
from engine.core.catalog.changes import DatabaseStateSet, PartnerSet
from engine.core.catalog.database import DatabaseState
from engine.core.exchange.commands import AttachDatabase, BackupDatabase, DetachDatabase
from engine.core.exchange.replies import Refusal
from engine.core.vocabulary.limits import BACKUP_BYTES_MAX
from tests.support.backups import attach, backup, detach, dialog_under_way, restore

NEW = AttachOption.NEW_BROKER


@pytest.fixture
def world():
    return dialog_under_way()


def other(world):
    world.rome.define(*world.database("Stock", []))


def same_again(world):
    attach(world.rome, "Stock", backup(world.lyon, "Stock"))


def mirrored(world):
    same_again(world)
    world.rome.define(PartnerSet(database="Stock", partner_address="TCP://lyon:5022"))


def off_line(world):
    same_again(world)
    world.rome.define(DatabaseStateSet(database="Stock", state=DatabaseState.OFFLINE))


def nothing(world):
    pass


REFUSED = {
    "attach under a name that is taken": (same_again, lambda node, taken: attach(node, "stock", taken), 1801),
    "attach under no name": (nothing, lambda node, taken: attach(node, " ", taken), 1038),
    "attach under too long a name": (nothing, lambda node, taken: attach(node, "x" * 129, taken), 103),
    "restore over another database": (other, lambda node, taken: restore(node, "Stock", taken), 3154),
    "restore over a mirrored one": (mirrored, lambda node, taken: restore(node, "Stock", taken), 3104),
    "restore over msdb": (nothing, lambda node, taken: restore(node, "msdb", taken), 3708),
    "attach msdb": (nothing, lambda node, taken: attach(node, "copy", backup(node, "msdb")), 3708),
    "an option without recovery": (
        nothing,
        lambda node, taken: restore(node, "Stock", taken, option=NEW, is_recovered=False),
        3031,
    ),
    "back up what is not there": (nothing, lambda node, taken: node.do(BackupDatabase, database="Stock"), 911),
    "back up what is off-line": (off_line, lambda node, taken: node.do(BackupDatabase, database="Stock"), 942),
    "detach what is not there": (nothing, lambda node, taken: detach(node, "Stock"), 911),
    "detach what is off-line": (off_line, lambda node, taken: detach(node, "Stock"), 942),
    "detach what is mirrored": (mirrored, lambda node, taken: detach(node, "Stock"), 3743),
    "detach master": (nothing, lambda node, taken: detach(node, "master"), 3708),
    "detach on another base": (
        same_again,
        lambda node, taken: node.do(DetachDatabase, database="Stock", base=99, revision=100),
        9797,
    ),
    "attach to no new revision": (
        nothing,
        lambda node, taken: node.do(AttachDatabase, database="Stock", backup=taken, base=0, revision=0),
        9797,
    ),
}


@pytest.mark.parametrize(("before", "act", "number"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_refused_has_its_number_and_changes_nothing(world, before, act, number):
    before(world)
    taken = backup(world.lyon, "Stock")
    state, events = world.rome.store.load(), len(world.rome.events)
    reply = act(world.rome, taken)
    assert isinstance(reply, Refusal)
    assert reply.number == number
    assert "{" not in reply.text + reply.why + reply.cure
    assert world.rome.store.load() == state
    assert len(world.rome.events) == events


def test_a_backup_that_is_too_large_to_travel_is_refused(world):
    world.paris.kill()
    for _ in range(4):
        world.lyon.say("Stock", world.there, b"x" * (BACKUP_BYTES_MAX // 4))
    reply = world.lyon.do(BackupDatabase, database="Stock")
    assert isinstance(reply, Refusal)
    assert (reply.number, reply.parameters["value"]) == (3202, BACKUP_BYTES_MAX + len("two"))
