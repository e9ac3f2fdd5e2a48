"""The scenarios that ship, read once by each process."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.training.lesson_pages import lesson_ids
from engine import api as engine

Scenario = engine.training.Scenario
FOLDER: Final = Path(__file__).parent / "scenarios"
_LEVELS: Final = ("beginner", "intermediate", "advanced")


class BadScenario(Exception):
    """A file that ships has mistakes: a fault of the product, named with line and column."""


@cache
def scenarios() -> dict[str, Scenario]:
    """All of them by id, the easiest first, and none before what it comes after. Raises `BadScenario`."""
    found = {each.id: each for each in map(_read, FOLDER.glob("*.yaml"))}
    depths = {name: _depth(found, name, ()) for name in found}
    order = sorted(found.values(), key=lambda each: (_LEVELS.index(each.level), depths[each.id], each.minutes, each.id))
    return {each.id: each for each in order}


def _depth(known: dict[str, Scenario], name: str, above: tuple[str, ...]) -> int:
    """How many others come before one. Raises `BadScenario` for one that is not there, or comes after itself."""
    if name not in known or name in above:
        raise BadScenario(f"{(*above, name)[0]}.yaml: 'after' leads to {name}, which is not there or leads back")
    return max((_depth(known, each, (*above, name)) + 1 for each in known[name].after), default=0)


def scenario_named(name: str) -> Scenario:
    """One of them. Raises `ObjectNotFound`."""
    found = scenarios().get(name)
    if found is None:
        raise ObjectNotFound(
            _("There is no scenario {name}.").format(name=name), cure=_("Choose one of the catalogue.")
        )
    return found


def lessons_of(scenario: Scenario) -> tuple[str, ...]:
    """The lessons that its hints lead to, each once."""
    return tuple(dict.fromkeys(hint.lesson for hint in scenario.hints if hint.lesson))


def lessons_by_scenario() -> tuple[str, ...]:
    """Every lesson, in the order in which the catalogue leads to them."""
    led_to = [lesson for scenario in scenarios().values() for lesson in lessons_of(scenario)]
    return tuple(dict.fromkeys([*led_to, *lesson_ids()]))


def faults_of_lessons(name: str, scenario: Scenario) -> list[str]:
    """FILE:1:1: text, for each lesson of a scenario that there is not."""
    known = lesson_ids()
    return [
        f"{name}:1:1: 15151: there is no lesson '{each}'; there are {', '.join(known)}"
        for each in lessons_of(scenario)
        if each not in known
    ]


def _read(file: Path) -> Scenario:
    scenario, faults = engine.training.read_scenario(file.name, file.read_text("utf-8"))
    if scenario is None:
        raise BadScenario("\n".join(f"{each.file}:{each.line}:{each.column}: {each.text}" for each in faults))
    return scenario
