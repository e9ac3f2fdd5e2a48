"""Keys and certificates for tests: one server key, one master key, certificates made once a run.

PARIS (Ventes, service Client of user Vendeur) talks to LYON (Stock, service Entrepôt of user Magasinier).
"""

from __future__ import annotations

from functools import cache
from unittest.mock import patch

import msgspec

from engine.core.catalog.changes import CatalogChange, ServiceAltered
from engine.core.catalog.security import Certificate, MasterKey, RemoteServiceBinding, User
from engine.core.catalog.security_changes import (
    CertificateCreated,
    MasterKeyCreated,
    RemoteServiceBindingCreated,
    UserCreated,
)
from engine.core.vocabulary.dialog_security import SealedKey
from engine.core.vocabulary.keys import CertificateFacts
from engine.core.vocabulary.moment import UtcTime
from engine.security.vault import Vault

EPOCH = 1_700_000_000.0
YEAR = 365 * 86_400.0
VAULT = Vault(bytes(range(32)))
OTHER_VAULT = Vault(bytes(32))


@cache
def master_key() -> SealedKey:
    return VAULT.new_master_key()


@cache
def material(subject: str, starts: float = -YEAR, ends: float = YEAR) -> tuple[CertificateFacts, SealedKey]:
    """A certificate and its private key; the times are seconds from the world's beginning.

    The key has half the length of those of the product: it takes a sixth of the time, also where modules make it.
    """
    with patch("engine.security.certificates.NEW_KEY_BITS", 1024):
        made = VAULT.new_certificate(master_key(), subject, UtcTime(EPOCH + starts), UtcTime(EPOCH + ends))
    assert made is not None
    return made


def certificate(name: str, owner: str, *, is_private: bool = True, subject: str = "", **times: float) -> Certificate:
    """A certificate of `owner`; with `is_private` its own, else as imported from elsewhere."""
    facts, private_key = material(subject or name, **times)
    return Certificate(
        name=name,
        owner=owner,
        private_key=private_key if is_private else None,
        **{field: getattr(facts, field) for field in facts.__struct_fields__},
    )


def without_key(own: Certificate, owner: str) -> Certificate:
    """What the other side imports: the public half, owned by the user that stands for us there."""
    return msgspec.structs.replace(own, owner=owner, private_key=None)


def keys(database: str) -> list[CatalogChange]:
    return [MasterKeyCreated(database=database, master_key=MasterKey(master_key()))]


def users(database: str, *names: str) -> list[CatalogChange]:
    return [UserCreated(database=database, user=User(name)) for name in names]


def certified(database: str, *certificates: Certificate) -> list[CatalogChange]:
    return [CertificateCreated(database=database, certificate=each) for each in certificates]


def bound(database: str, service: str, user: str, *, is_anonymous: bool = False) -> list[CatalogChange]:
    binding = RemoteServiceBinding(f"to {service}", service, user, is_anonymous)
    return [RemoteServiceBindingCreated(database=database, binding=binding)]


def owned(database: str, service: str, owner: str) -> list[CatalogChange]:
    return [ServiceAltered(database=database, name=service, owner=owner)]


def initiator(*, is_anonymous: bool = False, has_certificate: bool = True) -> list[CatalogChange]:
    """What PARIS defines: its own certificate, LYON's, and the binding."""
    own = [certificate("Vendeur", "Vendeur")] if has_certificate else []
    theirs = certificate("Magasinier", "Fournisseur", is_private=False)
    return [
        *keys("Ventes"),
        *users("Ventes", "Vendeur", "Fournisseur"),
        *certified("Ventes", *own, theirs),
        *owned("Ventes", "Client", "Vendeur"),
        *bound("Ventes", "Entrepôt", "Fournisseur", is_anonymous=is_anonymous),
    ]


def target(*, knows_initiator: bool = True) -> list[CatalogChange]:
    """What LYON defines: its own certificate, and PARIS's."""
    theirs = [certificate("Vendeur", "Acheteur", is_private=False)] if knows_initiator else []
    return [
        *keys("Stock"),
        *users("Stock", "Magasinier", "Acheteur"),
        *certified("Stock", certificate("Magasinier", "Magasinier"), *theirs),
        *owned("Stock", "Entrepôt", "Magasinier"),
    ]
