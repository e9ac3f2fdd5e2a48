"""Who may talk to us: the handshake of one end, from `Hello` to `Arbitration` (protocol.md 7.2, 7.3).

`Handshake` says its part through a `Wire`, which it also tells when frames have to be protected. It does not close the
connection: a peer that is not let in is a `LoginRefused`, a peer that talks out of turn a `RemoteProtocolError`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from enum import IntEnum
from typing import Final
from uuid import UUID

import msgspec

from engine.core.link.codec import payload_of
from engine.core.link.frames import PROTOCOL_VERSION, Arbitration, Frame, Hello, Proof, Validation, Welcome
from engine.core.link.keys import FrameGuard, KeyShare, LinkSecurity, Principal, TunnelCredential, derived_key
from engine.core.link.login import LoginInput, LoginState, login_step
from engine.core.link.negotiation import (
    NOTHING_IN_COMMON,
    OPEN_POLICY,
    WRONG_SECRET_SIZE,
    Agreement,
    EncryptionLevel,
    LinkPolicy,
    Method,
    Offer,
    Protection,
    agreement,
)
from engine.core.link.states import UNEXPECTED_EVENT, LinkRole
from engine.core.link.wire import Wire
from engine.core.vocabulary.errors import LocalProtocolError, RemoteProtocolError, text_of
from engine.core.vocabulary.identifiers import CertificateName, EstateName, InstanceName
from engine.core.vocabulary.limits import FRAME_BYTES_MAX
from engine.core.vocabulary.moment import Now

CERTIFICATE_MISSING: Final = 28036
NOT_VERIFIED: Final = 28038
_HANDSHAKE_INPUTS: Final[dict[type[Frame], LoginInput]] = {
    Hello: LoginInput.RECEIVE_HELLO,
    Welcome: LoginInput.RECEIVE_WELCOME,
    Proof: LoginInput.RECEIVE_PROOF,
    Validation: LoginInput.RECEIVE_VALIDATION,
    Arbitration: LoginInput.RECEIVE_ARBITRATION,
}


class LoginAudit(IntEnum):
    """Subclasses of the event Audit Broker Login (protocol.md 7.3)."""

    LOGIN_SUCCESS = 1
    PROTOCOL_ERROR = 2
    MESSAGE_FORMAT_ERROR = 3
    NEGOTIATE_FAILURE = 4
    AUTHENTICATION_FAILURE = 5
    AUTHORIZATION_FAILURE = 6


AUDIT_OF: Final = {
    NOTHING_IN_COMMON: LoginAudit.NEGOTIATE_FAILURE,
    28039: LoginAudit.NEGOTIATE_FAILURE,
    WRONG_SECRET_SIZE: LoginAudit.NEGOTIATE_FAILURE,
    28034: LoginAudit.AUTHORIZATION_FAILURE,
    28035: LoginAudit.AUTHENTICATION_FAILURE,
    CERTIFICATE_MISSING: LoginAudit.AUTHENTICATION_FAILURE,
    NOT_VERIFIED: LoginAudit.AUTHENTICATION_FAILURE,
    28045: LoginAudit.AUTHENTICATION_FAILURE,
    11281: LoginAudit.MESSAGE_FORMAT_ERROR,
    11297: LoginAudit.MESSAGE_FORMAT_ERROR,
    28001: LoginAudit.MESSAGE_FORMAT_ERROR,
    28040: LoginAudit.MESSAGE_FORMAT_ERROR,
}
"""What kind of failure a number is; every other one is a protocol error."""


class LinkIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Who this instance is towards its neighbours."""

    estate: EstateName
    instance: InstanceName
    arbitration_id: UUID


class Peer(msgspec.Struct, frozen=True, kw_only=True):
    """Who is at the other end, as the handshake has found out."""

    instance: InstanceName
    arbitration_id: UUID
    principal: str | None
    """Owner of its certificate; None when it showed none."""
    certificate: CertificateName | None = None
    """Name of its certificate in `master`; None when it proved nothing, or is a stranger."""
    method: Method
    protection: Protection
    listening_port: int | None
    """Where it accepts connections, if it has said so."""


class LoginRefused(Exception):
    """We do not let the peer in, or it is not worth going on: the numbered reason."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(text)
        self.number: Final = number
        self.text: Final = text


class LoginTerms(msgspec.Struct, frozen=True, kw_only=True):
    """What one end brings to a handshake besides its identity."""

    policy: LinkPolicy = OPEN_POLICY
    security: LinkSecurity | None = None
    """None where there is no cryptography: then no certificates, no encryption, no signatures."""
    listening_port: int | None = None


OPEN_TERMS: Final = LoginTerms()
"""No proof and no protection."""

Arbiter = Callable[[Peer], int | None]
"""Asked when the peer is known: None keeps this connection, a number closes it (protocol.md 7.1, arbitration)."""


def refusal(number: int, **parameters: str | int) -> LoginRefused:
    """A refusal in the words of the catalogue."""
    return LoginRefused(number, text_of(number, **parameters))


class Handshake:
    """One end's part. Finishes when `state` is ONLINE; `peer` is known from the proof on."""

    def __init__(
        self, role: LinkRole, identity: LinkIdentity, terms: LoginTerms, wire: Wire, arbiter: Arbiter | None
    ) -> None:
        self.state = LoginState.INITIAL
        self.peer: Peer | None = None
        self._role = role
        self._identity = identity
        self._terms = terms
        self._wire = wire
        self._arbiter = arbiter
        self._share: KeyShare | None = None
        self._credential: TunnelCredential | None = None
        self._offer: Offer | None = None
        self._hello: Hello | None = None
        self._welcome: Welcome | None = None
        self._agreement: Agreement | None = None
        self._digest = b""
        self._certificate: bytes | None = None
        """Our own, once it is known to be needed and to be there."""

    @property
    def own_methods(self) -> tuple[Method, ...]:
        """How this end can prove itself, in its order."""
        return self._terms.policy.methods

    @property
    def peer_methods(self) -> tuple[Method, ...] | None:
        """How the peer says that it can; None before it has said so."""
        said = self._welcome if self._role is LinkRole.DIALLING else self._hello
        return None if said is None else said.offer.methods

    def opened(self) -> None:
        """The TCP connection is open; the dialling side introduces itself."""
        self._step(LoginInput.OPENED)
        if self._role is LinkRole.DIALLING:
            self._hello = Hello(
                protocol_version=PROTOCOL_VERSION,
                estate=self._identity.estate,
                instance=self._identity.instance,
                arbitration_id=self._identity.arbitration_id,
                offer=self._own_offer(),
                listening_port=self._terms.listening_port,
            )
            self._wire.say(self._hello)

    def receive(self, frame: Hello | Welcome | Proof | Validation | Arbitration, now: Now) -> None:
        """The peer's next word. `RemoteProtocolError` for one out of turn, `LoginRefused` for one that will not do."""
        self._step(_HANDSHAKE_INPUTS[type(frame)])
        match frame:
            case Hello():
                self._receive_hello(frame)
            case Welcome():
                self._receive_welcome(frame, now)
            case Proof():
                self._receive_proof(frame, now)
            case Validation():
                self._receive_validation(frame)
            case Arbitration():
                self._wire.lift_limit(FRAME_BYTES_MAX)

    def refused(self) -> None:
        """The peer does not go on."""
        self._step(LoginInput.RECEIVE_REFUSE)

    def fail(self) -> None:
        """It ends here; harmless when it has ended well."""
        self._step(LoginInput.FAIL)

    def _receive_hello(self, hello: Hello) -> None:
        self._hello = hello
        if hello.protocol_version != PROTOCOL_VERSION:
            raise refusal(NOTHING_IN_COMMON)
        if hello.estate != self._identity.estate:
            detail = f"it belongs to estate {hello.estate!r}, not to {self._identity.estate!r}"
            raise refusal(UNEXPECTED_EVENT, detail=detail)
        welcome = Welcome(
            instance=self._identity.instance,
            arbitration_id=self._identity.arbitration_id,
            offer=self._own_offer(),
        )
        self._welcome = welcome
        agreed = self._agree(accepting=welcome.offer, dialling=hello.offer)
        self._take_own_certificate(agreed)
        self._wire.say(welcome)
        if agreed.protection is Protection.AES:
            self._encrypt(hello.offer)
        else:
            self._sign(agreed, hello.offer)

    def _receive_welcome(self, welcome: Welcome, now: Now) -> None:
        assert self._offer is not None
        self._welcome = welcome
        agreed = self._agree(accepting=welcome.offer, dialling=self._offer)
        if agreed.protection is Protection.AES:
            # A refusal has to come before TLS, which ends with the connection before its handshake is over.
            self._take_own_certificate(agreed)
            self._encrypt(welcome.offer)
        else:
            self._sign(agreed, welcome.offer)
            self._take_own_certificate(agreed)
        self._wire.say(self._own_proof())

    def _receive_proof(self, proof: Proof, now: Now) -> None:
        assert self._agreement is not None
        principal = self._verified(proof, now)
        if self._role is LinkRole.ACCEPTING:
            assert self._hello is not None
            self._know(self._hello.instance, self._hello.arbitration_id, principal, self._hello.listening_port)
            self._wire.say(self._own_proof())
            return
        assert self._welcome is not None
        self._know(self._welcome.instance, self._welcome.arbitration_id, principal, None)
        self._arbitrate()
        self._wire.say(Validation(digest=self._digest))

    def _receive_validation(self, validation: Validation) -> None:
        if validation.digest != self._digest:
            raise refusal(NOT_VERIFIED)
        self._arbitrate()
        self._wire.say(Arbitration())
        self._wire.lift_limit(FRAME_BYTES_MAX)

    def _agree(self, *, accepting: Offer, dialling: Offer) -> Agreement:
        agreed = agreement(accepting, dialling)
        if isinstance(agreed, int):
            raise refusal(agreed, detail="there are no Windows accounts here")
        self._agreement = agreed
        assert self._hello is not None
        assert self._welcome is not None
        self._digest = hashlib.sha256(payload_of(self._hello) + payload_of(self._welcome)).digest()
        return agreed

    def _encrypt(self, peer: Offer) -> None:
        """From here on both directions go through TLS, with the certificates that both offers name."""
        assert self._credential is not None
        assert peer.tls_certificate is not None
        try:
            self._wire.enter(self._credential.tunnel(self._role, peer.tls_certificate))
        except ValueError as error:
            raise refusal(NOT_VERIFIED) from error

    def _sign(self, agreed: Agreement, peer: Offer) -> None:
        """From here on both directions are signed, each under a key of its own."""
        security, share = self._terms.security, self._share
        if agreed.protection is Protection.NONE or security is None or share is None or peer.key_share is None:
            return
        try:
            secret = share.agree(peer.key_share)
        except ValueError as error:
            raise refusal(WRONG_SECRET_SIZE) from error
        dialling, accepting = (
            FrameGuard(security.cipher(derived_key(secret, self._digest, role.value)))
            for role in (LinkRole.DIALLING, LinkRole.ACCEPTING)
        )
        if self._role is LinkRole.DIALLING:
            self._wire.sign(sending=dialling, receiving=accepting)
        else:
            self._wire.sign(sending=accepting, receiving=dialling)

    def _own_offer(self) -> Offer:
        policy, security = self._terms.policy, self._terms.security
        self._share = None if security is None else security.new_key_share()
        if security is not None and policy.encryption is not EncryptionLevel.DISABLED:
            self._credential = security.new_tunnel_credential()
        self._offer = Offer(
            methods=policy.methods,
            encryption=policy.encryption,
            algorithms=policy.algorithms,
            key_share=None if self._share is None else self._share.public,
            tls_certificate=None if self._credential is None else self._credential.certificate,
        )
        return self._offer

    def _take_own_certificate(self, agreed: Agreement) -> None:
        """One that cannot be shown ends the login before anything else is said."""
        security, name = self._terms.security, self._terms.policy.certificate
        if agreed.method is not Method.CERTIFICATE:
            return
        if security is None or name is None:
            raise refusal(CERTIFICATE_MISSING, name=name or "")
        try:
            self._certificate = security.certificate(name)
        except LocalProtocolError as error:
            raise LoginRefused(error.number, error.text) from error

    def _own_proof(self) -> Proof:
        security, name = self._terms.security, self._terms.policy.certificate
        assert self._agreement is not None
        if self._agreement.method is Method.VOUCHED:
            return Proof(signature=self._vouched())
        if self._certificate is None or security is None or name is None:
            return Proof()
        try:
            signature = security.sign(name, self._signed(self._role))
        except LocalProtocolError as error:
            raise LoginRefused(error.number, error.text) from error
        return Proof(certificate=self._certificate, signature=signature)

    def _vouched(self) -> bytes:
        """Our host's word for what both ends have said."""
        if self._terms.security is None:
            raise refusal(NOT_VERIFIED)
        try:
            return self._terms.security.vouch(self._signed(self._role))
        except LocalProtocolError as error:
            raise LoginRefused(error.number, error.text) from error

    def _verified(self, proof: Proof, now: Now) -> Principal | None:
        """Who has given a proof; None where none was asked for."""
        assert self._agreement is not None
        method, security = self._agreement.method, self._terms.security
        if method is Method.NONE:
            return None
        if security is None or proof.signature is None:
            raise refusal(NOT_VERIFIED)
        peer = LinkRole.ACCEPTING if self._role is LinkRole.DIALLING else LinkRole.DIALLING
        if method is Method.VOUCHED:
            if not security.is_vouched(self._signed(peer), proof.signature):
                raise refusal(NOT_VERIFIED)
            return None
        if proof.certificate is None:
            raise refusal(NOT_VERIFIED)
        try:
            return security.verify(proof.certificate, self._signed(peer), proof.signature, now.utc)
        except RemoteProtocolError as error:
            raise LoginRefused(error.number, error.text) from error

    def _signed(self, by: LinkRole) -> bytes:
        """What an end signs: both offers, both names and both fresh keys, and which end it is."""
        return b"adjacent broker login, " + by.value.encode() + b" end: " + self._digest

    def _know(
        self, instance: InstanceName, arbitration_id: UUID, principal: Principal | None, port: int | None
    ) -> None:
        assert self._agreement is not None
        self.peer = Peer(
            instance=instance,
            arbitration_id=arbitration_id,
            principal=None if principal is None else principal.owner,
            certificate=None if principal is None else principal.certificate,
            method=self._agreement.method,
            protection=self._agreement.protection,
            listening_port=port,
        )

    def _arbitrate(self) -> None:
        assert self.peer is not None
        number = None if self._arbiter is None else self._arbiter(self.peer)
        if number is not None:
            raise refusal(number)

    def _step(self, happened: LoginInput) -> None:
        self.state = login_step(self._role, self.state, happened)
