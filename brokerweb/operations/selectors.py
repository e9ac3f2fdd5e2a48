"""Backups as they are listed."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.operations.models import Backup
from brokerweb.topology.models import Estate


def backup_list(estate: str) -> list[dict[str, Any]]:
    """The backups of an estate, newest first, without their content. `ObjectNotFound` for an estate that is none."""
    if not Estate.objects.filter(name=estate).exists():
        raise ObjectNotFound(_("There is no estate {estate}.").format(estate=estate))
    rows = Backup.objects.filter(estate__name=estate).select_related("taken_by").defer("content")
    return [backup_picture(row) for row in rows]


def backup_picture(row: Backup) -> dict[str, Any]:
    """What a backup says of itself."""
    return {
        "id": row.pk,
        "name": row.name,
        "instance": row.instance_name,
        "database": row.database_name,
        "broker_instance": row.broker_instance,
        "is_broker_enabled": row.is_broker_enabled,
        "is_detached": row.is_detached,
        "conversations": row.conversations,
        "messages": row.messages,
        "taken_at": row.taken_at,
        "taken_by": None if row.taken_by is None else row.taken_by.get_username(),
        "content_bytes": row.content_bytes,
    }


def backup_of(estate: str, backup: int) -> Backup:
    """One backup with its content; `ObjectNotFound` when the estate has none of that number."""
    row = Backup.objects.filter(estate__name=estate, pk=backup).select_related("taken_by").first()
    if row is None:
        raise ObjectNotFound(_("Estate {estate} has no backup {backup}.").format(estate=estate, backup=backup))
    return row
