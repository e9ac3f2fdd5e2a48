"""A scenario: an estate in trouble, what its operator is to achieve, and how that is judged (product.md 2d)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from engine.assertions.assertion import Assertion, Place
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.system_views import SystemViewQuery
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, MessageTypeName, QueueName
from engine.core.vocabulary.moment import UtcTime
from engine.training.words import Texts
from engine.whatif.faults import Fault
from engine.whatif.telling import FlowQuestion

HINT_LEVELS: Final = 3
"""A nudge, where to look, and what is to be done."""


class Level(StrEnum):
    """For whom it is."""

    BEGINNER = "beginner"
    INTERMEDIATE = "intermediate"
    ADVANCED = "advanced"


class Skill(StrEnum):
    """What is learnt."""

    ROUTES = "routes"
    NAMES = "names"
    RETURN_ROUTES = "return-routes"
    MSDB = "msdb"
    FORWARDING = "forwarding"
    IDENTITY = "identity"
    RESTORE = "restore"
    QUEUES = "queues"
    CONVERSATIONS = "conversations"
    MIRRORING = "mirroring"
    SYSTEM_VIEWS = "system-views"


# ── what goes on ─────────────────────────────────────────────────────────────────────────────────────────────────────
class Sender(msgspec.Struct, frozen=True, kw_only=True):
    """A program that begins one conversation after another, and its counterpart, which takes the message and ends."""

    name: str
    flow: FlowQuestion
    """Names contract and message type."""


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """A program that reads a queue in the place of the senders' counterparts, message by message, in transactions."""

    instance: InstanceName
    database: DatabaseName
    queue: QueueName
    fails_on: str | None = None
    """It rolls back whatever has this text in its body; the fifth time in a row switches the queue off."""
    ends: bool = False
    """Whether it ends the conversation after each message."""
    answer: MessageTypeName | None = None
    """What it sends back for each message."""


class Traffic(msgspec.Struct, frozen=True, kw_only=True):
    """What programs do by themselves."""

    senders: tuple[Sender, ...] = ()
    readers: tuple[Reader, ...] = ()
    every_seconds: float = 10.0
    """Between two conversations of one sender."""
    begins_at_seconds: float = 0.0


class TimedFault(msgspec.Struct, frozen=True, kw_only=True):
    """A fault on the clock of the sandbox."""

    fault: Fault
    begins_at_seconds: float
    ends_at_seconds: float | None = None
    """None: it stays."""


# ── what is judged ───────────────────────────────────────────────────────────────────────────────────────────────────
class _Check(msgspec.Struct, frozen=True, kw_only=True, tag_field="check"):
    """One thing that is looked at."""

    is_kept: bool = False
    """It holds at the start and is to go on holding: no merit, but a fault where it does not."""
    is_needed: bool = False
    """No merit by itself, but without it the task earns nothing: it tells a repair from what only looks like one."""


class WhatIfCheck(_Check, frozen=True, kw_only=True, tag="what-if"):
    """What would become of a message, by the definitions and faults of the moment and what the check supposes."""

    assertion: Assertion


class QueryCheck(_Check, frozen=True, kw_only=True, tag="query"):
    """How many rows a system view or queue has."""

    instance: InstanceName
    query: SystemViewQuery
    rows_min: int = 0
    rows_max: int | None = None
    """None is no bound."""


class SelectCheck(_Check, frozen=True, kw_only=True, tag="select"):
    """How many rows a SELECT gives, run by a session of a database."""

    instance: InstanceName
    database: DatabaseName
    sql: str
    rows_min: int = 0
    rows_max: int | None = None
    """None is no bound."""


class DeliveryCheck(_Check, frozen=True, kw_only=True, tag="delivery"):
    """A message of the grader's, sent through an estate as this one is now, arrives and is acknowledged in time."""

    flow: FlowQuestion
    within_seconds: float
    faults: tuple[Fault, ...] = ()
    """Supposed besides those of the moment."""
    reaches: tuple[Place, ...] = ()
    """Databases that will do; none: wherever it arrives."""


class TrafficCheck(_Check, frozen=True, kw_only=True, tag="traffic"):
    """What the flow has really sent has arrived, but for what is younger than `within_seconds`; nothing has failed.

    A conversation that was torn out before its sender heard anything has failed, for nobody will ever hear of it.
    """

    flow: FlowQuestion
    name: str
    """Of the traffic, for words."""
    within_seconds: float
    since_seconds: float = 0.0
    """Conversations that were begun earlier are not looked at; seconds of the sandbox."""
    reaches: tuple[Place, ...] = ()
    """Databases that will do; none: wherever they arrive."""
    answer: MessageTypeName | None = None
    """A message of this type has to have come back to the sender as well."""
    only_whole: bool = False
    """Nothing has to have arrived; it is enough that nothing has failed or was torn out."""


class AnyCheck(_Check, frozen=True, kw_only=True, tag="any"):
    """One of several holds."""

    checks: tuple[Check, ...]


Check = WhatIfCheck | QueryCheck | SelectCheck | DeliveryCheck | TrafficCheck | AnyCheck


def flows_of(check: Check) -> tuple[FlowQuestion, ...]:
    """The flows that a check asks about, as who writes to whom."""
    match check:
        case WhatIfCheck():
            return (who_to_whom(check.assertion.question),)
        case DeliveryCheck() | TrafficCheck():
            return (who_to_whom(check.flow),)
        case AnyCheck():
            return tuple(flow for each in check.checks for flow in flows_of(each))
        case QueryCheck() | SelectCheck():
            return ()


def unspoken(flow: FlowQuestion) -> FlowQuestion:
    """A flow without contract and type, which make a sentence long."""
    return msgspec.structs.replace(flow, contract=None, message_type=None)


def who_to_whom(flow: FlowQuestion) -> FlowQuestion:
    """A flow as its services alone."""
    return msgspec.structs.replace(unspoken(flow), broker_instance=None)


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to achieve."""

    id: str
    points: int
    title: Texts
    checks: tuple[Check, ...]


class Hint(msgspec.Struct, frozen=True, kw_only=True):
    """One rung of the ladder."""

    cost: int
    """Per cent of the score."""
    text: Texts
    lesson: str = ""
    """The id of the lesson that teaches it; empty for none."""


# ── ways through it ──────────────────────────────────────────────────────────────────────────────────────────────────
class Statements(msgspec.Struct, frozen=True, kw_only=True, tag="statements"):
    """T-SQL, run by a session of a database."""

    instance: InstanceName
    database: DatabaseName
    sql: str
    line: int | None = None
    """Of the file, where the T-SQL begins; None for statements that are in none."""


class Wait(msgspec.Struct, frozen=True, kw_only=True, tag="wait"):
    """Let the sandbox go on."""

    seconds: float


Step = Statements | Wait


class WrongTurn(msgspec.Struct, frozen=True, kw_only=True):
    """What seems to do and does not; told after the end. It scores less than everything."""

    text: Texts
    """What it is, and why it does not do."""
    steps: tuple[Step, ...]


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """One exercise, as a file says it."""

    id: str
    level: Level
    skills: tuple[Skill, ...]
    after: tuple[str, ...] = ()
    """Ids of those that one has better played before."""
    minutes: int
    """What somebody takes for it who is learning; the time that an examination allows."""
    title: Texts
    brief: Texts
    begins_at: UtcTime
    scripts: tuple[tuple[str, str], ...]
    """T-SQL of the estate: instance and text, in order."""
    catalogs: dict[InstanceName, InstanceCatalog]
    """What the scripts make, always the same."""
    prologue: tuple[Step, ...] = ()
    """What has happened when the trainee comes in."""
    traffic: Traffic = Traffic()
    faults: tuple[TimedFault, ...] = ()
    tasks: tuple[Task, ...]
    collateral_cost: int
    """Per cent of the score for each thing that was broken, however many flows it stops."""
    hints: tuple[Hint, ...]
    solution: tuple[Step, ...]
    wrong_turns: tuple[WrongTurn, ...]
    explanation: Texts
    digest: str
    """Of the file: a run belongs to the scenario as it was then."""

    @property
    def points(self) -> int:
        """Of all tasks."""
        return sum(task.points for task in self.tasks)

    def faults_at(self, seconds: float) -> tuple[Fault, ...]:
        """What the clock has broken at an instant of the sandbox."""
        return tuple(
            each.fault
            for each in self.faults
            if each.begins_at_seconds <= seconds and (each.ends_at_seconds is None or seconds < each.ends_at_seconds)
        )
