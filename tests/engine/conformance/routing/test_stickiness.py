"""The choice is the conversation's, not the message's; balancing is by conversation (routing.md 3.5, E9, E10, E34)."""

import pytest

from engine.core.catalog.changes import EndpointAltered, RouteCreated, RouteDropped
from engine.core.catalog.objects import EndpointState
from engine.core.exchange.events import MessageClassified, MessageUndeliverable
from tests.support.world import World, route

STOP = EndpointAltered(name="Broker", state=EndpointState.STOPPED)


def estate(*, ids=False, towns=("lyon", "nice")):
    """PARIS and one copy of Entrepôt in each town, reached by name or, with `ids`, by name and id."""
    world = World()
    copies = [
        world.instance(town.upper(), world.database("Stock", ["Entrepôt"], route("Client", "paris"))) for town in towns
    ]
    routes = [
        route(
            "Entrepôt", town, broker_instance=copy.instance.catalog.databases["Stock"].broker_instance if ids else None
        )
        for town, copy in zip(towns, copies, strict=True)
    ]
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], *routes))
    return world, paris, copies


def begin(paris, body="0"):
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, body)
    return dialog


def counts(copies):
    return [copy.view("Stock").queues[0].ready for copy in copies]


def addresses(paris):
    return [event.decision.address.host for event in paris.told(MessageClassified) if event.decision.address]


@pytest.mark.parametrize("ids", [False, True])
def test_new_conversations_are_balanced_over_routes_and_over_ids(ids):
    world, paris, copies = estate(ids=ids, towns=("lyon", "nice", "metz"))
    for _ in range(9):
        begin(paris)
    world.run(3)
    assert counts(copies) == [3, 3, 3]


@pytest.mark.parametrize("ids", [False, True])
def test_all_messages_of_a_conversation_go_to_one_copy_before_and_after_the_first_acknowledgement(ids):
    world, paris, copies = estate(ids=ids)
    dialogs = [begin(paris) for _ in range(2)]
    for number in range(1, 10):
        world.run(0.2)
        for dialog in dialogs:
            paris.say("Ventes", dialog, str(number))
    world.run(3)
    assert counts(copies) == [10, 10]
    for copy in copies:
        assert len(copy.view("Stock").conversation_endpoints) == 1


def test_after_the_first_acknowledgement_a_conversation_does_not_hop_to_another_equal_route():
    """E9: the id leads to the same two name-only routes; a change of routes makes everybody choose anew."""
    world, paris, copies = estate()
    dialogs = [begin(paris) for _ in range(2)]
    world.run(2)
    for round_ in range(3):
        paris.define(RouteCreated(database="Ventes", route=route(f"Autre {round_}", "lyon")))
        for dialog in dialogs:
            paris.say("Ventes", dialog, "x")
        world.run(15)
    assert counts(copies) == [4, 4]
    assert [copy.told(MessageUndeliverable) for copy in copies] == [[], []]


def test_other_conversations_of_the_group_may_go_elsewhere_and_an_id_forces_them_together():
    world, paris, copies = estate()
    first = paris.begin("Ventes", "Client", "Entrepôt")
    [view] = paris.view("Ventes").conversation_endpoints
    second = paris.begin("Ventes", "Client", "Entrepôt", conversation_group_id=view.conversation_group_id)
    for dialog in (first, second):
        paris.say("Ventes", dialog, "x")
    world.run(2)
    assert counts(copies) == [1, 1]
    world, paris, copies = estate(ids=True)
    broker = copies[1].instance.catalog.databases["Stock"].broker_instance
    for _ in range(2):
        paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt", to_broker_instance=broker), "x")
    world.run(2)
    assert counts(copies) == [0, 2]


def test_e9_a_failed_connection_does_not_switch_by_itself_but_goes_on_at_the_reclassification():
    world, paris, copies = estate()
    copies[0].define(STOP)
    begin(paris)
    world.run(1)
    assert paris.statuses("Ventes") == {9754}
    world.run(57)
    assert (counts(copies), set(addresses(paris))) == ([0, 0], {"lyon"})
    world.run(5)
    assert (counts(copies), paris.view("Ventes").transmission_queue_total) == ([0, 1], 0)


def test_e9_the_only_route_is_tried_again():
    world, paris, copies = estate(towns=("lyon",))
    copies[0].define(STOP)
    begin(paris)
    world.run(100)
    copies[0].define(EndpointAltered(name="Broker", state=EndpointState.STARTED))
    world.run(65)
    assert counts(copies) == [1]


def test_e9_with_ids_a_failed_connection_leads_on_to_another_id():
    world, paris, copies = estate(ids=True)
    copies[0].define(STOP)
    begin(paris)
    world.run(65)
    assert counts(copies) == [0, 1]


def test_e9_after_the_first_acknowledgement_another_copy_is_no_way_out():
    """With a Full route each, the id that acknowledged leaves one route only."""
    world, paris, copies = estate(ids=True)
    dialog = begin(paris)
    world.run(2)
    copies[0].define(STOP)
    paris.say("Ventes", dialog, "1")
    world.run(200)
    assert (counts(copies), set(addresses(paris))) == ([1, 0], {"lyon"})
    copies[0].define(EndpointAltered(name="Broker", state=EndpointState.STARTED))
    world.run(70)
    assert counts(copies) == [2, 0]


def test_e9_a_second_copy_that_a_retry_reached_is_told_with_8495():
    """LYON took message 0, but its acknowledgement was lost; by the time it comes NICE has acknowledged."""
    world, paris, (lyon, nice) = estate(ids=True)
    held = []
    lyon.send = held.append
    begin(paris)
    world.run(1)
    lyon.define(STOP)
    del lyon.send
    world.run(80)
    assert counts([lyon, nice]) == [1, 1]
    lyon.define(EndpointAltered(name="Broker", state=EndpointState.STARTED))
    for _ in range(2):
        # The first time the answer finds no connection yet; nobody keeps it, the repetition makes it again.
        paris.feed(held[0].message)
        world.run(70)
    messages = lyon.receive("Stock", "Entrepôt") + lyon.receive("Stock", "Entrepôt")
    assert [message.message_type_name.rpartition("/")[2] for message in messages] == ["Error", "DEFAULT"]
    assert "<Code>-8495</Code>" in messages[0].message_body.decode("utf-16")
    assert {event.number for event in paris.told(MessageUndeliverable)} == {11224}
    assert paris.view("Ventes").transmission_queue_total == 0


def test_e10_a_conversation_whose_id_leads_nowhere_takes_another_at_the_next_reclassification():
    """The id picked first has a LOCAL route only, and the service is not here."""
    world = World()
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    here = route("Entrepôt", broker_instance=world.entropy.new_uuid())
    there = route("Entrepôt", "lyon", broker_instance=lyon.instance.catalog.databases["Stock"].broker_instance)
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], here, there))
    begin(paris)
    assert paris.statuses("Ventes") == {9796}
    world.run(59)
    assert paris.statuses("Ventes") == {9796}
    world.run(3)
    assert counts([lyon]) == [1]


def relayed(*routes_after):
    """PARIS sends by an id that is not the far one: HUB passes it on to LYON, whose acknowledgement names its own."""
    world = World()
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    world.instance("HUB", [RouteCreated(database="msdb", route=route("Entrepôt", "lyon"))], forwards=True)
    first = route("Entrepôt", "hub", broker_instance=world.entropy.new_uuid())
    broker = lyon.instance.catalog.databases["Stock"].broker_instance
    more = [route("Entrepôt", host, broker_instance=broker) for host in routes_after]
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], first, *more))
    paris.define(RouteDropped(database="Ventes", name="AutoCreatedLocal"))
    return world, paris, lyon


def test_e34_after_the_first_acknowledgement_a_full_route_with_its_id_is_used():
    world, paris, lyon = relayed("lyon")
    dialog = begin(paris)
    world.run(2)
    paris.say("Ventes", dialog, "1")
    world.run(2)
    assert addresses(paris) == ["hub", "lyon"]
    assert counts([lyon]) == [2]


def test_e34_no_route_that_fits_the_id_is_no_route_although_the_first_message_had_one():
    world, paris, lyon = relayed()
    dialog = begin(paris)
    world.run(2)
    paris.say("Ventes", dialog, "1")
    assert (counts([lyon]), paris.statuses("Ventes")) == ([1], {9750})


def test_e9_a_conversation_through_an_address_of_its_own_instance_stays_on_the_route_of_msdb_too():
    world = World()
    for town in ("LYON", "NICE"):
        # Reachable, and silent: it has not the service.
        world.instance(town, world.database("Stock", ["Autre"]))
    onward = [RouteCreated(database="msdb", route=route("Entrepôt", town)) for town in ("lyon", "nice")]
    database = world.database("Ventes", ["Client"], route("Entrepôt", "localhost"))
    paris = world.instance("PARIS", database, onward, forwards=True)
    begin(paris)
    world.run(1)
    for number in range(3):
        paris.define(RouteCreated(database="Ventes", route=route(f"Unrelated{number}", "metz")))
        world.run(11)
    assert set(addresses(paris)) == {"lyon"}
