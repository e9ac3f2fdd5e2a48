"""END CONVERSATION WITH ERROR is told to whoever may know of the dialog (protocol.md 8.2, row 9)."""

from engine.core.catalog.changes import RouteCreated, RouteDropped
from tests.support.world import World, route

ERROR = "http://schemas.microsoft.com/SQL/ServiceBroker/Error"
HOME = route("Client", "paris")


def dialog():
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], HOME))
    return world, paris, lyon, paris.begin("Ventes", "Client", "Entrepôt")


def types(rows):
    return [row.message_type_name for row in rows]


def test_row_9_a_target_tells_of_its_error_although_its_first_answer_never_left():
    world, paris, lyon, asking = dialog()
    paris.say("Ventes", asking, "question")
    world.run(2)
    [question] = lyon.receive("Stock", "Entrepôt")
    lyon.define(RouteDropped(database="Stock", name=HOME.name))
    lyon.say("Stock", question.conversation_handle, "waits for a route")
    lyon.end("Stock", question.conversation_handle, error_code=4711, error_description="nein")
    assert [each.state.value for each in lyon.view("Stock").conversation_endpoints] == ["DO"]
    lyon.define(RouteCreated(database="Stock", route=HOME))
    world.run(90)
    assert types(paris.receive("Ventes", "Client")) == [ERROR]


def test_row_9_an_initiator_that_was_restarted_tells_a_target_of_which_it_does_not_know_yet():
    world, paris, lyon, asking = dialog()
    paris.say("Ventes", asking, "question")
    while not lyon.view("Stock").conversation_endpoints:
        world.run(0.01)
    paris.kill()
    paris.start()
    paris.end("Ventes", asking, error_code=4711, error_description="nein")
    world.run(90)
    assert types(lyon.receive("Stock", "Entrepôt")) == [ERROR, "DEFAULT"], "an error goes ahead"


def test_row_9_an_initiator_whose_message_0_never_left_goes_without_a_word():
    world, paris, lyon, asking = dialog()
    paris.define(RouteDropped(database="Ventes", name=route("Entrepôt", "lyon").name))
    paris.say("Ventes", asking, "question")
    paris.end("Ventes", asking, error_code=4711, error_description="nein")
    paris.define(RouteCreated(database="Ventes", route=route("Entrepôt", "lyon")))
    world.run(90)
    assert paris.view("Ventes").conversation_endpoints == ()
    assert lyon.view("Stock").conversation_endpoints == ()
    assert world.transmissions == 0
