"""What an import would do, before it is done: row by row for the reader, and as changes for the instances."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.tsql.statements import Notice, Problem


class Effect(StrEnum):
    """What one statement does to what is defined already."""

    ADD = "add"
    CHANGE = "change"
    REMOVE = "remove"
    SAME = "same"
    """The object is as the statement wants it; nothing happens."""
    IGNORED = "ignored"
    """The statement says nothing about the network."""
    ERROR = "error"


class PlanRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One statement and its effect. `text` explains where the effect alone does not."""

    file: str
    line: int
    verb: str
    object_kind: str
    object_name: str
    instance: InstanceName
    database: DatabaseName | None
    """The current database; None where the statement is about the instance."""
    effect: Effect
    text: str = ""


class Backlog(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Messages that wait in a real server's transmission queue for one service, with one status; only told."""

    instance: InstanceName
    database: DatabaseName
    to_service: str
    status: str
    """Empty: not tried yet, or sent and waiting for its acknowledgement (views.md 1)."""
    messages: int
    oldest: str
    """When the oldest of them was sent, UTC."""


class ImportPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The whole import. With any problem it changes nothing: `changes` is empty and `catalogs` are as before."""

    rows: tuple[PlanRow, ...]
    problems: tuple[Problem, ...]
    warnings: tuple[Notice, ...]
    created: tuple[InstanceName, ...]
    """Instances that did not exist; their changes begin with an empty catalog, master and msdb included."""
    changes: dict[InstanceName, tuple[CatalogChange, ...]]
    """Per instance that changes, in order; the net effect, not one change per statement."""
    catalogs: dict[InstanceName, InstanceCatalog]
    """Every instance, known before or created, as the import leaves it."""
    files: dict[str, bytes] = {}
    """Certificate files that the scripts write, by their paths."""
    backlogs: tuple[Backlog, ...] = ()
    """What waited on the servers that were collected."""
