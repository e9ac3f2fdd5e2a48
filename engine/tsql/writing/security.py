"""Users, keys, certificates, bindings and permissions (tsql.md 6, 12). No secret leaves: a person supplies them.

Keys stay in the vault of the deployment. A password stands as a variable of sqlcmd, which refuses to run a script
until it is given; of a certificate only the public part is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never

from engine.core.catalog.permissions import Securable
from engine.core.catalog.security import DBO, Certificate, PrincipalKind, RemoteServiceBinding, User
from engine.core.catalog.security_changes import (
    CertificateAltered,
    CertificateCreated,
    CertificateDropped,
    MasterKeyAltered,
    MasterKeyCreated,
    MasterKeyDropped,
    MasterKeyRegenerated,
    PermissionSet,
    RemoteServiceBindingAltered,
    RemoteServiceBindingCreated,
    RemoteServiceBindingDropped,
    SecurityChange,
    UserCreated,
    UserDropped,
)
from engine.core.catalog.server_changes import PermissionVerb
from engine.tsql.writing.quoting import bracketed, finding, on_off, queue_name, quoted
from engine.tsql.writing.written import Written

MasterKeyChange = MasterKeyCreated | MasterKeyAltered | MasterKeyRegenerated | MasterKeyDropped
UserChange = UserCreated | UserDropped
CertificateChange = CertificateCreated | CertificateAltered | CertificateDropped
BindingChange = RemoteServiceBindingCreated | RemoteServiceBindingAltered | RemoteServiceBindingDropped

MASTER_KEY_PASSWORD: Final = "$(MasterKeyPassword)"  # noqa: S105
_SUPPLY_KEY = (
    'Master keys are made anew where the script is run; give their password with sqlcmd -v MasterKeyPassword="...".'
)


def of_security(change: SecurityChange | PermissionSet) -> Iterator[Written]:
    """The statements for a change of users, keys, certificates, bindings or permissions."""
    match change:
        case MasterKeyCreated() | MasterKeyAltered() | MasterKeyRegenerated() | MasterKeyDropped():
            yield from _master_key(change)
        case UserCreated() | UserDropped():
            yield _user(change)
        case CertificateCreated() | CertificateAltered() | CertificateDropped():
            yield from _certificate(change)
        case RemoteServiceBindingCreated() | RemoteServiceBindingAltered() | RemoteServiceBindingDropped():
            yield _binding(change)
        case PermissionSet():
            yield _permission(change)
        case _:
            assert_never(change)


# --- master keys and users -------------------------------------------------------------------------------------------


def _master_key(change: MasterKeyChange) -> Iterator[Written]:
    by_password = f"ENCRYPTION BY PASSWORD = N'{MASTER_KEY_PASSWORD}'"
    is_closed = False
    match change:
        case MasterKeyCreated():
            is_closed = not change.master_key.is_encrypted_by_server
            yield _of_master_key(change, f"CREATE MASTER KEY {by_password}", (_SUPPLY_KEY,))
        case MasterKeyRegenerated():
            is_closed = not change.master_key.is_encrypted_by_server
            lost = "ALTER MASTER KEY FORCE REGENERATE loses every private key that the old master key protects."
            text = f"ALTER MASTER KEY FORCE REGENERATE WITH {by_password}"
            yield _of_master_key(change, text, (_SUPPLY_KEY, lost))
        case MasterKeyAltered():
            verb = "ADD" if change.is_encrypted_by_server else "DROP"
            yield _of_master_key(change, f"ALTER MASTER KEY {verb} ENCRYPTION BY SERVICE MASTER KEY")
        case MasterKeyDropped():
            yield _of_master_key(change, "DROP MASTER KEY")
        case _:
            assert_never(change)
    if is_closed:
        yield _of_master_key(change, "ALTER MASTER KEY DROP ENCRYPTION BY SERVICE MASTER KEY", is_guarded=False)


def _of_master_key(
    change: MasterKeyChange, text: str, notes: tuple[str, ...] = (), *, is_guarded: bool = True
) -> Written:
    finds = "SELECT * FROM sys.symmetric_keys WHERE name = N'##MS_DatabaseMasterKey##'"
    has_guard = is_guarded and isinstance(change, MasterKeyCreated | MasterKeyDropped)
    return Written(
        kind="master key",
        name="",
        database=change.database,
        text=f"{text};",
        condition=finds if has_guard else None,
        is_drop=isinstance(change, MasterKeyDropped),
        notes=notes,
    )


def _user(change: UserChange) -> Written:
    name = change.name if isinstance(change, UserDropped) else change.user.name
    text, notes = (f"DROP USER {bracketed(name)};", ()) if isinstance(change, UserDropped) else _new_user(change.user)
    return Written(
        kind="user",
        name=name,
        database=change.database,
        text=text,
        condition=finding("database_principals", name),
        is_drop=isinstance(change, UserDropped),
        notes=notes,
    )


def _new_user(user: User) -> tuple[str, tuple[str, ...]]:
    name = bracketed(user.name)
    if user.kind is PrincipalKind.MAPPED_TO_KEY:
        note = f"Which certificate or key stands behind user {user.name} is not known here: put its name in."
        return f"CREATE USER {name} FOR CERTIFICATE {name};", (note,)
    whose = "WITHOUT LOGIN" if user.login is None else f"FOR LOGIN {bracketed(user.login)}"
    return f"CREATE USER {name} {whose};", ()


# --- certificates ----------------------------------------------------------------------------------------------------


def _certificate(change: CertificateChange) -> Iterator[Written]:
    match change:
        case CertificateCreated():
            yield _new_certificate(change, change.certificate)
        case CertificateAltered():
            name = bracketed(change.name)
            texts = [f"ALTER CERTIFICATE {name} REMOVE PRIVATE KEY;"] if change.drops_private_key else []
            if change.is_active_for_begin_dialog is not None:
                switch = on_off(change.is_active_for_begin_dialog)
                texts.append(f"ALTER CERTIFICATE {name} WITH ACTIVE FOR BEGIN_DIALOG = {switch};")
            for text in texts:
                yield Written(kind="certificate", name=change.name, database=change.database, text=text)
        case CertificateDropped():
            yield Written(
                kind="certificate",
                name=change.name,
                database=change.database,
                text=f"DROP CERTIFICATE {bracketed(change.name)};",
                condition=finding("certificates", change.name),
                is_drop=True,
            )
        case _:
            assert_never(change)


def _new_certificate(change: CertificateCreated, certificate: Certificate) -> Written:
    owner = "" if certificate.owner == DBO else f" AUTHORIZATION {bracketed(certificate.owner)}"
    inactive = "" if certificate.is_active_for_begin_dialog else "\n    ACTIVE FOR BEGIN_DIALOG = OFF"
    has_key = certificate.private_key is not None or certificate.is_password_protected
    note = (
        f"The private key of certificate {certificate.name} is not in the script: bring it along from its backup, "
        "ALTER CERTIFICATE ... WITH PRIVATE KEY (FILE = ..., DECRYPTION BY PASSWORD = ...)."
    )
    return Written(
        kind="certificate",
        name=certificate.name,
        database=change.database,
        text=(
            f"CREATE CERTIFICATE {bracketed(certificate.name)}{owner}\n"
            f"    FROM BINARY = 0x{certificate.certificate.hex().upper()}{inactive};"
        ),
        condition=finding("certificates", certificate.name),
        notes=(note,) if has_key else (),
    )


# --- bindings and permissions ----------------------------------------------------------------------------------------


def _binding(change: BindingChange) -> Written:
    match change:
        case RemoteServiceBindingCreated():
            name, text = change.binding.name, _new_binding(change.binding)
        case RemoteServiceBindingAltered():
            options = [] if change.user is None else [f"USER = {bracketed(change.user)}"]
            if change.is_anonymous is not None:
                options.append(f"ANONYMOUS = {on_off(change.is_anonymous)}")
            name = change.name
            text = f"ALTER REMOTE SERVICE BINDING {bracketed(name)} WITH {', '.join(options)};"
        case RemoteServiceBindingDropped():
            name, text = change.name, f"DROP REMOTE SERVICE BINDING {bracketed(change.name)};"
        case _:
            assert_never(change)
    is_altered = isinstance(change, RemoteServiceBindingAltered)
    return Written(
        kind="remote service binding",
        name=name,
        database=change.database,
        text=text,
        condition=None if is_altered else finding("remote_service_bindings", name),
        is_drop=isinstance(change, RemoteServiceBindingDropped),
    )


def _new_binding(binding: RemoteServiceBinding) -> str:
    owner = "" if binding.owner == DBO else f" AUTHORIZATION {bracketed(binding.owner)}"
    return (
        f"CREATE REMOTE SERVICE BINDING {bracketed(binding.name)}{owner}\n"
        f"    TO SERVICE {quoted(binding.service_name)}\n"
        f"    WITH USER = {bracketed(binding.user)}, ANONYMOUS = {on_off(binding.is_anonymous)};"
    )


def _permission(change: PermissionSet) -> Written:
    if change.securable is Securable.SERVICE:
        kind, securable = "service", f"SEND ON SERVICE::{bracketed(change.name)}"
    else:
        kind, securable = "queue", f"RECEIVE ON OBJECT::{queue_name(change.name)}"
    direction = "FROM" if change.verb is PermissionVerb.REVOKE else "TO"
    text = f"{change.verb.value} {securable} {direction} {bracketed(change.grantee)};"
    return Written(kind=kind, name=change.name, database=change.database, text=text)
