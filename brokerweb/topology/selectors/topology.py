"""The wanted topology or a draft of it as a picture for the API: objects, and to which instance each address leads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.common.errors import ChangeSetClosed, ObjectNotFound
from brokerweb.common.languages import sentence
from brokerweb.topology.models import ChangeSet, ChangeSetState, Estate, Instance, Route
from brokerweb.topology.names import fold
from brokerweb.topology.object_changes import effect_of
from brokerweb.topology.private_estates import PrivateState, is_private, no_such_estate, private_state
from brokerweb.topology.selectors.addresses import AddressBook
from brokerweb.topology.selectors.catalogs import route_of
from brokerweb.topology.selectors.drafts import DraftInstance, change_set_of, draft_catalogs, draft_instances
from brokerweb.topology.selectors.estates import estate_state
from brokerweb.topology.selectors.live_catalogs import live_catalogs
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.topology.selectors.trust import trust_picture
from engine import api as engine

Catalogs = Mapping[str, engine.InstanceCatalog]


def topology_picture(estate_name: str, change_set: int | None = None) -> dict[str, Any]:
    """Everything wanted in an estate, or in it with an open change set; `ObjectNotFound`, `ChangeSetClosed`.

    Of a private estate it is what is defined there at this moment of its own time.
    """
    if is_private(estate_name):
        return _private_picture(private_state(estate_name))
    estate = Estate.objects.filter(name=estate_name).first()
    if estate is None:
        raise no_such_estate(estate_name)
    if change_set is None:
        return {**_picture(estate, live_catalogs(estate)), "change_set": None, "draft_objects": []}
    draft = change_set_of(estate, change_set)
    if draft.state != ChangeSetState.OPEN:
        # Laid over what is live now, it would show what nobody ever wanted.
        raise ChangeSetClosed(
            _("Change set #{change_set} of {estate_name} is {state}: it has no map any more.").format(
                change_set=change_set, estate_name=estate_name, state=draft.state
            )
        )
    instances = draft_instances(draft)
    catalogs = {name: each.merge.catalog for name, each in instances.items()}
    return {
        **_picture(estate, catalogs),
        "change_set": {"number": draft.number, "sequence": draft.sequence},
        "draft_objects": [each for name, found in instances.items() for each in draft_objects(name, found)],
    }


def draft_objects(name: str, instance: DraftInstance) -> list[dict[str, Any]]:
    """What a draft does to the objects of one instance; those that it removes are in no picture any more."""
    found = [{"instance": name, "database": None, "kind": "instance", "name": name, "effect": "add"}]
    return [
        *(found if instance.is_new else []),
        *(
            {
                "instance": name,
                "database": shown.database,
                "kind": shown.kind.value,
                "name": shown.name,
                "effect": effect_of(each.theirs, each.mine),
            }
            for each in instance.merge.objects
            if (shown := each.mine or each.theirs or each.base) is not None
        ),
    ]


def route_picture(place: DatabasePlace, route_name: str) -> dict[str, Any]:
    """One route as it is now; `ObjectNotFound` when there is none of that name."""
    if place.change_set is not None:
        return _drafted_route(place, place.change_set, route_name)
    row = Route.objects.filter(
        database__instance__estate__name=place.estate,
        database__instance__name=place.instance,
        database__name=place.database,
        folded_name=fold(route_name),
    ).first()
    if row is None:
        raise _no_route(place, route_name)
    instances = Instance.objects.filter(estate__name=place.estate).select_related("endpoint")
    return _route(route_of(row), place.instance, AddressBook.of_rows(instances), timezone.now())


def _drafted_route(place: DatabasePlace, number: int, route_name: str) -> dict[str, Any]:
    catalogs = draft_catalogs(ChangeSet.objects.select_related("estate").get(estate__name=place.estate, number=number))
    routes = catalogs[place.instance].databases[engine.DatabaseName(place.database)].routes
    for route in routes.values():
        if fold(route.name) == fold(route_name):
            return _route(route, place.instance, AddressBook.of_catalogs(catalogs.values()), timezone.now())
    raise _no_route(place, route_name)


def _no_route(place: DatabasePlace, route_name: str) -> ObjectNotFound:
    return ObjectNotFound(
        _("Database {database} on {instance} has no route {route_name}.").format(
            database=place.database, instance=place.instance, route_name=route_name
        )
    )


def _picture(estate: Estate, catalogs: Catalogs) -> dict[str, Any]:
    rows = Instance.objects.filter(estate=estate).values("name", "desired_revision", "applied_revision", "apply_error")
    progress = {row["name"]: {**row, "apply_error": sentence(row["apply_error"])} for row in rows}
    unborn = {"desired_revision": 0, "applied_revision": 0, "apply_error": ""}
    return {
        "name": estate.name,
        "pace": estate.pace,
        "key_suite": estate.key_suite,
        "revision": estate.revision,
        "state": estate_state(estate),
        "sandbox": None,
        "instances": [
            {**instance, **progress.get(instance["name"], unborn)} for instance in _instances(catalogs, timezone.now())
        ],
        "mirrors": _mirrors(catalogs),
    }


def _private_picture(state: PrivateState) -> dict[str, Any]:
    """What is defined in a private estate: each instance has all of it at once."""
    revisions = {name: catalog.revision for name, catalog in state.catalogs.items()}
    return {
        "name": state.name,
        "pace": 1.0,
        "key_suite": engine.KeySuite.MD5.value,
        "revision": state.revision,
        "state": state.tag,
        "sandbox": {"title": state.title, "owner": state.owner, "utc": state.utc, "clock": state.clock},
        "instances": [
            {
                **instance,
                "desired_revision": revisions[instance["name"]],
                "applied_revision": revisions[instance["name"]],
                "apply_error": "",
            }
            for instance in _instances(state.catalogs, datetime.fromtimestamp(state.utc, UTC))
        ],
        "mirrors": _mirrors(state.catalogs),
        "change_set": None,
        "draft_objects": [],
    }


def _instances(catalogs: Catalogs, now: datetime) -> list[dict[str, Any]]:
    book = AddressBook.of_catalogs(catalogs.values())
    return [_instance(catalog, book, now) for catalog in catalogs.values()]


def _mirrors(catalogs: Catalogs) -> list[dict[str, Any]]:
    """Two databases of one broker id on two instances that both name a partner (mirroring.md 1)."""
    partners: dict[UUID, list[tuple[str, str]]] = defaultdict(list)
    for name, catalog in catalogs.items():
        for database in catalog.databases.values():
            if database.partner_address is not None:
                partners[database.broker_instance].append((database.name, name))
    pairs = [
        {
            "database": min(database for database, _ in found),
            "broker_instance": broker_instance,
            "instances": sorted(instance for _, instance in found),
        }
        for broker_instance, found in partners.items()
        if len({instance for _, instance in found}) > 1
    ]
    return sorted(pairs, key=lambda pair: str(pair["database"]))


def _instance(catalog: engine.InstanceCatalog, book: AddressBook, now: datetime) -> dict[str, Any]:
    endpoint = catalog.endpoint
    return {
        "name": catalog.name,
        "host_names": list(catalog.host_names),
        "endpoint": None if endpoint is None else {**_endpoint(endpoint), "trust": trust_picture(catalog, now)},
        "databases": [
            _database(database, catalog.name, book, now)
            for database in catalog.databases.values()
            if _is_shown(database)
        ],
    }


def _is_shown(database: engine.DatabaseCatalog) -> bool:
    """`master` is in every instance and says nothing until something of the broker is defined in it."""
    if fold(database.name) != engine.MASTER:
        return True
    return any((database.services, database.routes, database.queues, database.contracts, database.message_types))


def _endpoint(endpoint: engine.Endpoint) -> dict[str, Any]:
    return {
        "name": endpoint.name,
        "port": endpoint.port,
        "state": endpoint.state.value,
        "listener_ip": endpoint.listener_ip,
        "is_message_forwarding_enabled": endpoint.is_message_forwarding_enabled,
        "message_forward_size_megabytes": endpoint.message_forward_size_megabytes,
        "authentication": endpoint.authentication,
        "encryption": endpoint.encryption,
    }


def _database(database: engine.DatabaseCatalog, instance: str, book: AddressBook, now: datetime) -> dict[str, Any]:
    readers = {fold(queue.name): queue.receive_permissions for queue in database.queues.values()}
    return {
        "name": database.name,
        "broker_instance": database.broker_instance,
        "is_broker_enabled": database.is_broker_enabled,
        "state": database.state.value,
        "partner_address": database.partner_address,
        "users": list(database.users),
        "queues": [_queue(queue) for queue in database.queues.values()],
        "services": [_service(service, readers.get(fold(service.queue), ())) for service in database.services.values()],
        "contracts": [
            {
                "name": contract.name,
                "uses": [{"message_type": use.message_type, "sent_by": use.sent_by.value} for use in contract.uses],
            }
            for contract in database.contracts.values()
        ],
        "message_types": [
            {"name": kind.name, "validation": kind.validation.value} for kind in database.message_types.values()
        ],
        "routes": [_route(route, instance, book, now) for route in database.routes.values()],
    }


def _service(service: engine.Service, readers: tuple[engine.permissions.Permission, ...]) -> dict[str, Any]:
    return {
        "name": service.name,
        "queue": service.queue,
        "contracts": list(service.contracts),
        "owner": service.owner,
        "send_permissions": _permissions(service.send_permissions),
        "owner_may_receive": engine.permissions.is_permitted(readers, service.owner),
    }


def _permissions(permissions: Iterable[engine.permissions.Permission]) -> list[dict[str, Any]]:
    return [{"grantee": each.grantee, "is_denied": each.is_denied} for each in permissions]


def _queue(queue: engine.Queue) -> dict[str, Any]:
    return {
        "name": queue.name,
        "is_enabled": queue.is_enabled,
        "is_retention_enabled": queue.is_retention_enabled,
        "is_poison_message_handling_enabled": queue.is_poison_message_handling_enabled,
        "activation_procedure": None if queue.activation is None else queue.activation.procedure_name,
        "receive_permissions": _permissions(queue.receive_permissions),
    }


_JSON = DjangoJSONEncoder()
_KINDS = {engine.LocalAddress: "local", engine.TransportAddress: "transport", engine.NetworkAddress: "tcp"}


def _route(route: engine.Route, instance: str, book: AddressBook, now: datetime) -> dict[str, Any]:
    expires_at = None if route.expires_at is None else datetime.fromtimestamp(route.expires_at, UTC)
    return {
        "name": route.name,
        "service_name": route.service_name,
        "broker_instance": route.broker_instance,
        # As the rest of the API writes times, which the encoder of this answer would not.
        "expires_at": None if expires_at is None else _JSON.default(expires_at),
        "is_expired": expires_at is not None and expires_at <= now,
        "address": str(route.address),
        "address_kind": _KINDS[type(route.address)],
        "mirror_address": None if route.mirror_address is None else route.mirror_address.text,
        "target_instance": book.instance_at(route.address, instance),
        "mirror_target_instance": book.instance_at(route.mirror_address, instance),
    }
