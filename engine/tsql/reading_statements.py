"""Statements about what decides who reads first and who hears of it: priorities and event notifications.

Read with `statements`, whose union they belong to (tsql.md 7, 10, 11).
"""

from __future__ import annotations

import msgspec

from engine.tsql.statement_base import Clause, ObjectName, Statement


class PriorityClauses(msgspec.Struct, frozen=True, kw_only=True):
    """The SET list of CREATE and ALTER BROKER PRIORITY; None is a clause not given, `ANY` every name."""

    contract: str | None = None
    local_service: str | None = None
    remote_service: str | None = None
    level: int | None = None


class CreatePriority(Statement, frozen=True, tag="create-priority"):
    """CREATE BROKER PRIORITY."""

    name: ObjectName
    clauses: PriorityClauses = PriorityClauses()


class AlterPriority(Statement, frozen=True, tag="alter-priority"):
    """ALTER BROKER PRIORITY."""

    name: ObjectName
    clauses: PriorityClauses


class SetPriorityHonoured(Statement, frozen=True, tag="set-priority-honoured"):
    """ALTER DATABASE … SET HONOR_BROKER_PRIORITY; no database is CURRENT."""

    database: str | None
    is_honoured: bool


class SetTrustworthy(Statement, frozen=True, tag="set-trustworthy"):
    """ALTER DATABASE … SET TRUSTWORTHY; no database is CURRENT."""

    database: str | None
    is_trustworthy: bool


class CreateEventNotification(Statement, frozen=True, tag="create-event-notification"):
    """CREATE EVENT NOTIFICATION … ON QUEUE; WITH FAN_IN changes nothing where each event has one notification."""

    name: ObjectName
    queue: ObjectName | None
    """None is ON DATABASE or ON SERVER, which is refused for events of queues (2116)."""
    events: tuple[Clause, ...]
    service: Clause
    broker_instance: Clause
    """A broker id, or 'current database'."""


class DropEventNotification(Statement, frozen=True, tag="drop-event-notification"):
    """DROP EVENT NOTIFICATION … ON QUEUE, one or several."""

    names: tuple[ObjectName, ...]
    queue: ObjectName


ReadingStatement = (
    CreatePriority
    | AlterPriority
    | SetPriorityHonoured
    | SetTrustworthy
    | CreateEventNotification
    | DropEventNotification
)
