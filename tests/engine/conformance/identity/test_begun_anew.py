"""identity.md 4, protocol.md 3.5 and 8.7 (D, S): a late copy of message 0 after a restore to a time before its dialog.

The target that a restore took had acknowledged messages that nobody has any more. The copy begins the dialog a second
time, and no field of a header (protocol.md 3.2) tells either end of it: both wait until one of them ends.
"""

import pytest

from engine.core.catalog.backup import AttachOption
from engine.core.catalog.objects import END_DIALOG_TYPE, ERROR_TYPE
from engine.core.vocabulary.rows import QueueRowStatus, put_together
from tests.support.backups import backup, restore
from tests.support.dialogs import bodies, make_pair, states


@pytest.fixture
def begun_anew():
    """World, PARIS, LYON and both handles: 0 and 1 were acknowledged before the restore, 2 is sent after it."""
    world, paris, lyon = make_pair()
    empty = backup(lyon, "Stock")
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "0")
    world.run(2)
    [first] = [each.message for each in paris.sent if each.message.message.sequence == 0]
    paris.say("Ventes", dialog, "1")
    world.run(2)
    assert paris.view("Ventes").transmission_queue_total == 0
    restore(lyon, "Stock", empty, option=AttachOption.ERROR_BROKER_CONVERSATIONS)
    lyon.feed(first)
    paris.say("Ventes", dialog, "2")
    world.run(300)
    [target] = lyon.view("Stock").conversation_endpoints
    return world, paris, lyon, dialog, target.conversation_handle


def held(node):
    [stock] = [each for each in put_together(node.store.load().databases) if each.name == "Stock"]
    waiting = (row for rows in stock.queues.values() for row in rows)
    return [row.message_body for row in waiting if row.status is QueueRowStatus.DISABLED]


def types(rows):
    return [row.message_type_name for row in rows]


def test_what_follows_waits_at_both_ends_and_is_repeated(begun_anew):
    world, paris, lyon, _, _ = begun_anew
    assert states(paris, "Ventes") == states(lyon, "Stock") == ["CO"]
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [b"0"], "the restored database has never heard it"
    assert held(lyon) == [b"2"]
    assert paris.view("Ventes").transmission_queue_total == 1
    before = world.transmissions
    world.run(200)
    assert world.transmissions > before
    assert paris.receive("Ventes", "Client") == ()


def test_an_end_with_an_error_passes_the_gap(begun_anew):
    world, paris, lyon, dialog, target = begun_anew
    paris.end("Ventes", dialog, error_code=1, error_description="out of step")
    world.run(2)
    assert ERROR_TYPE in types(lyon.receive("Stock", "Entrepôt"))
    assert held(lyon) == []
    lyon.end("Stock", target)
    assert states(paris, "Ventes") == []


def test_an_end_at_the_target_ends_it_for_both(begun_anew):
    world, paris, lyon, dialog, target = begun_anew
    lyon.end("Stock", target)
    world.run(2)
    assert types(paris.receive("Ventes", "Client")) == [END_DIALOG_TYPE]
    paris.end("Ventes", dialog)
    assert (states(paris, "Ventes"), paris.view("Ventes").transmission_queue_total) == ([], 0)
    assert (states(lyon, "Stock"), held(lyon)) == (["CD"], [])


def test_an_end_behind_the_gap_waits_with_the_rest_until_the_target_ends_too(begun_anew):
    world, paris, lyon, dialog, target = begun_anew
    paris.end("Ventes", dialog)
    world.run(300)
    assert (states(paris, "Ventes"), states(lyon, "Stock")) == (["DO"], ["CO"])
    lyon.end("Stock", target)
    world.run(300)
    assert (states(paris, "Ventes"), paris.view("Ventes").transmission_queue_total) == ([], 0)
