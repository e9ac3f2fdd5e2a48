"""Encrypted connections over real sockets: what goes over the wire, who is let in, and what is refused (ADR 18).

PARIS dials LYON; in between, where a test wants it, somebody who writes down every byte.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256

from engine.core.catalog.security import PUBLIC
from engine.core.link.codec import FrameReader, encode
from engine.core.link.frames import PROTOCOL_VERSION, Fragments, Goodbye, Hello, Refuse, Welcome
from engine.core.link.handshake import LoginAudit
from engine.core.link.negotiation import Algorithm, EncryptionLevel, LinkPolicy, Method, Offer
from engine.core.link.states import LinkRole
from engine.core.vocabulary.errors import RemoteProtocolError
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.settings import LinkSettings
from engine.transport.certificates import CertificateStore
from engine.transport.tls import TlsCredential
from tests.support.hand_clock import HandTime, until
from tests.support.proving_instances import ProvingInstance
from tests.support.self_signed import self_signed
from tests.support.wire_messages import message

SECRET = b"a secret that nobody reads on its way"


class Pair:
    def __init__(self) -> None:
        self.places: dict[TcpAddress, tuple[str, int]] = {}
        self.paris, self.lyon = ProvingInstance("PARIS", self.places), ProvingInstance("LYON", self.places)

    def acquaint(self) -> None:
        self.paris.trusts(self.lyon)
        self.lyon.trusts(self.paris)

    async def call(self) -> None:
        """PARIS calls LYON, and sends as soon as it may."""
        await self.lyon.listen()
        self.paris.dialer.dial(self.lyon.address)


@pytest.fixture
async def pair() -> AsyncIterator[Pair]:
    pair = Pair()
    yield pair
    pair.paris.close()
    pair.lyon.close()


class Recorder:
    """Passes everything on and keeps it: what PARIS has said, and what LYON has."""

    def __init__(self, real: tuple[str, int]) -> None:
        self._real = real
        self.said: tuple[bytearray, bytearray] = (bytearray(), bytearray())

    async def listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._serve, "127.0.0.1", 0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self._real)
        await asyncio.gather(
            self._pump(reader, far_writer, self.said[0]),
            self._pump(far_reader, writer, self.said[1]),
            return_exceptions=True,
        )

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kept: bytearray) -> None:
        while data := await reader.read(65536):
            kept += data
            writer.write(data)
        writer.close()


async def test_7_3_behind_hello_and_welcome_everything_is_records_of_tls_1_3(pair: Pair):
    pair.acquaint()
    recorder = Recorder(await pair.lyon.listen())
    async with await recorder.listen() as server:
        pair.places[pair.lyon.address] = server.sockets[0].getsockname()[:2]
        pair.paris.dialer.dial(pair.lyon.address)
        await until(pair.paris.is_connected, "PARIS is logged in")
        pair.paris.send(pair.lyon, range(500), SECRET * 30)
        await until(lambda: len(pair.lyon.heard) == 500, "all messages")
        pair.paris.close()
        await until(lambda: pair.lyon.endpoint.accepted == 0, "LYON has heard the goodbye")
    assert pair.lyon.sequences() == list(range(500))
    for said in recorder.said:
        assert SECRET not in said
        length = 12 + int.from_bytes(said[4:8], "big")
        assert _records(bytes(said[length:])) <= {20, 22, 23}, "change cipher spec, handshake, application data"
    [login] = pair.lyon.logins
    assert (login.subclass, login.principal, login.protection) == (LoginAudit.LOGIN_SUCCESS, "PARIS user", "AES")


def _records(data: bytes) -> set[int]:
    """The types of the records that a stream is made of; it ends with a whole one."""
    types, place = set(), 0
    while place < len(data):
        types.add(data[place])
        place += 5 + int.from_bytes(data[place + 3 : place + 5], "big")
    assert place == len(data)
    return types


@pytest.mark.parametrize("mebibytes", [1, 7])
async def test_large_messages_go_through_tls_both_ways(pair: Pair, mebibytes: int):
    pair.acquaint()
    await pair.call()
    await until(pair.paris.is_connected, "PARIS is logged in")
    await pair.paris.listen()
    pair.lyon.dialer.dial(pair.paris.address)
    await until(pair.lyon.is_connected, "LYON is logged in")
    body = bytes(range(256)) * 4096 * mebibytes
    pair.paris.send(pair.lyon, range(2), body)
    pair.lyon.send(pair.paris, range(2), body)
    await until(lambda: len(pair.lyon.heard) == len(pair.paris.heard) == 2, "both have both")
    assert pair.lyon.heard == pair.paris.heard == [message(sequence, body) for sequence in range(2)]


def _dates(first: int, last: int) -> dict[str, object]:
    return {"valid_from": datetime(first, 1, 1, tzinfo=UTC), "valid_until": datetime(last, 1, 1, tzinfo=UTC)}


@pytest.mark.parametrize("refusing", ["LYON", "PARIS"])
@pytest.mark.parametrize(
    ("case", "number", "subclass"),
    [
        ("unknown", 28036, LoginAudit.AUTHENTICATION_FAILURE),
        ("another of that issuer and serial number", 28045, LoginAudit.AUTHENTICATION_FAILURE),
        ("expired", 28035, LoginAudit.AUTHENTICATION_FAILURE),
        ("not valid yet", 28035, LoginAudit.AUTHENTICATION_FAILURE),
        ("known, with the key of another", 28038, LoginAudit.AUTHENTICATION_FAILURE),
        ("known, without CONNECT", 28034, LoginAudit.AUTHORIZATION_FAILURE),
    ],
)
async def test_7_3_a_wrong_certificate_is_refused_told_and_gets_no_data(
    pair: Pair, case: str, number: int, subclass: LoginAudit, refusing: str
):
    """Either end refuses the other, in the words of the audit event; nothing is sent, nothing is heard."""
    dates = {"expired": _dates(2020, 2021), "not valid yet": _dates(2090, 2091)}.get(case, {})
    wrong_name = "PARIS" if refusing == "LYON" else "LYON"
    wrong = ProvingInstance(wrong_name, pair.places, **dates)
    setattr(pair, wrong_name.lower(), wrong)
    pair.acquaint()
    judge = pair.lyon if refusing == "LYON" else pair.paris
    _spoil(judge, wrong, case)
    await pair.call()
    pair.paris.send(pair.lyon, [0], SECRET)
    await until(lambda: pair.paris.is_closed() and judge.logins != [], "the connection is closed and told of")
    pair.paris.send(pair.lyon, [1], SECRET)
    [login] = judge.logins
    assert (login.number, login.subclass, login.is_accept) == (number, subclass, refusing == "LYON")
    assert (pair.paris.heard, pair.lyon.heard) == ([], [])
    told = {28034: 9752}.get(number, 9751) if refusing == "LYON" else number
    assert pair.paris.changes[-1].error == told
    assert str(number) in pair.paris.changes[-1].detail or refusing == "PARIS"


def _spoil(judge: ProvingInstance, wrong: ProvingInstance, case: str) -> None:
    """What the judge knows of the other, or what that one shows."""
    store = CertificateStore()
    store.add_own("own", *self_signed(judge.name))
    if case == "unknown":
        store.add_peer("somebody's", self_signed("SOMEBODY")[0], "somebody")
        store.grant_connect("somebody")
    elif case.startswith("another"):
        store.add_peer("theirs", self_signed(wrong.name)[0], "them")
        store.grant_connect("them")
    elif case.endswith("CONNECT"):
        store.add_peer("theirs", wrong.certificate, "them")
    else:
        store = judge.store
    if store is not judge.store:
        judge.certificate, judge.store = store.certificate("own"), store
        wrong.trusts(judge)
        wrong.store.add_peer("judge", judge.certificate, "judge")
        wrong.store.grant_connect("judge")
    if case.endswith("key of another"):
        wrong.store.add_own("own", wrong.certificate, self_signed(wrong.name)[1])


class Stranger:
    """Speaks to LYON by hand: says Hello and names a certificate for TLS; what comes then is up to the test."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self.credential = TlsCredential()
        self.welcome: Welcome | None = None

    async def introduce(self, behind: bytes = b"", certificate: bytes | None = None) -> None:
        place = await self._pair.lyon.listen()
        self.reader, self.writer = await asyncio.open_connection(*place)
        offer = Offer(
            methods=(Method.CERTIFICATE,),
            encryption=EncryptionLevel.REQUIRED,
            algorithms=(Algorithm.AES,),
            key_share=bytes(range(32)),
            tls_certificate=self.credential.certificate if certificate is None else certificate,
        )
        hello = Hello(
            protocol_version=PROTOCOL_VERSION,
            estate="demo",
            instance="PARIS",
            arbitration_id=self._pair.lyon.switchboard._own_id,
            offer=offer,
        )
        self.writer.write(encode(hello) + behind)

    async def hear_welcome(self) -> bytes:
        """The certificate that LYON names for TLS."""
        frames = FrameReader()
        while self.welcome is None:
            for frame in frames.feed(await self.reader.read(65536)):
                assert isinstance(frame, Welcome)
                self.welcome = frame
        assert self.welcome.offer.tls_certificate is not None
        return self.welcome.offer.tls_certificate

    async def refused(self) -> tuple[int | None, int]:
        """The number and the subclass under which LYON has told of it, once the connection is closed."""
        while await asyncio.wait_for(self.reader.read(65536), 10):
            pass
        self.writer.close()
        await until(lambda: self._pair.lyon.logins != [], "LYON tells of the login")
        [login] = self._pair.lyon.logins
        assert self._pair.lyon.heard == []
        return login.number, login.subclass


@pytest.fixture
async def stranger(pair: Pair) -> AsyncIterator[Stranger]:
    pair.acquaint()
    yield (stranger := Stranger(pair))
    stranger.writer.close()


async def test_7_3_who_names_a_certificate_and_shows_another_in_tls_is_28038(stranger: Stranger):
    await stranger.introduce(certificate=TlsCredential().certificate)
    tunnel = stranger.credential.tunnel(LinkRole.DIALLING, await stranger.hear_welcome())
    stranger.writer.write(tunnel.send(b""))
    stranger.writer.write(tunnel.receive(await stranger.reader.read(65536)) + tunnel.send(b""))
    assert await stranger.refused() == (28038, LoginAudit.AUTHENTICATION_FAILURE)


def test_7_3_a_certificate_issued_by_the_key_that_was_named_is_another_one():
    """OpenSSL takes it, for its issuer is trusted; but it is not the one that the proofs cover."""
    named, shown, here = TlsCredential(), TlsCredential(), TlsCredential()
    named._certificate = _issued("CN=authority", named, named, is_authority=True)
    shown._certificate = _issued("CN=another", shown, named, is_authority=False)
    accepting = here.tunnel(LinkRole.ACCEPTING, named.certificate)
    dialling = shown.tunnel(LinkRole.DIALLING, here.certificate)
    accepting.receive(dialling.send(b""))
    dialling.receive(accepting.send(b""))
    last_flight = dialling.send(b"")
    with pytest.raises(RemoteProtocolError) as caught:
        accepting.receive(last_flight)
    assert caught.value.number == 28038
    # Not OpenSSL has refused it.
    assert caught.value.__cause__ is None
    assert accepting.send(b"nothing of this") == b""


def _issued(name: str, to: TlsCredential, by: TlsCredential, *, is_authority: bool) -> x509.Certificate:
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name.from_rfc4514_string(name))
        .issuer_name(x509.Name.from_rfc4514_string("CN=authority"))
        .public_key(to._key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2090, 1, 1, tzinfo=UTC))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .sign(by._key, SHA256())
    )


@pytest.mark.parametrize("certificate", [b"", b"no DER", bytes(3000)], ids=["empty", "text", "zeros"])
async def test_7_3_bytes_that_are_no_certificate_are_28038(stranger: Stranger, certificate: bytes):
    await stranger.introduce(certificate=certificate)
    assert await stranger.refused() == (28038, LoginAudit.AUTHENTICATION_FAILURE)


async def test_7_3_what_is_said_in_clear_behind_hello_is_28061_and_not_taken_for_what_comes_out_of_tls(
    stranger: Stranger,
):
    await stranger.introduce(behind=encode(Fragments(messages=(message(),))))
    assert await stranger.refused() == (28061, LoginAudit.PROTOCOL_ERROR)


@pytest.mark.parametrize(
    "frame", [Fragments(messages=(message(),)), Goodbye(number=9760, text="idle")], ids=["fragments", "goodbye"]
)
async def test_7_3_whoever_goes_on_in_clear_is_28061(stranger: Stranger, frame: Fragments | Goodbye):
    await stranger.introduce()
    await stranger.hear_welcome()
    stranger.writer.write(encode(frame))
    assert await stranger.refused() == (28061, LoginAudit.PROTOCOL_ERROR)


async def test_7_3_why_tls_is_not_begun_may_be_said_in_clear_in_pieces_too(stranger: Stranger):
    await stranger.introduce()
    await stranger.hear_welcome()
    for byte in encode(Refuse(number=28036, text="my certificate")):
        stranger.writer.write(bytes([byte]))
        await stranger.writer.drain()
    assert await stranger.refused() == (28036, LoginAudit.AUTHENTICATION_FAILURE)


async def test_7_3_tls_1_2_is_28038(stranger: Stranger):
    await stranger.introduce()
    named = await stranger.hear_welcome()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.load_verify_locations(cadata=named)
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with pytest.raises(ssl.SSLWantReadError):
        context.wrap_bio(incoming, outgoing).do_handshake()
    stranger.writer.write(outgoing.read())
    assert await stranger.refused() == (28038, LoginAudit.AUTHENTICATION_FAILURE)


async def test_7_3_a_stranger_without_any_proof_hears_nothing_and_is_not_heard(stranger: Stranger):
    await stranger.introduce()
    tunnel = stranger.credential.tunnel(LinkRole.DIALLING, await stranger.hear_welcome())
    said = tunnel.send(encode(Fragments(messages=(message(),))))
    for _ in range(2):
        stranger.writer.write(said)
        assert tunnel.receive(await stranger.reader.read(65536)) == b""
        said = tunnel.send(b"")
        if not stranger.reader._buffer:
            break
    stranger.writer.write(said)
    assert await stranger.refused() == (28029, LoginAudit.PROTOCOL_ERROR)


async def test_an_altered_byte_inside_of_tls_ends_the_connection_and_nothing_altered_is_heard(pair: Pair):
    pair.acquaint()
    await pair.call()
    await until(pair.paris.is_connected, "PARIS is logged in")
    [lyon] = pair.lyon.switchboard.links()
    whole = lyon.data_received

    def altered(data: bytes) -> None:
        middle = len(data) // 2
        whole(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])

    lyon.data_received = altered
    pair.paris.send(pair.lyon, range(3), SECRET)
    await until(pair.paris.is_closed, "PARIS has heard of it")
    assert lyon.connection.closure is not None
    assert lyon.connection.closure.reason == 28044
    assert pair.lyon.heard == []


async def test_7_3_clear_endpoints_do_not_pay_for_tls(pair: Pair):
    for instance in (pair.paris, pair.lyon):
        instance.policy = LinkPolicy(methods=(Method.CERTIFICATE,), certificate="own")
    pair.acquaint()
    await pair.call()
    await until(pair.paris.is_connected, "PARIS is logged in")
    assert [login.protection for login in pair.lyon.logins] == ["SIGNED"]


async def test_7_3_a_stranger_is_let_in_by_a_grant_to_public_under_tls_as_in_clear(pair: Pair):
    pair.lyon.store.grant_connect(PUBLIC)
    pair.paris.trusts(pair.lyon)
    await pair.call()
    await until(pair.paris.is_connected, "PARIS is logged in")
    [login] = pair.lyon.logins
    assert (login.principal, login.protection) == (PUBLIC, "AES")


async def test_a_peer_that_stops_in_the_middle_of_tls_is_given_up(pair: Pair):
    pair.acquaint()
    time = HandTime()
    stranger = Stranger(pair)
    await stranger.introduce()
    tunnel = stranger.credential.tunnel(LinkRole.DIALLING, await stranger.hear_welcome())
    stranger.writer.write(tunnel.send(b"")[:50])
    await time.advance(LinkSettings().handshake_seconds - 1)
    assert pair.lyon.logins == []
    await time.advance(1)
    assert await stranger.refused() == (28031, LoginAudit.PROTOCOL_ERROR)
