"""Hosts vouch for their instances under the service key: who does not have it is not let in (protocol.md 7.3)."""

from uuid import UUID

import pytest

from engine.core.link.codec import FrameReader, encode
from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.frames import Proof
from engine.core.link.handshake import LinkIdentity, LoginAudit, LoginTerms
from engine.core.link.login import LoginState
from engine.core.link.negotiation import OPEN_POLICY, Algorithm, EncryptionLevel, LinkPolicy, Method, Protection
from engine.core.link.states import LinkRole
from engine.core.vocabulary.errors import RemoteProtocolError
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.core.vocabulary.keys import Voucher
from engine.core.vocabulary.messages import LinkState
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.settings import LinkSettings
from engine.security.vault import Vault
from engine.transport.certificates import CertificateStore
from tests.support.each import for_each

NOW = Now(Instant(0.0), UtcTime(1_800_000_000.0))
ESTATE = EstateName("demo")
HOSTS = Vault(b"s" * 32)
STRANGER = Vault(b"t" * 32)
CLEAR = LinkPolicy(methods=(Method.VOUCHED,))
SECURE = LinkPolicy(methods=(Method.VOUCHED,), encryption=EncryptionLevel.REQUIRED, algorithms=(Algorithm.AES,))


def end(
    role: LinkRole, voucher: Voucher | None, policy: LinkPolicy = CLEAR, name: str | None = None
) -> AdjacentBrokerConnection:
    name = name or ("PARIS" if role is LinkRole.DIALLING else "LYON")
    identity = LinkIdentity(estate=ESTATE, instance=InstanceName(name), arbitration_id=UUID(int=len(name)))
    security = None if policy is OPEN_POLICY else CertificateStore(voucher)
    terms = LoginTerms(policy=policy, security=security)
    connection = AdjacentBrokerConnection(role, identity, LinkSettings(), NOW, terms=terms)
    connection.opened(NOW)
    return connection


def talk(dialling: AdjacentBrokerConnection, accepting: AdjacentBrokerConnection) -> None:
    for _ in range(6):
        hear(accepting, dialling.data_to_send())
        hear(dialling, accepting.data_to_send())


def hear(connection: AdjacentBrokerConnection, data: bytes) -> None:
    try:
        connection.receive_data(data, NOW)
    except RemoteProtocolError:
        assert connection.state is LinkState.CLOSED


def refused_with(connection: AdjacentBrokerConnection) -> tuple[int | None, LoginAudit | None]:
    assert (connection.state, connection.login_state) == (LinkState.CLOSED, LoginState.ERROR)
    assert connection.closure is not None
    return connection.closure.reason, connection.login_audit


@pytest.mark.parametrize(("policy", "protection"), [(CLEAR, Protection.SIGNED), (SECURE, Protection.AES)])
def test_instances_of_hosts_with_one_service_key_let_each_other_in(policy, protection):
    dialling, accepting = (
        end(LinkRole.DIALLING, HOSTS.voucher(ESTATE), policy),
        end(LinkRole.ACCEPTING, HOSTS.voucher(ESTATE), policy),
    )
    talk(dialling, accepting)
    for each, peer in ((dialling, "LYON"), (accepting, "PARIS")):
        assert each.login_state is LoginState.ONLINE
        assert each.known_peer is not None
        assert (each.known_peer.instance, each.known_peer.method) == (peer, Method.VOUCHED)
        assert each.known_peer.protection is protection


STRANGERS = {
    "another service key": STRANGER.voucher(ESTATE),
    "the key of another estate": HOSTS.voucher(EstateName("demo2")),
    "the key of an estate whose name begins alike": HOSTS.voucher(EstateName("dem")),
    "no key": None,
}


@for_each("who", sorted(STRANGERS))
def test_a_stranger_is_refused_at_either_end(who):
    # An end that has no word to give says so itself, before TLS can carry it.
    for policy in (CLEAR, SECURE) if STRANGERS[who] is not None else (CLEAR,):
        dialling = end(LinkRole.DIALLING, STRANGERS[who], policy)
        accepting = end(LinkRole.ACCEPTING, HOSTS.voucher(ESTATE), policy)
        talk(dialling, accepting)
        assert refused_with(accepting) == (28038, LoginAudit.AUTHENTICATION_FAILURE)
        dialling = end(LinkRole.DIALLING, HOSTS.voucher(ESTATE), policy)
        accepting = end(LinkRole.ACCEPTING, STRANGERS[who], policy)
        talk(dialling, accepting)
        assert refused_with(dialling) == (28038, LoginAudit.AUTHENTICATION_FAILURE)


def test_an_end_that_offers_to_prove_nothing_has_nothing_in_common():
    dialling, accepting = end(LinkRole.DIALLING, None, OPEN_POLICY), end(LinkRole.ACCEPTING, HOSTS.voucher(ESTATE))
    talk(dialling, accepting)
    assert refused_with(accepting) == (28027, LoginAudit.NEGOTIATE_FAILURE)


class Parrot(Voucher):
    """Says what it was told to, as the word of a host."""

    def __init__(self, *proofs: bytes) -> None:
        self.proofs = list(proofs)

    def vouch(self, said: bytes) -> bytes:
        return self.proofs[0]

    def is_vouched(self, said: bytes, proof: bytes) -> bool:
        self.proofs.insert(0, proof)
        return True


def test_a_proof_is_worth_nothing_on_another_connection_or_from_the_other_end():
    recorder = Parrot(b"")
    accepting, dialling = end(LinkRole.ACCEPTING, recorder), end(LinkRole.DIALLING, HOSTS.voucher(ESTATE))
    talk(dialling, accepting)
    assert refused_with(dialling)[0] == 28038
    [heard, *_] = recorder.proofs
    assert len(heard) == 32

    replayed = end(LinkRole.DIALLING, Parrot(heard))
    accepting = end(LinkRole.ACCEPTING, HOSTS.voucher(ESTATE))
    talk(replayed, accepting)
    assert refused_with(accepting)[0] == 28038

    # Whoever accepts gives the caller's own words back.
    mirror, dialling = end(LinkRole.ACCEPTING, Parrot(b"")), end(LinkRole.DIALLING, HOSTS.voucher(ESTATE))
    talk(dialling, mirror)
    assert refused_with(dialling)[0] == 28038


def test_a_recorded_login_is_worth_nothing():
    """All that PARIS has said to LYON, once more, to a LYON that has begun anew and to one that has not."""
    said = []
    dialling, accepting = end(LinkRole.DIALLING, HOSTS.voucher(ESTATE)), end(LinkRole.ACCEPTING, HOSTS.voucher(ESTATE))
    for _ in range(6):
        said.append(dialling.data_to_send())
        hear(accepting, said[-1])
        hear(dialling, accepting.data_to_send())
    assert accepting.login_state is LoginState.ONLINE
    again = end(LinkRole.ACCEPTING, HOSTS.voucher(ESTATE))
    for each in said:
        hear(again, each)
        again.data_to_send()
    assert again.login_state is LoginState.ERROR


def test_a_certificate_in_the_place_of_the_hosts_word_is_none():
    accepting = end(LinkRole.ACCEPTING, HOSTS.voucher(ESTATE))
    dialling = end(LinkRole.DIALLING, Parrot(b"x" * 32))
    hear(accepting, dialling.data_to_send())
    hear(dialling, accepting.data_to_send())
    # Signed frames: what it says next is its proof.
    hear(accepting, dialling.data_to_send())
    assert refused_with(accepting)[0] == 28038


@for_each("proof", [b"", b"\0" * 32, b"x" * 31, b"x" * 33, b"x" * 60_000])
def test_what_is_no_proof_is_refused_whatever_its_size(proof):
    assert not HOSTS.voucher(ESTATE).is_vouched(b"said", proof)
    dialling, accepting = end(LinkRole.DIALLING, Parrot(proof)), end(LinkRole.ACCEPTING, HOSTS.voucher(ESTATE))
    talk(dialling, accepting)
    assert refused_with(accepting)[0] == 28038


def test_frames_of_certificates_are_as_they_were():
    """Real servers and earlier versions read them: the proof of a certificate has both fields, that of a host one."""
    [frame] = FrameReader().feed(encode(Proof(certificate=b"c", signature=b"s")))
    assert frame == Proof(certificate=b"c", signature=b"s")
    assert encode(Proof()) == encode(Proof(certificate=None, signature=None))
