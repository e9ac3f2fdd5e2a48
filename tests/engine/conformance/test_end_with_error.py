"""END CONVERSATION WITH ERROR is told to whoever may know of the dialog (protocol.md 8.2, row 9)."""

import msgspec
import pytest

from engine.core.catalog.changes import ContractCreated, RouteCreated, RouteDropped
from engine.core.catalog.objects import Contract, ContractUse, SentBy
from engine.core.catalog.permissions import Securable
from engine.core.catalog.security_changes import PermissionSet
from engine.core.catalog.server_changes import PermissionVerb
from engine.core.exchange.events import ConversationStateChanged
from engine.core.vocabulary.messages import ForwardedMessage, MessageKind
from tests.support.world import World, route

ANY = SentBy.ANY
ERROR = "http://schemas.microsoft.com/SQL/ServiceBroker/Error"
HOME = route("Client", "paris")
NOBODY_MAY_SEND = PermissionSet(
    database="Stock", securable=Securable.SERVICE, name="Entrepôt", verb=PermissionVerb.REVOKE, grantee="public"
)


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


@pytest.mark.parametrize("body", ["question", "frage" * 40_000], ids=["whole", "in fragments"])
def test_8_5_a_late_copy_of_message_0_does_not_begin_a_dialog_that_its_error_has_ended(body):
    """The Error overtakes all of message 0, is acknowledged, and the initiator is gone: nobody would end it again."""
    world, paris, lyon, asking = dialog()
    paris.say("Ventes", asking, "before")
    world.run(2)
    lyon.receive("Stock", "Entrepôt")
    late = []
    world.loses = lambda message: message.kind is MessageKind.USER and late.append(message) is None
    asking = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", asking, body)
    world.run(1)
    paris.end("Ventes", asking, error_code=4711, error_description="nein")
    world.run(2)
    assert asking not in {row.conversation_handle for row in paris.view("Ventes").conversation_endpoints}
    for message in late:
        lyon.feed(ForwardedMessage(message=message, hops_remaining=16, time_to_live=60.0))
    world.run(2)
    ended = [row for row in lyon.view("Stock").conversation_endpoints if row.conversation_id == late[0].conversation_id]
    assert [row.state.value for row in ended] == ["CD"]
    told = [each for each in lyon.told(ConversationStateChanged) if each.conversation_id == late[0].conversation_id]
    assert [(each.state.value, each.happening) for each in told] == [("CD", "received-end-conversation-with-error")]
    assert lyon.receive("Stock", "Entrepôt") == ()
    world.run(1900)
    assert len(lyon.view("Stock").conversation_endpoints) == 1


@pytest.mark.parametrize("contract", ["DEFAULT", "Unbekannt"], ids=["no permission", "no contract"])
def test_8_5_an_error_leaves_no_guard_where_message_0_could_begin_nothing(contract):
    world, paris, lyon, _ = dialog()
    lyon.define(NOBODY_MAY_SEND)
    if contract != "DEFAULT":
        lyon.define(msgspec.structs.replace(NOBODY_MAY_SEND, verb=PermissionVerb.GRANT))
        paris.define(ContractCreated(database="Ventes", contract=Contract(contract, (ContractUse("DEFAULT", ANY),))))
    asking = paris.begin("Ventes", "Client", "Entrepôt", contract=contract)
    world.loses = lambda message: message.kind is MessageKind.USER
    paris.say("Ventes", asking, "question")
    world.run(1)
    paris.end("Ventes", asking, error_code=4711, error_description="nein")
    world.run(30)
    assert asking not in {row.conversation_handle for row in paris.view("Ventes").conversation_endpoints}
    assert lyon.view("Stock").conversation_endpoints == ()


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
