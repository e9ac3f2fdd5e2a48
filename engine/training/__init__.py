"""Operator training: scenario files, and grading by what the network does. `engine.api` hands on what is here."""

from __future__ import annotations

from engine.training.collateral import BrokenFlow
from engine.training.grading import Grading, TaskGrade, grade
from engine.training.judging import CheckResult
from engine.training.manifest import Manifest
from engine.training.modes import MODE_RULES, Mode, ModeRules
from engine.training.reading import read_scenario
from engine.training.scenario import (
    Check,
    DeliveryCheck,
    Hint,
    Level,
    QueryCheck,
    Reader,
    Scenario,
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
from engine.training.words import LANGUAGES, Texts
from engine.training.world import GradedWorld, Shipment

__all__ = [
    "LANGUAGES",
    "MODE_RULES",
    "BrokenFlow",
    "Check",
    "CheckResult",
    "DeliveryCheck",
    "GradedWorld",
    "Grading",
    "Hint",
    "Level",
    "Manifest",
    "Mode",
    "ModeRules",
    "QueryCheck",
    "Reader",
    "Scenario",
    "Sender",
    "Shipment",
    "Skill",
    "Statements",
    "Step",
    "Task",
    "TaskGrade",
    "Texts",
    "TimedFault",
    "Traffic",
    "TrafficCheck",
    "Wait",
    "WhatIfCheck",
    "WrongTurn",
    "grade",
    "read_scenario",
]
