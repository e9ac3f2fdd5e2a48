"""The scenarios that ship, read once by each process."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from engine import api as engine

Scenario = engine.training.Scenario
FOLDER: Final = Path(__file__).parent / "scenarios"
_LEVELS: Final = ("beginner", "intermediate", "advanced")


class BadScenario(Exception):
    """A file that ships has mistakes: a fault of the product, named with line and column."""


@cache
def scenarios() -> dict[str, Scenario]:
    """All of them by id, the easiest first. Raises `BadScenario`."""
    found = sorted(
        map(_read, FOLDER.glob("*.yaml")), key=lambda each: (_LEVELS.index(each.level), each.minutes, each.id)
    )
    return {each.id: each for each in found}


def scenario_named(name: str) -> Scenario:
    """One of them. Raises `ObjectNotFound`."""
    found = scenarios().get(name)
    if found is None:
        raise ObjectNotFound(
            _("There is no scenario {name}.").format(name=name), cure=_("Choose one of the catalogue.")
        )
    return found


def _read(file: Path) -> Scenario:
    scenario, faults = engine.training.read_scenario(file.name, file.read_text("utf-8"))
    if scenario is None:
        raise BadScenario("\n".join(f"{each.file}:{each.line}:{each.column}: {each.text}" for each in faults))
    return scenario
