"""protocol.md 19 (E): whoever bears the id of a conversation and is none of it is discarded, and not answered."""

import uuid

import msgspec
import pytest

from engine.core.catalog.changes import BrokerRenewed, ContractCreated
from engine.core.catalog.objects import Contract, ContractUse, SentBy
from engine.core.exchange.events import MessageUndeliverable
from engine.core.vocabulary.messages import DialogTarget, MessageKind
from tests.support.dialogs import bodies, make_pair

STRANGER = uuid.UUID(int=99)


def altered(transit, **fields):
    return msgspec.structs.replace(transit, message=msgspec.structs.replace(transit.message, **fields))


def numbers(node):
    return [event.number for event in node.told(MessageUndeliverable)]


@pytest.fixture
def conversing():
    """PARIS and LYON after two messages and an answer; what travelled either way, kept for changing."""
    world, paris, lyon = make_pair()
    there, back = [], []
    for node, seen in ((paris, there), (lyon, back)):
        node.send = lambda outbound, seen=seen, carry=node.send: (seen.append(outbound.message), carry(outbound))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for body in ("one", "two"):
        paris.say("Ventes", dialog, body)
        world.run(1)
    [row, _] = lyon.receive("Stock", "Entrepôt")
    lyon.say("Stock", row.conversation_handle, "aye")
    world.run(1)
    paris.receive("Ventes", "Client")
    sent = [transit for transit in there if transit.message.kind is MessageKind.USER][-1]
    answered = [transit for transit in back if transit.message.kind is MessageKind.USER][-1]
    return world, paris, lyon, sent, answered


@pytest.mark.parametrize("kind", [MessageKind.USER, MessageKind.ACKNOWLEDGEMENT, MessageKind.ERROR])
@pytest.mark.parametrize(
    ("number", "change"),
    [
        (11221, lambda m: {"contract": "Autre contrat"}),
        (11221, lambda m: {"source": DialogTarget("Autre", m.source.broker_instance)}),
        (11222, lambda m: {"target": DialogTarget("Autre", m.target.broker_instance)}),
        (11223, lambda m: {"source": DialogTarget(m.source.service_name, STRANGER)}),
    ],
    ids=["contract", "from service", "to service", "from broker"],
)
def test_a_target_discards_what_contradicts_its_endpoint(conversing, number, change, kind):
    world, _, lyon, sent, _ = conversing
    before = lyon.view("Stock"), world.transmissions
    fields = {"sequence": 2, **change(sent.message), "kind": kind}
    if kind is not MessageKind.USER:
        fields |= {"sequence": None, "message_type": None}
    lyon.feed(altered(sent, **fields))
    world.run(2)
    assert numbers(lyon) == [number]
    assert (lyon.view("Stock"), world.transmissions) == before


@pytest.mark.parametrize(
    ("number", "change"),
    [
        (11221, lambda m: {"contract": "Autre contrat"}),
        (11221, lambda m: {"source": DialogTarget("Autre", m.source.broker_instance)}),
        (11222, lambda m: {"target": DialogTarget("Autre", m.target.broker_instance)}),
    ],
    ids=["contract", "from service", "to service"],
)
@pytest.mark.parametrize("kind", [MessageKind.USER, MessageKind.ACKNOWLEDGEMENT])
def test_an_initiator_discards_what_contradicts_its_endpoint(conversing, number, change, kind):
    world, paris, _, _, answered = conversing
    before = paris.view("Ventes"), world.transmissions
    fields = {"sequence": 1, **change(answered.message), "kind": kind}
    if kind is MessageKind.ACKNOWLEDGEMENT:
        fields |= {"sequence": None, "message_type": None}
    paris.feed(altered(answered, **fields))
    world.run(2)
    assert numbers(paris) == [number]
    assert (paris.view("Ventes"), world.transmissions) == before


def test_an_initiator_tells_another_copy_of_the_service_that_it_comes_too_late(conversing):
    world, paris, _, _, answered = conversing
    source = DialogTarget(answered.message.source.service_name, STRANGER)
    before = world.transmissions
    paris.feed(altered(answered, sequence=1, source=source))
    world.run(0.5)
    assert numbers(paris) == [11224]
    assert world.transmissions == before + 1


def test_a_message_on_another_contract_that_is_known_is_none_of_the_dialog_either(conversing):
    _, _, lyon, sent, _ = conversing
    uses = (ContractUse("DEFAULT", SentBy.ANY),)
    lyon.define(ContractCreated(database="Stock", contract=Contract("Commande", uses)))
    # First as expected, so that the shortcut for what flows has something to go by.
    lyon.feed(altered(sent, sequence=2, body=b"three"))
    lyon.feed(altered(sent, sequence=3, contract="Commande"))
    assert numbers(lyon) == [11221]
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [b"three"]


def test_nobody_without_a_broker_id_answers_an_initiator_that_has_heard_of_nobody_yet():
    world, paris, lyon = make_pair()
    answers = []
    lyon.send = lambda outbound: answers.append(outbound.message)
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "one")
    world.run(1)
    source = DialogTarget(answers[0].message.source.service_name)
    paris.feed(altered(answers[0], source=source))
    paris.feed(altered(answers[0], source=source, kind=MessageKind.USER, sequence=0, message_type="DEFAULT"))
    assert numbers(paris) == [11203, 11203]
    assert paris.view("Ventes").conversation_endpoints[0].far_broker_instance is None


def test_a_target_that_is_renewed_before_its_first_acknowledgement_is_no_stranger():
    """What legally changes between message 0 and its acknowledgement: which database has the dialog, and its id."""
    world, paris, lyon = make_pair()
    world.loses = lambda message: message.acknowledgement is not None
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "one")
    world.run(1)
    lyon.define(BrokerRenewed(database="Stock", broker_instance=STRANGER))
    world.loses = lambda message: False
    world.run(30)
    assert paris.view("Ventes").conversation_endpoints[0].far_broker_instance == STRANGER
    assert numbers(paris) == []
    assert set(numbers(lyon)) <= {11218}
