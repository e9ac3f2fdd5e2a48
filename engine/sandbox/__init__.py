"""Private simulations for operator training: worlds that a person controls, each a function of a spec and a log."""

from __future__ import annotations

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
from engine.sandbox.clock import RATE_MAX, SandboxClock
from engine.sandbox.figures import Delivery, PairFigures
from engine.sandbox.sandbox import OutOfOrder, Sandbox, used_up
from engine.sandbox.server import InstanceDown
from engine.sandbox.spec import (
    BadSandbox,
    NamedTraffic,
    QueueReader,
    SandboxSpec,
    TimedFault,
    TrafficPair,
    TrafficPlan,
)
from engine.sandbox.target import Hands, OwnHands, SandboxTarget
from engine.sandbox.version import engine_version

__all__ = [
    "RATE_MAX",
    "Action",
    "ActionOutcome",
    "BackupKept",
    "BadSandbox",
    "ClockSet",
    "CommandsGiven",
    "DefinitionsChanged",
    "Delivery",
    "Entry",
    "FailedOver",
    "FaultBegun",
    "FaultEnded",
    "FileWritten",
    "Hands",
    "InstanceDown",
    "NamedTraffic",
    "OutOfOrder",
    "OwnHands",
    "PairFigures",
    "QueueReader",
    "Sandbox",
    "SandboxClock",
    "SandboxSpec",
    "SandboxTarget",
    "TimedFault",
    "TrafficBegun",
    "TrafficEnded",
    "TrafficPair",
    "TrafficPlan",
    "WaitGivenUp",
    "engine_version",
    "used_up",
]
