"""What-if says beforehand what the live broker does, and why (protocol.md 9.1, 9.3; routing.md 10)."""

import pytest

from engine.core.exchange.events import MessageClassified, MessageUndeliverable
from engine.core.exchange.explaining import RetryEnd
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.messages import DialogTarget
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.explanation import with_proofs
from engine.whatif.proof import Circumstances, proof_of
from engine.whatif.security_proof import what_if_secured
from tests.support.certificates import EPOCH, certificate, certified, initiator, keys, owned, target, users
from tests.support.each import for_each
from tests.support.secure_world import SecureWorld, bodies

HOUR = 3600.0
UNKNOWN = target(knows_initiator=False)
NO_CONTROL = [*target(), *users("Stock", "Autre"), *owned("Stock", "Entrepôt", "Autre")]
EXPIRED = [
    *keys("Stock"),
    *users("Stock", "Magasinier"),
    *certified("Stock", certificate("Magasinier", "Magasinier", subject="vieux", starts=-HOUR, ends=-1.0)),
]


def without(changes, kind):
    return [each for each in changes if type(each).__name__ != kind]


@for_each("encryption", [True, False])
@for_each(
    ("ours", "theirs"),
    [
        (initiator(), target()),
        (initiator(is_anonymous=True), target()),
        (initiator(is_anonymous=True), UNKNOWN),
        (initiator(), UNKNOWN),
        (initiator(), NO_CONTROL),
        (initiator(), EXPIRED),
        (initiator(), without(without(target(), "MasterKeyCreated"), "CertificateCreated")),
        (initiator(has_certificate=False), target()),
        (without(initiator(), "RemoteServiceBindingCreated"), target()),
    ],
)
def test_what_if_is_what_happens(ours, theirs, encryption):
    world = SecureWorld()
    paris, lyon = world.paris(ours), world.lyon(theirs)
    answer = what_if_secured(
        paris.instance.catalog.databases["Ventes"],
        "Client",
        "Entrepôt",
        UtcTime(EPOCH),
        encryption=encryption,
        target=lyon.instance.catalog.databases["Stock"],
    )
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt", encryption=encryption), "x")
    world.run(3)
    live = paris.told(MessageClassified)[-1].decision
    assert answer.decision == live.security
    is_delivered = answer.arrival is None and answer.decision.status is None
    assert paris.statuses("Ventes") == (set() if is_delivered else {answer.decision.status})
    assert {event.number for event in lyon.told(MessageUndeliverable)} == ({answer.arrival} - {None})
    assert bool(bodies(lyon, "Stock", "Entrepôt")) is (answer.arrival is None and answer.decision.kind is not None)
    asked = Circumstances(target=DialogTarget("Entrepôt"))
    said = [line.replace("'the sender'", "'Ventes'") for line in proof_of(live, asked)]
    assert set(answer.proof) - set(said) == {line for line in answer.proof if line.startswith("At the target")}
    assert not any("{" in line for line in answer.proof)


def test_the_proof_names_binding_users_certificates_and_the_end():
    world = SecureWorld()
    paris, lyon = world.paris(initiator()), world.lyon(UNKNOWN)
    answer = what_if_secured(
        paris.instance.catalog.databases["Ventes"],
        "Client",
        "Entrepôt",
        UtcTime(EPOCH),
        encryption=False,
        target=lyon.instance.catalog.databases["Stock"],
    )
    assert answer.proof == (
        "Dialog security: ENCRYPTION = OFF.",
        "Remote service binding to Entrepôt: user Fournisseur, ANONYMOUS = OFF. "
        "A binding secures the dialog whatever ENCRYPTION says.",
        "The owner of the initiating service, Vendeur, has certificate Vendeur.",
        "The user of the binding, Fournisseur, has certificate Magasinier.",
        "Security: full security; messages are encrypted and signed, each side knows who the other one is.",
        "At the target: database Stock drops the message in silence, the sender keeps it and sends it again. "
        "11229: The message was discarded: the certificate of its sender is unknown here.",
    )


def test_a_service_that_is_not_there_is_8423():
    paris = SecureWorld().paris()
    with pytest.raises(LocalProtocolError) as caught:
        what_if_secured(
            paris.instance.catalog.databases["Ventes"], "client", "Entrepôt", UtcTime(EPOCH), encryption=True
        )
    assert caught.value.number == 8423


# ── the explanation of what waits ────────────────────────────────────────────────────────────────────────────────────
def explained(node, handle):
    return with_proofs(node.instance.explain("Ventes", handle, 7, node.world.now()))


@for_each(
    "ours",
    [
        initiator(has_certificate=False),
        without(initiator(), "RemoteServiceBindingCreated"),
        without(without(initiator(is_anonymous=True), "MasterKeyCreated"), "CertificateCreated"),
    ],
)
def test_a_retry_promises_no_more_than_security_allows(ours):
    """The decision now has its security, and the retry says the number that the dialog waits for."""
    world = SecureWorld()
    paris = world.paris(ours)
    world.lyon(target())
    dialog = paris.begin("Ventes", "Client", "Entrepôt", encryption=True)
    paris.say("Ventes", dialog, "x")
    world.run(3)
    told = explained(paris, dialog)
    assert told.number is not None
    assert (told.retry.end, told.retry.number, told.retry.text) == (RetryEnd.WAITS, told.number, told.text)
    assert told.now.decision.security == told.then.decision.security
    assert [line for line in told.now.proof if str(told.number) in line]


def test_a_retry_within_the_instance_needs_the_keys_of_both_databases():
    world = SecureWorld()
    databases = [world.database(name, [service]) for name, service in (("Ventes", "Client"), ("Stock", "Entrepôt"))]
    paris = world.instance("PARIS", *databases)
    dialog = paris.begin("Ventes", "Client", "Entrepôt", encryption=True)
    paris.say("Ventes", dialog, "x")
    world.run(1)
    told = explained(paris, dialog)
    assert (told.number, told.retry.end, told.retry.number) == (28050, RetryEnd.WAITS, 28050)
