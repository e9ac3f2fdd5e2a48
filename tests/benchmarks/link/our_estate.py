"""The estate of brokerweb's turn, made through the engine's door: `python -m tests.benchmarks.link.our_estate ORDER`.

PARIS  db ventes  service //bench/Client ──▶ [ HUB ──▶ ] LYON  db stock  service //bench/Entrepot

A process of its own does each step, because the engine's application is one for a process.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal
from uuid import UUID, uuid4

import msgspec

from engine.api import (
    MSDB,
    ApplyCatalog,
    BeginDialog,
    BrokerInstanceId,
    CatalogChange,
    CatalogRevised,
    CatalogRevision,
    CommandId,
    ContractName,
    DatabaseCreated,
    DatabaseName,
    DialogBegun,
    Endpoint,
    EndpointAltered,
    EndpointCreated,
    EndpointName,
    EndpointState,
    HostingSettings,
    NetworkAddress,
    Queue,
    QueueCreated,
    QueueName,
    Route,
    RouteCreated,
    RouteName,
    Service,
    ServiceCreated,
    ServiceName,
    TcpAddress,
    celery_app,
    configure,
    execute,
    open_instance,
    read_view,
)

ESTATE: Final = "bench"
PARIS, HUB, LYON = "PARIS", "HUB", "LYON"
SALES, STOCK = DatabaseName("ventes"), DatabaseName("stock")
CLIENT, STORE = ServiceName("//bench/Client"), ServiceName("//bench/Entrepot")
QUEUE: Final = QueueName("dbo.Courrier")
ENDPOINT: Final = EndpointName("Broker")
PORT: Final = 4022
PLAIN: Final = "DISABLED"
"""ENCRYPTION of the endpoints: the other contestants do not encrypt either. Frames are signed nevertheless."""
CONTROL_QUEUE: Final = "engine.control"
ANSWER_SECONDS_MAX: Final = 60.0
BEGUN_AT_ONCE: Final = 500


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """One step."""

    step: Literal["open", "define", "stop-endpoint", "start-endpoint"]
    broker_url: str
    data_directory: str
    instance: str = ""
    """`open`: whom the only worker that listens takes."""
    worker: str = ""
    """`open`: this worker; it then takes no further instance."""
    dialogs: int = 1
    is_forwarded: bool = False
    handles: str = ""
    """`define`: where the handles of the dialogs go, 16 bytes each."""


class Refused(Exception):
    """The engine refused what the benchmark needs."""


def main(order: Order) -> None:
    """Carry out one step."""
    configure(HostingSettings(data_directory=Path(order.data_directory), broker_url=order.broker_url))
    if order.step == "open":
        open_instance(ESTATE, order.instance, timeout_seconds=ANSWER_SECONDS_MAX)
        celery_app.control.cancel_consumer(CONTROL_QUEUE, destination=[order.worker], reply=True, timeout=5.0)
        return
    if order.step == "define":
        for instance, changes in _catalogs(order.is_forwarded).items():
            _apply(instance, changes)
        Path(order.handles).write_bytes(b"".join(handle.bytes for handle in _begin_dialogs(order.dialogs)))
        return
    state = EndpointState.STARTED if order.step == "start-endpoint" else EndpointState.STOPPED
    # Of the sender: a forwarder that is up would take in what it cannot pass on, and drop what is beyond its size.
    _apply(PARIS, [EndpointAltered(name=ENDPOINT, state=state)])


def _catalogs(is_forwarded: bool) -> dict[str, list[CatalogChange]]:
    """What each instance is to know."""
    catalogs = {
        PARIS: _side(SALES, CLIENT, 1, STORE, HUB if is_forwarded else LYON),
        LYON: _side(STOCK, STORE, 2, CLIENT, HUB if is_forwarded else PARIS),
    }
    if is_forwarded:
        catalogs[HUB] = [
            DatabaseCreated(database=MSDB, broker_instance=BrokerInstanceId(UUID(int=13))),
            _route(MSDB, STORE, LYON),
            _route(MSDB, CLIENT, PARIS),
            _endpoint(is_forwarder=True),
        ]
    return catalogs


def _side(database: DatabaseName, own: ServiceName, number: int, far: ServiceName, via: str) -> list[CatalogChange]:
    return [
        DatabaseCreated(database=MSDB, broker_instance=BrokerInstanceId(UUID(int=number + 10))),
        DatabaseCreated(database=database, broker_instance=BrokerInstanceId(UUID(int=number))),
        QueueCreated(database=database, queue=Queue(QUEUE)),
        ServiceCreated(database=database, service=Service(own, QUEUE, (ContractName("DEFAULT"),))),
        _route(database, far, via),
        _endpoint(is_forwarder=False),
    ]


def _route(database: DatabaseName, service: ServiceName, instance: str) -> CatalogChange:
    host = instance.lower()
    address = NetworkAddress(f"TCP://{host}:{PORT}", TcpAddress(host, PORT))
    return RouteCreated(
        database=database, route=Route(name=RouteName(f"To{instance}"), address=address, service_name=service)
    )


def _endpoint(*, is_forwarder: bool) -> CatalogChange:
    return EndpointCreated(
        endpoint=Endpoint(
            ENDPOINT,
            PORT,
            EndpointState.STARTED,
            is_message_forwarding_enabled=is_forwarder,
            encryption=PLAIN,
        )
    )


def _apply(instance: str, changes: Sequence[CatalogChange]) -> None:
    base = read_view(ESTATE, instance, 1, timeout_seconds=ANSWER_SECONDS_MAX).revision
    command = ApplyCatalog(
        command_id=CommandId(uuid4()),
        base=base,
        revision=CatalogRevision(base + 1),
        changes=tuple(changes),
    )
    (reply,) = execute(ESTATE, instance, [command], timeout_seconds=ANSWER_SECONDS_MAX)
    if not isinstance(reply, CatalogRevised):
        raise Refused(f"{instance} does not take its catalog: {reply}")


def _begin_dialogs(number: int) -> list[UUID]:
    handles: list[UUID] = []
    while len(handles) < number:
        commands = [
            BeginDialog(command_id=CommandId(uuid4()), database=SALES, from_service=CLIENT, to_service=STORE)
            for _ in range(min(number - len(handles), BEGUN_AT_ONCE))
        ]
        for reply in execute(ESTATE, PARIS, commands, timeout_seconds=ANSWER_SECONDS_MAX):
            if not isinstance(reply, DialogBegun):
                raise Refused(f"a dialog cannot be begun: {reply}")
            handles.append(reply.conversation_handle)
    return handles


if __name__ == "__main__":
    main(msgspec.json.decode(sys.argv[1], type=Order))
