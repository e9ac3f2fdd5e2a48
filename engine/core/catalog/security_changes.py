"""What DDL does to users, keys, certificates, bindings and permissions, as values; part of the union in `changes`."""

from __future__ import annotations

import msgspec

from engine.core.catalog.permissions import Securable
from engine.core.catalog.security import Certificate, MasterKey, RemoteServiceBinding, User
from engine.core.catalog.server_changes import PermissionVerb
from engine.core.vocabulary.identifiers import CertificateName, DatabaseName, RemoteServiceBindingName, UserName


class _Change(msgspec.Struct, frozen=True, kw_only=True, tag_field="change"):
    """Common base: in which database."""

    database: DatabaseName


class MasterKeyCreated(_Change, frozen=True, tag="master-key-created"):
    """CREATE MASTER KEY; a database has one (15578)."""

    master_key: MasterKey


class MasterKeyAltered(_Change, frozen=True, tag="master-key-altered"):
    """ALTER MASTER KEY ADD or DROP ENCRYPTION BY SERVICE MASTER KEY."""

    is_encrypted_by_server: bool


class MasterKeyRegenerated(_Change, frozen=True, tag="master-key-regenerated"):
    """ALTER MASTER KEY FORCE REGENERATE: private keys and session keys under the old one are lost (28052)."""

    master_key: MasterKey


class MasterKeyDropped(_Change, frozen=True, tag="master-key-dropped"):
    """DROP MASTER KEY; refused while it protects a private key (15580)."""


class UserCreated(_Change, frozen=True, tag="user-created"):
    """CREATE USER."""

    user: User


class UserDropped(_Change, frozen=True, tag="user-dropped"):
    """DROP USER; refused while it owns something, allowed while a binding names it (9768)."""

    name: UserName


class CertificateCreated(_Change, frozen=True, tag="certificate-created"):
    """CREATE CERTIFICATE."""

    certificate: Certificate


class CertificateAltered(_Change, frozen=True, tag="certificate-altered"):
    """ALTER CERTIFICATE: ACTIVE FOR BEGIN_DIALOG, or REMOVE PRIVATE KEY; clauses not given stay."""

    name: CertificateName
    is_active_for_begin_dialog: bool | None = None
    drops_private_key: bool = False


class CertificateDropped(_Change, frozen=True, tag="certificate-dropped"):
    """DROP CERTIFICATE."""

    name: CertificateName


class RemoteServiceBindingCreated(_Change, frozen=True, tag="remote-service-binding-created"):
    """CREATE REMOTE SERVICE BINDING; one for each service (9619)."""

    binding: RemoteServiceBinding


class RemoteServiceBindingAltered(_Change, frozen=True, tag="remote-service-binding-altered"):
    """ALTER REMOTE SERVICE BINDING: clauses not given stay."""

    name: RemoteServiceBindingName
    user: UserName | None = None
    is_anonymous: bool | None = None


class RemoteServiceBindingDropped(_Change, frozen=True, tag="remote-service-binding-dropped"):
    """DROP REMOTE SERVICE BINDING."""

    name: RemoteServiceBindingName


class PermissionSet(_Change, frozen=True, tag="permission-set"):
    """GRANT, DENY or REVOKE SEND ON SERVICE or RECEIVE ON OBJECT; the grantee is a user or `public` (tsql.md 12)."""

    securable: Securable
    name: str
    """Of the service, or of the queue with its schema."""
    verb: PermissionVerb
    grantee: UserName


SecurityChange = (
    MasterKeyCreated
    | MasterKeyAltered
    | MasterKeyRegenerated
    | MasterKeyDropped
    | UserCreated
    | UserDropped
    | CertificateCreated
    | CertificateAltered
    | CertificateDropped
    | RemoteServiceBindingCreated
    | RemoteServiceBindingAltered
    | RemoteServiceBindingDropped
)
