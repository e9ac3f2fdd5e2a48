"""The sample estates that come with the engine."""

from __future__ import annotations

from typing import Any

from engine import api as engine


def sample_list() -> list[dict[str, Any]]:
    """Every sample: name, title, description."""
    return [
        {"name": sample.name, "title": sample.title, "description": sample.description} for sample in engine.samples()
    ]
