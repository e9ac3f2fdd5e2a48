"""`PaperVault` and `CatalogLinkSecurity`: keys and proofs of an estate that is only known by its catalogs.

A what-if and a simulation of a real estate have no key that opens its master keys. Here every key that a catalog holds
can be used by its owner: a certificate is its own secret, and the private key of a catalog belongs to the certificate
beside it. Who may use which key is judged by the engine, as everywhere; sealing protects nothing here.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping

from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.security import PUBLIC, Certificate
from engine.core.link.admission import Granted, judge_peer, shown_by, stored_at
from engine.core.link.keys import Principal
from engine.core.vocabulary.dialog_security import KeySuite, SealedKey
from engine.core.vocabulary.errors import LocalProtocolError, RemoteProtocolError
from engine.core.vocabulary.identifiers import EstateName
from engine.core.vocabulary.keys import KeyExchangeKey, SessionKey, Voucher
from engine.core.vocabulary.moment import UtcTime
from engine.security import symmetric
from engine.security.vault import ExchangeKey, HostVoucher
from engine.sim.entropy import Dice
from engine.sim.link_security import NO_CERTIFICATE, SimulatedLinkSecurity

NOT_VERIFIED = 28038
_SESSION, _EXCHANGE = b"session key", b"key-exchange key"


class PaperVault:
    """`KeyVault` of every instance of one estate."""

    def __init__(self, catalogs: Iterable[InstanceCatalog]) -> None:
        self._by_private_key: dict[bytes, bytes] = {
            certificate.private_key.sealed: certificate.certificate
            for certificate in certificates_of(catalogs)
            if certificate.private_key is not None
        }

    def voucher(self, estate: EstateName) -> Voucher:
        """The word of the one host that all instances have."""
        return HostVoucher(hashlib.sha256(estate.encode()).digest())

    def can_open(self, master: SealedKey) -> bool:
        """Whether the server protects a master key is said by its catalog."""
        return True

    def new_session_key(self, suite: KeySuite) -> SessionKey:
        """A session key from chance."""
        return symmetric.new_session_key(suite)

    def seal(self, master: SealedKey, key: SessionKey) -> SealedKey | None:
        """A session key for storage."""
        return SealedKey(symmetric.seal(_secret(master.sealed), symmetric.material_of(key), _SESSION))

    def unseal(self, master: SealedKey, suite: KeySuite, sealed: SealedKey) -> SessionKey | None:
        """A session key from storage."""
        material = symmetric.unseal(_secret(master.sealed), sealed.sealed, _SESSION)
        return None if material is None else symmetric.session_key(suite, material)

    def new_key_exchange_key(self, certificate: bytes) -> KeyExchangeKey | None:
        """A key-exchange key for the owner of a certificate."""
        material = _secret(certificate)
        return ExchangeKey(material, symmetric.seal(material, material, _EXCHANGE))

    def open_key_exchange_key(self, master: SealedKey, private_key: SealedKey, wrapped: bytes) -> KeyExchangeKey | None:
        """A key-exchange key that was made for the certificate of a private key."""
        certificate = self._by_private_key.get(private_key.sealed)
        material = None if certificate is None else symmetric.unseal(_secret(certificate), wrapped, _EXCHANGE)
        return None if material is None else ExchangeKey(material, wrapped)

    def sign(self, master: SealedKey, private_key: SealedKey, content: bytes) -> bytes | None:
        """A signature by a private key."""
        certificate = self._by_private_key.get(private_key.sealed)
        return None if certificate is None else _signature(certificate, content)

    def is_signed(self, certificate: bytes, content: bytes, signature: bytes) -> bool:
        """Whether the owner of a certificate has signed."""
        return hmac.compare_digest(signature, _signature(certificate, content))


class CatalogLinkSecurity(SimulatedLinkSecurity):
    """The `LinkSecurity` of one instance whose endpoint shows the certificate that its catalog names."""

    def __init__(self, dice: Dice, catalog: InstanceCatalog, known: Mapping[bytes, Certificate]) -> None:
        """`known` are all certificates of the estate by their bytes: what they say of themselves."""
        super().__init__(dice)
        self._catalog = catalog
        self._known = known

    def certificate(self, name: str) -> bytes:
        """Own certificate; `LocalProtocolError` 28036."""
        shown = shown_by(self._catalog)
        if shown is None:
            raise LocalProtocolError(NO_CERTIFICATE, name=name)
        return shown.certificate

    def sign(self, name: str, data: bytes) -> bytes:
        """A signature under the own certificate; `LocalProtocolError` 28036."""
        return _signature(self.certificate(name), data)

    def verify(self, certificate: bytes, data: bytes, signature: bytes, at: UtcTime) -> Principal:
        """Who has signed; `RemoteProtocolError` 28034, 28035, 28036, 28038 or 28045."""
        shown = self._known.get(certificate)
        if shown is None or not hmac.compare_digest(signature, _signature(certificate, data)):
            raise RemoteProtocolError(NOT_VERIFIED)
        stored = stored_at(self._catalog, shown)
        number = judge_peer(
            None if stored is None else (stored.certificate, stored.owner),
            certificate,
            is_valid=shown.starts_at <= at <= shown.expires_at,
            granted=Granted(self._catalog),
        )
        if number is not None:
            owner = "" if stored is None else stored.owner
            raise RemoteProtocolError(number, name=shown.subject, value=owner)
        return Principal(PUBLIC) if stored is None else Principal(stored.owner, stored.name)


def certificates_of(catalogs: Iterable[InstanceCatalog]) -> list[Certificate]:
    """Every certificate of every database."""
    return [
        certificate
        for catalog in catalogs
        for database in catalog.databases.values()
        for certificate in database.certificates.values()
    ]


def _secret(public: bytes) -> bytes:
    return hashlib.sha256(public).digest()


def _signature(certificate: bytes, content: bytes) -> bytes:
    return hmac.digest(_secret(certificate), content, hashlib.sha256)
