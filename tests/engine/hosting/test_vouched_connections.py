"""Hosted instances with the endpoint of every sample: who is not one of them is told no, and nothing is lost by it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID, uuid4

import msgspec
import pytest

from engine.core.catalog.objects import EndpointState
from engine.core.exchange.events import BrokerLoginAudited, MessageUndeliverable
from engine.core.exchange.system_views import SystemViewQuery
from engine.core.link.handshake import LinkIdentity, LoginTerms
from engine.core.link.negotiation import OPEN_POLICY, Algorithm, EncryptionLevel, LinkPolicy, Method, policy_of
from engine.core.vocabulary.identifiers import BrokerInstanceId, EstateName, InstanceName
from engine.core.vocabulary.messages import Acknowledgement, DialogMessage, DialogTarget, MessageKind
from engine.core.vocabulary.settings import Authentication
from engine.hosting import client
from engine.hosting.directory import PortDirectory
from engine.hosting.keys import key_vault
from engine.hosting.link_certificates import LinkCertificates
from engine.hosting.settings import HostingSettings
from engine.security.vault import Vault
from engine.transport.certificates import CertificateStore
from tests.engine.hosting import two_instances
from tests.engine.hosting.proved_estate import HUB, ProvedInstance, defined, pair
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    PARIS,
    STOCK,
    VENTES,
    begin_dialog,
    database,
    define,
    ready_at_lyon,
    receive_all,
    send,
    set_endpoint,
    waiting_at_paris,
)
from tests.support.intruder import Intruder
from tests.support.man_in_the_middle import Impostor, Listening
from tests.support.relay import Relay
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("engine")

VOUCHED = LinkPolicy(
    methods=(Method.VOUCHED, Method.WINDOWS, Method.NONE),
    encryption=EncryptionLevel.SUPPORTED,
    algorithms=(Algorithm.AES,),
)


def strangers() -> list[LoginTerms]:
    """Those of a local process without the key: it proves nothing, or under a key of its own."""
    own = CertificateStore(Vault(b"x" * 32).voucher(EstateName(ESTATE)))
    return [LoginTerms(policy=OPEN_POLICY), LoginTerms(policy=VOUCHED, security=own)]


@contextmanager
def directory(settings: HostingSettings) -> Iterator[PortDirectory]:
    found = PortDirectory(settings.data_directory / "directory.sqlite3")
    yield found
    found.close()


def place_of(settings: HostingSettings, instance: str) -> tuple[str, int]:
    with directory(settings) as found:
        [real] = [each.real for each in found.listeners(ESTATE) if each.instance == instance and each.real]
        return real


@contextmanager
def standing_in(settings: HostingSettings, somebody: Listening) -> Iterator[None]:
    """The directory leads to somebody else where LYON is looked for; afterwards it leads to LYON again."""
    with directory(settings) as found:
        [real] = [each for each in found.listeners(ESTATE) if each.instance == LYON]
        found.put(ESTATE, msgspec.structs.replace(real, real=somebody.place))
        yield
        found.put(ESTATE, real)


def failed_logins(instance: str) -> list[tuple[int, int | None]]:
    """Subclass and number of each login that an instance has refused."""
    told = [event for _, event in client.events_after(ESTATE, instance, 0, 10_000)]
    audits = [event.login for event in told if isinstance(event, BrokerLoginAudited)]
    return [(each.subclass, each.number) for each in audits if each.subclass != 1]


def test_a_local_process_without_the_service_key_is_not_let_in(settings: HostingSettings):
    define()
    for instance, name in ((PARIS, LYON), (LYON, PARIS), (PARIS, "MALLORY"), (LYON, LYON)):
        before = len(failed_logins(instance))
        for number, terms in enumerate(strangers()):
            with Intruder(place_of(settings, instance), ESTATE, name, terms) as intruder:
                assert not intruder.log_in()
                assert intruder.refused_with in (28027, 28038), number
        until(lambda: len(failed_logins(instance)) == before + 2, "each was told")  # noqa: B023 - in its turn
        assert failed_logins(instance)[before:] == [(4, 28027), (5, 28038)]


def test_a_message_waits_for_its_receiver_whoever_says_in_its_name_that_it_has_arrived(settings: HostingSettings):
    """The review's proof: LYON is stopped, and somebody logs in at PARIS as LYON to acknowledge."""
    define()
    set_endpoint(LYON, 2, EndpointState.STOPPED)
    send(begin_dialog(), 1)
    assert waiting_at_paris() == 1
    for terms in strangers():
        with Intruder(place_of(settings, PARIS), ESTATE, LYON, terms) as intruder:
            assert not intruder.log_in()
    assert waiting_at_paris() == 1
    set_endpoint(LYON, 3, EndpointState.STARTED)
    until(lambda: waiting_at_paris() == 0, "it has arrived")
    assert receive_all() == [1]


def test_whoever_stands_where_lyon_is_looked_for_hears_nothing(settings: HostingSettings):
    define()
    identity = LinkIdentity(estate=EstateName(ESTATE), instance=InstanceName(LYON), arbitration_id=uuid4())
    impostor = Impostor(identity, strangers()[1])
    with impostor, standing_in(settings, impostor):
        send(begin_dialog(), 1)
        until(lambda: impostor.refusals != [], "PARIS has called it")
    assert (impostor.heard, set(impostor.refusals)) == (0, {28038})
    until(lambda: waiting_at_paris() == 0, "the message goes to LYON itself")
    assert receive_all() == [1]


def test_the_words_of_another_instance_are_not_taken_for_lyons(settings: HostingSettings):
    """A relay passes everything on to BERLIN, which is one of us, and not the one that PARIS calls."""
    define()
    client.open_instance(ESTATE, "BERLIN", pace=two_instances.PACE)
    two_instances.apply("BERLIN", 1, *two_instances.side("fabrik", "//exemple/Werk", uuid4(), "TCP://paris:4022", "x"))
    until(lambda: has_place(settings, "BERLIN"), "BERLIN listens")
    _, port = place_of(settings, "BERLIN")
    relay = Relay(port)
    with relay, standing_in(settings, relay):
        send(begin_dialog(), 1)
        until(lambda: (5, 28038) in failed_logins(PARIS), "PARIS does not go on with it")
        assert waiting_at_paris() == 1
    until(lambda: waiting_at_paris() == 0, "the message goes to LYON itself")
    assert ready_at_lyon() == 1


def has_place(settings: HostingSettings, instance: str) -> bool:
    with directory(settings) as found:
        return any(each.instance == instance and each.real for each in found.listeners(ESTATE))


# ── who owns an authenticated peer ───────────────────────────────────────────────────────────────────────────────────
def forged(kind: MessageKind, **fields: object) -> DialogMessage:
    """What LYON could say to PARIS on its one conversation, with everything right about it but the speaker."""
    [row] = database(PARIS).conversation_endpoints
    ours, theirs = (catalog_id(each) for each in (PARIS, LYON))
    return DialogMessage(
        conversation_id=row.conversation_id,
        from_initiator=False,
        source=DialogTarget(row.far_service, theirs),
        target=DialogTarget(row.service_name, ours),
        kind=kind,
        contract=row.service_contract_name,
        expires_at=row.lifetime,
        **fields,
    )


def catalog_id(instance: str) -> BrokerInstanceId:
    name = VENTES if instance == PARIS else STOCK
    rows = client.read_system_view(ESTATE, instance, SystemViewQuery(view="sys.databases", database=name))
    names = [column.name for column in rows.columns]
    found = [dict(zip(names, row, strict=True)) for row in rows.rows]
    [guid] = [each["service_broker_guid"] for each in found if each["name"] == name]
    return BrokerInstanceId(UUID(str(guid)))


def lies() -> list[DialogMessage]:
    theirs = catalog_id(LYON)
    last = database(PARIS).conversation_endpoints[0].send_sequence - 1
    return [
        forged(MessageKind.ACKNOWLEDGEMENT, acknowledgement=Acknowledgement(last, last, theirs)),
        forged(MessageKind.USER, sequence=0, message_type="DEFAULT", body=b"forged"),
        forged(MessageKind.END_DIALOG, sequence=0),
        forged(MessageKind.ERROR, body=b"forged"),
    ]


def refusals(instance: str) -> list[int]:
    told = [event for _, event in client.events_after(ESTATE, instance, 0, 10_000)]
    return [event.number for event in told if isinstance(event, MessageUndeliverable)]


def nothing_is_lost_to(intruder: Intruder) -> None:
    """Whatever it says of LYON's in PARIS; LYON's endpoint is stopped."""
    [before] = database(PARIS).conversation_endpoints
    said = lies()
    intruder.say(*said)
    until(lambda: refusals(PARIS) == [11211] * len(said), "each was told")
    assert database(PARIS).conversation_endpoints == (before,)
    assert waiting_at_paris() == 1


def test_a_peer_that_hosts_vouch_for_does_not_speak_for_others(settings: HostingSettings):
    """Somebody has the service key, and is no instance of the estate: what it knows it may not say."""
    define()
    set_endpoint(LYON, 2, EndpointState.STOPPED)
    send(begin_dialog(), 1)
    own = CertificateStore(key_vault().voucher(EstateName(ESTATE)))
    with Intruder(place_of(settings, PARIS), ESTATE, "MALLORY", LoginTerms(policy=VOUCHED, security=own)) as intruder:
        assert intruder.log_in()
        nothing_is_lost_to(intruder)
    set_endpoint(LYON, 3, EndpointState.STARTED)
    until(lambda: waiting_at_paris() == 0, "it has arrived")
    assert receive_all() == [1]


def terms_with_certificate(intruder: ProvedInstance, victim: ProvedInstance, port: int) -> LoginTerms:
    policy = policy_of(victim.catalog.endpoint, Authentication.PROVED)
    return LoginTerms(
        policy=msgspec.structs.replace(policy, certificate="own"),
        security=LinkCertificates(key_vault(), EstateName(ESTATE)).of(intruder.catalog),
        listening_port=port,
    )


@pytest.mark.usefixtures("keys")
def test_a_peer_with_a_certificate_has_nothing_that_is_meant_for_another(settings: HostingSettings):
    """It calls itself LYON, and says that it listens where LYON does."""
    paris, lyon = pair()
    mallory = ProvedInstance("MALLORY")
    mallory.certify()
    mallory.listen()
    mallory.know(paris)
    paris.know(mallory)
    _, port = place_of(settings, LYON)
    terms = terms_with_certificate(mallory, paris, port)
    with Intruder(place_of(settings, PARIS), ESTATE, LYON, terms) as intruder:
        assert intruder.log_in()
        handle = begin_dialog()
        send(handle, 1)
        until(lambda: ready_at_lyon() == 1 and waiting_at_paris() == 0, "it has gone to LYON itself")
        lyon.run("ALTER ENDPOINT Broker STATE = STOPPED;")
        send(handle, 2)
        nothing_is_lost_to(intruder)
        lyon.run("ALTER ENDPOINT Broker STATE = STARTED;")
        until(lambda: waiting_at_paris() == 0, "it has arrived")
    assert receive_all() == [1, 2]


@pytest.mark.usefixtures("keys")
def test_an_honest_forwarder_passes_nothing_on_that_an_outsider_says_in_the_name_of_the_estate(
    settings: HostingSettings,
):
    """MALLORY shows HUB a certificate of another estate, and speaks as LYON to PARIS, and as PARIS to LYON."""
    paris, lyon, hub = defined(PARIS, neighbour="hub"), defined(LYON, neighbour="hub"), defined(HUB)
    mallory = ProvedInstance("MALLORY")
    mallory.certify()
    for one in (paris, lyon, hub, mallory):
        one.listen()
    for one in (paris, lyon, mallory):
        hub.know(one)
    for one in (paris, lyon, mallory):
        one.know(hub)
    # The hosts forget that MALLORY is one of theirs: to the estate it is a machine elsewhere.
    client.close_instance(ESTATE, "MALLORY", forgets=True)
    with directory(settings) as found:
        assert "MALLORY" not in {each.instance for each in found.listeners(ESTATE)}
    terms = terms_with_certificate(mallory, hub, 4022)
    with Intruder(place_of(settings, HUB), ESTATE, "MALLORY", terms) as intruder:
        assert intruder.log_in()
        handle = begin_dialog()
        send(handle, 1)
        until(lambda: ready_at_lyon() == 1 and waiting_at_paris() == 0, "it has gone through HUB")
        lyon.run("ALTER ENDPOINT Broker STATE = STOPPED;")
        send(handle, 2)
        [before] = database(PARIS).conversation_endpoints
        said = lies()
        # The id of a database that nobody has does not help: the route back leads to LYON.
        said += [replaced(each, source=DialogTarget(each.source.service_name, uuid4())) for each in said]
        said.append(replaced(said[1], conversation_id=uuid4(), source=said[1].target, from_initiator=True))
        intruder.say(*said)
        until(lambda: refusals(HUB) == [11211] * len(said), "each was told")
        assert database(PARIS).conversation_endpoints == (before,)
        assert waiting_at_paris() == 1
        own = DialogTarget("//mallory/Boutique", BrokerInstanceId(uuid4()))
        intruder.say(
            replaced(said[1], conversation_id=uuid4(), source=own, from_initiator=True, message_type="DEFAULT")
        )
        until(lambda: database(PARIS).queues[0].ready == 1, "its own dialog comes through")
        lyon.run("ALTER ENDPOINT Broker STATE = STARTED;")
        until(lambda: waiting_at_paris() == 0, "it has arrived")
    assert receive_all() == [1, 2]


def replaced(message: DialogMessage, **fields: object) -> DialogMessage:
    return DialogMessage(**{name: getattr(message, name) for name in message.__struct_fields__} | fields)
