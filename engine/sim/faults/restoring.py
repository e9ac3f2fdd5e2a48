"""Databases that come back: restored from an old backup, detached and attached, or attached a second time as a copy.

An old backup is restored as the documents advise, with ERROR_BROKER_CONVERSATIONS: the numbers of both sides no longer
fit (identity.md 4). What was detached comes back as it was. A copy stands beside the original with its id.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec

from engine.core.catalog.backup import AttachOption, DatabaseBackup
from engine.core.exchange.commands import AttachDatabase, BackupDatabase, DetachDatabase, RestoreDatabase
from engine.core.exchange.replies import DatabaseBackedUp, DatabaseDetached, Reply
from engine.core.vocabulary.identifiers import DatabaseName
from engine.sim.entropy import Dice
from engine.sim.faults.kind import Fault, FaultKind, Struck, Subject, Undo
from engine.sim.operating import Operator, Order
from engine.sim.scenario import COPY_SUFFIX, Scenario

ATTACHED_AS: Final = (None, AttachOption.ENABLE_BROKER)


def _any_database(scenario: Scenario, dice: Dice) -> Subject | None:
    """A database that has no mirroring partner; `amount` decides about the option."""
    paired = {place for pair in scenario.pairs() for place in pair}
    places = [place for place in scenario.homes() if place not in paired]
    if not places:
        return None
    instance, database = dice.choose(places)
    return Subject(instance=instance, database=database, amount=dice.between(0.0, 1.0))


class _File:
    """A backup that is being written; whoever wants it waits for it."""

    def __init__(self) -> None:
        self._backup: DatabaseBackup | None = None
        self._waiting: list[Callable[[DatabaseBackup], None]] = []

    def answered(self, reply: Reply) -> None:
        """It is written."""
        if isinstance(reply, DatabaseBackedUp | DatabaseDetached):
            self._backup = reply.backup
            for then in self._waiting:
                then(reply.backup)

    def use(self, then: Callable[[DatabaseBackup], None]) -> None:
        """Do something with it as soon as it is there."""
        if self._backup is not None:
            then(self._backup)
        else:
            self._waiting.append(then)


def _back_up(operator: Operator, database: DatabaseName) -> _File:
    file = _File()
    operator.do(lambda command_id, _, __: BackupDatabase(command_id=command_id, database=database), file.answered)
    return file


# ── back in time ─────────────────────────────────────────────────────────────────────────────────────────────────────
def _restore(fault: Fault, struck: Struck) -> Undo | None:
    """The backup is taken now; what happens until the end of the fault is lost."""
    site = struck.sites[fault.subject.instance, fault.subject.database]
    if site.is_busy:
        return None
    site.is_busy = True
    operator, database = struck.operators[fault.subject.instance], site.database
    file = _back_up(operator, database)

    def arrive(_: Reply) -> None:
        site.is_busy = False

    def bring_back(backup: DatabaseBackup) -> None:
        operator.do(
            lambda command_id, base, revision: RestoreDatabase(
                command_id=command_id,
                base=base,
                revision=revision,
                database=database,
                backup=backup,
                option=AttachOption.ERROR_BROKER_CONVERSATIONS,
            ),
            arrive,
        )

    return partial(file.use, bring_back)


# ── away and back ────────────────────────────────────────────────────────────────────────────────────────────────────
def _detach(fault: Fault, struck: Struck) -> Undo | None:
    """Nobody else operates the server while the database is away."""
    site = struck.sites[fault.subject.instance, fault.subject.database]
    if site.is_busy:
        return None
    site.is_busy = True
    operator, database = struck.operators[fault.subject.instance], site.database
    option = _one_of(ATTACHED_AS, fault.subject.amount)
    file = _File()

    def gone(reply: Reply) -> None:
        operator.halt()
        file.answered(reply)

    def back(_: Reply) -> None:
        site.is_busy = False

    def attach(backup: DatabaseBackup) -> None:
        operator.resume(lambda: operator.do(_attaching(database, backup, option), back, is_first=True))

    operator.do(
        lambda command_id, base, revision: DetachDatabase(
            command_id=command_id, base=base, revision=revision, database=database
        ),
        gone,
    )
    return partial(file.use, attach)


# ── twice ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def _attach_copy(fault: Fault, struck: Struck) -> Undo | None:
    """Beside the original with its id, or on another instance with an id of its own, as test systems are made."""
    subject = fault.subject
    site = struck.sites[subject.instance, subject.database]
    if site.is_busy:
        return None
    site.is_busy = True
    copy = DatabaseName(site.database + COPY_SUFFIX)
    there = struck.operators[subject.other or subject.instance]
    option = AttachOption.NEW_BROKER if subject.other else _one_of(ATTACHED_AS, subject.amount)
    file = _back_up(struck.operators[subject.instance], site.database)
    file.use(lambda backup: there.do(_attaching(copy, backup, option)))

    def thrown_away(_: Reply) -> None:
        site.is_busy = False

    def throw_away(_: DatabaseBackup) -> None:
        there.do(
            lambda command_id, base, revision: DetachDatabase(
                command_id=command_id, base=base, revision=revision, database=copy
            ),
            thrown_away,
        )

    return partial(file.use, throw_away)


def _attaching(database: DatabaseName, backup: DatabaseBackup, option: AttachOption | None) -> Order:
    return lambda command_id, base, revision: AttachDatabase(
        command_id=command_id, base=base, revision=revision, database=database, backup=backup, option=option
    )


def _one_of(options: tuple[AttachOption | None, ...], share: float) -> AttachOption | None:
    return options[min(int(share * len(options)), len(options) - 1)]


def _database_and_stranger(scenario: Scenario, dice: Dice) -> Subject | None:
    """A database, and in every other case an instance that passes nothing on, so that nobody looks for a copy there."""
    subject = _any_database(scenario, dice)
    strangers = [each.name for each in scenario.instances if not each.forwards]
    strangers = [name for name in strangers if subject is not None and name != subject.instance]
    if subject is None or not strangers or dice.chance(0.5):
        return subject
    return msgspec.structs.replace(subject, other=dice.choose(strangers))


def _held(subject: Subject) -> tuple[str, ...]:
    return ("database", subject.instance, subject.database)


KINDS: Final = (
    FaultKind(name="restore", lasts=(1.0, 40.0), choose=_any_database, strike=_restore, holds=_held),
    FaultKind(name="detach", lasts=(0.5, 30.0), choose=_any_database, strike=_detach, holds=_held),
    FaultKind(name="attach-copy", lasts=(0.5, 30.0), choose=_database_and_stranger, strike=_attach_copy, holds=_held),
)
