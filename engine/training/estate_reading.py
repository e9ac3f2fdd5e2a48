"""The estate of a scenario: T-SQL for each instance, made into catalogs, its mistakes at their places in the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.route_check.tree import Node
from engine.sim.entropy import Dice, SeededEntropy
from engine.training.nodes import Block, TrainingReader
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.tsql.statements import Problem

_INSTANCE: Final = ("instance", "sql")
INSTANCES_MAX: Final = 12
_ENTROPY_SEED: Final = 0
"""Ids that a script leaves open are the same on every machine and in every run."""


class Estate(msgspec.Struct, frozen=True):
    """What was read: scripts by instance, and the catalogs that they make."""

    scripts: tuple[tuple[str, str], ...]
    catalogs: dict[InstanceName, InstanceCatalog]


class _Part(msgspec.Struct, frozen=True):
    """The script of one instance."""

    instance: str
    block: Block


def read_estate(reader: TrainingReader, node: Node | None, at: UtcTime) -> Estate | None:
    """The list `estate`; LIFETIME counts from `at`."""
    parts = [part for item in reader.items(node, "'estate'") if (part := _part(reader, item, "the script")) is not None]
    if node is not None and not reader.faults and not 0 < len(parts) <= INSTANCES_MAX:
        reader.fault(node, f"an estate has 1 to {INSTANCES_MAX} scripts")
    if reader.faults or not parts:
        return None
    plan = plan_import(
        [parse_script(_script(part), str(number)) for number, part in enumerate(parts)],
        {},
        default_instance=InstanceName(parts[0].instance),
        now=at,
        entropy=SeededEntropy(Dice(_ENTROPY_SEED, "training")),
        beginnings={str(number): (InstanceName(part.instance), None) for number, part in enumerate(parts)},
    )
    for problem in plan.problems:
        _tell(reader, parts, problem)
    if plan.problems:
        return None
    scripts = tuple((part.instance, part.block.text) for part in parts)
    return Estate(scripts, plan.catalogs)


def _part(reader: TrainingReader, node: Node, what: str) -> _Part | None:
    given = reader.mapping(node, "an instance of 'estate'", _INSTANCE, required=_INSTANCE)
    if given is None:
        return None
    name = reader.name(given.get("instance"), "the name of an instance")
    block = reader.block(given.get("sql"), what)
    return None if name is None or block is None else _Part(name, block)


def _script(part: _Part) -> str:
    """With the instance made by :CONNECT; the further line is taken off again in `_tell`."""
    return f":CONNECT {part.instance}\n{part.block.text}"


def _tell(reader: TrainingReader, parts: Sequence[_Part], problem: Problem) -> None:
    """A mistake of a script, at its line and column of the file."""
    block = parts[int(problem.file)].block
    line = max(problem.line - 2, 0)
    reader.fault_at(block.line + line, block.indent + max(problem.column, 1), f"{problem.number}: {problem.text}")
