"""Reading the wanted topology and changing it, one operation per sentence."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Router, Status

from brokerweb.accounts.api import editing, operating, viewing
from brokerweb.common.api.errors import PROBLEMS
from brokerweb.common.api.etag import expected_revision, expected_revision_if_given, set_revision
from brokerweb.common.api.names import DATABASE, ESTATE, INSTANCE
from brokerweb.topology.api.schemas import (
    BrokerSwitchIn,
    ConnectPermissionIn,
    EndpointPatch,
    EndpointStateIn,
    EstateOut,
    KeySuiteIn,
    KeySuiteOut,
    RevisionOut,
    RouteChanged,
    RouteIn,
    RouteOut,
    RoutePatch,
    TopologyOut,
)
from brokerweb.topology.selectors.estates import estate_list
from brokerweb.topology.selectors.places import database_place, instance_place
from brokerweb.topology.selectors.topology import route_picture, topology_picture
from brokerweb.topology.services.endpoint import connect_permission_set, endpoint_update
from brokerweb.topology.services.instance import (
    broker_renew,
    broker_switch,
    conversations_error,
    endpoint_set_state,
)
from brokerweb.topology.services.key_suite import key_suite_set
from brokerweb.topology.services.route import route_create, route_delete, route_update

router = Router(tags=["topology"])


@router.get("/estates", response={200: list[EstateOut], **PROBLEMS}, operation_id="estates_list", auth=viewing)
def estates_list(request: HttpRequest) -> list[EstateOut]:
    """Every estate with the names of its instances."""
    return [EstateOut(**estate) for estate in estate_list()]


@router.get(ESTATE, response={200: TopologyOut, **PROBLEMS}, operation_id="topology_read", auth=viewing)
def topology_read(request: HttpRequest, response: HttpResponse, estate: str) -> TopologyOut:
    """The wanted state of an estate, and how much of it each instance has applied."""
    topology = TopologyOut(**topology_picture(estate))
    set_revision(response, topology.revision)
    return topology


@router.post(DATABASE + "/routes", response={201: RouteChanged, **PROBLEMS}, operation_id="route_create", auth=editing)
def route_create_(
    request: HttpRequest, response: HttpResponse, estate: str, instance: str, database: str, body: RouteIn
) -> Status:
    """CREATE ROUTE. If-Match is optional: a new route cannot undo anybody's work."""
    place = database_place(estate, instance, database)
    revision = route_create(
        place, user=request.auth, expected_revision=expected_revision_if_given(request), clauses=body.dict()
    )
    set_revision(response, revision)
    return Status(201, RouteChanged(revision=revision, route=RouteOut(**route_picture(place, body.name))))


@router.patch(
    DATABASE + "/routes/{name:route}",
    response={200: RouteChanged, **PROBLEMS},
    operation_id="route_update",
    auth=editing,
)
def route_update_(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    instance: str,
    database: str,
    route: str,
    body: RoutePatch,
) -> RouteChanged:
    """Change clauses of a route. If-Match names the revision that the change was made from."""
    place = database_place(estate, instance, database)
    revision = route_update(
        place,
        route,
        user=request.auth,
        expected_revision=expected_revision(request),
        clauses=body.dict(exclude_unset=True),
    )
    set_revision(response, revision)
    return RouteChanged(revision=revision, route=RouteOut(**route_picture(place, route)))


@router.delete(
    DATABASE + "/routes/{name:route}",
    response={200: RevisionOut, **PROBLEMS},
    operation_id="route_delete",
    auth=editing,
)
def route_delete_(
    request: HttpRequest, response: HttpResponse, estate: str, instance: str, database: str, route: str
) -> RevisionOut:
    """DROP ROUTE. If-Match names the revision that the decision was made from."""
    place = database_place(estate, instance, database)
    revision = route_delete(place, route, user=request.auth, expected_revision=expected_revision(request))
    set_revision(response, revision)
    return RevisionOut(revision=revision)


@router.post(
    INSTANCE + "/endpoint", response={200: RevisionOut, **PROBLEMS}, operation_id="endpoint_set_state", auth=operating
)
def endpoint_set_state_(
    request: HttpRequest, response: HttpResponse, estate: str, instance: str, body: EndpointStateIn
) -> RevisionOut:
    """ALTER ENDPOINT … STATE: start or stop the network side of an instance."""
    revision = endpoint_set_state(
        instance_place(estate, instance),
        body.state,
        user=request.auth,
        expected_revision=expected_revision_if_given(request),
    )
    set_revision(response, revision)
    return RevisionOut(revision=revision)


@router.patch(
    INSTANCE + "/endpoint", response={200: RevisionOut, **PROBLEMS}, operation_id="endpoint_update", auth=editing
)
def endpoint_update_(
    request: HttpRequest, response: HttpResponse, estate: str, instance: str, body: EndpointPatch
) -> RevisionOut:
    """ALTER ENDPOINT: how it proves itself and encrypts. If-Match names the revision that the change was made from."""
    revision = endpoint_update(
        instance_place(estate, instance),
        user=request.auth,
        expected_revision=expected_revision(request),
        clauses=body.dict(exclude_none=True),
    )
    set_revision(response, revision)
    return RevisionOut(revision=revision)


@router.post(
    INSTANCE + "/endpoint/permissions",
    response={200: RevisionOut, **PROBLEMS},
    operation_id="connect_permission_set",
    auth=editing,
)
def connect_permission_set_(
    request: HttpRequest, response: HttpResponse, estate: str, instance: str, body: ConnectPermissionIn
) -> RevisionOut:
    """GRANT, DENY or REVOKE CONNECT ON ENDPOINT; counts from the next connection on."""
    revision = connect_permission_set(
        instance_place(estate, instance),
        body.grantee,
        body.verb,
        user=request.auth,
        expected_revision=expected_revision_if_given(request),
    )
    set_revision(response, revision)
    return RevisionOut(revision=revision)


@router.post(DATABASE + "/broker", response={200: RevisionOut, **PROBLEMS}, operation_id="broker_switch", auth=editing)
def broker_switch_(
    request: HttpRequest, response: HttpResponse, estate: str, instance: str, database: str, body: BrokerSwitchIn
) -> RevisionOut:
    """ALTER DATABASE … SET ENABLE_BROKER or DISABLE_BROKER."""
    revision = broker_switch(
        database_place(estate, instance, database),
        is_enabled=body.is_enabled,
        user=request.auth,
        expected_revision=expected_revision_if_given(request),
    )
    set_revision(response, revision)
    return RevisionOut(revision=revision)


@router.post(
    DATABASE + "/new-broker", response={200: RevisionOut, **PROBLEMS}, operation_id="broker_renew", auth=editing
)
def broker_renew_(
    request: HttpRequest, response: HttpResponse, estate: str, instance: str, database: str
) -> RevisionOut:
    """ALTER DATABASE … SET NEW_BROKER: a new broker id; every conversation ends here and no peer is told."""
    revision = broker_renew(
        database_place(estate, instance, database),
        user=request.auth,
        expected_revision=expected_revision_if_given(request),
    )
    set_revision(response, revision)
    return RevisionOut(revision=revision)


@router.post(
    DATABASE + "/error-conversations",
    response={200: RevisionOut, **PROBLEMS},
    operation_id="conversations_error",
    auth=editing,
)
def conversations_error_(
    request: HttpRequest, response: HttpResponse, estate: str, instance: str, database: str
) -> RevisionOut:
    """ALTER DATABASE … SET ERROR_BROKER_CONVERSATIONS: each ends with -9719 here and -9720 at its peer."""
    revision = conversations_error(
        database_place(estate, instance, database),
        user=request.auth,
        expected_revision=expected_revision_if_given(request),
    )
    set_revision(response, revision)
    return RevisionOut(revision=revision)


@router.post(ESTATE + "/key-suite", response={200: KeySuiteOut, **PROBLEMS}, operation_id="key_suite_set", auth=editing)
def key_suite_set_(request: HttpRequest, estate: str, body: KeySuiteIn) -> KeySuiteOut:
    """How the secure dialogs of an estate protect messages. Instances start anew with it; open transactions end."""
    return KeySuiteOut(key_suite=body.key_suite, untold=key_suite_set(estate, body.key_suite))
