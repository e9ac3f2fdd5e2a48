"""Use of routes in the summary: each route has the messages that took it, whatever shares its connection."""

import msgspec

from engine.core.catalog.changes import EndpointAltered, RouteCreated, RouteDropped
from engine.core.exchange import pictures
from engine.core.pictures.journal import PictureJournal
from tests.support.world import World, route


def uses(node, database):
    journal = PictureJournal(0)
    journal.note(1, node.events)
    summary = node.instance.picture(pictures.SummaryQuery(), journal, node.world.now())
    [found] = [each for each in summary.databases if each.name == database]
    return {each.route: each for each in found.routes}


def pair(*services):
    """PARIS has a route to each service, all to one address; LYON has them all but `Absent`."""
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], *(route(each, "lyon") for each in services)))
    there = [each for each in services if each != "Absent"]
    lyon = world.instance("LYON", world.database("Stock", there, route("Client", "paris")))
    return world, paris, lyon


def name_of(node, service):
    routes = node.instance.catalog.databases["Ventes"].routes.values()
    return next(each.name for each in routes if each.service_name == service)


def send(node, service, count=1):
    handle = node.begin("Ventes", "Client", service)
    for number in range(count):
        node.say("Ventes", handle, f"{number}")


def test_a_route_that_no_message_takes_has_no_use_though_its_connection_carries_others():
    world, paris, _ = pair("Entrepôt", "Dépôt")
    send(paris, "Entrepôt", 3)
    world.run(3)
    found = uses(paris, "Ventes")
    assert found.keys() == {name_of(paris, "Entrepôt")}
    [use] = found.values()
    assert (use.delivered, use.messages, use.blocked, use.number, use.oldest) == (3, 0, 0, None, None)


def test_messages_that_wait_count_for_the_route_that_they_took():
    world, paris, lyon = pair("Entrepôt", "Dépôt")
    lyon.kill()
    send(paris, "Entrepôt", 2)
    send(paris, "Entrepôt")
    world.run(20)
    [use] = uses(paris, "Ventes").values()
    assert use.route == name_of(paris, "Entrepôt")
    assert (use.conversations, use.messages, use.blocked, use.delivered) == (2, 3, 3, 0)
    assert use.number is not None
    assert use.oldest is not None
    lyon.start()
    world.run(60)
    [use] = uses(paris, "Ventes").values()
    assert (use.messages, use.blocked, use.number, use.delivered) == (0, 0, None, 3)


def test_messages_that_never_arrive_wait_without_a_number_and_leave_other_routes_alone():
    world, paris, _ = pair("Entrepôt", "Absent")
    send(paris, "Absent", 2)
    send(paris, "Entrepôt")
    world.run(30)
    found = uses(paris, "Ventes")
    lost, good = found[name_of(paris, "Absent")], found[name_of(paris, "Entrepôt")]
    assert (lost.messages, lost.delivered) == (2, 0)
    assert (good.messages, good.delivered) == (0, 1)


def test_messages_that_change_their_route_count_for_the_new_one():
    world, paris, _ = pair("Entrepôt")
    old = name_of(paris, "Entrepôt")
    paris.define(EndpointAltered(name="Broker", state="STOPPED"))
    send(paris, "Entrepôt")
    world.run(1)
    assert uses(paris, "Ventes").keys() == {old}
    better = msgspec.structs.replace(route("Entrepôt", "lyon"), name="Meilleure")
    paris.define(RouteDropped(database="Ventes", name=old), RouteCreated(database="Ventes", route=better))
    world.run(30)
    assert [(each.route, each.messages) for each in uses(paris, "Ventes").values()] == [("Meilleure", 1)]


def test_a_route_that_is_made_again_under_its_name_begins_without_deliveries():
    world, paris, _ = pair("Entrepôt")
    send(paris, "Entrepôt")
    world.run(3)
    name = name_of(paris, "Entrepôt")
    same = paris.instance.catalog.databases["Ventes"].routes[name]
    paris.define(RouteDropped(database="Ventes", name=name))
    paris.define(RouteCreated(database="Ventes", route=same))
    assert uses(paris, "Ventes") == {}


def test_a_forwarder_counts_what_it_passes_on_and_what_waits_for_the_next_hop():
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "hub")))
    passing = [
        RouteCreated(database="msdb", route=each)
        for each in (route("Entrepôt", "lyon"), route("Client", "paris"), route("Dépôt", "berlin"))
    ]
    hub = world.instance("HUB", passing, forwards=True)
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "hub")))
    send(paris, "Entrepôt")
    world.run(5)
    passed_on = {each.route: each.delivered > 0 for each in uses(hub, "msdb").values()}
    assert passed_on == {"to Entrepôt by lyon": True, "to Client by paris": True}, "with the acknowledgement"
    lyon.kill()
    send(paris, "Entrepôt")
    world.run(15)
    [waiting] = [each for each in uses(hub, "msdb").values() if each.messages]
    assert waiting.blocked == waiting.messages
    assert waiting.number is not None
