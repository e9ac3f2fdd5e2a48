"""Flows as they are stored: the question as JSON, under a hash of the engine's key."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec

from engine import api as engine

FlowQuestion = engine.what_if.FlowQuestion


def digest_of(key: str) -> str:
    """The hash under which a flow is stored; `key` is `engine.what_if.flow_key` of it."""
    return sha256(key.encode()).hexdigest()


def question_to_json(question: FlowQuestion) -> dict[str, Any]:
    """A flow in the engine's JSON form."""
    stored: dict[str, Any] = msgspec.to_builtins(question)
    return stored


def question_from_json(stored: object) -> FlowQuestion:
    """The flow of a row."""
    return msgspec.convert(stored, FlowQuestion)
