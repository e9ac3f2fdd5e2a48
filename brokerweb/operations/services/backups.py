"""BACKUP, detach, attach and RESTORE of a database of a running instance (identity.md 4).

What is taken is kept in the dashboard's database. What moves a database is a revision of the estate: the instance does
it, and what is wanted follows (`topology.services.moves`).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar
from uuid import UUID

import msgspec
from django.db import IntegrityError, transaction

from brokerweb.accounts.models import User
from brokerweb.common.errors import EngineRefused
from brokerweb.operations.models import Backup
from brokerweb.operations.selectors import backup_of
from brokerweb.operations.services.commands import command_id, reply_to
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.places import DatabasePlace, InstancePlace
from brokerweb.topology.services.moves import Move, move_release, move_reserve, move_settle
from brokerweb.topology.summaries import saying
from engine import api as engine

NAME_TAKEN = 2714

R = TypeVar("R")
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(engine.DatabaseBackup)


class Attached(msgspec.Struct, frozen=True):
    """A database that has come back."""

    revision: int
    broker_instance: UUID
    is_broker_enabled: bool
    notice: int | None
    """Number of why its broker is off although it was on, or was to be."""
    notice_text: str


def backup_take(place: DatabasePlace, key: UUID | None, *, name: str | None, user: User | None) -> Backup:
    """BACKUP DATABASE under a name of the estate's, one made of database and time when none is given.

    The database goes on. Raises `EngineRefused` (911, 942, 3202; 2714 for a name that is taken, 103, 153, 1038 for
    one that is none), `EngineUnavailable`.
    """
    _check_name(place.estate, name)
    command = engine.commands.BackupDatabase(command_id=command_id(key), database=engine.DatabaseName(place.database))
    reply = reply_to(place, command, engine.replies.DatabaseBackedUp)
    return _keep(place, reply.backup, name, user, is_detached=False)


def database_detach(
    place: DatabasePlace, key: UUID | None, *, name: str | None, user: User | None, expected_revision: int | None
) -> tuple[int, Backup]:
    """sp_detach_db: a backup, and the database is gone from the instance; answers the revision and the backup.

    Raises `EngineRefused` (911, 942, 3202, 3708, 3743; 2714), `RevisionConflict`, `ChangeUnderWay`,
    `EngineUnavailable`: the same `key` again then finds what has happened.
    """
    _check_name(place.estate, name)
    move = move_reserve(
        place.instance_place,
        user=user,
        expected_revision=expected_revision,
        summary=saying("detach", database=place.database, instance=place.instance),
    )
    command = engine.commands.DetachDatabase(
        command_id=command_id(key),
        base=move.base,
        revision=move.revision,
        database=engine.DatabaseName(place.database),
    )
    reply = _moved(move, lambda: reply_to(place, command, engine.replies.DatabaseDetached))
    # Both or neither: a database that is gone from what is wanted and has no backup would be lost.
    with transaction.atomic():
        backup = _keep(place, reply.backup, name, user, is_detached=True)
        gone = engine.DatabaseDropped(database=engine.DatabaseName(place.database))
        move_settle(move, reply.revision, lambda before: engine.apply_changes(before, [gone]))
    return move.revision, backup


def database_attach(
    place: InstancePlace,
    key: UUID | None,
    *,
    backup: int,
    database: str,
    option: str | None,
    user: User | None,
    expected_revision: int | None,
) -> Attached:
    """CREATE DATABASE … FOR ATTACH under a name that is free. Raises as `database_detach` (1801, 3708)."""
    content = _content(backup_of(place.estate, backup))
    move = move_reserve(
        place,
        user=user,
        expected_revision=expected_revision,
        summary=saying("attach", database=database, instance=place.instance),
    )
    command = engine.commands.AttachDatabase(
        command_id=command_id(key),
        base=move.base,
        revision=move.revision,
        database=engine.DatabaseName(database),
        backup=content,
        option=None if option is None else engine.AttachOption(option),
    )
    return _brought_back(move, command, is_recovered=True)


def database_restore(
    place: InstancePlace,
    key: UUID | None,
    *,
    backup: int,
    database: str,
    option: str | None,
    replaces: bool,
    is_recovered: bool,
    user: User | None,
    expected_revision: int | None,
) -> Attached:
    """RESTORE DATABASE, also over one of that name. Raises as `database_detach` (3031, 3104, 3154, 3708)."""
    content = _content(backup_of(place.estate, backup))
    move = move_reserve(
        place,
        user=user,
        expected_revision=expected_revision,
        summary=saying("restore", database=database, instance=place.instance),
    )
    command = engine.commands.RestoreDatabase(
        command_id=command_id(key),
        base=move.base,
        revision=move.revision,
        database=engine.DatabaseName(database),
        backup=content,
        option=None if option is None else engine.AttachOption(option),
        replaces=replaces,
        is_recovered=is_recovered,
    )
    return _brought_back(move, command, is_recovered=is_recovered)


def backup_delete(estate: str, backup: int) -> None:
    """Forget a backup for good. `ObjectNotFound` when there is none."""
    backup_of(estate, backup).delete()


def _brought_back(
    move: Move, command: engine.commands.AttachDatabase | engine.commands.RestoreDatabase, *, is_recovered: bool
) -> Attached:
    reply = _moved(move, lambda: reply_to(move.place, command, engine.replies.DatabaseAttached))
    move_settle(
        move,
        reply.revision,
        lambda before: engine.attached_catalog(
            before,
            command.database,
            command.backup,
            broker_instance=reply.broker_instance,
            is_broker_enabled=reply.is_broker_enabled,
            is_recovered=is_recovered,
        ),
    )
    return Attached(
        revision=move.revision,
        broker_instance=reply.broker_instance,
        is_broker_enabled=reply.is_broker_enabled,
        notice=reply.notice,
        notice_text=reply.notice_text,
    )


def _moved(move: Move, ask: Callable[[], R]) -> R:
    """The instance's reply; what came to nothing leaves its revision empty."""
    try:
        return ask()
    except EngineRefused as refused:
        move_release(move, f"{refused.error.number}: {refused.error.text}")
        raise
    except engine.EngineUnavailable as error:
        move_release(move, str(error))
        raise


def _keep(
    place: DatabasePlace, taken: engine.DatabaseBackup, name: str | None, user: User | None, *, is_detached: bool
) -> Backup:
    rows, taken_at = taken.rows, datetime.fromtimestamp(taken.taken_at, UTC)
    content = _encoder.encode(taken)
    name = name or f"{place.database} {taken_at:%Y-%m-%d %H:%M:%S.%f}"[:-3]
    try:
        with transaction.atomic():
            return Backup.objects.create(
                estate=Estate.objects.get(name=place.estate),
                name=name,
                instance_name=place.instance,
                database_name=place.database,
                broker_instance=taken.definition.broker_instance,
                is_broker_enabled=taken.definition.is_broker_enabled,
                is_detached=is_detached,
                conversations=len(rows.endpoints),
                messages=len(rows.transmission) + sum(map(len, rows.queues.values())),
                taken_at=taken_at,
                taken_by=user,
                content=content,
                content_bytes=len(content),
            )
    except IntegrityError:
        raise _name_taken(name) from None


def _content(row: Backup) -> engine.DatabaseBackup:
    return _decoder.decode(row.content)


def _check_name(estate: str, name: str | None) -> None:
    """Asked before the instance is: a database must not be detached into a backup that cannot be kept."""
    if name is None:
        return
    try:
        engine.check_name(name)
    except engine.BrokerError as error:
        raise EngineRefused(error, "/name") from error
    if Backup.objects.filter(estate__name=estate, name=name).exists():
        raise _name_taken(name)


def _name_taken(name: str) -> EngineRefused:
    return EngineRefused(engine.CatalogError(NAME_TAKEN, name=name), "/name")
