"""Scenarios 3XX: how conversations end, and what is said to whom."""

import pytest

from engine.core.catalog.changes import BrokerRenewed, QueueCreated, ServiceAltered, ServiceDropped
from engine.core.catalog.objects import Queue
from engine.core.exchange.commands import BeginDialog, Receive, Send
from engine.core.exchange.replies import Refusal
from tests.support.world import World, route

END_DIALOG = "http://schemas.microsoft.com/SQL/ServiceBroker/EndDialog"
ERROR = "http://schemas.microsoft.com/SQL/ServiceBroker/Error"


@pytest.fixture
def talk():
    """PARIS and LYON after one question; answers the world, both nodes and both handles."""
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    asking = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", asking, "question")
    world.run(2)
    [question] = lyon.receive("Stock", "Entrepôt")
    return world, paris, lyon, asking, question.conversation_handle


def states(node, database):
    return [endpoint.state.value for endpoint in node.view(database).conversation_endpoints]


def test_301_the_target_ends_first_and_nothing_is_left_at_the_initiator(talk):
    world, paris, lyon, asking, answering = talk
    # A second message carries the flag that message 0 was acknowledged: it arms the replay guard.
    paris.say("Ventes", asking, "encore")
    world.run(2)
    lyon.end("Stock", answering)
    assert states(lyon, "Stock") == ["DO"]
    world.run(2)
    assert states(paris, "Ventes") == ["DI"]
    assert [row.message_type_name for row in paris.receive("Ventes", "Client")] == [END_DIALOG]
    refused = paris.say("Ventes", asking, "trop tard")
    assert isinstance(refused, Refusal)
    assert refused.number == 8429
    paris.end("Ventes", asking)
    world.run(2)
    assert states(paris, "Ventes") == []
    assert states(lyon, "Stock") == ["CD"]
    world.run(1900)
    assert states(lyon, "Stock") == []


def test_302_an_initiator_that_never_sent_leaves_without_a_word():
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    paris.end("Ventes", paris.begin("Ventes", "Client", "Entrepôt"))
    world.run(5)
    assert states(paris, "Ventes") == []
    assert world.transmissions == 0


def test_303_an_application_error_overtakes_what_is_missing_and_the_far_side_reads_it_first(talk):
    world, paris, lyon, asking, _ = talk
    paris.say("Ventes", asking, "vor dem Fehler")
    world.run(2)
    paris.end("Ventes", asking, error_code=4711, error_description="<nicht> möglich")
    world.run(2)
    assert states(lyon, "Stock") == ["ER"]
    first, second = lyon.receive("Stock", "Entrepôt")
    assert first.message_type_name == ERROR
    assert "<Code>4711</Code><Description>&lt;nicht&gt; möglich</Description>" in first.message_body.decode("utf-16")
    assert second.message_body == b"vor dem Fehler"
    assert states(paris, "Ventes") == []


def test_304_a_target_that_does_not_know_the_contract_answers_minus_8425():
    world = World()
    from engine.core.catalog.changes import ContractCreated, MessageTypeCreated
    from engine.core.catalog.objects import Contract, ContractUse, MessageType, SentBy

    definitions = [
        MessageTypeCreated(database="Ventes", message_type=MessageType("Ordre")),
        ContractCreated(database="Ventes", contract=Contract("Livraison", (ContractUse("Ordre", SentBy.INITIATOR),))),
    ]
    paris = world.instance("PARIS", [*world.database("Ventes", ["Client"], route("Entrepôt", "lyon")), *definitions])
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    dialog = paris.begin("Ventes", "Client", "Entrepôt", contract="Livraison")
    paris.do(Send, database="Ventes", conversation_handle=dialog, message_type="Ordre", body=b"x")
    world.run(6)
    assert states(paris, "Ventes") == ["ER"]
    assert states(lyon, "Stock") == []
    [error] = paris.receive("Ventes", "Client")
    assert "<Code>-8425</Code>" in error.message_body.decode("utf-16")
    assert paris.statuses("Ventes") == {9784}
    paris.end("Ventes", dialog)
    assert paris.view("Ventes").transmission_queue_total == 0


def test_305_a_lifetime_that_runs_out_is_an_error_on_each_side(talk):
    world, paris, lyon, _, _ = talk
    brief = paris.begin("Ventes", "Client", "Entrepôt", lifetime_seconds=30)
    paris.say("Ventes", brief, "kurz")
    world.run(40)
    errors = [row for row in paris.receive("Ventes", "Client") if row.conversation_handle == brief]
    assert "<Code>-8489</Code>" in errors[0].message_body.decode("utf-16")
    messages = [row for row in lyon.receive("Stock", "Entrepôt", 10) if row.message_type_name == ERROR]
    assert "<Code>-8489</Code>" in messages[0].message_body.decode("utf-16")


def test_306_cleanup_tells_nobody(talk):
    world, paris, lyon, asking, _ = talk
    before = world.transmissions
    paris.end("Ventes", asking, with_cleanup=True)
    world.run(5)
    assert states(paris, "Ventes") == []
    assert states(lyon, "Stock") == ["CO"]
    assert world.transmissions == before


def test_307_dropping_a_service_ends_its_conversations_and_tells_the_peer_minus_8470(talk):
    world, paris, lyon, _, _ = talk
    lyon.define(ServiceDropped(database="Stock", name="Entrepôt"))
    world.run(3)
    assert states(lyon, "Stock") == []
    assert states(paris, "Ventes") == ["ER"]
    assert "<Code>-8470</Code>" in paris.receive("Ventes", "Client")[0].message_body.decode("utf-16")


def test_8_2_row_29_a_service_that_is_altered_ends_no_conversation_and_tells_nobody(talk):
    world, paris, lyon, _, _ = talk
    lyon.define(
        QueueCreated(database="Stock", queue=Queue("dbo.Neu")),
        ServiceAltered(database="Stock", name="Entrepôt", queue="dbo.Neu"),
    )
    world.run(3)
    assert (states(paris, "Ventes"), states(lyon, "Stock")) == (["CO"], ["CO"])
    assert not any("8469" in row.message_body.decode("utf-16") for row in paris.receive("Ventes", "Client", 10))


def test_308_a_new_broker_id_ends_every_conversation_of_the_database_with_a_local_error(talk):
    world, paris, lyon, _, _ = talk
    paris.define(BrokerRenewed(database="Ventes", broker_instance=world.entropy.new_uuid()))
    world.run(3)
    assert states(paris, "Ventes") == ["ER"]
    assert states(lyon, "Stock") == ["CO"]
    assert "<Code>-9719</Code>" in paris.receive("Ventes", "Client")[0].message_body.decode("utf-16")


@pytest.mark.parametrize(
    ("command", "fields", "number"),
    [
        (BeginDialog, {"database": "Rien", "from_service": "Client", "to_service": "X"}, 911),
        (BeginDialog, {"database": "Ventes", "from_service": "client", "to_service": "X"}, 8423),
        (BeginDialog, {"database": "Ventes", "from_service": "Client", "to_service": ""}, 8412),
        (BeginDialog, {"database": "Ventes", "from_service": "Client", "to_service": "x" * 257}, 8412),
        (BeginDialog, {"database": "Ventes", "from_service": "Client", "to_service": "X", "contract": "Non"}, 8425),
        (BeginDialog, {"database": "Ventes", "from_service": "Client", "to_service": "X", "lifetime_seconds": 0}, 8411),
        (Receive, {"database": "Ventes", "queue": "dbo.Rien"}, 15151),
        (Receive, {"database": "Ventes", "queue": "dbo.Client", "top": 0}, 1060),
    ],
)
def test_309_a_wrong_statement_gets_its_number_and_changes_nothing(talk, command, fields, number):
    _, paris, _, _, _ = talk
    before = paris.view("Ventes"), len(paris.events)
    reply = paris.do(command, **fields)
    assert isinstance(reply, Refusal)
    assert reply.number == number
    assert reply.text
    assert (paris.view("Ventes"), len(paris.events)) == before


def test_310_sending_what_the_contract_does_not_allow_is_refused(talk):
    _, paris, _, asking, answering = talk
    for fields, number in (
        ({"conversation_handle": answering}, 8426),
        ({"conversation_handle": asking, "message_type": "Inconnu"}, 8428),
        ({"conversation_handle": asking, "message_type": END_DIALOG}, 8431),
    ):
        reply = paris.do(Send, database="Ventes", **fields)
        assert isinstance(reply, Refusal)
        assert reply.number == number


def test_311_a_command_delivered_twice_happens_once(talk):
    from uuid import UUID

    _, paris, _, asking, _ = talk
    command = Send(command_id=UUID(int=7), database="Ventes", conversation_handle=asking, body=b"nur einmal")
    first = paris.feed(command)
    assert paris.feed(command) == first
    paris.kill()
    paris.start()
    assert paris.feed(command) == first
    assert paris.view("Ventes").conversation_endpoints[0].send_sequence == 2


def test_312_ending_with_an_error_takes_both_a_code_above_zero_and_a_text_and_no_cleanup(talk):
    _, paris, _, asking, _ = talk
    for fields, number in (
        ({"error_code": 1}, 8422),
        ({"error_description": "x"}, 8419),
        ({"error_code": 0, "error_description": "x"}, 8424),
        ({"error_code": 1, "error_description": "x", "with_cleanup": True}, 102),
    ):
        refused = paris.end("Ventes", asking, **fields)
        assert isinstance(refused, Refusal)
        assert refused.number == number
    assert states(paris, "Ventes") == ["CO"]


def test_313_a_body_of_length_zero_arrives_as_null(talk):
    world, paris, lyon, asking, _ = talk
    paris.say("Ventes", asking, "")
    world.run(2)
    [message] = lyon.receive("Stock", "Entrepôt")
    assert message.message_body is None
