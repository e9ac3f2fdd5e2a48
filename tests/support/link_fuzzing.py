"""Hostile bytes for the adjacent broker protocol: the first part of `make fuzz` (`tests.support.fuzzing`).

Random noise and mutated frames go into a bare reader, into both ends of connections at every stage of the handshake
(protected ones too, sealed under the right key), and mutated certificates into the store. Nothing but a
`RemoteProtocolError` may come out, what is kept must stay within its bounds, and memory must not grow.
"""

import random
from collections import Counter
from collections.abc import Callable
from uuid import UUID

import msgspec

from engine.core.catalog.security import PUBLIC
from engine.core.link.codec import HEADER, KINDS, LAYOUT_VERSION, MAGIC, PREFIX_BYTES, PROTECTED, FrameReader, framed
from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.frames import (
    Arbitration,
    Fragments,
    Frame,
    Goodbye,
    Hello,
    Proof,
    Refuse,
    RoleClaim,
    RoleRequest,
    Validation,
    Welcome,
)
from engine.core.link.handshake import OPEN_TERMS, LinkIdentity, LoginTerms
from engine.core.link.negotiation import Algorithm, EncryptionLevel, LinkPolicy, Method, Offer
from engine.core.link.states import LinkRole
from engine.core.vocabulary.errors import RemoteProtocolError
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.core.vocabulary.limits import FRAME_BYTES_MAX, HANDSHAKE_FRAME_BYTES_MAX
from engine.core.vocabulary.messages import LinkState
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.settings import LinkSettings
from engine.transport.certificates import CertificateStore
from tests.support.self_signed import self_signed
from tests.support.wire_messages import message

STAGES = 8
"""After so many exchanged pieces every handshake is over."""

_NOW = Now(Instant(0.0), UtcTime(1_800_000_000.0))
_UUID = UUID(int=7)
_PACK = msgspec.msgpack.Encoder(uuid_format="bytes").encode
_OFFER = Offer(
    methods=(Method.CERTIFICATE, Method.NONE),
    encryption=EncryptionLevel.SUPPORTED,
    algorithms=(Algorithm.AES,),
    key_share=bytes(range(32)),
)
SAMPLES: list[Frame] = [
    Hello(
        protocol_version=3,
        estate=EstateName("demo"),
        instance=InstanceName("PARIS"),
        arbitration_id=_UUID,
        offer=_OFFER,
        listening_port=4022,
    ),
    Welcome(instance=InstanceName("LYON"), arbitration_id=_UUID, offer=_OFFER),
    Refuse(number=28027, text="no"),
    Fragments(messages=(message(), message(1, None))),
    Goodbye(number=9760, text="idle"),
    RoleRequest(broker_instance=_UUID),
    RoleClaim(broker_instance=_UUID, is_principal=True),
    Proof(certificate=b"c" * 40, signature=b"s" * 40),
    Validation(digest=b"d" * 32),
    Arbitration(),
]
PAYLOADS = [(KINDS.index(type(frame)) + 1, _PACK(frame)) for frame in SAMPLES]


class Leak(AssertionError):
    """Something is kept that should not be."""


class Fuzzer:
    """One seed's stream of hostile frames; the same seed gives the same frames."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.frames = 0
        self.outcomes: Counter[str] = Counter()
        self._victim: AdjacentBrokerConnection | None = None
        self._attacker: AdjacentBrokerConnection | None = None
        self._terms = _login_terms()
        self._certificate = self._terms[1].security.certificate("own")

    def run(self, frames: int, progress: Callable[[int], None] = lambda done: None) -> None:
        """Throw so many frames; the first thing that should not be is raised."""
        until = self.frames + frames
        while self.frames < until:
            self.frames += 1
            self._throw()
            if self.frames % 1000 == 0:
                progress(self.frames)

    def _throw(self) -> None:
        target = self.dice.random()
        if target < 0.8:
            self._at_reader()
        elif target < 0.995:
            self._at_connection()
        else:
            self._at_certificates()

    # ── targets ──
    def _at_reader(self) -> None:
        reader = FrameReader(HANDSHAKE_FRAME_BYTES_MAX)
        data = self._hostile()
        try:
            for frame in reader.feed(data):
                self.outcomes[f"reader: {type(frame).__name__}"] += 1
        except RemoteProtocolError as error:
            self.outcomes[f"reader: {error.number}"] += 1
        if len(reader._buffer) > HANDSHAKE_FRAME_BYTES_MAX + PREFIX_BYTES:
            raise Leak("the reader keeps more than a frame")

    def _at_connection(self) -> None:
        if self._victim is None or self._victim.state is LinkState.CLOSED or self.dice.random() < 0.02:
            self._new_connection()
        victim = self._victim
        assert victim is not None
        data = self._sealed() if self.dice.random() < 0.5 else self._hostile()
        try:
            taken = victim.receive_data(data, _NOW)
            self.outcomes[f"connection: {victim.state}, {len(taken)} messages"] += 1
        except RemoteProtocolError as error:
            self.outcomes[f"connection: {error.number}"] += 1
            if victim.state is not LinkState.CLOSED:
                raise Leak("a breach leaves the connection open") from error
        victim.roles_heard()
        victim.data_to_send()
        if (victim.state is LinkState.CLOSED) != (victim.closure is not None):
            raise Leak("a closed connection without a reason, or the reverse")
        if len(victim._wire._reader._buffer) > FRAME_BYTES_MAX + PREFIX_BYTES:
            raise Leak("the connection keeps more than a frame")

    def _at_certificates(self) -> None:
        store = self._terms[1].security
        try:
            store.verify(self._mutated(self._certificate), b"data", self.dice.randbytes(70), _NOW.utc)
        except RemoteProtocolError as error:
            self.outcomes[f"certificate: {error.number}"] += 1

    # ── weapons ──
    def _hostile(self) -> bytes:
        weapon = self.dice.random()
        kind, payload = self.dice.choice(PAYLOADS)
        if weapon < 0.1:
            return self.dice.randbytes(self.dice.randrange(1, 200))
        if weapon < 0.3:
            return self._mutated(framed(kind, payload))
        if weapon < 0.7:
            return framed(kind, self._mutated(payload))
        if weapon < 0.8:
            return framed(self.dice.randrange(256), payload)
        if weapon < 0.9:
            return framed(kind, _PACK(self._structure(4)))
        if weapon < 0.95:
            length = self.dice.choice((0, 1, 2**16, 2**16 + 1, 2**31, 2**32 - 1))
            return HEADER.pack(MAGIC, LAYOUT_VERSION, self.dice.choice((kind, kind | PROTECTED)), length) + payload
        return framed(kind, payload)

    def _sealed(self) -> bytes:
        """A frame as the real peer would protect it, with a payload that it would not send."""
        assert self._attacker is not None
        guard, tunnel = self._attacker._wire._guard, self._attacker._wire._tunnel
        kind, payload = self.dice.choice(PAYLOADS)
        if self.dice.random() < 0.7:
            payload = self._mutated(payload)
        if tunnel is not None:
            sealed = tunnel.send(framed(kind, payload))
            return self._mutated(sealed) if sealed and self.dice.random() < 0.1 else sealed
        if guard is None:
            return framed(kind, payload)
        header = HEADER.pack(MAGIC, LAYOUT_VERSION, kind | PROTECTED, len(payload) + 16)
        sealed = guard.close(header, payload)
        return framed(kind | PROTECTED, sealed)

    def _mutated(self, data: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(self.dice.choice((1, 1, 1, 2, 4, 16))):
            place = self.dice.randrange(len(changed) + 1)
            match self.dice.randrange(5):
                case 0 if place < len(changed):
                    changed[place] ^= 1 << self.dice.randrange(8)
                case 1 if place < len(changed):
                    changed[place] = self.dice.choice((0, 1, 0x7F, 0x80, 0xC0, 0xC1, 0xC4, 0xCB, 0xDD, 0xDF, 0xFF))
                case 2:
                    del changed[place : place + self.dice.randrange(1, 9)]
                case 3:
                    changed[place:place] = self.dice.randbytes(self.dice.randrange(1, 9))
                case _:
                    del changed[place:]
        return bytes(changed)

    def _structure(self, depth: int) -> object:
        """Anything that MessagePack can say."""
        scalars: list[object] = [None, True, 0, -1, 2**63, -(2**63), 1.5, float("inf"), float("nan"), "", "x" * 300]
        names = ["messages", "message", "offer", "number", "text", "certificate", "digest", "sequence"]
        match self.dice.randrange(4 if depth else 2):
            case 0:
                return self.dice.choice(scalars)
            case 1:
                return self.dice.randbytes(self.dice.randrange(40))
            case 2:
                return [self._structure(depth - 1) for _ in range(self.dice.randrange(4))]
            case _:
                return {self.dice.choice(names): self._structure(depth - 1) for _ in range(self.dice.randrange(4))}

    def _new_connection(self) -> None:
        """A victim at some stage of a handshake with a peer that behaved until then."""
        [terms] = self.dice.choices(self._terms, weights=(6, 1, 2))
        role = self.dice.choice(tuple(LinkRole))
        ends = {each: _end(each, terms) for each in LinkRole}
        self._victim = ends.pop(role)
        [self._attacker] = ends.values()
        for _ in range(self.dice.randrange(STAGES)):
            self._attacker.receive_data(self._victim.data_to_send(), _NOW)
            self._victim.receive_data(self._attacker.data_to_send(), _NOW)


def _end(role: LinkRole, terms: LoginTerms) -> AdjacentBrokerConnection:
    name = InstanceName("PARIS" if role is LinkRole.DIALLING else "LYON")
    identity = LinkIdentity(estate=EstateName("demo"), instance=name, arbitration_id=_UUID)
    connection = AdjacentBrokerConnection(role, identity, LinkSettings(), _NOW, terms=terms)
    connection.opened(_NOW)
    return connection


def _login_terms() -> tuple[LoginTerms, LoginTerms, LoginTerms]:
    """Nothing; certificates and encryption; signatures only."""
    store = CertificateStore()
    store.add_own("own", *self_signed("own"))
    store.grant_connect(PUBLIC)
    secure = LinkPolicy(
        methods=(Method.CERTIFICATE,),
        certificate="own",
        encryption=EncryptionLevel.REQUIRED,
        algorithms=(Algorithm.AES,),
    )
    return OPEN_TERMS, LoginTerms(policy=secure, security=store), LoginTerms(security=store)
