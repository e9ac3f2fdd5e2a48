"""TLS 1.3 of a connection without its socket: `TlsCredential` and `TlsTunnel`, on `ssl` (protocol.md 7.3).

Both ends make a key and a certificate for one connection. The certificates travel in the offers, each end accepts the
one that it was told of and no other, and the proofs of the endpoints' own certificates cover the offers. So the keys of
`master` stay in the vault, and whoever stands between two instances would have to sign in the name of one of them.
"""

from __future__ import annotations

import secrets
import ssl
import tempfile
from datetime import UTC, datetime
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat
from cryptography.x509.oid import NameOID

from engine.core.link.keys import ALTERED
from engine.core.link.states import LinkRole
from engine.core.vocabulary.errors import RemoteProtocolError

NOTHING_IN_COMMON, NOT_VERIFIED = 28027, 28038

_NAME: Final = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "adjacent broker connection")])
_ALWAYS: Final = (datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC))
"""It is used once, and clocks of neighbours differ; the dates that count are those of the endpoint's certificate."""
_RECORD_BYTES: Final = 16 * 1024
"""The most that one record of TLS holds (RFC 8446, 5.1)."""
_PASSWORD_BYTES: Final = 32


class TlsCredential:
    """A key and a certificate, made for one connection alone."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._certificate = (
            x509.CertificateBuilder()
            .subject_name(_NAME)
            .issuer_name(_NAME)
            .public_key(self._key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(_ALWAYS[0])
            .not_valid_after(_ALWAYS[1])
            .sign(self._key, hashes.SHA256())
        )

    @property
    def certificate(self) -> bytes:
        """What the peer is told, as DER."""
        return self._certificate.public_bytes(Encoding.DER)

    def tunnel(self, role: LinkRole, peer: bytes) -> TlsTunnel:
        """TLS with the end that has the certificate `peer`; the dialling end is the client.

        `ValueError` when the peer's bytes are no certificate.
        """
        accepts = role is LinkRole.ACCEPTING
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if accepts else ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_3
        # Host names are no identities here (protocol.md 7.3); the one certificate that is trusted is the identity.
        context.check_hostname = False
        context.verify_mode = ssl.CERT_REQUIRED
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        if accepts:
            context.num_tickets = 0
        try:
            context.load_verify_locations(cadata=peer)
        except ssl.SSLError as error:
            raise ValueError("no certificate") from error
        self._load_into(context)
        return TlsTunnel(context, peer, accepts=accepts)

    def _load_into(self, context: ssl.SSLContext) -> None:
        """OpenSSL takes keys from files only: the file is gone at once, and the key in it is encrypted."""
        password = secrets.token_bytes(_PASSWORD_BYTES)
        key = self._key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, BestAvailableEncryption(password))
        with tempfile.NamedTemporaryFile() as file:
            file.write(key + self._certificate.public_bytes(Encoding.PEM))
            file.flush()
            context.load_cert_chain(file.name, password=password)


class TlsTunnel:
    """One end. Ends with the first `RemoteProtocolError`; what is handed to it afterwards goes nowhere."""

    def __init__(self, context: ssl.SSLContext, peer: bytes, *, accepts: bool) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=accepts)
        self._peer = peer
        self._held: list[bytes] = []
        """What is to be sent as soon as the handshake is over."""
        self._is_open = False
        self._has_failed = False
        if not accepts:
            self._shake_hands()

    def receive(self, data: bytes) -> bytes:
        """What `data` opens, in order and unaltered.

        `RemoteProtocolError` 28038 when the peer does not have the certificate it has named, 28027 when it does not
        do AES, 28044 when something was altered, left out or repeated.
        """
        self._incoming.write(data)
        opened: list[bytes] = []
        try:
            if not self._is_open:
                self._shake_hands()
            while self._is_open and self._incoming.pending:
                piece = self._tls.read(_RECORD_BYTES)
                if not piece:
                    # The peer has ended TLS, which ours never does, and speaks on.
                    raise self._failed(ALTERED)
                opened.append(piece)
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError as error:
            raise self._failed(ALTERED if self._is_open else NOT_VERIFIED) from error
        return b"".join(opened)

    def send(self, data: bytes) -> bytes:
        """Bytes for the network: what TLS itself has to say, and `data` as soon as the handshake is over."""
        if data and not self._has_failed:
            self._held.append(data)
        if self._is_open and self._held:
            held, self._held = self._held, []
            self._tls.write(b"".join(held))
        return self._outgoing.read()

    def _shake_hands(self) -> None:
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return
        if self._tls.getpeercert(binary_form=True) != self._peer:
            raise self._failed(NOT_VERIFIED)
        cipher = self._tls.cipher()
        if cipher is None or "AES" not in cipher[0]:
            raise self._failed(NOTHING_IN_COMMON)
        self._is_open = True

    def _failed(self, number: int) -> RemoteProtocolError:
        self._has_failed, self._is_open = True, False
        self._held.clear()
        return RemoteProtocolError(number)
