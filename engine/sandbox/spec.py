"""What a sandbox begins with: instances, the time, what goes on in it by itself, and which faults strike when."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ContractName,
    DatabaseName,
    InstanceName,
    MessageTypeName,
    QueueName,
    ServiceName,
)
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.faults import Fault

INSTANCES_MAX: Final = 16
PAIRS_MAX: Final = 50
READERS_MAX: Final = 50
RATE_MIN: Final = 0.001
RATE_MAX: Final = 50.0
"""Messages a second of its own time, of one pair."""
SIZE_MAX: Final = 64 * 1024
DIALOG_MESSAGES_MAX: Final = 1_000
DIALOGS_MAX: Final = 100
HAPPENINGS_MAX: Final = 1_000_000
"""Turns, bytes that arrive, timers and commands of a whole run: a minute or so of a processor.

A day of an ordinary exercise is a tenth of it.
"""
FAULTS_MAX: Final = 100
FAULT_SECONDS_MIN: Final = 0.001
FAULT_SECONDS_MAX: Final = 86_400.0
PACE_MAX: Final = 1_000.0
OUT_OF_BOUNDS: Final = 15021


class TrafficPair(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One service that sends to another one."""

    from_instance: InstanceName
    from_database: DatabaseName
    from_service: ServiceName
    to_service: ServiceName
    contract: ContractName
    message_type: MessageTypeName
    broker_instance: BrokerInstanceId | None = None
    """Which copy of the service its dialogs name; None leaves it to routing."""


class QueueReader(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An application that reads a queue, message by message, each in a transaction; END is answered by END."""

    instance: InstanceName
    database: DatabaseName
    queue: QueueName
    reply_type: MessageTypeName | None = None
    """Answers each message with one of this type; None with nothing."""
    fails_on: str | None = None
    """It rolls back whatever has this text in its body: a poison message for it."""
    ends: bool = False
    """Whether it ends the conversation after each message that it has taken."""


class TrafficPlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Test traffic in a sandbox, in the words of the test traffic of live estates. Seconds are of the sandbox."""

    pairs: tuple[TrafficPair, ...] = ()
    rate: float = 1.0
    """Messages a second, of each pair."""
    size: int = 100
    """Bytes of a body; XML that has to be well formed is a little longer where this is less than its tags."""
    reply_ratio: float = 0.0
    """How many messages are answered, 0 none to 1 all."""
    dialog_messages: int = 10
    """Messages that a dialog carries before it ends and another one begins."""
    dialogs_max: int = DIALOGS_MAX
    """Open dialogs of a pair; beyond that it begins no further one until some have ended."""
    readers: tuple[QueueReader, ...] = ()
    """Applications beside the pairs. A queue that one of them reads is left to it."""


class TimedFault(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A fault on the clock of the sandbox."""

    at_seconds: float
    fault: Fault
    lasts_seconds: float | None = None
    """None is until somebody ends it."""


class NamedTraffic(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Traffic that begins by itself."""

    name: str
    plan: TrafficPlan
    at_seconds: float = 0.0


class SandboxSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that is the same in every run. With the log of what was done it is the whole state."""

    seed: int
    begins_at: UtcTime
    """The time of its machines when it begins, UTC."""
    instances: tuple[InstanceCatalog, ...]
    traffic: tuple[NamedTraffic, ...] = ()
    faults: tuple[TimedFault, ...] = ()
    pace: float = 1.0
    """The factor by which waiting times of the protocol are shortened, as of a live instance."""
    happenings_max: int = HAPPENINGS_MAX
    """So much happens at most; after that its time stands still for good."""


class BadSandbox(LocalProtocolError):
    """15021: a description of a sandbox, or an action in it, is beyond its bounds."""

    def __init__(self, name: str, value: object, expected: str) -> None:
        """`name` says in our words what has the value, `expected` what is allowed."""
        super().__init__(OUT_OF_BOUNDS, name=name, value=_shown(value), expected=expected)


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def between(low: float, high: float) -> str:
    """What is allowed, for `BadSandbox`."""
    return f"it must be between {low:g} and {high:g}"


def check_spec(spec: SandboxSpec) -> None:
    """Raises `BadSandbox` for what is beyond the bounds. Names are looked at when they are used."""
    _bound("instances of a sandbox", len(spec.instances), 1, INSTANCES_MAX)
    _bound("faults on a clock", len(spec.faults), 0, FAULTS_MAX)
    _bound("events of a run", spec.happenings_max, 1, HAPPENINGS_MAX)
    _bound("pace", spec.pace, 1.0, PACE_MAX)
    names: set[str] = set()
    for catalog in spec.instances:
        if catalog.name.casefold() in names:
            raise BadSandbox("name of an instance", catalog.name, "each name may be there once")
        names.add(catalog.name.casefold())
    for timed in spec.faults:
        _bound("second of a fault", timed.at_seconds, 0.0, FAULT_SECONDS_MAX)
        if timed.lasts_seconds is not None:
            _bound("second of a fault", timed.lasts_seconds, FAULT_SECONDS_MIN, FAULT_SECONDS_MAX)
    for named in spec.traffic:
        check_plan(named.plan)


def check_plan(plan: TrafficPlan) -> None:
    """Raises `BadSandbox` for traffic beyond the bounds."""
    _bound("pairs of test traffic", len(plan.pairs), 0, PAIRS_MAX)
    _bound("readers of test traffic", len(plan.readers), 0, READERS_MAX)
    _bound("bytes of a body", plan.size, 0, SIZE_MAX)
    _bound("messages of a dialog", plan.dialog_messages, 1, DIALOG_MESSAGES_MAX)
    _bound("open dialogs of a pair", plan.dialogs_max, 1, DIALOGS_MAX)
    _bound("messages a second", plan.rate, RATE_MIN, RATE_MAX)
    _bound("share of messages that are answered", plan.reply_ratio, 0.0, 1.0)


def _bound(name: str, value: float, low: float, high: float) -> None:
    """Raises `BadSandbox`; what is not a number is out of every bound."""
    if not low <= value <= high:
        raise BadSandbox(name, value, between(low, high))
