"""Views of the broker endpoint: as any endpoint, as one that listens on TCP, and as a broker's (views.md 1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from engine.core.catalog.endpoint_clauses import DISABLED, SUPPORTED, authentication_of, encryption_of
from engine.core.catalog.objects import Endpoint, EndpointState
from engine.core.system_views.definition import NULL, Column, Scope, SystemView, fixed
from engine.core.system_views.numbers import OWNER, USER_MADE_FIRST
from engine.core.system_views.reading import ViewReader

ENDPOINT_ID: Final = USER_MADE_FIRST - 1
"""`endpoint_id`: there is at most one endpoint (protocol.md 6), and those below 65536 are the system's."""

_STATES: Final = {EndpointState.STARTED: 0, EndpointState.STOPPED: 1, EndpointState.DISABLED: 2}

_AUTHENTICATIONS: Final = {
    "NTLM": 1,
    "KERBEROS": 2,
    "NEGOTIATE": 3,
    "CERTIFICATE": 4,
    "NTLM,CERTIFICATE": 5,
    "KERBEROS,CERTIFICATE": 6,
    "NEGOTIATE,CERTIFICATE": 7,
    "CERTIFICATE,NTLM": 8,
    "CERTIFICATE,KERBEROS": 9,
    "CERTIFICATE,NEGOTIATE": 10,
}

_ENCRYPTIONS: Final = {
    "NONE": 0,
    "RC4": 1,
    "AES": 2,
    "NONE,RC4": 3,
    "NONE,AES": 4,
    "RC4,AES": 5,
    "AES,RC4": 6,
    "NONE,RC4,AES": 7,
    "NONE,AES,RC4": 8,
}


def _authentication(endpoint: Endpoint) -> str:
    """`connection_auth_desc`: the methods of the AUTHENTICATION clause in their order."""
    return ",".join(authentication_of(endpoint.authentication).methods)


def _encryption(endpoint: Endpoint) -> str:
    """`encryption_algorithm_desc`: the algorithms of the ENCRYPTION clause, NONE in front when it may be without."""
    clause = encryption_of(endpoint.encryption)
    return ",".join(clause.algorithms if clause.level not in (DISABLED, SUPPORTED) else ("NONE", *clause.algorithms))


def _certificate_id(reader: ViewReader, endpoint: Endpoint) -> int:
    name = authentication_of(endpoint.authentication).certificate
    return 0 if name is None else reader.certificate_id_in_master(name)


def _endpoints(reader: ViewReader) -> Iterable[Endpoint]:
    endpoint = reader.broker.catalog.endpoint
    return () if endpoint is None else (endpoint,)


_BASE: Final[tuple[Column[Endpoint], ...]] = (
    Column("name", "sysname", "endpoint", lambda _, each: each.name),
    Column("endpoint_id", "int", "id; below 65536 = system", fixed(ENDPOINT_ID)),
    Column("principal_id", "int", "owner", fixed(OWNER), NULL),
    Column("protocol", "tinyint", "2 = TCP", fixed(2)),
    Column("protocol_desc", "nvarchar(60)", "TCP", fixed("TCP"), NULL),
    Column("type", "tinyint", "3 = SERVICE_BROKER", fixed(3)),
    Column("type_desc", "nvarchar(60)", "SERVICE_BROKER", fixed("SERVICE_BROKER"), NULL),
    Column("state", "tinyint", "0 started, 1 stopped, 2 disabled", lambda _, each: _STATES[each.state], NULL),
    Column("state_desc", "nvarchar(60)", "STARTED, STOPPED, DISABLED", lambda _, each: each.state.value, NULL),
    Column("is_admin_endpoint", "bit", "for administration", fixed(False)),
)

_ONLY_ONE: Final = "Only the broker endpoint is listed; the T-SQL endpoints of a server are not modelled."

ENDPOINTS: Final = SystemView[Endpoint](
    name="sys.endpoints",
    about="Endpoints of the instance.",
    scope=Scope.INSTANCE,
    rows=_endpoints,
    columns=_BASE,
    differs=(_ONLY_ONE,),
)

TCP_ENDPOINTS: Final = SystemView[Endpoint](
    name="sys.tcp_endpoints",
    about="Endpoints that listen on TCP.",
    scope=Scope.INSTANCE,
    rows=_endpoints,
    columns=(
        *_BASE,
        Column("port", "int", "LISTENER_PORT", lambda _, each: each.port),
        Column("is_dynamic_port", "bit", "port given by the system; never for a broker", fixed(False)),
        Column("ip_address", "nvarchar(45)", "LISTENER_IP; NULL = ALL", lambda _, each: each.listener_ip, NULL),
    ),
    differs=(_ONLY_ONE,),
)

SERVICE_BROKER_ENDPOINTS: Final = SystemView[Endpoint](
    name="sys.service_broker_endpoints",
    about="The broker endpoint.",
    scope=Scope.INSTANCE,
    rows=_endpoints,
    columns=(
        *_BASE,
        Column(
            "is_message_forwarding_enabled",
            "bit",
            "MESSAGE_FORWARDING",
            lambda _, each: each.is_message_forwarding_enabled,
        ),
        Column(
            "message_forwarding_size",
            "int",
            "MESSAGE_FORWARD_SIZE in megabytes",
            lambda _, each: each.message_forward_size_megabytes,
        ),
        Column(
            "connection_auth",
            "tinyint",
            "; ".join(f"{number} {words}" for words, number in _AUTHENTICATIONS.items()),
            lambda _, each: _AUTHENTICATIONS[_authentication(each)],
        ),
        Column("connection_auth_desc", "nvarchar(60)", "its words", lambda _, each: _authentication(each), NULL),
        Column("certificate_id", "int", "0 = Windows alone", _certificate_id, NULL),
        Column(
            "encryption_algorithm",
            "tinyint",
            "; ".join(f"{number} {words}" for words, number in _ENCRYPTIONS.items()),
            lambda _, each: _ENCRYPTIONS[_encryption(each)],
        ),
        Column("encryption_algorithm_desc", "nvarchar(60)", "its words", lambda _, each: _encryption(each), NULL),
    ),
    differs=(
        "The clauses are shown as they were defined; how each connection is protected shows sys.dm_broker_connections.",
    ),
)

VIEWS: Final[tuple[SystemView[Any], ...]] = (ENDPOINTS, TCP_ENDPOINTS, SERVICE_BROKER_ENDPOINTS)
