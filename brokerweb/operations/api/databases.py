"""Roles of mirrored databases; backups, and databases that leave an instance or come back."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Router, Status

from brokerweb.accounts.api import editing, operating, viewing
from brokerweb.common.api.etag import expected_revision_if_given, set_revision
from brokerweb.common.api.names import DATABASE, ESTATE, INSTANCE
from brokerweb.operations.api.database_schemas import (
    Attached,
    AttachIn,
    BackupIn,
    BackupOut,
    Detached,
    FailedOver,
    MirroringRoleIn,
    MirroringRoleSet,
    RestoreIn,
)
from brokerweb.operations.api.headers import IdempotencyKey
from brokerweb.operations.selectors import backup_list, backup_picture
from brokerweb.operations.services import backups, mirroring
from brokerweb.topology.selectors.places import database_place, instance_place
from engine import api as engine

router = Router(tags=["databases"])


@router.post(
    DATABASE + "/mirroring-role",
    response={200: MirroringRoleSet},
    operation_id="mirroring_role_set",
    auth=editing,
)
def mirroring_role_set(
    request: HttpRequest,
    estate: str,
    instance: str,
    database: str,
    body: MirroringRoleIn,
    idempotency_key: UUID | None = IdempotencyKey,
) -> MirroringRoleSet:
    """Give this partner alone a role, as in a forced service; the other one is not asked, nothing is carried over."""
    place = database_place(estate, instance, database)
    role = mirroring.mirroring_role_force(place, idempotency_key, engine.MirroringRole(body.role), user=request.auth)
    return MirroringRoleSet(role=role.value)


@router.post(
    DATABASE + "/failover",
    response={200: FailedOver},
    operation_id="database_failover",
    auth=editing,
)
def database_failover(
    request: HttpRequest,
    estate: str,
    instance: str,
    database: str,
    idempotency_key: UUID | None = IdempotencyKey,
) -> FailedOver:
    """ALTER DATABASE … SET PARTNER FAILOVER at the principal: its partner gets all that it has, then its role."""
    done = mirroring.failover(database_place(estate, instance, database), idempotency_key, user=request.auth)
    return FailedOver(principal=done.principal.instance, mirror=done.mirror.instance)


@router.get(ESTATE + "/backups", response={200: list[BackupOut]}, operation_id="backups_list", auth=viewing)
def backups_list(request: HttpRequest, estate: str) -> list[BackupOut]:
    """The backups of an estate, newest first."""
    return [BackupOut(**backup) for backup in backup_list(estate)]


@router.delete(ESTATE + "/backups/{int:backup}", response={204: None}, operation_id="backup_delete", auth=editing)
def backup_delete(request: HttpRequest, estate: str, backup: int) -> Status:
    """Forget a backup for good."""
    backups.backup_delete(estate, backup)
    return Status(204, None)


@router.post(DATABASE + "/backups", response={201: BackupOut}, operation_id="backup_take", auth=operating)
def backup_take(
    request: HttpRequest,
    estate: str,
    instance: str,
    database: str,
    body: BackupIn,
    idempotency_key: UUID | None = IdempotencyKey,
) -> Status:
    """BACKUP DATABASE with its conversations and messages; the database goes on."""
    place = database_place(estate, instance, database)
    taken = backups.backup_take(place, idempotency_key, name=body.name, user=request.auth)
    return Status(201, BackupOut(**backup_picture(taken)))


@router.post(DATABASE + "/detach", response={200: Detached}, operation_id="database_detach", auth=editing)
def database_detach(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    instance: str,
    database: str,
    body: BackupIn,
    idempotency_key: UUID | None = IdempotencyKey,
) -> Detached:
    """sp_detach_db: a backup is kept and the database is gone; no peer hears of it."""
    revision, taken = backups.database_detach(
        database_place(estate, instance, database),
        idempotency_key,
        name=body.name,
        user=request.auth,
        expected_revision=expected_revision_if_given(request),
    )
    set_revision(response, revision)
    return Detached(revision=revision, backup=BackupOut(**backup_picture(taken)))


@router.post(INSTANCE + "/attach", response={200: Attached}, operation_id="database_attach", auth=editing)
def database_attach(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    instance: str,
    body: AttachIn,
    idempotency_key: UUID | None = IdempotencyKey,
) -> backups.Attached:
    """CREATE DATABASE … FOR ATTACH from a backup, under a name that is free."""
    attached = backups.database_attach(
        instance_place(estate, instance),
        idempotency_key,
        user=request.auth,
        expected_revision=expected_revision_if_given(request),
        **body.dict(),
    )
    set_revision(response, attached.revision)
    return attached


@router.post(INSTANCE + "/restore", response={200: Attached}, operation_id="database_restore", auth=editing)
def database_restore(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    instance: str,
    body: RestoreIn,
    idempotency_key: UUID | None = IdempotencyKey,
) -> backups.Attached:
    """RESTORE DATABASE from a backup, with the choice of what becomes of its broker id and its conversations."""
    restored = backups.database_restore(
        instance_place(estate, instance),
        idempotency_key,
        user=request.auth,
        expected_revision=expected_revision_if_given(request),
        **body.dict(),
    )
    set_revision(response, restored.revision)
    return restored
