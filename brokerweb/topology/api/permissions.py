"""Who may send to a service and receive from a queue."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Router

from brokerweb.accounts.api import editing
from brokerweb.common.api.etag import expected_revision
from brokerweb.common.api.names import DATABASE
from brokerweb.topology.api.basis import InChangeSet, decided, edited_database
from brokerweb.topology.api.schemas import PermissionIn, RevisionOut
from brokerweb.topology.services.permission import permission_set
from engine import api as engine

router = Router(tags=["topology"])


@router.post(
    DATABASE + "/services/{name:service}/permissions",
    response={200: RevisionOut},
    operation_id="send_permission_set",
    auth=editing,
)
def send_permission_set(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    instance: str,
    database: str,
    service: str,
    body: PermissionIn,
    change_set: int | None = InChangeSet,
) -> RevisionOut:
    """GRANT, DENY or REVOKE SEND ON SERVICE; counts for dialogs that begin from now on. If-Match as for a route."""
    revision = permission_set(
        edited_database(request, estate, instance, database, change_set),
        engine.permissions.Securable.SERVICE,
        service,
        grantee=body.grantee,
        verb=body.verb,
        user=request.auth,
        expected_revision=expected_revision(request, change_set),
    )
    return decided(response, estate, revision, change_set)


@router.post(
    DATABASE + "/queues/{name:queue}/permissions",
    response={200: RevisionOut},
    operation_id="receive_permission_set",
    auth=editing,
)
def receive_permission_set(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    instance: str,
    database: str,
    queue: str,
    body: PermissionIn,
    change_set: int | None = InChangeSet,
) -> RevisionOut:
    """GRANT, DENY or REVOKE RECEIVE ON a queue; counts for dialogs that begin from now on. If-Match as for a route."""
    revision = permission_set(
        edited_database(request, estate, instance, database, change_set),
        engine.permissions.Securable.QUEUE,
        queue,
        grantee=body.grantee,
        verb=body.verb,
        user=request.auth,
        expected_revision=expected_revision(request, change_set),
    )
    return decided(response, estate, revision, change_set)
