"""Changes to the broker endpoint, to logins, and to who may connect (tsql.md 8, 12; protocol.md 6, 7.3).

Every function checks first and writes last, so a refused change changes nothing. Whether the certificate of an
endpoint is valid today is not a matter of the catalog, which knows no time: `validity_of` answers for an instant.
"""

from __future__ import annotations

import ipaddress
from typing import Final

import msgspec

from engine.core.catalog.changes import EndpointAltered, EndpointCreated, EndpointDropped
from engine.core.catalog.endpoint_clauses import authentication_of, check_clauses
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import check_name, no_such, same_name, spelling_in
from engine.core.catalog.objects import Endpoint
from engine.core.catalog.security import (
    DBO,
    PUBLIC,
    SYSTEM_ADMINISTRATOR,
    Certificate,
    ConnectPermission,
)
from engine.core.catalog.security_changes import (
    CertificateAltered,
    CertificateDropped,
    MasterKeyAltered,
    MasterKeyRegenerated,
    SecurityChange,
)
from engine.core.catalog.server_changes import (
    ConnectPermissionSet,
    LoginCreated,
    LoginDropped,
    PermissionVerb,
    ServerChange,
)
from engine.core.vocabulary.dialog_security import SealedKey
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import MASTER, LoginName, UserName
from engine.core.vocabulary.limits import FORWARD_SIZE_MEGABYTES_MAX, PORT_MAX, PORT_MIN

LISTEN_EVERYWHERE: Final = "ALL"

EndpointChange = EndpointCreated | EndpointAltered | EndpointDropped


# --- the endpoint ----------------------------------------------------------------------------------------------------


def apply_to_endpoint(catalog: InstanceCatalog, change: EndpointChange) -> None:
    """Obey a change of the endpoint, or refuse it with a `CatalogError`."""
    match change:
        case EndpointCreated():
            if catalog.endpoint is not None:
                raise CatalogError(7862, name=catalog.endpoint.name)
            check_name(change.endpoint.name)
            catalog.endpoint = _checked(catalog, change.endpoint)
        case EndpointAltered():
            catalog.endpoint = _checked(catalog, _altered(_endpoint(catalog, change.name), change))
        case EndpointDropped():
            _endpoint(catalog, change.name)
            catalog.endpoint = None
            for grantee in list(catalog.connect_permissions):
                del catalog.connect_permissions[grantee]


def _endpoint(catalog: InstanceCatalog, name: str) -> Endpoint:
    if catalog.endpoint is None or not same_name(catalog.endpoint.name, name):
        raise no_such("endpoint", name, f"instance {catalog.name}")
    return catalog.endpoint


def _altered(endpoint: Endpoint, change: EndpointAltered) -> Endpoint:
    given = {
        clause: value
        for clause, value in msgspec.structs.asdict(change).items()
        if clause != "name" and value is not None
    }
    if not given:
        raise CatalogError(7863, name=endpoint.name)
    return msgspec.structs.replace(endpoint, **given)


def _checked(catalog: InstanceCatalog, endpoint: Endpoint) -> Endpoint:
    """Refuse what no endpoint may say; ALL becomes the absence of a restriction."""
    if not PORT_MIN <= endpoint.port <= PORT_MAX:
        raise CatalogError(5837, value=endpoint.port, clause="LISTENER_PORT")
    if not 0 < endpoint.message_forward_size_megabytes <= FORWARD_SIZE_MEGABYTES_MAX:
        raise CatalogError(5839, value=endpoint.message_forward_size_megabytes, clause="MESSAGE_FORWARD_SIZE")
    check_clauses(endpoint.name, endpoint.authentication, endpoint.encryption)
    _check_certificate(catalog, endpoint)
    if endpoint.listener_ip is None or endpoint.listener_ip.upper() == LISTEN_EVERYWHERE:
        return msgspec.structs.replace(endpoint, listener_ip=None)
    try:
        ipaddress.ip_address(endpoint.listener_ip)
    except ValueError:
        value = f"LISTENER_IP = {endpoint.listener_ip}"
        raise CatalogError(
            153, name=endpoint.name, value=value, detail="it is not an IP address", clause="LISTENER_IP"
        ) from None
    return endpoint


# --- its certificate -------------------------------------------------------------------------------------------------


def certificate_of(catalog: InstanceCatalog) -> Certificate | None:
    """The certificate that the endpoint shows, as `master` has it; None when it shows none, or it is not there."""
    if catalog.endpoint is None:
        return None
    name = authentication_of(catalog.endpoint.authentication).certificate
    return None if name is None else _in_master(catalog, name)


def credential_of(catalog: InstanceCatalog) -> tuple[bytes, SealedKey | None] | None:
    """What the endpoint shows and signs with; another one restarts its connections (protocol.md 6)."""
    certificate = certificate_of(catalog)
    return None if certificate is None else (certificate.certificate, certificate.private_key)


def _in_master(catalog: InstanceCatalog, name: str) -> Certificate | None:
    master = catalog.databases.get(MASTER)
    key = None if master is None else spelling_in(master.certificates, name)
    return None if master is None or key is None else master.certificates[key]


def _check_certificate(catalog: InstanceCatalog, endpoint: Endpoint) -> None:
    """It lives in `master` (15151), and its private key under a master key that the server opens (28055)."""
    name = authentication_of(endpoint.authentication).certificate
    if name is None:
        return
    certificate = _in_master(catalog, name)
    if certificate is None:
        raise CatalogError(15151, value="certificate", name=name, database=MASTER, clause="AUTHENTICATION")
    master_key = catalog.databases[MASTER].master_key
    is_open = master_key is not None and master_key.is_encrypted_by_server
    if certificate.private_key is None or not is_open:
        raise CatalogError(28055, value=certificate.name, clause="AUTHENTICATION")


def check_not_shown(catalog: InstanceCatalog, change: SecurityChange) -> None:
    """Refuse what would leave the endpoint without the certificate that it shows, or without its private key (3716).

    Stricter than the vendor, whose REGENERATE goes ahead: an endpoint always names a certificate that it can show.
    """
    shown = certificate_of(catalog) if same_name(change.database, MASTER) else None
    if shown is None or catalog.endpoint is None:
        return
    match change:
        case CertificateDropped() | CertificateAltered(drops_private_key=True):
            kind, name, is_lost = "certificate", str(shown.name), same_name(shown.name, change.name)
        case MasterKeyRegenerated() | MasterKeyAltered(is_encrypted_by_server=False):
            kind, name, is_lost = "master key of", MASTER, True
        case _:
            return
    if is_lost:
        raise CatalogError(3716, value=kind, name=name, detail=f"endpoint '{catalog.endpoint.name}'")


# --- logins and permissions ------------------------------------------------------------------------------------------


def apply_to_server(catalog: InstanceCatalog, change: ServerChange) -> None:
    """Obey a change of logins or of who may connect, or refuse it with a `CatalogError`."""
    match change:
        case LoginCreated():
            name = change.login.name
            check_name(name)
            if _is_built_in(name) or spelling_in(catalog.logins, name) is not None:
                raise CatalogError(15025, name=name)
            catalog.logins[name] = change.login
        case LoginDropped():
            if _is_built_in(change.name):
                raise CatalogError(15150, name=change.name)
            key = spelling_in(catalog.logins, change.name)
            if key is None:
                raise no_such("login", change.name, f"instance {catalog.name}")
            _withdraw(catalog, key)
            del catalog.logins[key]
        case ConnectPermissionSet():
            _set_permission(catalog, change)


def _is_built_in(name: str) -> bool:
    return same_name(name, SYSTEM_ADMINISTRATOR) or same_name(name, PUBLIC)


def is_grantee(catalog: InstanceCatalog, name: str) -> bool:
    """Whether a permission can be given to `name`: a login of the instance, or one that every instance has."""
    return _is_built_in(name) or spelling_in(catalog.logins, name) is not None


def _set_permission(catalog: InstanceCatalog, change: ConnectPermissionSet) -> None:
    _endpoint(catalog, change.name)
    if same_name(change.grantee, SYSTEM_ADMINISTRATOR):
        raise CatalogError(4624, name=change.grantee)
    grantee = LoginName(PUBLIC) if same_name(change.grantee, PUBLIC) else spelling_in(catalog.logins, change.grantee)
    if grantee is None:
        raise no_such("login", change.grantee, f"instance {catalog.name}")
    _withdraw(catalog, grantee)
    if change.verb is not PermissionVerb.REVOKE:
        is_denied = change.verb is PermissionVerb.DENY
        catalog.connect_permissions[grantee] = ConnectPermission(grantee, is_denied)


def _withdraw(catalog: InstanceCatalog, grantee: LoginName) -> None:
    key = spelling_in(catalog.connect_permissions, grantee)
    if key is not None:
        del catalog.connect_permissions[key]


def may_connect(catalog: InstanceCatalog, owner: UserName) -> bool:
    """Whether the owner of a certificate in `master` has CONNECT on the endpoint; `public` is everybody unknown.

    `dbo` is the administrator and may. For everybody else a denial counts more than a grant, and what holds for
    `public` holds for all; a user without login has only that.
    """
    if same_name(owner, DBO):
        return True
    names = [LoginName(PUBLIC)]
    login = None if same_name(owner, PUBLIC) else login_of(catalog, owner)
    if login is not None and same_name(login, SYSTEM_ADMINISTRATOR):
        return True
    if login is not None and spelling_in(catalog.logins, login) is not None:
        names.append(login)
    keys = [key for name in names if (key := spelling_in(catalog.connect_permissions, name)) is not None]
    permissions = [catalog.connect_permissions[key] for key in keys]
    return bool(permissions) and not any(permission.is_denied for permission in permissions)


def login_of(catalog: InstanceCatalog, user: UserName) -> LoginName | None:
    """The login behind a user of `master`, as far as it is known."""
    master = catalog.databases.get(MASTER)
    key = None if master is None else spelling_in(master.users, user)
    return None if master is None or key is None else master.users[key].login
