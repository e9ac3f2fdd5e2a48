"""protocol.md 8.2, rows 21, 22 and 25: who is told when a side breaks its conversations off."""

import pytest

from engine.core.catalog.changes import (
    BrokerConversationsErrored,
    ContractCreated,
    ContractDropped,
    ServiceAltered,
    ServiceDropped,
)
from engine.core.catalog.objects import Contract, ContractUse, SentBy
from engine.core.vocabulary.messages import MessageKind
from tests.support.dialogs import make_pair, states
from tests.support.world import World, route

BREAKS = {
    -8470: ServiceDropped(database="Ventes", name="Client"),
    -8487: ContractDropped(database="Ventes", name="Commande"),
    -9720: BrokerConversationsErrored(database="Ventes"),
}


def knows_contract(node, database, *services):
    """The contract of these tests is there, and the services accept it."""
    contract = Contract("Commande", (ContractUse("DEFAULT", SentBy.ANY),))
    node.define(
        ContractCreated(database=database, contract=contract),
        *(ServiceAltered(database=database, name=service, adds=("Commande",)) for service in services),
    )


def errors(rows):
    return [row.message_body.decode("utf-16") for row in rows if row.message_type_name.endswith("/Error")]


@pytest.mark.parametrize("code", BREAKS)
def test_a_target_whose_acknowledgement_was_on_its_way_is_told(code):
    world, paris, lyon = make_pair()
    knows_contract(paris, "Ventes")
    knows_contract(lyon, "Stock", "Entrepôt")
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt", contract="Commande"), "a")
    world.run(0.2)
    assert paris.view("Ventes").conversation_endpoints[0].far_broker_instance is None
    assert states(lyon, "Stock") == ["CO"]
    paris.define(BREAKS[code])
    world.run(60)
    assert states(lyon, "Stock") == ["ER"]
    [text] = errors(lyon.receive("Stock", "Entrepôt"))
    assert f"<Code>{code}</Code>" in text


@pytest.mark.parametrize("sends", [0, 1])
def test_nobody_is_told_of_what_never_left(sends):
    world, paris, lyon = make_pair()
    dialog = paris.begin("Ventes", "Client", "nowhere")
    for _ in range(sends):
        paris.say("Ventes", dialog, "a")
    world.run(1)
    before = world.transmissions
    paris.define(BREAKS[-8470])
    world.run(1)
    assert world.transmissions == before
    assert states(lyon, "Stock") == states(paris, "Ventes") == []


def test_of_two_copies_the_one_is_told_that_has_the_conversation():
    world = World()
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    rome = world.instance("ROME", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    paris = world.instance(
        "PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon"), route("Entrepôt", "rome"))
    )
    dialogs = [paris.begin("Ventes", "Client", "Entrepôt") for _ in range(8)]
    for dialog in dialogs:
        paris.say("Ventes", dialog, "a")
    world.run(0.2)
    assert all(each.far_broker_instance is None for each in paris.view("Ventes").conversation_endpoints)
    assert {len(states(node, "Stock")) for node in (lyon, rome)}.isdisjoint({0, 8})
    paris.define(BREAKS[-8470])
    world.run(1)
    assert {*states(lyon, "Stock"), *states(rome, "Stock")} == {"ER"}


@pytest.mark.parametrize("code", [-8487, -9719])
def test_within_one_database_each_side_reads_one_error(code):
    world = World()
    node = world.instance("PARIS", world.database("Ventes", ["Client", "Entrepôt"]))
    knows_contract(node, "Ventes", "Entrepôt")
    node.say("Ventes", node.begin("Ventes", "Client", "Entrepôt", contract="Commande"), "a")
    world.run(1)
    node.define(ServiceAltered(database="Ventes", name="Entrepôt", drops=("Commande",)))
    node.define(BREAKS[-9720 if code == -9719 else code])
    world.run(1)
    assert states(node, "Ventes") == ["ER", "ER"]
    for service in ("Client", "Entrepôt"):
        [text] = errors(node.receive("Ventes", service))
        assert f"<Code>{code}</Code>" in text


def test_an_error_that_came_before_is_the_only_one():
    world, paris, _ = make_pair()
    knows_contract(paris, "Ventes")
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt", contract="Commande"), "a")
    world.run(10)
    assert states(paris, "Ventes") == ["ER"], "LYON does not know the contract"
    sent = []
    paris.send = lambda outbound: sent.append(outbound.message.message)
    paris.define(BREAKS[-8487])
    world.run(1)
    [text] = errors(paris.receive("Ventes", "Client"))
    assert "<Code>-8425</Code>" in text
    assert [message for message in sent if message.kind is MessageKind.ERROR] == []
