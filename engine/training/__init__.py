"""Operator training: scenario files, and grading by what the network does. `engine.api` hands on what is here."""

from __future__ import annotations

from engine.training.collateral import BrokenFlow
from engine.training.grading import Grading, TaskGrade, grade
from engine.training.judging import CheckResult
from engine.training.manifest import Manifest
from engine.training.modes import MODE_RULES, Mode, ModeRules
from engine.training.playing import GradedSandbox, Played, StepFailed, begin, spec_of, take_steps
from engine.training.reading import read_scenario
from engine.training.scenario import (
    AnyCheck,
    Check,
    DeliveryCheck,
    Hint,
    Level,
    QueryCheck,
    Reader,
    Scenario,
    SelectCheck,
    Sender,
    Skill,
    Statements,
    Step,
    Task,
    TimedFault,
    Traffic,
    TrafficCheck,
    Wait,
    WhatIfCheck,
    WrongTurn,
)
from engine.training.trying import Try, TryKind, tried
from engine.training.words import LANGUAGES, Texts
from engine.training.world import Beginning, GradedWorld, Shipment

__all__ = [
    "LANGUAGES",
    "MODE_RULES",
    "AnyCheck",
    "Beginning",
    "BrokenFlow",
    "Check",
    "CheckResult",
    "DeliveryCheck",
    "GradedSandbox",
    "GradedWorld",
    "Grading",
    "Hint",
    "Level",
    "Manifest",
    "Mode",
    "ModeRules",
    "Played",
    "QueryCheck",
    "Reader",
    "Scenario",
    "SelectCheck",
    "Sender",
    "Shipment",
    "Skill",
    "Statements",
    "Step",
    "StepFailed",
    "Task",
    "TaskGrade",
    "Texts",
    "TimedFault",
    "Traffic",
    "TrafficCheck",
    "Try",
    "TryKind",
    "Wait",
    "WhatIfCheck",
    "WrongTurn",
    "begin",
    "grade",
    "read_scenario",
    "spec_of",
    "take_steps",
    "tried",
]
