"""PARIS and LYON, joined by a route each way; fragments are small, so that a body of some kilobytes has many."""

from engine.core.vocabulary.identifiers import QueueName
from engine.core.vocabulary.settings import DialogSettings, EngineSettings
from tests.support.world import World, route

FRAGMENT = 1024


def make_pair(**settings):
    """The world and both nodes."""
    world = World()
    world.settings = EngineSettings(dialog=DialogSettings(fragment_bytes=FRAGMENT, **settings))
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    return world, paris, lyon


def large(fragments, mark=b"x"):
    """A body of so many fragments, each different."""
    pieces = (mark + b"%d" % number for number in range(fragments))
    return b"".join(piece.ljust(FRAGMENT, b".") for piece in pieces)


def bodies(rows):
    return [row.message_body for row in rows]


def statuses(node, database, queue):
    """Of everything a SELECT on the queue shows: status and fragment."""
    peek = node.instance.peek(database, QueueName(f"dbo.{queue}"), 10_000)
    return [(int(row.status), row.fragment_number) for row in peek.messages]


def states(node, database):
    return [endpoint.state.value for endpoint in node.view(database).conversation_endpoints]
