"""Shapes of what is done to whole databases: roles, backups, restores."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from ninja import Field
from pydantic import StrictBool, StrictInt

from brokerweb.common.api.shape import Request, Shape

AttachOption = Literal["ENABLE_BROKER", "NEW_BROKER", "ERROR_BROKER_CONVERSATIONS"]
_BACKUP_NAME = Field(default=None, min_length=1, max_length=128, description="Null is made of database and time.")


class MirroringRoleIn(Request):
    role: Literal["principal", "mirror"]


class MirroringRoleSet(Shape):
    role: Literal["principal", "mirror"]


class FailedOver(Shape):
    """The instances of the pair, by the role that each has now."""

    principal: str
    mirror: str


class BackupIn(Request):
    """BACKUP DATABASE or sp_detach_db."""

    takes_any_text = frozenset({"name"})
    name: str | None = _BACKUP_NAME


class BackupOut(Shape):
    id: int
    name: str
    instance: str
    """Where it was taken."""
    database: str
    broker_instance: UUID
    is_broker_enabled: bool
    is_detached: bool
    """Whether the database left its instance with this."""
    conversations: int
    messages: int
    """In its queues and its transmission queue."""
    taken_at: datetime
    taken_by: str | None
    content_bytes: int


class Detached(Shape):
    revision: int
    backup: BackupOut


class AttachIn(Request):
    """CREATE DATABASE … FOR ATTACH."""

    backup: StrictInt
    """The id of a backup of this estate."""
    database: str
    """A name that is free on the instance."""
    option: AttachOption | None = None
    """Null leaves identity and delivery as they were saved."""


class RestoreIn(AttachIn):
    """RESTORE DATABASE, also over a database of that name."""

    database: str
    replaces: StrictBool = False
    """WITH REPLACE: also over a database with another broker id."""
    is_recovered: StrictBool = True
    """False is NORECOVERY: it becomes a mirror copy, which takes no option."""


class Attached(Shape):
    """The database is here, with this identity."""

    revision: int
    broker_instance: UUID
    is_broker_enabled: bool
    notice: int | None
    """Number of why its broker is off although it was on, or was to be (9772, 9773, 9774)."""
    notice_text: str
