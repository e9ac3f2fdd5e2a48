"""Who may send to a service and receive from a queue."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Router

from brokerweb.accounts.api import editing
from brokerweb.common.api.errors import PROBLEMS
from brokerweb.common.api.etag import expected_revision_if_given, set_revision
from brokerweb.common.api.names import DATABASE
from brokerweb.topology.api.schemas import PermissionIn, RevisionOut
from brokerweb.topology.selectors.places import database_place
from brokerweb.topology.services.permission import permission_set
from engine import api as engine

router = Router(tags=["topology"])


@router.post(
    DATABASE + "/services/{name:service}/permissions",
    response={200: RevisionOut, **PROBLEMS},
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
) -> RevisionOut:
    """GRANT, DENY or REVOKE SEND ON SERVICE; counts for dialogs that begin from now on."""
    revision = permission_set(
        database_place(estate, instance, database),
        engine.permissions.Securable.SERVICE,
        service,
        grantee=body.grantee,
        verb=body.verb,
        user=request.auth,
        expected_revision=expected_revision_if_given(request),
    )
    set_revision(response, revision)
    return RevisionOut(revision=revision)


@router.post(
    DATABASE + "/queues/{name:queue}/permissions",
    response={200: RevisionOut, **PROBLEMS},
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
) -> RevisionOut:
    """GRANT, DENY or REVOKE RECEIVE ON a queue; counts for dialogs that begin from now on."""
    revision = permission_set(
        database_place(estate, instance, database),
        engine.permissions.Securable.QUEUE,
        queue,
        grantee=body.grantee,
        verb=body.verb,
        user=request.auth,
        expected_revision=expected_revision_if_given(request),
    )
    set_revision(response, revision)
    return RevisionOut(revision=revision)
