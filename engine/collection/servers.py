"""A whole server out of its document: its databases, its endpoint, and who may connect to that (views.md 1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from functools import partial
from ipaddress import ip_address
from typing import Final

from engine.collection.databases import DatabaseTaker, is_of_the_broker
from engine.collection.document import BrokerEndpointRow, Document, PermissionRow
from engine.collection.permissions import VERBS
from engine.collection.taking import Taking
from engine.core.catalog.changes import CatalogChange, DatabaseCreated, EndpointCreated, HostNamesSet
from engine.core.catalog.identity import is_system_database
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import check_name, spelling_in
from engine.core.catalog.objects import Endpoint, EndpointState
from engine.core.catalog.security import PUBLIC, SYSTEM_ADMINISTRATOR, Login
from engine.core.catalog.server_changes import ConnectPermissionSet, LoginCreated
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import (
    MASTER,
    MSDB,
    BrokerInstanceId,
    DatabaseName,
    EndpointName,
    InstanceName,
    LoginName,
)
from engine.core.vocabulary.keys import KeySmith
from engine.revisions import ObjectKind
from engine.tsql.endpoint_proof import provable

_LOGIN_TYPES: Final = ("S", "U", "G", "C", "K", "E", "X")
_NONE: Final = "NONE"
_ENDPOINT_WORD: Final = re.compile(r"[,\s]+")
_PUBLIC_ID: Final = 2
"""`principal_id` of public among the principals of a server."""


def take_server(
    document: Document,
    file: str,
    instance: InstanceName,
    known: InstanceCatalog | None,
    left_out: Set[int],
    entropy: Entropy,
    smith: KeySmith | None,
) -> Taking:
    """Everything a document says, as a catalog of its own called `instance`. `known` is the estate's, for its keys."""
    taking = Taking(file, InstanceCatalog(name=instance), left_out)
    try:
        check_name(instance)
    except CatalogError as error:
        taking.problem(error)
        return taking
    taking.take(ObjectKind.INSTANCE, instance, None, lambda: _host_names(document, known))
    logins = {row.sid: row.name for row in document.server_principals if row.sid and row.type.strip() in _LOGIN_TYPES}
    ordered = sorted(document.databases, key=lambda row: (row.name != MASTER, row.name != MSDB))
    for row in ordered:
        if is_system_database(row.name) or is_of_the_broker(row):
            of_estate = None if known is None else known.databases.get(DatabaseName(row.name))
            DatabaseTaker(taking, row, logins, of_estate, smith).take()
        else:
            text = row.problem or "Nothing of the broker was made in it."
            taking.ignore("database", row.name, DatabaseName(row.name), text)
    for name in (MASTER, MSDB):
        if spelling_in(taking.catalog.databases, name) is None:
            of_estate = None if known is None else known.databases.get(name)
            new = BrokerInstanceId(entropy.new_uuid()) if of_estate is None else of_estate.broker_instance
            taking.go_on([DatabaseCreated(database=name, broker_instance=new)])
    _logins(taking, document)
    for endpoint in document.service_broker_endpoints:
        taking.take(ObjectKind.ENDPOINT, endpoint.name, None, partial(_endpoint, taking, document, endpoint))
    return taking


def _host_names(document: Document, known: InstanceCatalog | None) -> Iterable[CatalogChange]:
    """The machine's name, under which routes of other servers reach this one; the names the estate knows stay."""
    names = () if known is None else known.host_names
    machine = (document.machine_name or document.server_name.partition("\\")[0]).lower()
    return [HostNamesSet(host_names=(*names, machine))] if machine else []


def _logins(taking: Taking, document: Document) -> None:
    """The logins that may connect to the endpoint, and those behind users that were taken."""
    granted = {row.grantee_principal_id for row in document.server_permissions}
    behind = {user.login for database in taking.catalog.databases.values() for user in database.users.values()}
    for row in document.server_principals:
        is_login = row.type.strip() in _LOGIN_TYPES and row.name.casefold() != SYSTEM_ADMINISTRATOR
        if is_login and (row.principal_id in granted or row.name in behind):
            taking.take(ObjectKind.LOGIN, row.name, None, partial(_login, row.name))


def _login(name: str) -> Iterable[CatalogChange]:
    return [LoginCreated(login=Login(LoginName(name)))]


def _endpoint(taking: Taking, document: Document, row: BrokerEndpointRow) -> Iterable[CatalogChange]:
    tcp = next((each for each in document.tcp_endpoints if each.endpoint_id == row.endpoint_id), None)
    if tcp is None:
        raise CatalogError(15151, value="TCP endpoint", name=row.name, database="this instance")
    change = EndpointCreated(
        endpoint=Endpoint(
            name=EndpointName(row.name),
            port=tcp.port,
            state=_state(row),
            listener_ip=None if tcp.ip_address is None else _spelled(tcp.ip_address),
            is_message_forwarding_enabled=row.is_message_forwarding_enabled,
            message_forward_size_megabytes=row.message_forwarding_size,
            authentication=_authentication(document, row),
            encryption=_encryption(row),
        )
    )
    possible, warning = provable(taking.catalog, change)
    if warning is not None:
        taking.notice(warning)
    yield possible
    for permission in document.server_permissions:
        if permission.major_id == row.endpoint_id and permission.state in VERBS:
            yield from _connect(taking, document, row.name, permission)


def _state(row: BrokerEndpointRow) -> EndpointState:
    try:
        return EndpointState(row.state_desc)
    except ValueError:
        place = "service_broker_endpoints.state_desc"
        detail = f"'{row.state_desc}' is none of {', '.join(EndpointState)}"
        raise CatalogError(13608, name=place, detail=detail) from None


def _spelled(address: str) -> str:
    """An address as Python spells it; what is none stays as it is, for the rules of endpoints to refuse."""
    try:
        return str(ip_address(address))
    except ValueError:
        return address


def _connect(taking: Taking, document: Document, endpoint: str, row: PermissionRow) -> Iterable[CatalogChange]:
    found = next((each for each in document.server_principals if each.principal_id == row.grantee_principal_id), None)
    name = str(PUBLIC) if row.grantee_principal_id == _PUBLIC_ID or found is None else found.name
    if spelling_in(taking.catalog.logins, LoginName(name)) is None and name != PUBLIC:
        taking.notice(f"CONNECT on '{endpoint}' for '{name}', no login of its own, is left out.")
        return
    yield ConnectPermissionSet(name=EndpointName(endpoint), verb=VERBS[row.state], grantee=LoginName(name))


def _authentication(document: Document, row: BrokerEndpointRow) -> str:
    """The AUTHENTICATION clause; the certificate is one of master's."""
    master = next((each for each in document.databases if each.name == MASTER), None)
    certificates = () if master is None or master.sys is None else master.sys.certificates
    name = next((each.name for each in certificates if each.certificate_id == row.certificate_id), None)
    words = []
    for method in _ENDPOINT_WORD.split(row.connection_auth_desc.strip()):
        if method != "CERTIFICATE":
            words.append(f"WINDOWS {method}")
        elif name is not None:
            words.append(f"CERTIFICATE [{name.replace(']', ']]')}]")
    return " ".join(words) or "WINDOWS NEGOTIATE"


def _encryption(row: BrokerEndpointRow) -> str:
    """The ENCRYPTION clause; NONE in front of an algorithm is SUPPORTED (views.md 1)."""
    algorithms = [word for word in _ENDPOINT_WORD.split(row.encryption_algorithm_desc.strip()) if word]
    if algorithms == [_NONE]:
        return "DISABLED"
    level = "SUPPORTED" if _NONE in algorithms else "REQUIRED"
    return f"{level} ALGORITHM {' '.join(each for each in algorithms if each != _NONE)}"
