"""What applications and traces read of faults names what it is about (protocol.md 18.1, 19)."""

import msgspec

from engine.core.catalog.changes import ContractCreated, ContractDropped, MessageTypeCreated, ServiceAltered
from engine.core.catalog.objects import Contract, ContractUse, MessageType, SentBy
from engine.core.catalog.security_changes import CertificateCreated, MasterKeyAltered
from engine.core.exchange.commands import Send
from engine.core.exchange.events import MessageUndeliverable
from engine.core.vocabulary.messages import Fragment
from tests.support.certificates import certificate, certified, initiator, target
from tests.support.dialogs import make_pair
from tests.support.secure_world import SecureWorld
from tests.support.world import World, route


def error_text(rows):
    [text] = [row.message_body.decode("utf-16") for row in rows if row.message_type_name.endswith("/Error")]
    return text


def discarded(node, number):
    return next(event.text for event in node.told(MessageUndeliverable) if event.number == number)


def test_the_second_of_two_copies_reads_that_its_own_service_was_acknowledged_elsewhere():
    world = World()
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    rome = world.instance("ROME", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    ids = [node.instance.catalog.databases["Stock"].broker_instance for node in (lyon, rome)]
    routes = [route("Entrepôt", "lyon", broker_instance=ids[0]), route("Entrepôt", "rome", broker_instance=ids[1])]
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], *routes))
    seen, carry = [], paris.send
    paris.send = lambda outbound: (seen.append(outbound.message), carry(outbound))
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "x")
    world.run(2)
    for node in (lyon, rome):
        for _ in range(2):
            node.feed(seen[0])
            world.run(10)
    text = error_text([row for node in (lyon, rome) for row in node.receive("Stock", "Entrepôt")])
    assert "-8495" in text
    assert "'Entrepôt'" in text


def test_the_error_of_a_dropped_contract_names_it():
    _, paris, _ = make_pair()
    contract = Contract("Commande", (ContractUse("DEFAULT", SentBy.ANY),))
    paris.define(ContractCreated(database="Ventes", contract=contract))
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt", contract="Commande"), "x")
    paris.define(ContractDropped(database="Ventes", name="Commande"))
    text = error_text(paris.receive("Ventes", "Client"))
    assert "-8487" in text
    assert "'Commande'" in text


def test_out_of_sequence_says_which_number_came_and_which_one_was_due():
    world, paris, lyon = make_pair()
    seen, carry = [], paris.send
    paris.send = lambda outbound: (seen.append(outbound.message), carry(outbound))
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "x")
    world.run(2)
    far = msgspec.structs.replace(seen[0].message, sequence=100_000)
    lyon.feed(msgspec.structs.replace(seen[0], message=far))
    assert "number 100000 instead of 1" in discarded(lyon, 11217)
    body = b"y" * 1024
    big = msgspec.structs.replace(seen[0].message, sequence=1, body=body, fragment=Fragment(0, 1024, 2**40))
    lyon.feed(msgspec.structs.replace(seen[0], message=big))
    world.run(1)
    limit = world.settings.dialog.message_bytes_max
    assert f"{limit} bytes" in discarded(lyon, 8459)


def test_what_comes_after_the_end_is_told_with_the_state_of_the_conversation():
    """No broker sends it, but a peer may."""
    world, paris, lyon = make_pair()
    seen, carry = [], paris.send
    paris.send = lambda outbound: (seen.append(outbound.message), carry(outbound))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "x")
    paris.end("Ventes", dialog)
    world.run(2)
    more = msgspec.structs.replace(seen[0].message, sequence=2)
    lyon.feed(msgspec.structs.replace(seen[0], message=more))
    assert discarded(lyon, 28004).endswith("in state DISCONNECTED_INBOUND")


def test_a_master_key_that_cannot_be_opened_is_named_by_its_database():
    world = SecureWorld()
    paris, lyon = world.paris(initiator()), world.lyon(target())
    lyon.define(MasterKeyAltered(database="Stock", is_encrypted_by_server=False))
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "x")
    world.run(3)
    assert "'Stock'" in discarded(lyon, 28054)


def test_a_certificate_that_has_expired_is_named_by_its_owner():
    world = SecureWorld()
    own = certificate("Vendeur", "Vendeur", subject="pendule", starts=-3600.0, ends=-1.0)
    at_home = msgspec.structs.replace(own, starts_at=0.0, expires_at=2e9)
    there = certificate("Vendeur", "Acheteur", is_private=False, subject="pendule", starts=-3600.0, ends=-1.0)
    definitions = [
        CertificateCreated(database="Ventes", certificate=at_home)
        if isinstance(each, CertificateCreated) and each.certificate.name == "Vendeur"
        else each
        for each in initiator()
    ]
    paris = world.paris(definitions)
    lyon = world.lyon(target(knows_initiator=False), certified("Stock", there))
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "x")
    world.run(3)
    assert "user 'Acheteur'" in discarded(lyon, 28025)


def test_19_faults_of_contract_and_type_have_a_number_in_the_trace_and_another_in_the_error():
    types = [MessageTypeCreated(database="Ventes", message_type=MessageType(name)) for name in "TUV"]
    uses = tuple(ContractUse(name, SentBy.ANY) for name in "TUV")
    world, paris, lyon = make_pair()
    contracts = [ContractCreated(database="Ventes", contract=Contract(name, uses)) for name in ("Far", "Shy", "Own")]
    paris.define(*types, *contracts)
    lyon.define(
        *(MessageTypeCreated(database="Stock", message_type=MessageType(name)) for name in "TUW"),
        ContractCreated(database="Stock", contract=Contract("Shy", (ContractUse("T", SentBy.ANY),))),
        ContractCreated(
            database="Stock", contract=Contract("Own", (ContractUse("T", SentBy.TARGET), ContractUse("W", SentBy.ANY)))
        ),
        ServiceAltered(database="Stock", name="Entrepôt", adds=("Own",)),
    )
    for contract, name, trace, error in (
        ("Far", "T", 11214, 8425),
        ("Shy", "T", 11214, 8408),
        ("Own", "T", 11228, 8457),
        ("Own", "U", 11227, 8498),
        ("Own", "V", 11227, 8428),
    ):
        before = len(lyon.told(MessageUndeliverable))
        dialog = paris.begin("Ventes", "Client", "Entrepôt", contract=contract)
        paris.do(Send, database="Ventes", conversation_handle=dialog, message_type=name, body=b"x")
        world.run(6)
        assert {event.number for event in lyon.told(MessageUndeliverable)[before:]} == {trace}, (contract, name)
        assert f"<Code>-{error}</Code>" in error_text(paris.receive("Ventes", "Client"))
