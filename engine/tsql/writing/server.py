"""What belongs to the instance: its endpoint, its logins, who may connect (tsql.md 8, 12)."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Final, assert_never

from engine.core.catalog.changes import EndpointAltered, EndpointCreated, EndpointDropped
from engine.core.catalog.endpoint_rules import LISTEN_EVERYWHERE
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Endpoint
from engine.core.catalog.server_changes import ConnectPermissionSet, LoginCreated, LoginDropped, PermissionVerb
from engine.tsql.writing.quoting import bracketed, finding, quoted
from engine.tsql.writing.written import Written

EndpointChange = EndpointCreated | EndpointAltered | EndpointDropped
ServerChange = EndpointChange | LoginCreated | LoginDropped | ConnectPermissionSet

LOGIN_PASSWORD: Final = "$(LoginPassword)"  # noqa: S105
_SUPPLY_PASSWORD = 'Logins get the password that sqlcmd is given with -v LoginPassword="..."; change it afterwards.'  # noqa: S105


def of_server(change: ServerChange, present: InstanceCatalog) -> Iterator[Written]:
    """The statement for a change of endpoint, logins or CONNECT; all of them stand in `master`."""
    match change:
        case EndpointCreated():
            yield _endpoint(change, change.endpoint.name, _new_endpoint(change.endpoint))
        case EndpointAltered():
            yield _endpoint(change, change.name, _altered_endpoint(change, present))
        case EndpointDropped():
            yield _endpoint(change, change.name, f"DROP ENDPOINT {bracketed(change.name)};")
        case LoginCreated() | LoginDropped():
            yield _login(change)
        case ConnectPermissionSet():
            direction = "FROM" if change.verb is PermissionVerb.REVOKE else "TO"
            grantee = bracketed(change.grantee)
            text = f"{change.verb.value} CONNECT ON ENDPOINT::{bracketed(change.name)} {direction} {grantee};"
            yield Written(kind="endpoint", name=change.name, text=text)
        case _:
            assert_never(change)


def _endpoint(change: EndpointChange, name: str, text: str) -> Written:
    is_altered = isinstance(change, EndpointAltered)
    return Written(
        kind="endpoint",
        name=name,
        text=text,
        condition=None if is_altered else finding("endpoints", name),
        is_drop=isinstance(change, EndpointDropped),
    )


def _new_endpoint(endpoint: Endpoint) -> str:
    options = _options(endpoint)
    return (
        f"CREATE ENDPOINT {bracketed(endpoint.name)}\n"
        f"    STATE = {endpoint.state.value}\n"
        f"    {_listener(endpoint.port, endpoint.listener_ip)}\n"
        f"    FOR SERVICE_BROKER ({', '.join(options)});"
    )


def _altered_endpoint(change: EndpointAltered, present: InstanceCatalog) -> str:
    lines = [f"ALTER ENDPOINT {bracketed(change.name)}"]
    if change.state is not None:
        lines.append(f"    STATE = {change.state.value}")
    if change.port is not None or change.listener_ip is not None:
        known = present.endpoint
        assert known is not None, "only an endpoint that is there is altered"
        port = known.port if change.port is None else change.port
        listener_ip = known.listener_ip if change.listener_ip is None else change.listener_ip
        lines.append(f"    {_listener(port, listener_ip)}")
    if options := _options(change):
        lines.append(f"    FOR SERVICE_BROKER ({', '.join(options)})")
    return "\n".join(lines) + ";"


def _listener(port: int, listener_ip: str | None) -> str:
    """An IPv4 address stands bare, another one in quotes."""
    if listener_ip is None or listener_ip.upper() == LISTEN_EVERYWHERE:
        where = LISTEN_EVERYWHERE
    else:
        is_bare = isinstance(ipaddress.ip_address(listener_ip), ipaddress.IPv4Address)
        where = f"({listener_ip})" if is_bare else f"({quoted(listener_ip)})"
    return f"AS TCP (LISTENER_PORT = {port}, LISTENER_IP = {where})"


def _options(endpoint: Endpoint | EndpointAltered) -> list[str]:
    """The FOR SERVICE_BROKER list; authentication and encryption are kept as a statement has them."""
    options = [] if endpoint.authentication is None else [f"AUTHENTICATION = {endpoint.authentication}"]
    if endpoint.encryption is not None:
        options.append(f"ENCRYPTION = {endpoint.encryption}")
    if endpoint.is_message_forwarding_enabled is not None:
        switch = "ENABLED" if endpoint.is_message_forwarding_enabled else "DISABLED"
        options.append(f"MESSAGE_FORWARDING = {switch}")
    if endpoint.message_forward_size_megabytes is not None:
        options.append(f"MESSAGE_FORWARD_SIZE = {endpoint.message_forward_size_megabytes}")
    return options


def _login(change: LoginCreated | LoginDropped) -> Written:
    """A login with a domain in its name is one of Windows; every other one needs a password."""
    notes: tuple[str, ...] = ()
    if isinstance(change, LoginDropped):
        name, text = change.name, f"DROP LOGIN {bracketed(change.name)};"
    else:
        name = change.login.name
        if "\\" in name:
            text = f"CREATE LOGIN {bracketed(name)} FROM WINDOWS;"
        else:
            text, notes = (
                f"CREATE LOGIN {bracketed(name)} WITH PASSWORD = N'{LOGIN_PASSWORD}';",
                (_SUPPLY_PASSWORD,),
            )
    return Written(
        kind="login",
        name=name,
        text=text,
        condition=finding("server_principals", name),
        is_drop=isinstance(change, LoginDropped),
        notes=notes,
    )
