"""What a sandbox begins with: instances, the time, what goes on in it by itself, and which faults strike when."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
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
RATE_MAX: Final = 50.0
"""Messages a second of its own time, of one pair."""
SIZE_MAX: Final = 64 * 1024
DIALOG_MESSAGES_MAX: Final = 1_000
FAULTS_MAX: Final = 100


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


class BadSandbox(ValueError):
    """A description of a sandbox, or an action in it, is beyond its bounds; the text says which."""


def check_spec(spec: SandboxSpec) -> None:
    """Raises `BadSandbox` for what is beyond the bounds. Names are looked at when they are used."""
    _bound("instances", len(spec.instances), 1, INSTANCES_MAX)
    _bound("faults", len(spec.faults), 0, FAULTS_MAX)
    if not 1.0 <= spec.pace <= 1_000.0:
        raise BadSandbox(f"the pace is 1 to 1000, not {spec.pace:g}")
    if len({catalog.name.casefold() for catalog in spec.instances}) < len(spec.instances):
        raise BadSandbox("two instances have one name")
    for timed in spec.faults:
        if timed.at_seconds < 0 or (timed.lasts_seconds is not None and timed.lasts_seconds <= 0):
            raise BadSandbox("a fault begins at 0 or later and lasts longer than 0 seconds")
    for named in spec.traffic:
        check_plan(named.plan)


def check_plan(plan: TrafficPlan) -> None:
    """Raises `BadSandbox` for traffic beyond the bounds."""
    _bound("pairs", len(plan.pairs), 0, PAIRS_MAX)
    _bound("readers", len(plan.readers), 0, READERS_MAX)
    _bound("bytes of a body", plan.size, 0, SIZE_MAX)
    _bound("messages of a dialog", plan.dialog_messages, 1, DIALOG_MESSAGES_MAX)
    if not 0.0 < plan.rate <= RATE_MAX:
        raise BadSandbox(f"a rate is above 0 and at most {RATE_MAX:g} messages a second, not {plan.rate:g}")
    if not 0.0 <= plan.reply_ratio <= 1.0:
        raise BadSandbox(f"the share of messages that are answered is 0 to 1, not {plan.reply_ratio:g}")


def _bound(what: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise BadSandbox(f"{what}: {low} to {high}, not {value}")
