"""One of two databases of an instance goes back in time: the other's messages wait no longer than they must (28012)."""

from tests.support.backups import backup, restore
from tests.support.world import World


def bodies(node, database, queue):
    return [row.message_body for row in node.receive(database, queue)]


def test_an_acknowledgement_from_beside_takes_the_reason_to_wait_away():
    """routing.md 3.4: within an instance nothing waits; the wait of a refused message ends with the message."""
    world = World()
    node = world.instance("PARIS", world.database("Ventes", ["Client"]), world.database("Stock", ["Entrepôt"]))
    here = node.begin("Ventes", "Client", "Entrepôt")
    node.say("Ventes", here, "un")
    [first] = node.receive("Stock", "Entrepôt")
    taken = backup(node, "Stock")
    node.say("Stock", first.conversation_handle, "reply")
    restore(node, "Stock", taken)
    # Acknowledges a reply that the restored database has never sent: taken in, and refused all the same (28010).
    node.say("Ventes", here, "deux")
    assert node.statuses("Ventes") == {28012}
    node.say("Stock", first.conversation_handle, "again")
    assert node.statuses("Ventes") == set()
    node.say("Ventes", here, "trois")
    assert node.statuses("Ventes") == set(), "nothing is in the way any more"
    assert bodies(node, "Stock", "Entrepôt") == [b"deux", b"trois"]
