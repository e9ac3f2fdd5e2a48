"""Certificates, protection and refusals: PARIS dials LYON with real cryptography and no network (protocol.md 7.3)."""

from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

import pytest

from engine.core.catalog.security import PUBLIC
from engine.core.link.codec import encode, framed
from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.frames import Fragments, Proof, Validation
from engine.core.link.handshake import LinkIdentity, LoginAudit, LoginTerms, Peer
from engine.core.link.login import LoginState
from engine.core.link.negotiation import Algorithm, EncryptionLevel, LinkPolicy, Method, Protection
from engine.core.link.states import LinkRole
from engine.core.vocabulary.errors import RemoteProtocolError
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.core.vocabulary.messages import LinkState
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.settings import LinkSettings
from engine.transport.certificates import CertificateStore
from tests.support.self_signed import self_signed
from tests.support.wire_messages import message

NOW = Now(Instant(0.0), UtcTime(1_800_000_000.0))
SECURE = LinkPolicy(
    methods=(Method.CERTIFICATE,),
    certificate="own",
    encryption=EncryptionLevel.REQUIRED,
    algorithms=(Algorithm.AES,),
)
CLEAR = LinkPolicy(methods=(Method.CERTIFICATE,), certificate="own")


class Instance:
    """An instance with a certificate, which knows those that it was told of."""

    def __init__(self, name: str, serial: int = 1, **certificate: object) -> None:
        self.name = name
        self.certificate, sign = self_signed(name, serial, **certificate)
        self.store = CertificateStore()
        self.store.add_own("own", self.certificate, sign)
        self.policy = SECURE

    def trusts(self, other: "Instance", owner: str | None = None) -> None:
        owner = owner or other.name.lower()
        self.store.add_peer(f"{owner}'s", other.certificate, owner)
        self.store.grant_connect(owner)

    def connection(
        self, role: LinkRole, arbiter: Callable[[Peer], int | None] | None = None
    ) -> AdjacentBrokerConnection:
        identity = LinkIdentity(
            estate=EstateName("demo"), instance=InstanceName(self.name), arbitration_id=UUID(int=len(self.name))
        )
        terms = LoginTerms(policy=self.policy, security=self.store, listening_port=5000)
        connection = AdjacentBrokerConnection(role, identity, LinkSettings(), NOW, terms=terms, arbiter=arbiter)
        connection.opened(NOW)
        return connection


class Call:
    """PARIS dials LYON, which it trusts and which trusts it."""

    def __init__(self) -> None:
        self.paris, self.lyon = Instance("PARIS"), Instance("LYON")
        self.paris.trusts(self.lyon)
        self.lyon.trusts(self.paris)

    def make(self, arbiter: Callable[[Peer], int | None] | None = None) -> "Call":
        self.dialling = self.paris.connection(LinkRole.DIALLING)
        self.accepting = self.lyon.connection(LinkRole.ACCEPTING, arbiter)
        for _ in range(6):
            self.accepting.receive_data(self.dialling.data_to_send(), NOW)
            self.dialling.receive_data(self.accepting.data_to_send(), NOW)
        return self

    def refused(self) -> tuple[int | None, int | None, LoginAudit | None]:
        """The number that LYON has refused with, what those at PARIS are told who wait, and the audit event."""
        assert (self.dialling.state, self.accepting.state) == (LinkState.CLOSED, LinkState.CLOSED)
        assert (self.dialling.login_state, self.accepting.login_state) == (LoginState.ERROR, LoginState.ERROR)
        assert self.dialling.closure is not None
        assert self.accepting.closure is not None
        assert str(self.accepting.closure.reason) in self.dialling.closure.detail
        return self.accepting.closure.reason, self.dialling.closure.number, self.accepting.login_audit


@pytest.fixture
def call() -> Call:
    return Call()


@pytest.mark.parametrize("kind", ["ec", "rsa", "ed25519"])
def test_7_3_both_ends_prove_themselves_and_know_each_other_as_the_owner_of_the_certificate(kind: str):
    call = Call()
    call.paris = Instance("PARIS", kind=kind)
    call.lyon.trusts(call.paris, "paris_login")
    call.paris.trusts(call.lyon, "lyon_login")
    call.make()
    assert (call.dialling.login_state, call.accepting.login_state) == (LoginState.ONLINE, LoginState.ONLINE)
    assert call.dialling.known_peer is not None
    assert call.accepting.known_peer is not None
    assert (call.dialling.known_peer.principal, call.accepting.known_peer.principal) == ("lyon_login", "paris_login")
    assert call.accepting.known_peer.listening_port == 5000
    assert call.dialling.known_peer.protection is Protection.AES
    assert (call.dialling.login_audit, call.accepting.login_audit) == (LoginAudit.LOGIN_SUCCESS,) * 2


def test_7_3_an_encrypted_connection_shows_nothing_of_what_it_carries(call: Call):
    call.make()
    call.dialling.send([message(body=b"a secret that nobody reads")], NOW)
    data = call.dialling.data_to_send()
    assert b"secret" not in data
    assert "Entrepôt".encode() not in data
    assert [each.message.body for each in call.accepting.receive_data(data, NOW)] == [b"a secret that nobody reads"]


def test_7_3_a_clear_connection_can_be_read_and_not_altered(call: Call):
    call.paris.policy = call.lyon.policy = CLEAR
    call.make()
    assert call.dialling.known_peer is not None
    assert call.dialling.known_peer.protection is Protection.SIGNED
    call.dialling.send([message(body=b"everybody may read this")], NOW)
    data = call.dialling.data_to_send()
    assert b"everybody may read this" in data
    kind, payload = data[3], bytearray(data[12:])
    place = payload.index(b"everybody")
    payload[place] ^= 1
    assert breach(call.accepting, refit(kind, bytes(payload))) == 28044


@pytest.mark.parametrize("policy", [SECURE, CLEAR], ids=["encrypted", "signed"])
def test_7_3_a_frame_that_is_repeated_left_out_or_forged_ends_the_connection(policy: LinkPolicy):
    def sent(count: int) -> tuple[Call, list[bytes]]:
        call = Call()
        call.paris.policy = call.lyon.policy = policy
        call.make()
        frames = []
        for number in range(count):
            call.dialling.send([message(number)], NOW)
            frames.append(call.dialling.data_to_send())
        return call, frames

    call, [first] = sent(1)
    call.accepting.receive_data(first, NOW)
    assert breach(call.accepting, first) == 28044
    call, [_, second] = sent(2)
    assert breach(call.accepting, second) == 28044
    call, _ = sent(0)
    assert breach(call.accepting, encode(Fragments(messages=(message(),)))) == (28044 if policy is SECURE else 28061)


def test_a_protected_frame_before_there_are_keys_is_28040(call: Call):
    assert breach(call.lyon.connection(LinkRole.ACCEPTING), refit(0x81, bytes(40))) == 28040


def test_7_3_an_own_certificate_that_is_not_there_is_28036(call: Call):
    call.lyon.store = CertificateStore()
    assert call.make().refused() == (28036, 9751, LoginAudit.AUTHENTICATION_FAILURE)


def test_7_3_the_dialling_end_says_so_when_its_own_certificate_is_not_there(call: Call):
    call.paris.store = CertificateStore()
    call.make()
    assert call.dialling.closure is not None
    assert call.accepting.closure is not None
    assert (call.dialling.closure.number, call.accepting.closure.number) == (28036, 9751)


@pytest.mark.parametrize(
    ("valid_from", "valid_until"),
    [
        (datetime(2020, 1, 1, tzinfo=UTC), datetime(2021, 1, 1, tzinfo=UTC)),
        (datetime(2035, 1, 1, tzinfo=UTC), datetime(2040, 1, 1, tzinfo=UTC)),
    ],
    ids=["expired", "not yet"],
)
def test_7_3_a_certificate_outside_its_dates_is_28035(call: Call, valid_from: datetime, valid_until: datetime):
    call.paris = Instance("PARIS", valid_from=valid_from, valid_until=valid_until)
    call.paris.trusts(call.lyon)
    call.lyon.trusts(call.paris)
    assert call.make().refused() == (28035, 9751, LoginAudit.AUTHENTICATION_FAILURE)


def test_7_3_another_certificate_of_the_same_issuer_and_serial_number_is_28045(call: Call):
    call.paris = Instance("PARIS")
    call.paris.trusts(call.lyon)
    assert call.make().refused() == (28045, 9751, LoginAudit.AUTHENTICATION_FAILURE)


def test_7_3_a_certificate_that_is_not_stored_is_28036(call: Call):
    call.paris = Instance("PARIS", serial=2)
    call.paris.trusts(call.lyon)
    assert call.make().refused() == (28036, 9751, LoginAudit.AUTHENTICATION_FAILURE)


def test_7_3_an_own_certificate_whose_key_does_not_sign_is_28036(call: Call):
    call.lyon.store.add_own("own", call.lyon.certificate, lambda data: None)
    assert call.make().refused() == (28036, 9751, LoginAudit.AUTHENTICATION_FAILURE)


def test_7_3_with_connect_granted_to_public_a_certificate_that_is_not_stored_is_accepted(call: Call):
    call.paris = Instance("PARIS", serial=2)
    call.paris.trusts(call.lyon)
    call.lyon.store.grant_connect(PUBLIC)
    call.make()
    assert call.accepting.known_peer is not None
    assert (call.accepting.known_peer.principal, call.accepting.known_peer.certificate) == (PUBLIC, None)


def test_7_3_an_owner_without_connect_is_28034_and_existing_connections_stay(call: Call):
    call.make()
    assert call.accepting.known_peer is not None
    assert call.accepting.known_peer.certificate == "paris's"
    call.lyon.store = CertificateStore()
    call.lyon.store.add_own("own", *self_signed("LYON"))
    call.lyon.store.add_peer("paris's", call.paris.certificate, "paris")
    call.dialling.send([message()], NOW)
    assert call.accepting.receive_data(call.dialling.data_to_send(), NOW) == [message()]
    assert call.make().refused() == (28034, 9752, LoginAudit.AUTHORIZATION_FAILURE)


def test_7_3_the_accepting_end_is_verified_too(call: Call):
    call.lyon = Instance("LYON", serial=9)
    call.lyon.trusts(call.paris)
    call.make()
    assert call.dialling.closure is not None
    assert call.accepting.closure is not None
    assert (call.dialling.closure.number, call.accepting.closure.number) == (28036, 9751)


class Thief:
    """Speaks to LYON as PARIS would up to its proof, and then says something else in its place."""

    def __init__(self, call: Call) -> None:
        self.victim = call.lyon.connection(LinkRole.ACCEPTING)
        self._mouth = call.paris.connection(LinkRole.DIALLING)
        self.victim.receive_data(self._mouth.data_to_send(), NOW)
        self._mouth.receive_data(self.victim.data_to_send(), NOW)
        [self.proof] = self._mouth._wire._output
        self._mouth._wire._output.clear()
        self._pass_on()
        assert self.victim.login_state is LoginState.WAIT_ISC_CONFIRM

    def say(self, frame: bytes) -> None:
        """Say a frame inside of TLS."""
        self._mouth._wire._output.append(frame)
        self._pass_on()

    def number(self) -> int | None:
        assert self.victim.closure is not None
        return self.victim.closure.number

    def _pass_on(self) -> None:
        for _ in range(2):
            self.victim.receive_data(self._mouth._wire.take(), NOW)
            self._mouth.receive_data(self.victim.data_to_send(), NOW)
            self._mouth._wire._output.clear()


def test_7_3_a_proof_of_one_login_is_worth_nothing_in_another(call: Call):
    stolen, thief = Thief(call).proof, Thief(call)
    thief.say(stolen)
    assert thief.number() == 28038


def test_7_3_a_proof_that_is_missing_is_28038(call: Call):
    thief = Thief(call)
    thief.say(encode(Proof()))
    assert thief.number() == 28038


def test_two_ends_that_have_heard_different_things_do_not_log_in(call: Call):
    thief = Thief(call)
    thief.say(thief.proof)
    assert thief.victim.login_state is LoginState.WAIT_VALIDATION
    thief.say(encode(Validation(digest=bytes(32))))
    assert thief.number() == 28038


def test_7_3_bytes_that_are_no_certificate_are_28038(call: Call):
    for certificate in (b"", b"not DER", bytes(1000)):
        with pytest.raises(RemoteProtocolError) as caught:
            call.lyon.store.verify(certificate, b"data", b"signature", NOW.utc)
        assert caught.value.number == 28038


def test_7_3_windows_alone_is_refused_with_28039(call: Call):
    call.paris.policy = call.lyon.policy = LinkPolicy(methods=(Method.WINDOWS,))
    assert call.make().refused() == (28039, 9758, LoginAudit.NEGOTIATE_FAILURE)


def test_7_3_a_level_that_does_not_fit_is_28027(call: Call):
    call.paris.policy = CLEAR
    assert call.make().refused() == (28027, 9758, LoginAudit.NEGOTIATE_FAILURE)


def test_7_1_a_connection_that_loses_arbitration_is_closed_without_an_error(call: Call):
    call.make(arbiter=lambda _: 28032)
    assert call.dialling.closure is not None
    assert call.accepting.closure is not None
    assert (call.dialling.closure.number, call.accepting.closure.number) == (None, None)
    assert (call.dialling.closure.reason, call.accepting.closure.reason) == (28032, 28032)


def test_a_stranger_may_send_no_large_frame_before_it_is_logged_in(call: Call):
    stranger = call.lyon.connection(LinkRole.ACCEPTING)
    assert breach(stranger, encode(Proof(certificate=bytes(70_000)))) == 28040


def test_no_private_key_is_seen_where_a_store_or_its_terms_are_printed(call: Call):
    terms = LoginTerms(policy=SECURE, security=call.paris.store)
    assert "PRIVATE" not in repr(terms).upper()
    assert "_own" not in repr(terms)


def breach(connection: AdjacentBrokerConnection, data: bytes) -> int:
    with pytest.raises(RemoteProtocolError) as caught:
        connection.receive_data(data, NOW)
    return caught.value.number


def refit(kind: int, payload: bytes) -> bytes:
    """A frame with a checksum that fits, whatever is in it."""
    return framed(kind, payload)
