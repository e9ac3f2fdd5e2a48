"""The wanted topology as a picture for the API: rows, and to which instance each address leads."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.utils import timezone

from brokerweb.common.errors import ObjectNotFound
from brokerweb.topology.models import Database, Endpoint, Estate, Instance, Queue, Route, Service
from brokerweb.topology.names import fold
from brokerweb.topology.security import DatabaseSecurity, security_from_json
from brokerweb.topology.selectors.addresses import AddressBook
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.topology.selectors.rows import instances_with_everything
from brokerweb.topology.selectors.trust import trust_picture
from engine import api as engine

MASTER = "master"


def topology_picture(estate_name: str) -> dict[str, Any]:
    """Everything wanted in an estate; `ObjectNotFound` when there is none of that name."""
    estate = Estate.objects.filter(name=estate_name).first()
    if estate is None:
        raise ObjectNotFound(f"There is no estate {estate_name}.")
    instances = list(instances_with_everything(estate.instances.order_by("name")))
    book = AddressBook(instances)
    now = timezone.now()
    return {
        "name": estate.name,
        "pace": estate.pace,
        "key_suite": estate.key_suite,
        "revision": estate.revision,
        "instances": [_instance(instance, book, now) for instance in instances],
        "mirrors": [
            {
                "database": mirror.database_name,
                "broker_instance": mirror.broker_instance,
                "instances": sorted(database.instance.name for database in mirror.databases.all()),
            }
            for mirror in estate.mirrors.prefetch_related("databases__instance")
        ],
    }


def route_picture(place: DatabasePlace, route_name: str) -> dict[str, Any]:
    """One route as it is now; `ObjectNotFound` when there is none of that name."""
    row = Route.objects.filter(
        database__instance__estate__name=place.estate,
        database__instance__name=place.instance,
        database__name=place.database,
        folded_name=fold(route_name),
    ).first()
    if row is None:
        raise ObjectNotFound(f"Database {place.database} on {place.instance} has no route {route_name}.")
    instances = Instance.objects.filter(estate__name=place.estate).select_related("endpoint")
    return _route(row, place.instance, AddressBook(instances), timezone.now())


def _instance(row: Instance, book: AddressBook, now: datetime) -> dict[str, Any]:
    endpoint: Endpoint | None = getattr(row, "endpoint", None)
    return {
        "name": row.name,
        "host_names": row.host_names,
        "desired_revision": row.desired_revision,
        "applied_revision": row.applied_revision,
        "apply_error": row.apply_error,
        "endpoint": None if endpoint is None else {**_endpoint(endpoint), "trust": trust_picture(row, now)},
        "databases": [
            _database(database, row.name, book, now) for database in row.databases.all() if _is_shown(database)
        ],
    }


def _is_shown(database: Database) -> bool:
    """`master` is in every instance and says nothing until something of the broker is defined in it."""
    if fold(database.name) != MASTER:
        return True
    kinds = (database.services, database.routes, database.queues, database.contracts, database.message_types)
    return any(kind.all() for kind in kinds)


def _endpoint(row: Endpoint) -> dict[str, Any]:
    return {
        "name": row.name,
        "port": row.port,
        "state": row.state,
        "listener_ip": row.listener_ip,
        "is_message_forwarding_enabled": row.is_message_forwarding_enabled,
        "message_forward_size_megabytes": row.message_forward_size_megabytes,
        "authentication": row.authentication,
        "encryption": row.encryption,
    }


def _database(row: Database, instance: str, book: AddressBook, now: datetime) -> dict[str, Any]:
    security = security_from_json(row.security)
    return {
        "name": row.name,
        "broker_instance": row.broker_instance,
        "is_broker_enabled": row.is_broker_enabled,
        "state": row.state,
        "partner_address": row.partner_address,
        "users": [user.name for user in security.users],
        "queues": [_queue(queue, security) for queue in row.queues.all()],
        "services": [_service(service, security) for service in row.services.all()],
        "contracts": [
            {
                "name": contract.name,
                "uses": [
                    {"message_type": use.message_type_name, "sent_by": use.sent_by} for use in contract.uses.all()
                ],
            }
            for contract in row.contracts.all()
        ],
        "message_types": [{"name": kind.name, "validation": kind.validation} for kind in row.message_types.all()],
        "routes": [_route(route, instance, book, now) for route in row.routes.all()],
    }


def _service(row: Service, security: DatabaseSecurity) -> dict[str, Any]:
    return {
        "name": row.name,
        "queue": row.queue.name,
        "contracts": [contract.contract_name for contract in row.contracts.all()],
        "owner": row.owner,
        "send_permissions": _permissions(security.on(engine.permissions.Securable.SERVICE, row.name)),
        "owner_may_receive": engine.permissions.is_permitted(
            security.on(engine.permissions.Securable.QUEUE, row.queue.name), engine.UserName(row.owner)
        ),
    }


def _permissions(permissions: Iterable[engine.permissions.Permission]) -> list[dict[str, Any]]:
    return [{"grantee": each.grantee, "is_denied": each.is_denied} for each in permissions]


def _queue(row: Queue, security: DatabaseSecurity) -> dict[str, Any]:
    return {
        "name": row.name,
        "is_enabled": row.is_enabled,
        "is_retention_enabled": row.is_retention_enabled,
        "is_poison_message_handling_enabled": row.is_poison_message_handling_enabled,
        "activation_procedure": None if row.activation is None else row.activation["procedure_name"],
        "receive_permissions": _permissions(security.on(engine.permissions.Securable.QUEUE, row.name)),
    }


def _route(row: Route, instance: str, book: AddressBook, now: datetime) -> dict[str, Any]:
    return {
        "name": row.name,
        "service_name": row.service_name,
        "broker_instance": row.broker_instance,
        "expires_at": row.expires_at,
        "is_expired": row.expires_at is not None and row.expires_at <= now,
        "address": row.address,
        "address_kind": row.address_kind,
        "mirror_address": row.mirror_address,
        "target_instance": book.instance_at(row.address_host, row.address_port, instance),
        "mirror_target_instance": book.instance_at(row.mirror_host, row.mirror_port, instance),
    }
