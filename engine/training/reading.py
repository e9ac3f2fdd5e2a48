"""A scenario out of YAML: strict, every fault told with line, column and number, and none made when there is one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

from engine.assertions.value_reading import read_instant
from engine.core.catalog.names import spelling_in
from engine.core.vocabulary.identifiers import MASTER, DatabaseName, InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.route_check.nodes import is_null
from engine.route_check.tree import UNUSABLE, Fault, Node, Scalar, compose, numbered
from engine.training.check_reading import Known, read_check
from engine.training.estate_reading import Estate, read_estate
from engine.training.nodes import TrainingReader
from engine.training.scenario import (
    HINT_LEVELS,
    Check,
    Hint,
    Level,
    Scenario,
    Skill,
    Statements,
    Step,
    Task,
    Wait,
    WrongTurn,
)
from engine.training.traffic_reading import read_timed_faults, read_traffic

_REQUIRED: Final = (
    "id",
    "level",
    "skills",
    "minutes",
    "title",
    "brief",
    "begins_at",
    "estate",
    "tasks",
    "hints",
    "solution",
    "wrong_turns",
    "explanation",
)
_KEYS: Final = (*_REQUIRED, "after", "prologue", "traffic", "faults", "collateral_cost")
_STEP: Final = ("instance", "database", "sql")
MINUTES_MAX, POINTS_MAX, COST_MAX = 240, 100, 50
COLLATERAL_COST: Final = 10
CHARACTERS_MAX: Final = 1_000_000


def read_scenario(file: str, text: str) -> tuple[Scenario | None, list[Fault]]:
    """The scenario of a file, or None and all of its faults, by line and column."""
    if len(text) > CHARACTERS_MAX:
        told = f"{UNUSABLE}: a scenario has at most {CHARACTERS_MAX} characters, this file {len(text)}"
        return None, [Fault(file=file, line=1, column=1, text=told)]
    tree, fault = compose(file, text)
    if fault is not None:
        return None, [numbered(fault)]
    if tree is None or is_null(tree):
        return None, [Fault(file=file, line=1, column=1, text=f"{UNUSABLE}: the file holds no scenario")]
    reader = TrainingReader(file, text)
    scenario = _read(reader, tree, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
    faults = sorted(reader.faults, key=lambda each: (each.line, each.column))
    return (None if faults else scenario), [numbered(each) for each in faults]


def _read(reader: TrainingReader, tree: Node, digest: str) -> Scenario | None:
    given = reader.mapping(tree, "a scenario", _KEYS, required=_REQUIRED)
    if given is None:
        return None
    fields: dict[str, Any] = {
        "id": reader.id(given.get("id"), "the id of a scenario"),
        "level": _word(reader, given.get("level"), "'level'", Level),
        "skills": _skills(reader, given.get("skills")),
        "after": _after(reader, given),
        "minutes": reader.whole(given.get("minutes"), "'minutes'", 1, MINUTES_MAX),
        "title": reader.texts(given.get("title"), "the title"),
        "brief": reader.texts(given.get("brief"), "the brief"),
        "begins_at": read_instant(reader, given.get("begins_at"), "'begins_at'"),
        "explanation": reader.texts(given.get("explanation"), "the explanation"),
    }
    cost = reader.whole(given.get("collateral_cost"), "'collateral_cost'", 0, COST_MAX)
    # Mistakes of other parts do not keep the estate from being read, nor the estate's the others.
    aside, reader.faults = reader.faults, []
    estate = read_estate(reader, given.get("estate"), fields["begins_at"] or UtcTime(0.0))
    reader.faults = aside + reader.faults
    catalogs = None if estate is None else estate.catalogs
    fields["traffic"] = read_traffic(reader, given.get("traffic"), catalogs)
    fields["faults"] = read_timed_faults(reader, given.get("faults"), catalogs)
    fields["prologue"] = _steps(reader, given.get("prologue"), "'prologue'", estate)
    known = None if catalogs is None else Known(catalogs, fields["traffic"].senders)
    fields["tasks"] = _tasks(reader, given.get("tasks"), known)
    fields["hints"] = _hints(reader, given.get("hints"))
    fields["solution"] = _steps(reader, given.get("solution"), "'solution'", estate)
    fields["wrong_turns"] = _wrong_turns(reader, given.get("wrong_turns"), estate)
    if reader.faults or estate is None or any(value is None for value in fields.values()):
        _tell_nulls(reader, given, fields)
        return None
    return Scenario(
        **fields,
        scripts=estate.scripts,
        catalogs=estate.catalogs,
        collateral_cost=COLLATERAL_COST if cost is None else cost,
        digest=digest,
    )


def _tell_nulls(reader: TrainingReader, given: dict[str, Node] | Any, fields: dict[str, Any]) -> None:
    """A key that stands there with nothing."""
    for key in _REQUIRED:
        if key in given and is_null(given[key]) and key in fields and not fields[key]:
            reader.fault(given[key], f"'{key}' is not null")


def _word(reader: TrainingReader, node: Node | None, what: str, words: type[Level] | type[Skill]) -> Any:
    found = reader.word(node, what, [each.value for each in words])
    return None if found is None else words(found)


def _after(reader: TrainingReader, given: Any) -> tuple[str, ...]:
    """Ids of other scenarios; whether they are there knows whoever has them all."""
    found = [reader.id(item, "an id in 'after'") for item in reader.items(given.get("after"), "'after'")]
    own = given.get("id")
    if isinstance(own, Scalar) and own.value in found:
        reader.fault(given["after"], "a scenario does not come after itself")
    return tuple(each for each in found if each is not None)


def _skills(reader: TrainingReader, node: Node | None) -> tuple[Skill, ...]:
    found = [_word(reader, item, "a skill", Skill) for item in reader.items(node, "'skills'")]
    if node is not None and not found and not is_null(node):
        reader.fault(node, "a scenario teaches at least one skill")
    return tuple(each for each in found if each is not None)


# ── tasks and hints ──────────────────────────────────────────────────────────────────────────────────────────────────
def _tasks(reader: TrainingReader, node: Node | None, known: Known | None) -> tuple[Task, ...]:
    ids: set[str] = set()
    items = reader.items(node, "'tasks'")
    if node is not None and not items and not is_null(node):
        reader.fault(node, "a scenario has at least one task")
    return tuple(task for item in items if (task := _task(reader, item, known, ids)) is not None)


def _task(reader: TrainingReader, node: Node, known: Known | None, ids: set[str]) -> Task | None:
    keys = ("id", "points", "title", "checks")
    given = reader.mapping(node, "a task", keys, required=keys)
    if given is None:
        return None
    name = reader.id(given.get("id"), "the id of a task")
    if name is not None and name in ids:
        reader.fault(given["id"], f"the id '{name}' stands twice in 'tasks'")
    ids.add(name or "")
    points = reader.whole(given.get("points"), "'points'", 1, POINTS_MAX)
    title = reader.texts(given.get("title"), "the title of a task")
    items = reader.items(given.get("checks"), "'checks'")
    checks: list[Check | None] = [
        read_check(reader, item, known, f"{name}/{number}") for number, item in enumerate(items, start=1)
    ]
    found = tuple(check for check in checks if check is not None)
    if "checks" in given and len(found) == len(items) and all(check.is_kept or check.is_needed for check in found):
        reader.fault(given["checks"], "a task has at least one check that is a goal: neither kept nor needed")
    if name is None or points is None or title is None or not found:
        return None
    return Task(id=name, points=points, title=title, checks=found)


def _hints(reader: TrainingReader, node: Node | None) -> tuple[Hint, ...]:
    items = reader.items(node, "'hints'")
    if node is not None and len(items) != HINT_LEVELS:
        reader.fault(node, f"a scenario has {HINT_LEVELS} hints: a nudge, where to look, what is to be done")
    return tuple(hint for item in items if (hint := _hint(reader, item)) is not None)


def _hint(reader: TrainingReader, node: Node) -> Hint | None:
    given = reader.mapping(node, "a hint", ("cost", "text", "lesson"), required=("cost", "text"))
    if given is None:
        return None
    cost = reader.whole(given.get("cost"), "'cost'", 0, COST_MAX)
    text = reader.texts(given.get("text"), "the text of a hint")
    lesson = reader.text(given.get("lesson"), "'lesson'")
    if cost is None or text is None:
        if "cost" in given and is_null(given["cost"]):
            reader.fault(given["cost"], "'cost' is not null")
        return None
    return Hint(cost=cost, text=text, lesson=lesson or "")


# ── ways through it ──────────────────────────────────────────────────────────────────────────────────────────────────
def _steps(reader: TrainingReader, node: Node | None, what: str, estate: Estate | None) -> tuple[Step, ...]:
    items = reader.items(node, what)
    if node is not None and not items and not is_null(node):
        reader.fault(node, f"{what} has at least one step")
    return tuple(step for item in items if (step := _step(reader, item, estate)) is not None)


def _step(reader: TrainingReader, node: Node, estate: Estate | None) -> Step | None:
    given = reader.mapping(node, "a step", (*_STEP, "wait_seconds"))
    if given is None:
        return None
    if "wait_seconds" in given:
        if len(given) > 1:
            reader.fault(node, "a step waits, or runs T-SQL")
        seconds = reader.seconds(given["wait_seconds"], "'wait_seconds'")
        return None if seconds is None else Wait(seconds=seconds)
    for key in ("instance", "sql"):
        if key not in given:
            reader.fault(node, f"a step lacks the key '{key}'")
    instance = reader.some_text(given.get("instance"), "the instance of a step")
    database = reader.some_text(given.get("database"), "the database of a step") or MASTER
    block = reader.script(given.get("sql"), "the T-SQL of a step")
    if instance is None or block is None:
        return None
    if estate is not None:
        _check_place(reader, given, estate, instance, database)
    return Statements(instance=InstanceName(instance), database=DatabaseName(database), sql=block.text, line=block.line)


def _check_place(reader: TrainingReader, given: Any, estate: Estate, instance: str, database: str) -> None:
    catalog = estate.catalogs.get(InstanceName(instance))
    if catalog is None:
        reader.fault(given["instance"], f"no instance of the estate is called '{instance}'")
    elif spelling_in(catalog.databases, DatabaseName(database)) is None:
        reader.fault(given["database"], f"911: no database of {instance} is called '{database}'")


def _wrong_turns(reader: TrainingReader, node: Node | None, estate: Estate | None) -> tuple[WrongTurn, ...]:
    items: Sequence[Node] = reader.items(node, "'wrong_turns'")
    if node is not None and not items and not is_null(node):
        reader.fault(node, "a scenario tells at least one wrong turn")
    return tuple(turn for item in items if (turn := _wrong_turn(reader, item, estate)) is not None)


def _wrong_turn(reader: TrainingReader, node: Node, estate: Estate | None) -> WrongTurn | None:
    given = reader.mapping(node, "a wrong turn", ("text", "steps"), required=("text", "steps"))
    if given is None:
        return None
    text = reader.texts(given.get("text"), "the text of a wrong turn")
    steps = _steps(reader, given.get("steps"), "'steps'", estate)
    return None if text is None or not steps else WrongTurn(text=text, steps=steps)
