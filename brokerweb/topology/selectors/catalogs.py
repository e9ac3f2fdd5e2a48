"""Engine catalogs made from rows: what the engine validates against and what it shall have.

Reading what `services.rows` wrote gives the catalog that was written.
"""

from __future__ import annotations

import msgspec

from brokerweb.topology.models import Contract, Database, Endpoint, Estate, Instance, Queue, Route, Service
from brokerweb.topology.models.definitions import AddressKind
from brokerweb.topology.reading import reading_from_json
from brokerweb.topology.security import DatabaseSecurity, instance_security_from_json, security_from_json
from brokerweb.topology.selectors.rows import instances_with_everything
from engine import api as engine


def estate_catalogs(estate: Estate) -> dict[str, engine.InstanceCatalog]:
    """The wanted catalog of every instance of an estate, by name."""
    rows = instances_with_everything(estate.instances.all())
    return {row.name: _instance_catalog(row) for row in rows}


def instance_catalog(instance: Instance) -> engine.InstanceCatalog:
    """The wanted catalog of one instance."""
    return _instance_catalog(instances_with_everything().get(pk=instance.pk))


def _instance_catalog(row: Instance) -> engine.InstanceCatalog:
    endpoint: Endpoint | None = getattr(row, "endpoint", None)
    security = instance_security_from_json(row.security)
    return engine.InstanceCatalog(
        name=row.name,
        revision=row.desired_revision,
        endpoint=None if endpoint is None else _endpoint(endpoint),
        host_names=tuple(row.host_names),
        logins={login.name: login for login in security.logins},
        connect_permissions={each.grantee: each for each in security.connect_permissions},
        databases={database.name: _database_catalog(database) for database in row.databases.all()},
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


def _database_catalog(row: Database) -> engine.DatabaseCatalog:
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
            for kind in row.message_types.all()
        },
        contracts={contract.name: _contract(contract) for contract in row.contracts.all()},
        queues={queue.name: _queue(queue, security) for queue in row.queues.all()},
        services={service.name: _service(service, security) for service in row.services.all()},
        routes={route.name: route_of(route) for route in row.routes.all()},
        master_key=security.master_key,
        users={user.name: user for user in security.users},
        certificates={certificate.name: certificate for certificate in security.certificates},
        priorities={priority.name: priority for priority in reading.priorities},
        is_priority_honoured=reading.is_priority_honoured,
        event_notifications={notification.name: notification for notification in reading.event_notifications},
        remote_service_bindings={binding.name: binding for binding in security.remote_service_bindings},
    )


def _contract(row: Contract) -> engine.Contract:
    return engine.Contract(
        name=row.name,
        uses=tuple(
            engine.ContractUse(message_type=use.message_type_name, sent_by=engine.SentBy(use.sent_by))
            for use in row.uses.all()
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


def _service(row: Service, security: DatabaseSecurity) -> engine.Service:
    return engine.Service(
        name=row.name,
        queue=row.queue.name,
        contracts=tuple(contract.contract_name for contract in row.contracts.all()),
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
