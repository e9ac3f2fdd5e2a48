"""Statements about users, keys, certificates and bindings; read with `statements`, whose union they belong to."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.core.catalog.permissions import Securable
from engine.core.catalog.security import PrincipalKind
from engine.core.catalog.server_changes import PermissionVerb
from engine.tsql.statement_base import Clause, ObjectName, Statement


class CreateMasterKey(Statement, frozen=True, tag="create-master-key"):
    """CREATE MASTER KEY; the password is read and not kept."""


class MasterKeyAction(StrEnum):
    """What ALTER MASTER KEY does."""

    ADD = "ADD ENCRYPTION BY SERVICE MASTER KEY"
    DROP = "DROP ENCRYPTION BY SERVICE MASTER KEY"
    REGENERATE = "FORCE REGENERATE"


class AlterMasterKey(Statement, frozen=True, tag="alter-master-key"):
    """ALTER MASTER KEY."""

    action: MasterKeyAction


class DropMasterKey(Statement, frozen=True, tag="drop-master-key"):
    """DROP MASTER KEY."""


class CreateUser(Statement, frozen=True, tag="create-user"):
    """CREATE USER; its schema is not modelled."""

    name: ObjectName
    kind: PrincipalKind = PrincipalKind.USER
    login: str | None = None


class CreateLogin(Statement, frozen=True, tag="create-login"):
    """CREATE LOGIN; how it proves itself to a session is read and not kept."""

    name: ObjectName


class SetConnectPermission(Statement, frozen=True, tag="set-connect-permission"):
    """GRANT, DENY or REVOKE CONNECT ON ENDPOINT."""

    verb: PermissionVerb
    name: ObjectName
    grantees: tuple[str, ...]


class SetPermission(Statement, frozen=True, tag="set-permission"):
    """GRANT, DENY or REVOKE SEND ON SERVICE or RECEIVE ON OBJECT, perhaps among permissions that are not modelled."""

    verb: PermissionVerb
    securable: Securable
    name: ObjectName
    grantees: tuple[str, ...]
    has_others: bool = False


class PrivateKeyOptions(msgspec.Struct, frozen=True, kw_only=True):
    """WITH PRIVATE KEY (…): where the key is, and the passwords, which no statement shows and nothing keeps."""

    file: Clause | None = None
    has_binary: bool = False
    decryption: str | None = None
    encryption: str | None = None

    def __repr__(self) -> str:
        return f"PrivateKeyOptions(file={self.file!r}, …)"


class CertificateSource(msgspec.Struct, frozen=True, kw_only=True):
    """Where a certificate comes from: made here, or given."""

    subject: Clause | None = None
    start_date: Clause | None = None
    expiry_date: Clause | None = None
    is_password_protected: bool = False
    binary: Clause | None = None
    """0x… in hexadecimal."""
    file: Clause | None = None
    private_key: PrivateKeyOptions | None = None


class CreateCertificate(Statement, frozen=True, tag="create-certificate"):
    """CREATE CERTIFICATE."""

    name: ObjectName
    source: CertificateSource
    owner: str | None = None
    is_active: bool | None = None


class AlterCertificate(Statement, frozen=True, tag="alter-certificate"):
    """ALTER CERTIFICATE; WITH PRIVATE KEY changes nothing, for what it brings is a secret in a file."""

    name: ObjectName
    is_active: bool | None = None
    drops_private_key: bool = False


class BackupCertificate(Statement, frozen=True, tag="backup-certificate"):
    """BACKUP CERTIFICATE … TO FILE, into the folder that the instances of an estate share."""

    name: ObjectName
    file: Clause
    private_key: PrivateKeyOptions | None = None


class BindingOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The WITH list of CREATE and ALTER REMOTE SERVICE BINDING; None is an option not given."""

    user: str | None = None
    is_anonymous: bool | None = None


class CreateBinding(Statement, frozen=True, tag="create-binding"):
    """CREATE REMOTE SERVICE BINDING; USER is compulsory and therefore there."""

    name: ObjectName
    service: Clause
    options: BindingOptions
    owner: str | None = None


class AlterBinding(Statement, frozen=True, tag="alter-binding"):
    """ALTER REMOTE SERVICE BINDING."""

    name: ObjectName
    options: BindingOptions


class AlterServiceOwner(Statement, frozen=True, tag="alter-service-owner"):
    """ALTER AUTHORIZATION ON SERVICE::name TO user."""

    name: ObjectName
    owner: str


SecurityStatement = (
    CreateMasterKey
    | AlterMasterKey
    | DropMasterKey
    | CreateUser
    | CreateLogin
    | SetConnectPermission
    | SetPermission
    | CreateCertificate
    | AlterCertificate
    | BackupCertificate
    | CreateBinding
    | AlterBinding
    | AlterServiceOwner
)
