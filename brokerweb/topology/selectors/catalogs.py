"""Engine catalogs made from rows: what the engine validates against and what it shall have.

Reading what `services.rows` wrote gives the catalog that was written.
"""

from __future__ import annotations

from typing import Any

import msgspec

from brokerweb.topology.models import (
    Contract,
    Database,
    Endpoint,
    Estate,
    Instance,
    Queue,
    Route,
    TopologyRevision,
)
from brokerweb.topology.models.definitions import AddressKind
from brokerweb.topology.reading import reading_from_json
from brokerweb.topology.security import DatabaseSecurity, instance_security_from_json, security_from_json
from brokerweb.topology.selectors.rows import RowsOfInstances, rows_of
from engine import api as engine


def estate_catalogs(estate: Estate) -> dict[str, engine.InstanceCatalog]:
    """The wanted catalog of every instance of an estate, by name."""
    rows = rows_of(estate.instances.all())
    return {row.name: _instance_catalog(row, rows) for row in rows.instances}


def live_state(estate: Estate) -> tuple[object, ...]:
    """Tells apart all states that what is wanted of estates has ever been in, also of one that was made anew."""
    written_at = TopologyRevision.objects.filter(estate=estate, number=estate.revision).values_list("created_at")
    return estate.pk, estate.revision, estate.settled_count, written_at.first()


def instance_catalog(instance: Instance) -> engine.InstanceCatalog:
    """The wanted catalog of one instance."""
    rows = rows_of(Instance.objects.filter(pk=instance.pk))
    if not rows.instances:
        raise Instance.DoesNotExist(f"There is no instance with the key {instance.pk}.")
    return _instance_catalog(rows.instances[0], rows)


def _instance_catalog(row: Instance, rows: RowsOfInstances) -> engine.InstanceCatalog:
    endpoint: Endpoint | None = getattr(row, "endpoint", None)
    security = instance_security_from_json(row.security)
    return engine.InstanceCatalog(
        name=row.name,
        revision=row.desired_revision,
        endpoint=None if endpoint is None else _endpoint(endpoint),
        host_names=tuple(row.host_names),
        logins={login.name: login for login in security.logins},
        connect_permissions={each.grantee: each for each in security.connect_permissions},
        databases={database.name: _database_catalog(database, rows) for database in rows.databases.get(row.pk, ())},
    )


def _endpoint(row: Endpoint) -> engine.Endpoint:
    return engine.Endpoint(
        name=row.name,
        port=row.port,
        state=engine.EndpointState(row.state),
        listener_ip=row.listener_ip,
        is_message_forwarding_enabled=row.is_message_forwarding_enabled,
        message_forward_size_megabytes=row.message_forward_size_megabytes,
        authentication=row.authentication,
        encryption=row.encryption,
    )


def _database_catalog(row: Database, rows: RowsOfInstances) -> engine.DatabaseCatalog:
    security = security_from_json(row.security)
    reading = reading_from_json(row.reading)
    return engine.DatabaseCatalog(
        name=row.name,
        broker_instance=row.broker_instance,
        is_broker_enabled=row.is_broker_enabled,
        state=engine.DatabaseState(row.state),
        partner_address=row.partner_address,
        message_types={
            kind.name: engine.MessageType(
                kind.name, validation=engine.Validation(kind.validation), schema_collection=kind.schema_collection
            )
            for kind in rows.message_types.get(row.pk, ())
        },
        contracts={contract.name: _contract(contract, rows) for contract in rows.contracts.get(row.pk, ())},
        queues={queue.name: _queue(queue, security) for queue in rows.queues.get(row.pk, ())},
        services={service.name: _service(service, security, rows) for service in rows.services.get(row.pk, ())},
        routes={route.name: route_of(route) for route in rows.routes.get(row.pk, ())},
        master_key=security.master_key,
        users={user.name: user for user in security.users},
        certificates={certificate.name: certificate for certificate in security.certificates},
        priorities={priority.name: priority for priority in reading.priorities},
        is_priority_honoured=reading.is_priority_honoured,
        is_trustworthy=reading.is_trustworthy,
        event_notifications=engine.revisions.notifications_by_key(reading.event_notifications),
        remote_service_bindings={binding.name: binding for binding in security.remote_service_bindings},
    )


def _contract(row: Contract, rows: RowsOfInstances) -> engine.Contract:
    return engine.Contract(
        name=row.name,
        uses=tuple(
            engine.ContractUse(message_type=use.message_type_name, sent_by=engine.SentBy(use.sent_by))
            for use in rows.contract_uses.get(row.pk, ())
        ),
    )


def _queue(row: Queue, security: DatabaseSecurity) -> engine.Queue:
    return engine.Queue(
        name=row.name,
        is_enabled=row.is_enabled,
        is_retention_enabled=row.is_retention_enabled,
        is_poison_message_handling_enabled=row.is_poison_message_handling_enabled,
        activation=None if row.activation is None else msgspec.convert(row.activation, engine.Activation),
        receive_permissions=security.on(engine.permissions.Securable.QUEUE, row.name),
    )


def _service(row: Any, security: DatabaseSecurity, rows: RowsOfInstances) -> engine.Service:
    return engine.Service(
        name=row.name,
        queue=row.queue_name,
        contracts=tuple(contract.contract_name for contract in rows.service_contracts.get(row.pk, ())),
        owner=engine.UserName(row.owner),
        send_permissions=security.on(engine.permissions.Securable.SERVICE, row.name),
    )


def route_of(row: Route) -> engine.Route:
    """The route of a row."""
    return engine.Route(
        name=row.name,
        address=_address(row),
        service_name=row.service_name,
        broker_instance=row.broker_instance,
        expires_at=None if row.expires_at is None else row.expires_at.timestamp(),
        mirror_address=(
            None
            if row.mirror_address is None
            else engine.NetworkAddress(row.mirror_address, engine.TcpAddress(row.mirror_host, row.mirror_port))
        ),
    )


def _address(row: Route) -> engine.RouteAddress:
    match row.address_kind:
        case AddressKind.LOCAL:
            return engine.LocalAddress()
        case AddressKind.TRANSPORT:
            return engine.TransportAddress()
        case _:
            return engine.NetworkAddress(row.address, engine.TcpAddress(row.address_host, row.address_port))
