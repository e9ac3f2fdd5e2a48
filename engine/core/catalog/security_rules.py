"""Changes to users, master keys, certificates and bindings of one database (tsql.md 6; protocol.md 9).

Every function checks first and writes last, so a refused change changes nothing.
"""

from __future__ import annotations

import msgspec

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.names import (
    check_name,
    is_service_name,
    no_such,
    same_name,
    spelling_in,
)
from engine.core.catalog.permissions import without
from engine.core.catalog.security import BUILT_IN_ROLES, BUILT_IN_USERS, PrincipalKind
from engine.core.catalog.security_changes import (
    CertificateAltered,
    CertificateCreated,
    CertificateDropped,
    MasterKeyAltered,
    MasterKeyCreated,
    MasterKeyDropped,
    MasterKeyRegenerated,
    RemoteServiceBindingAltered,
    RemoteServiceBindingCreated,
    RemoteServiceBindingDropped,
    SecurityChange,
    UserCreated,
    UserDropped,
)
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import CertificateName, RemoteServiceBindingName, UserName
from engine.core.vocabulary.limits import SERVICE_NAME_LENGTH_MAX


def apply_security(database: DatabaseCatalog, change: SecurityChange) -> None:
    """Obey one change of this module, or refuse it with a `CatalogError`."""
    match change:
        case MasterKeyCreated() | MasterKeyAltered() | MasterKeyRegenerated() | MasterKeyDropped():
            _change_master_key(database, change)
        case UserCreated():
            _create_user(database, change)
        case UserDropped():
            _drop_user(database, change)
        case CertificateCreated():
            _create_certificate(database, change)
        case CertificateAltered():
            _alter_certificate(database, change)
        case CertificateDropped():
            del database.certificates[find_certificate(database, change.name)]
        case RemoteServiceBindingCreated():
            _create_binding(database, change)
        case RemoteServiceBindingAltered():
            _alter_binding(database, change)
        case RemoteServiceBindingDropped():
            del database.remote_service_bindings[find_binding(database, change.name)]


# --- master key ------------------------------------------------------------------------------------------------------


def _change_master_key(
    database: DatabaseCatalog, change: MasterKeyCreated | MasterKeyAltered | MasterKeyRegenerated | MasterKeyDropped
) -> None:
    present = database.master_key
    if isinstance(change, MasterKeyCreated):
        if present is not None:
            raise CatalogError(15578, database=database.name)
        database.master_key = change.master_key
        return
    if present is None:
        raise no_such("master key", "", database.name)
    match change:
        case MasterKeyAltered():
            database.master_key = msgspec.structs.replace(present, is_encrypted_by_server=change.is_encrypted_by_server)
        case MasterKeyRegenerated():
            for name, certificate in database.certificates.items():
                database.certificates[name] = msgspec.structs.replace(certificate, private_key=None)
            database.master_key = change.master_key
        case MasterKeyDropped():
            protected = next((each for each in database.certificates.values() if each.private_key is not None), None)
            if protected is not None:
                raise CatalogError(15580, name=protected.name)
            database.master_key = None


# --- users -----------------------------------------------------------------------------------------------------------


def is_user(database: DatabaseCatalog, name: str) -> bool:
    """Whether the database has a user of this name, defined or built in."""
    return spelling_in(database.users, name) is not None or any(same_name(name, each) for each in BUILT_IN_USERS)


def may_own(database: DatabaseCatalog, name: str) -> bool:
    """Whether there is a user or role of this name to which something can belong."""
    return is_user(database, name) or any(same_name(name, role) for role in BUILT_IN_ROLES)


def check_owner(database: DatabaseCatalog, name: UserName) -> None:
    """Refuse an owner that is no user or role of the database (15151)."""
    if not may_own(database, name):
        raise no_such("user", name, database.name)


def _create_user(database: DatabaseCatalog, change: UserCreated) -> None:
    name = change.user.name
    check_name(name)
    if is_user(database, name) or any(same_name(name, role) for role in BUILT_IN_ROLES):
        raise CatalogError(15023, name=name, database=database.name)
    database.users[name] = change.user


def _drop_user(database: DatabaseCatalog, change: UserDropped) -> None:
    if any(same_name(change.name, each) for each in (*BUILT_IN_USERS, *BUILT_IN_ROLES)):
        raise CatalogError(15150, name=change.name)
    key = spelling_in(database.users, change.name)
    if key is None:
        raise no_such("user", change.name, database.name)
    owned: dict[str, dict[str, str]] = {
        "service": {each.name: each.owner for each in database.services.values()},
        "certificate": {each.name: each.owner for each in database.certificates.values()},
        "binding": {each.name: each.owner for each in database.remote_service_bindings.values()},
    }
    for kind, owners in owned.items():
        for name, owner in owners.items():
            if same_name(owner, key):
                raise CatalogError(3716, value="user", name=key, detail=f"{kind} '{name}'")
    _withdraw_permissions(database, key)
    del database.users[key]


def _withdraw_permissions(database: DatabaseCatalog, user: UserName) -> None:
    """What was granted and denied to a user goes with it."""
    for service in list(database.services.values()):
        left = without(service.send_permissions, user)
        database.services[service.name] = msgspec.structs.replace(service, send_permissions=left)
    for queue in list(database.queues.values()):
        left = without(queue.receive_permissions, user)
        database.queues[queue.name] = msgspec.structs.replace(queue, receive_permissions=left)


# --- certificates ----------------------------------------------------------------------------------------------------


def find_certificate(database: DatabaseCatalog, name: str) -> CertificateName:
    """The certificate called `name` in any letter case; `CatalogError` 15151 when there is none."""
    key = spelling_in(database.certificates, name)
    if key is None:
        raise no_such("certificate", name, database.name)
    return key


def _create_certificate(database: DatabaseCatalog, change: CertificateCreated) -> None:
    certificate = change.certificate
    check_name(certificate.name)
    check_owner(database, certificate.owner)
    twin = next((each for each in database.certificates.values() if each.reference == certificate.reference), None)
    if spelling_in(database.certificates, certificate.name) is not None or twin is not None:
        raise CatalogError(15232, name=certificate.name)
    if not certificate.certificate or not certificate.starts_at < certificate.expires_at:
        raise CatalogError(
            15297, name=certificate.name, detail="these are not the bytes of an X.509 certificate with an RSA key"
        )
    if certificate.private_key is not None and database.master_key is None:
        raise CatalogError(15581, database=database.name)
    database.certificates[certificate.name] = certificate


def _alter_certificate(database: DatabaseCatalog, change: CertificateAltered) -> None:
    certificate = database.certificates[find_certificate(database, change.name)]
    if change.drops_private_key:
        certificate = msgspec.structs.replace(certificate, private_key=None, is_password_protected=False)
    if change.is_active_for_begin_dialog is not None:
        certificate = msgspec.structs.replace(certificate, is_active_for_begin_dialog=change.is_active_for_begin_dialog)
    database.certificates[certificate.name] = certificate


# --- remote service bindings -----------------------------------------------------------------------------------------


def find_binding(database: DatabaseCatalog, name: str) -> RemoteServiceBindingName:
    """The binding called `name` in any letter case; `CatalogError` 15151 when there is none."""
    key = spelling_in(database.remote_service_bindings, name)
    if key is None:
        raise no_such("remote service binding", name, database.name)
    return key


def _create_binding(database: DatabaseCatalog, change: RemoteServiceBindingCreated) -> None:
    binding = change.binding
    check_name(binding.name)
    if spelling_in(database.remote_service_bindings, binding.name) is not None:
        raise CatalogError(2714, name=binding.name)
    if not is_service_name(binding.service_name):
        raise CatalogError(8412, service=binding.service_name, limit=SERVICE_NAME_LENGTH_MAX)
    if any(each.service_name == binding.service_name for each in database.remote_service_bindings.values()):
        raise CatalogError(9619, service=binding.service_name)
    _check_binding_user(database, binding.user)
    check_owner(database, binding.owner)
    database.remote_service_bindings[binding.name] = binding


def _alter_binding(database: DatabaseCatalog, change: RemoteServiceBindingAltered) -> None:
    binding = database.remote_service_bindings[find_binding(database, change.name)]
    if change.user is not None:
        _check_binding_user(database, change.user)
        binding = msgspec.structs.replace(binding, user=change.user)
    if change.is_anonymous is not None:
        binding = msgspec.structs.replace(binding, is_anonymous=change.is_anonymous)
    database.remote_service_bindings[binding.name] = binding


def _check_binding_user(database: DatabaseCatalog, name: UserName) -> None:
    """A binding names a user that can own certificates (9611, 28083)."""
    if any(same_name(name, role) for role in BUILT_IN_ROLES):
        raise CatalogError(28083, value=name)
    if not is_user(database, name):
        raise CatalogError(9611, value=name)
    key = spelling_in(database.users, name)
    if key is not None and database.users[key].kind is not PrincipalKind.USER:
        raise CatalogError(28083, value=name)
