"""`Sandbox`: a private world that a person controls; a replicated state machine.

Its state at every second of its own time is a function of the `SandboxSpec` and the log of `Entry`s. Whoever has both
has the state: another process, the same process after a restart, somebody who plays the run again. How far and in
which steps time was let pass, and what was read meanwhile, makes no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final, assert_never

from engine.core.catalog.backup import DatabaseBackup
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.explaining import TransmissionExplanation
from engine.core.exchange.pictures import Picture, PictureQuery
from engine.core.exchange.replies import Reply, refusal
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.exchange.views import InstanceView, QueuePeek
from engine.core.vocabulary.errors import BrokerError, LimitExceeded
from engine.core.vocabulary.identifiers import (
    CommandId,
    ConversationHandle,
    DatabaseName,
    EventSequence,
    InstanceName,
    QueueName,
)
from engine.core.vocabulary.moment import UtcTime
from engine.sandbox.actions import (
    Action,
    ActionOutcome,
    BackupKept,
    ClockSet,
    CommandsGiven,
    DefinitionsChanged,
    Entry,
    FailedOver,
    FaultBegun,
    FaultEnded,
    FileWritten,
    TrafficBegun,
    TrafficEnded,
    WaitGivenUp,
)
from engine.sandbox.allowance import UNBOUNDED, Allowance
from engine.sandbox.clock import SandboxClock, check_rate
from engine.sandbox.faults import FaultBook
from engine.sandbox.figures import PairFigures
from engine.sandbox.owners import OpenTransaction, TransactionOwners
from engine.sandbox.server import InstanceDown
from engine.sandbox.spec import SandboxSpec, check_spec
from engine.sandbox.traffic import TrafficBook
from engine.sandbox.world import SandboxWorld
from engine.sim.history import Committed, Died, Happened, Journal, Kinds, Observer, RepliedLate, Started
from engine.sim.history import Entry as Occurrence
from engine.tsql.server_files import MemoryFiles
from engine.whatif.faults import Fault

BACKUPS_MAX: Final = 20
STRIDE: Final = 64
"""So much happens before an allowance is looked at again: some milliseconds."""
USED_UP: Final = 10928


class OutOfOrder(ValueError):
    """An entry of a log does not follow the one before it, by its number or by its time."""


class _Changes:
    """Counts what a person could see: commits with something to tell, ends of waits, processes, faults."""

    watches: ClassVar[Kinds] = (Committed, Died, Happened, RepliedLate, Started)

    def __init__(self) -> None:
        self.count = 0

    def observe(self, entry: Occurrence) -> None:
        """Something happened."""
        self.count += not isinstance(entry, Committed) or bool(entry.events)


class Sandbox:
    """One world. Not responsible for keeping its log, nor for what time it is on the wall."""

    def __init__(self, spec: SandboxSpec, observers: Sequence[Observer] = (), *, is_hashed: bool = False) -> None:
        """The state at second 0. With `is_hashed` everything that happens is folded into `hash`.

        Raises `BadSandbox` for a spec beyond its bounds. `observers` are told of what happens, commit by commit.
        """
        check_spec(spec)
        self.spec: Final = spec
        self.observers: Final = tuple(observers)
        self.sequence = 0
        """Number of the last entry that was performed."""
        self.clock = SandboxClock()
        self._wanted = 0.0
        self._journal = Journal(is_hashed=is_hashed)
        self._changes = _Changes()
        self._world = SandboxWorld(spec, self._journal, on_delivered=lambda *queue: None)
        self._faults = FaultBook(self._world, self._journal)
        self._traffic = TrafficBook(self._world, spec.seed)
        self._backups: dict[str, DatabaseBackup] = {}
        self._files = MemoryFiles()
        self._transactions = TransactionOwners(self._world)
        self._journal.tell([self._changes, self._traffic, *observers])
        for timed in spec.faults:
            self._plan(timed.at_seconds, FaultBegun(fault=timed.fault), timed.fault.instance)
            if timed.lasts_seconds is not None:
                ends_at = timed.at_seconds + timed.lasts_seconds
                self._plan(ends_at, FaultEnded(fault=timed.fault), timed.fault.instance)
        for named in spec.traffic:
            self._plan(named.at_seconds, TrafficBegun(name=named.name, plan=named.plan), InstanceName(""))

    # ── time ─────────────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def seconds(self) -> float:
        """Its own time since it began."""
        return self._world.agenda.seconds

    @property
    def utc(self) -> UtcTime:
        """What its machines show."""
        return UtcTime(self.spec.begins_at + self.seconds)

    @property
    def hash(self) -> str:
        """Hexadecimal digest of everything that has happened; empty unless it is hashed."""
        return self._journal.hash

    @property
    def used(self) -> float:
        """The share of what may ever happen that has happened, 0 to 1."""
        return 1.0 - self._world.agenda.left / self.spec.happenings_max

    @property
    def is_worn_out(self) -> bool:
        """Whether so much has happened that nothing happens any more: its time stands still for good."""
        return self._world.agenda.is_exhausted

    def refuse_if_worn_out(self) -> None:
        """Raises `LimitExceeded` 10928: it can be read, and nothing can be done in it."""
        if self.is_worn_out:
            raise used_up(self.spec.happenings_max)

    @property
    def behind_seconds(self) -> float:
        """How much of the time that was to pass last did not, because an allowance was used up."""
        return 0.0 if self.is_worn_out else max(self._wanted - self.seconds, 0.0)

    def advance(self, until_seconds: float, allowance: Allowance = UNBOUNDED) -> bool:
        """Let time pass up to a second of its own, as long as an allowance lasts; harmless when that is past.

        Answers whether it has come so far. It ends between two moments: everything of the second it shows has happened.
        """
        self._wanted = until_seconds
        agenda = self._world.agenda
        while not agenda.run_on(until_seconds, STRIDE):
            if agenda.is_exhausted:
                return False
            if not allowance.lasts:
                while not agenda.run_on(agenda.seconds, STRIDE) and not agenda.is_exhausted:
                    pass
                return self.seconds >= until_seconds
        return True

    def next_event_seconds(self) -> float | None:
        """When something is planned next, be it only a timer that finds nothing to do; None when nothing is."""
        return self._world.agenda.next_seconds

    def advance_to_change(self, until_seconds: float, allowance: Allowance = UNBOUNDED) -> bool:
        """Let time pass until something has happened that can be seen, `until_seconds` at most; whether it has.

        False, too, when an allowance was used up before: then it is not so late yet.
        """
        before = self._changes.count
        while (at := self.next_event_seconds()) is not None and at <= until_seconds and not self.is_worn_out:
            self.advance(at)
            if self._changes.count > before:
                return True
            if not allowance.lasts:
                return False
        self.advance(until_seconds)
        return False

    # ── the log ──────────────────────────────────────────────────────────────────────────────────────────────────
    def entry(self, action: Action) -> Entry:
        """The next line of the log, if this is done now."""
        return Entry(sequence=self.sequence + 1, at_seconds=self.seconds, action=action)

    def perform(self, action: Action) -> ActionOutcome:
        """Do something now. What cannot be done is said in the outcome; the action counts all the same."""
        self.advance(self.seconds)
        self.sequence += 1
        self._world.agenda.spend(_weight(action))
        try:
            return self._perform(action)
        except BrokerError as error:
            return ActionOutcome(refusal=refusal(error))
        except InstanceDown as error:
            return ActionOutcome(unavailable=str(error))

    def replay(self, entries: Iterable[Entry]) -> ActionOutcome | None:
        """Do what a log says, each line at its second; the outcome of the last one.

        Raises `OutOfOrder` for a line that does not follow what was performed; those before it are performed.
        """
        outcome: ActionOutcome | None = None
        for entry in entries:
            self._await(entry, UNBOUNDED)
            outcome = self.perform(entry.action)
        return outcome

    def follow(self, entries: Iterable[Entry], allowance: Allowance) -> bool:
        """As `replay`, as long as an allowance lasts; whether all of it is done."""
        for entry in entries:
            if not allowance.lasts or not self._await(entry, allowance):
                return False
            self.perform(entry.action)
        return True

    def _await(self, entry: Entry, allowance: Allowance) -> bool:
        """Let time pass up to an entry; whether it is its turn."""
        if entry.sequence != self.sequence + 1:
            raise OutOfOrder(f"entry {entry.sequence} does not follow entry {self.sequence}")
        if entry.at_seconds < self.seconds:
            raise OutOfOrder(f"entry {entry.sequence} is of second {entry.at_seconds}, and it is {self.seconds}")
        return self.advance(entry.at_seconds, allowance) or self.is_worn_out

    def _perform(self, action: Action) -> ActionOutcome:
        match action:
            case CommandsGiven():
                return self._execute(action)
            case WaitGivenUp():
                self._world.server(action.instance).give_up(action.command_id)
            case DefinitionsChanged():
                self._world.change(self._world.server(action.instance), action.changes)
            case FaultBegun():
                self._faults.begin(action.fault)
            case FaultEnded():
                self._faults.end(action.fault)
            case FailedOver():
                self._faults.fail_over(action.instance, action.database, is_forced=action.is_forced)
            case TrafficBegun():
                self._traffic.begin(action.name, action.plan)
            case TrafficEnded():
                self._traffic.end(action.name)
            case BackupKept():
                self._keep(action.file, action.backup)
            case FileWritten():
                self._files.write(action.path, action.content)
            case ClockSet():
                check_rate(action.rate)
                self.clock = SandboxClock(seconds=self.seconds, wall_seconds=action.wall_seconds, rate=action.rate)
            case _:
                assert_never(action)
        return ActionOutcome()

    def _execute(self, action: CommandsGiven) -> ActionOutcome:
        replies, waiting = self._world.server(action.instance).execute_now(action.commands)
        if action.host is not None:
            self._transactions.note(action.host, action.instance, replies)
        return ActionOutcome(replies=tuple(replies), waiting=tuple(waiting))

    def _keep(self, file: str, backup: DatabaseBackup) -> None:
        self._backups.pop(file.casefold(), None)
        if len(self._backups) >= BACKUPS_MAX:
            del self._backups[next(iter(self._backups))]
        self._backups[file.casefold()] = backup

    def _plan(self, at_seconds: float, action: Action, instance: InstanceName) -> None:
        """Something of the spec. What cannot be done by then, because what it is of is gone, is not done."""

        def do() -> None:
            try:
                self._perform(action)
            except (BrokerError, InstanceDown) as error:
                text = f"something planned was not done: {error}"
                self._journal.record(Happened(at=self.seconds, instance=instance, text=text, is_strike=False))

        self._world.agenda.at(at_seconds, do)

    # ── what is: all of it raises `CatalogError` 15151 for an instance that is not there, `InstanceDown` for one down ─
    def instances(self) -> tuple[InstanceName, ...]:
        """Their names."""
        return tuple(self._world.servers)

    def runs(self, instance: InstanceName) -> bool:
        """Whether an instance is up."""
        return self._world.server(instance).is_alive

    def catalog(self, instance: InstanceName) -> InstanceCatalog:
        """What is defined now, of an instance that is down as well; not to be changed by the reader."""
        return self._world.server(instance).catalog

    def catalogs(self) -> dict[InstanceName, InstanceCatalog]:
        """What is defined now, everywhere."""
        return self._world.catalogs()

    def pictures(self, instance: InstanceName, queries: Sequence[PictureQuery]) -> list[Picture | BrokerError]:
        """What views show now, or what has changed in them; a `BrokerError` where a query names what is not there."""
        return self._world.server(instance).pictures(queries)

    def view(self, instance: InstanceName, rows_max: int) -> InstanceView:
        """The live rows, at most `rows_max` in each list."""
        return self._world.server(instance).view(rows_max)

    def system_view(self, instance: InstanceName, query: SystemViewQuery) -> SystemViewRows:
        """One page of a catalog view, a DMV or a queue; `BrokerError` with its number."""
        return self._world.server(instance).system_view(query)

    def peek(
        self, instance: InstanceName, database: DatabaseName, queue: QueueName, top: int, with_bodies: bool = True
    ) -> QueuePeek:
        """The first messages of a queue, not taken; `BrokerError` when there is no such queue."""
        return self._world.server(instance).peek(database, queue, top, with_bodies)

    def explain(
        self, instance: InstanceName, database: DatabaseName, handle: ConversationHandle
    ) -> TransmissionExplanation:
        """Why the messages of a conversation wait; `BrokerError` when there is no such conversation."""
        return self._world.server(instance).explain(database, handle)

    def events_after(
        self, instance: InstanceName, sequence: EventSequence, limit: int
    ) -> list[tuple[EventSequence, BrokerEvent]]:
        """At most `limit` events later than `sequence`, oldest first."""
        return self._world.server(instance).events_after(sequence, limit)

    def reply(self, instance: InstanceName, command_id: CommandId) -> Reply | None:
        """What a command that waited came to; None while it waits.

        `InstanceDown` when its instance went down meanwhile.
        """
        found = self._world.server(instance).late_replies
        if command_id in found and found[command_id] is None:
            raise InstanceDown(f"Instance {instance} has gone down.")
        return found.get(command_id)

    def open_transactions(self) -> tuple[OpenTransaction, ...]:
        """Those of sessions that are open, each with the process that has its session."""
        return self._transactions.open()

    def faults(self) -> tuple[Fault, ...]:
        """Those in force, in the order in which they struck."""
        return self._faults.in_force()

    def traffic(self) -> dict[str, tuple[PairFigures, ...]]:
        """What the test traffic has come to, by its names, pair by pair."""
        return self._traffic.figures()

    def backup(self, file: str) -> DatabaseBackup | None:
        """What is kept under the name of a file in any letter case; None when there is nothing."""
        return self._backups.get(file.casefold())

    def file(self, path: str) -> bytes | None:
        """The content of a certificate file; None when no script has written it."""
        return self._files.read(path)


def used_up(happenings_max: int) -> LimitExceeded:
    """10928: as much has happened as may."""
    return LimitExceeded(USED_UP, limit=happenings_max)


def _weight(action: Action) -> int:
    """How much an action counts among what may happen."""
    match action:
        case CommandsGiven():
            return 1 + len(action.commands)
        case DefinitionsChanged():
            return 1 + len(action.changes)
        case _:
            return 1
