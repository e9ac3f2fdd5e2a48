"""Hosted instances with the endpoint of every sample: who is not one of them is told no, and nothing is lost by it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import msgspec
import pytest

from engine.core.catalog.objects import EndpointState
from engine.core.exchange.events import BrokerLoginAudited
from engine.core.link.handshake import LinkIdentity, LoginTerms
from engine.core.link.negotiation import OPEN_POLICY, Algorithm, EncryptionLevel, LinkPolicy, Method
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.hosting import client
from engine.hosting.directory import PortDirectory
from engine.hosting.settings import HostingSettings
from engine.security.vault import Vault
from engine.transport.certificates import CertificateStore
from tests.engine.hosting import two_instances
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    PARIS,
    begin_dialog,
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
