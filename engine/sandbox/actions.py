"""What a person does in a sandbox, as a closed union of values that travel as JSON: the log is made of them.

Nothing else changes a sandbox but its own time. An action that is refused stays in the log: it is refused again
whenever the log is read.
"""

from __future__ import annotations

from uuid import UUID

import msgspec

from engine.core.catalog.backup import DatabaseBackup
from engine.core.catalog.changes import CatalogChange
from engine.core.exchange.commands import Command
from engine.core.exchange.replies import Refusal, Reply
from engine.core.vocabulary.identifiers import CommandId, DatabaseName, InstanceName
from engine.sandbox.spec import TrafficPlan
from engine.whatif.faults import Fault


class _Action(msgspec.Struct, frozen=True, kw_only=True, tag_field="action"):
    """Common base; carries nothing."""


class CommandsGiven(_Action, frozen=True, tag="commands-given", omit_defaults=True):
    """Commands for one instance, carried out in their order at this very moment of the sandbox."""

    instance: InstanceName
    commands: tuple[Command, ...]
    host: UUID | None = None
    """The process that has the session whose transaction begins here; None for what begins none."""


class WaitGivenUp(_Action, frozen=True, tag="wait-given-up"):
    """Whoever waits with this WAITFOR is answered with the empty set; harmless when nobody does."""

    instance: InstanceName
    command_id: CommandId


class DefinitionsChanged(_Action, frozen=True, tag="definitions-changed"):
    """DDL at one instance, all or nothing, upon whatever revision its catalog has."""

    instance: InstanceName
    changes: tuple[CatalogChange, ...]


class FaultBegun(_Action, frozen=True, tag="fault-begun"):
    """A fault strikes; harmless when it is in force."""

    fault: Fault


class FaultEnded(_Action, frozen=True, tag="fault-ended"):
    """A fault is mended; harmless when it is not in force."""

    fault: Fault


class FailedOver(_Action, frozen=True, tag="failed-over"):
    """SET PARTNER FAILOVER given to the principal, or FORCE_SERVICE_ALLOW_DATA_LOSS to the mirror copy."""

    instance: InstanceName
    database: DatabaseName
    is_forced: bool = False


class TrafficBegun(_Action, frozen=True, tag="traffic-begun"):
    """Test traffic, in the place of earlier traffic of that name."""

    name: str
    plan: TrafficPlan


class TrafficEnded(_Action, frozen=True, tag="traffic-ended"):
    """Test traffic sends and reads no more; its dialogs stay as they are. Harmless when there is none."""

    name: str


class BackupKept(_Action, frozen=True, tag="backup-kept"):
    """A file with a backup. All instances of a sandbox see the same files."""

    file: str
    backup: DatabaseBackup


class FileWritten(_Action, frozen=True, tag="file-written"):
    """A certificate file. All instances of a sandbox see the same files."""

    path: str
    content: bytes


class ClockSet(_Action, frozen=True, tag="clock-set"):
    """From here on the time of the sandbox passes `rate` times as fast as that on the wall; 0 is a pause.

    A step and a jump are entries at a later second than the clock would have reached.
    """

    wall_seconds: float
    """When, by the clock of whoever writes the log: UTC seconds."""
    rate: float


Action = (
    CommandsGiven
    | WaitGivenUp
    | DefinitionsChanged
    | FaultBegun
    | FaultEnded
    | FailedOver
    | TrafficBegun
    | TrafficEnded
    | BackupKept
    | FileWritten
    | ClockSet
)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the log."""

    sequence: int
    """1 and on, without a hole."""
    at_seconds: float
    """When, by the time of the sandbox since it began; never less than in the line before."""
    action: Action


class ActionOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an action."""

    replies: tuple[Reply | None, ...] = ()
    """Of each command; None for one that waits, see `Sandbox.reply`, or whose instance died of it."""
    waiting: tuple[CommandId, ...] = ()
    """Commands that wait with WAITFOR."""
    refusal: Refusal | None = None
    """Why nothing was done."""
    unavailable: str = ""
    """Not empty when the instance that was asked does not run, and says so."""
