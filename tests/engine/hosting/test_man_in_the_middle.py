"""Somebody stands where LYON is looked for: PARIS talks to LYON or to nobody (protocol.md 7.3)."""

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import pytest

from engine.core.link.handshake import LinkIdentity, LoginTerms
from engine.core.link.negotiation import OPEN_POLICY, Algorithm, EncryptionLevel, LinkPolicy, Method
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.hosting.directory import Listener, PortDirectory
from engine.hosting.settings import HostingSettings
from engine.transport.certificates import CertificateStore, Signer
from tests.engine.hosting.proved_estate import ProvedInstance, pair, statuses
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    begin_dialog,
    ready_at_lyon,
    receive_all,
    send,
    waiting_at_paris,
)
from tests.support.man_in_the_middle import Impostor, Listening, Swapper
from tests.support.self_signed import self_signed
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("engine", "keys")

SECURE = LinkPolicy(
    methods=(Method.CERTIFICATE,),
    certificate="own",
    encryption=EncryptionLevel.REQUIRED,
    algorithms=(Algorithm.AES,),
)
IDENTITY = LinkIdentity(estate=EstateName(ESTATE), instance=InstanceName(LYON), arbitration_id=None)


@contextmanager
def standing_in(settings: HostingSettings, somebody: Listening) -> Iterator[None]:
    """The directory leads to somebody else; afterwards it leads to LYON again."""
    directory = PortDirectory(settings.data_directory / "directory.sqlite3")
    (real,) = (each for each in directory.listeners(ESTATE) if each.instance == LYON)
    directory.put(ESTATE, msgspec.structs.replace(real, real=somebody.place))
    try:
        yield
    finally:
        directory.put(ESTATE, real)
        directory.close()


def terms(certificate: bytes, sign: Signer, knows: ProvedInstance) -> LoginTerms:
    """Those of an impostor, who lets anybody in that it wants to hear."""
    store = CertificateStore()
    store.add_own("own", certificate, sign)
    store.add_peer("theirs", knows.certificate().certificate, "them")
    store.grant_connect("them")
    return LoginTerms(policy=SECURE, security=store)


def test_7_3_an_impostor_with_a_certificate_of_its_own_hears_nothing(settings: HostingSettings):
    paris, lyon = pair()
    certificate, sign = self_signed("LYON own", serial=7, kind="rsa")
    impostor = Impostor(IDENTITY, terms(certificate, sign, paris))
    with impostor, standing_in(settings, impostor):
        send(begin_dialog(), 1)
        until(lambda: statuses() == {28036}, "PARIS does not know the certificate")
    until(lambda: waiting_at_paris() == 0, "the message goes to LYON itself")
    assert (impostor.heard, ready_at_lyon()) == (0, 1)
    assert set(impostor.refusals) == {28036}
    assert lyon.connections()[0]["principal_name"] == "PARIS user"


def test_7_3_an_impostor_that_shows_lyons_certificate_cannot_sign_for_it(settings: HostingSettings):
    paris, lyon = pair()
    _, sign = self_signed("LYON own", kind="rsa")
    impostor = Impostor(IDENTITY, terms(lyon.certificate().certificate, sign, paris))
    with impostor, standing_in(settings, impostor):
        send(begin_dialog(), 1)
        until(lambda: statuses() == {28038}, "the signature is not LYON's")
    until(lambda: waiting_at_paris() == 0, "the message goes to LYON itself")
    assert (impostor.heard, ready_at_lyon()) == (0, 1)


def test_7_3_an_impostor_with_issuer_and_serial_number_of_lyons_certificate_is_28045(settings: HostingSettings):
    paris, lyon = pair()
    name, serial = "LYON own", int(lyon.certificate().reference.serial, 16)
    certificate, sign = self_signed(name, serial, kind="rsa")
    impostor = Impostor(IDENTITY, terms(certificate, sign, paris))
    with impostor, standing_in(settings, impostor):
        send(begin_dialog(), 1)
        until(lambda: statuses() == {28045}, "another certificate is stored")
    assert impostor.heard == 0


def test_7_3_an_impostor_that_proves_nothing_has_nothing_in_common_with_paris(settings: HostingSettings):
    pair()
    impostor = Impostor(IDENTITY, LoginTerms(policy=OPEN_POLICY))
    with impostor, standing_in(settings, impostor):
        send(begin_dialog(), 1)
        until(lambda: statuses() <= {9758, 28027} and statuses() != set(), "there is no way to agree")
    assert impostor.heard == 0


def test_7_3_somebody_who_passes_everything_on_under_keys_of_his_own_is_noticed(settings: HostingSettings):
    """Up to the proofs he reads along; the proofs cover the key shares that each end has seen, and they differ."""
    pair()
    directory = PortDirectory(settings.data_directory / "directory.sqlite3")
    (lyon,) = (each for each in directory.listeners(ESTATE) if each.instance == LYON)
    directory.close()
    assert isinstance(lyon, Listener)
    assert lyon.real is not None
    real = lyon.real
    swapper = Swapper(lambda: real)
    with swapper, standing_in(settings, swapper):
        send(begin_dialog(), 1)
        until(lambda: statuses() == {9751}, "LYON does not accept the proof")
        assert "Proof" in swapper.passed
        assert "Fragments" not in swapper.passed
    until(lambda: waiting_at_paris() == 0, "the message goes to LYON itself")
    assert receive_all() == [1]
