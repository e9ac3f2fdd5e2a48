"""Acknowledgements follow the routes as messages do: a change is looked at again after its wait (routing.md 7)."""

from engine.core.catalog.changes import RouteAltered
from tests.support.world import World, route


def test_an_acknowledgement_that_was_owed_when_its_route_was_mended_does_not_bind_the_next_ones_to_the_old_way():
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    astray = route("Client", "wien")
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], astray))
    world.instance("WIEN")
    asking = paris.begin("Ventes", "Client", "Entrepôt")
    # The link to WIEN is up when the acknowledgement of the second message is owed.
    paris.say("Ventes", asking, "question")
    world.run(2)
    paris.say("Ventes", asking, "encore")
    while lyon.view("Stock").conversation_endpoints[0].receive_sequence < 2:
        world.run(0.01)
    mended = route("Client", "paris")
    lyon.define(RouteAltered(database="Stock", name=astray.name, address=mended.address))
    world.run(120)
    assert paris.view("Ventes").transmission_queue_total == 0
