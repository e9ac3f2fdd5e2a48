"""Reading the wanted topology and changing it, one operation per sentence."""

from __future__ import annotations

import msgspec
from django.http import HttpRequest, HttpResponse
from ninja import Router, Status

from brokerweb.accounts.api import editing, operating, viewing
from brokerweb.common.api.etag import expected_revision, expected_revision_if_given, set_revision
from brokerweb.common.api.names import DATABASE, ESTATE, INSTANCE
from brokerweb.topology.api.basis import InChangeSet, decided, edited_database, edited_instance
from brokerweb.topology.api.schemas import (
    BrokerSwitchIn,
    ConnectPermissionIn,
    EndpointPatch,
    EndpointStateIn,
    EstateOut,
    KeySuiteIn,
    KeySuiteOut,
    QueueActivationIn,
    RevisionOut,
    RouteChanged,
    RouteIn,
    RouteOut,
    RoutePatch,
    TopologyOut,
)
from brokerweb.topology.selectors.estates import estate_list
from brokerweb.topology.selectors.topology import route_picture, topology_picture
from brokerweb.topology.services.endpoint import connect_permission_set, endpoint_update
from brokerweb.topology.services.instance import (
    broker_renew,
    broker_switch,
    conversations_error,
    endpoint_set_state,
    queue_set_activation,
)
from brokerweb.topology.services.key_suite import key_suite_set
from brokerweb.topology.services.route import route_create, route_delete, route_update

router = Router(tags=["topology"])


@router.get("/estates", response={200: list[EstateOut]}, operation_id="estates_list", auth=viewing)
def estates_list(request: HttpRequest) -> list[EstateOut]:
    """Every estate with the names of its instances."""
    return [EstateOut(**estate) for estate in estate_list()]


@router.get(ESTATE, response={200: TopologyOut}, operation_id="topology_read", auth=viewing)
def topology_read(request: HttpRequest, estate: str, change_set: int | None = InChangeSet) -> HttpResponse:
    """The wanted state of an estate, and how much of it each instance has applied.

    With `change_set` it is what the estate would be with that, and the ETag is that of the change set.
    """
    picture = topology_picture(estate, change_set)
    # Through the shape, twenty thousand objects take two seconds and come out the same: a test holds the two together.
    response = HttpResponse(msgspec.json.encode(picture), content_type="application/json; charset=utf-8")
    draft = picture["change_set"]
    if draft is None:
        set_revision(response, picture["revision"])
    else:
        set_revision(response, draft["sequence"], draft["number"])
    return response


@router.post(DATABASE + "/routes", response={201: RouteChanged}, operation_id="route_create", auth=editing)
def route_create_(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    instance: str,
    database: str,
    body: RouteIn,
    change_set: int | None = InChangeSet,
) -> Status:
    """CREATE ROUTE. If-Match is optional: a new route cannot undo anybody's work."""
    place = edited_database(request, estate, instance, database, change_set)
    revision = route_create(
        place, user=request.auth, expected_revision=expected_revision_if_given(request, change_set), clauses=body.dict()
    )
    answer = decided(response, estate, revision, change_set)
    return Status(201, RouteChanged(**answer.dict(), route=RouteOut(**route_picture(place, body.name))))


@router.patch(
    DATABASE + "/routes/{name:route}",
    response={200: RouteChanged},
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
    change_set: int | None = InChangeSet,
) -> RouteChanged:
    """Change clauses of a route. If-Match names the revision that the change was made from."""
    place = edited_database(request, estate, instance, database, change_set)
    revision = route_update(
        place,
        route,
        user=request.auth,
        expected_revision=expected_revision(request, change_set),
        clauses=body.dict(exclude_unset=True),
    )
    answer = decided(response, estate, revision, change_set)
    return RouteChanged(**answer.dict(), route=RouteOut(**route_picture(place, route)))


@router.delete(
    DATABASE + "/routes/{name:route}",
    response={200: RevisionOut},
    operation_id="route_delete",
    auth=editing,
)
def route_delete_(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    instance: str,
    database: str,
    route: str,
    change_set: int | None = InChangeSet,
) -> RevisionOut:
    """DROP ROUTE. If-Match names the revision that the decision was made from."""
    place = edited_database(request, estate, instance, database, change_set)
    revision = route_delete(place, route, user=request.auth, expected_revision=expected_revision(request, change_set))
    return decided(response, estate, revision, change_set)


@router.post(INSTANCE + "/endpoint", response={200: RevisionOut}, operation_id="endpoint_set_state", auth=operating)
def endpoint_set_state_(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    instance: str,
    body: EndpointStateIn,
    change_set: int | None = InChangeSet,
) -> RevisionOut:
    """ALTER ENDPOINT … STATE: start or stop the network side of an instance.

    If-Match is optional: whoever must stop it does not wait for other people's changes.
    """
    revision = endpoint_set_state(
        edited_instance(request, estate, instance, change_set),
        body.state,
        user=request.auth,
        expected_revision=expected_revision_if_given(request, change_set),
    )
    return decided(response, estate, revision, change_set)


@router.post(
    DATABASE + "/queues/{name:queue}/activation",
    response={200: RevisionOut},
    operation_id="queue_set_activation",
    auth=operating,
)
def queue_set_activation_(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    instance: str,
    database: str,
    queue: str,
    body: QueueActivationIn,
    change_set: int | None = InChangeSet,
) -> RevisionOut:
    """ALTER QUEUE … WITH ACTIVATION (STATUS = …): whether the queue starts readers; the rest of it stays.

    If-Match is optional: whoever must stop them does not wait for other people's changes.
    """
    revision = queue_set_activation(
        edited_database(request, estate, instance, database, change_set),
        queue,
        is_enabled=body.is_enabled,
        user=request.auth,
        expected_revision=expected_revision_if_given(request, change_set),
    )
    return decided(response, estate, revision, change_set)


@router.patch(INSTANCE + "/endpoint", response={200: RevisionOut}, operation_id="endpoint_update", auth=editing)
def endpoint_update_(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    instance: str,
    body: EndpointPatch,
    change_set: int | None = InChangeSet,
) -> RevisionOut:
    """ALTER ENDPOINT: how it proves itself and encrypts. If-Match names the revision that the change was made from."""
    revision = endpoint_update(
        edited_instance(request, estate, instance, change_set),
        user=request.auth,
        expected_revision=expected_revision(request, change_set),
        clauses=body.dict(exclude_none=True),
    )
    return decided(response, estate, revision, change_set)


@router.post(
    INSTANCE + "/endpoint/permissions",
    response={200: RevisionOut},
    operation_id="connect_permission_set",
    auth=editing,
)
def connect_permission_set_(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    instance: str,
    body: ConnectPermissionIn,
    change_set: int | None = InChangeSet,
) -> RevisionOut:
    """GRANT, DENY or REVOKE CONNECT ON ENDPOINT; counts from the next connection on. If-Match as for a route."""
    revision = connect_permission_set(
        edited_instance(request, estate, instance, change_set),
        body.grantee,
        body.verb,
        user=request.auth,
        expected_revision=expected_revision(request, change_set),
    )
    return decided(response, estate, revision, change_set)


@router.post(DATABASE + "/broker", response={200: RevisionOut}, operation_id="broker_switch", auth=editing)
def broker_switch_(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    instance: str,
    database: str,
    body: BrokerSwitchIn,
    change_set: int | None = InChangeSet,
) -> RevisionOut:
    """ALTER DATABASE … SET ENABLE_BROKER or DISABLE_BROKER. If-Match names the revision that it was decided at."""
    revision = broker_switch(
        edited_database(request, estate, instance, database, change_set),
        is_enabled=body.is_enabled,
        user=request.auth,
        expected_revision=expected_revision(request, change_set),
    )
    return decided(response, estate, revision, change_set)


@router.post(DATABASE + "/new-broker", response={200: RevisionOut}, operation_id="broker_renew", auth=editing)
def broker_renew_(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    instance: str,
    database: str,
    change_set: int | None = InChangeSet,
) -> RevisionOut:
    """ALTER DATABASE … SET NEW_BROKER: a new broker id; every conversation ends here and no peer is told.

    If-Match names the revision that it was decided at.
    """
    revision = broker_renew(
        edited_database(request, estate, instance, database, change_set),
        user=request.auth,
        expected_revision=expected_revision(request, change_set),
    )
    return decided(response, estate, revision, change_set)


@router.post(
    DATABASE + "/error-conversations",
    response={200: RevisionOut},
    operation_id="conversations_error",
    auth=editing,
)
def conversations_error_(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    instance: str,
    database: str,
    change_set: int | None = InChangeSet,
) -> RevisionOut:
    """ALTER DATABASE … SET ERROR_BROKER_CONVERSATIONS: each ends with -9719 here and -9720 at its peer.

    If-Match is optional: it is done to conversations and changes no definition.
    """
    revision = conversations_error(
        edited_database(request, estate, instance, database, change_set),
        user=request.auth,
        expected_revision=expected_revision_if_given(request, change_set),
    )
    return decided(response, estate, revision, change_set)


@router.post(ESTATE + "/key-suite", response={200: KeySuiteOut}, operation_id="key_suite_set", auth=editing)
def key_suite_set_(request: HttpRequest, estate: str, body: KeySuiteIn) -> KeySuiteOut:
    """How the secure dialogs of an estate protect messages. Instances start anew with it; open transactions end."""
    untold = key_suite_set(estate, body.key_suite, user=request.auth)
    return KeySuiteOut(key_suite=body.key_suite, untold=untold)
