"""Certificates of `master` as connections need them: who we are, whom we know, and who may connect.

Private keys stay in the vault; what a connection gets is a function that signs (protocol.md 7.3).
"""

from __future__ import annotations

from functools import partial

from engine.core.catalog.endpoint_rules import may_connect
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.security import PUBLIC
from engine.core.vocabulary.identifiers import MASTER, EstateName
from engine.core.vocabulary.keys import KeyVault, Voucher
from engine.transport.certificates import CertificateStore


class LinkCertificates:
    """Keeps the certificates of the catalog that was asked about last: a changed catalog is another object."""

    def __init__(self, vault: KeyVault, estate: EstateName) -> None:
        self._vault = vault
        self._voucher = vault.voucher(estate)
        self._catalog: InstanceCatalog | None = None
        self._store = CertificateStore(self._voucher)

    def of(self, catalog: InstanceCatalog) -> CertificateStore:
        """What a connection that is opened under `catalog` goes by."""
        if catalog is not self._catalog:
            self._store = _store_of(catalog, self._vault, self._voucher)
            self._catalog = catalog
        return self._store


def _store_of(catalog: InstanceCatalog, vault: KeyVault, voucher: Voucher) -> CertificateStore:
    store = CertificateStore(voucher)
    if may_connect(catalog, PUBLIC):
        store.grant_connect(PUBLIC)
    master = catalog.databases.get(MASTER)
    if master is None:
        return store
    key = master.master_key
    is_open = key is not None and key.is_encrypted_by_server and vault.can_open(key.key)
    for name, certificate in master.certificates.items():
        store.add_peer(name, certificate.certificate, certificate.owner)
        if may_connect(catalog, certificate.owner):
            store.grant_connect(certificate.owner)
        if key is not None and is_open and certificate.private_key is not None:
            store.add_own(name, certificate.certificate, partial(vault.sign, key.key, certificate.private_key))
    return store
