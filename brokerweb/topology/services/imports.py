"""T-SQL scripts and samples into an estate or a change set: read everything, then decide everything, or nothing.

Not responsible for what a script means: the engine reads it against the wanted catalogs and answers a plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import msgspec
from django.db import transaction
from django.utils import timezone

from brokerweb.accounts.models import User
from brokerweb.common.errors import EngineRefused, MalformedRequest, ObjectNotFound
from brokerweb.common.origin import OriginKind, comes_from
from brokerweb.topology.models import Estate, Instance
from brokerweb.topology.names import fold
from brokerweb.topology.selectors.catalogs import estate_catalogs
from brokerweb.topology.selectors.drafts import change_set_at, draft_catalogs
from brokerweb.topology.services.drafts import draft_decide, draft_open
from brokerweb.topology.services.revision import DraftStep, InstanceStep, estate_lock, revision_write
from engine import api as engine

SAMPLE_PACE = 10.0
"""Samples are to be watched: their retries come ten times sooner than the documented ones."""


class ImportResult(msgspec.Struct, frozen=True):
    """What scripts do to an estate, and whether it was done. `revision` is None while the estate does not exist."""

    estate_name: str
    plan: engine.ImportPlan
    is_applied: bool
    revision: int | None
    change_set: int | None = None
    """The draft that it was done in; nothing is live before that is applied."""
    sequence: int | None = None
    """Of the draft, after the import."""


def estate_import(
    *,
    estate_name: str,
    scripts: Sequence[tuple[str, str]],
    user: User | None,
    is_dry_run: bool = False,
    default_instance: str | None = None,
    default_database: str | None = None,
    pace: float = 1.0,
    change_set: int | None = None,
) -> ImportResult:
    """Plan `scripts` (name and text) for an estate and, unless it is a dry run, carry the plan out in one decision.

    With `change_set` the plan is made for the draft of that number, and carried out in it. Otherwise an estate of that
    name is made, with `pace`, when there is none. A plan with a problem changes nothing: a dry run answers it,
    otherwise `EngineRefused` carries the first problem. Scripts without any statement are refused with
    `MalformedRequest`. Raises `ObjectNotFound`, `ChangeSetClosed`, `NotInChangeSet` for the draft.
    """
    beginning = (default_instance, default_database)
    if is_dry_run:
        estate = Estate.objects.filter(name=estate_name).first()
        plan = _plan(_catalogs(estate, estate_name, change_set), scripts, *beginning)
        revision = None if estate is None else estate.revision
        return ImportResult(estate_name, plan, is_applied=False, revision=revision, change_set=change_set)
    with transaction.atomic(), comes_from(OriginKind.IMPORT):
        summary = f"Import {', '.join(name for name, _ in scripts)}"
        if change_set is not None:
            return _import_into_draft(estate_name, change_set, scripts, beginning, user=user, summary=summary)
        Estate.objects.get_or_create(name=estate_name, defaults={"pace": pace})
        estate = estate_lock(estate_name)
        plan = _plan(estate_catalogs(estate), scripts, *beginning)
        if plan.problems:
            raise _refusal(plan.problems)
        steps = _steps(estate, plan)
        if steps:
            revision_write(estate, steps, user=user, summary=summary)
    return ImportResult(estate_name, plan, is_applied=True, revision=estate.revision)


def _import_into_draft(
    estate_name: str,
    change_set: int,
    scripts: Sequence[tuple[str, str]],
    beginning: tuple[str | None, str | None],
    *,
    user: User | None,
    summary: str,
) -> ImportResult:
    estate = estate_lock(estate_name)
    draft = draft_open(estate, change_set, None)
    before = draft_catalogs(draft)
    plan = _plan(before, scripts, *beginning)
    if plan.problems:
        raise _refusal(plan.problems)
    steps = [
        DraftStep(before.get(name, engine.InstanceCatalog(name=name)), plan.catalogs[name], changes)
        for name, changes in plan.changes.items()
    ]
    sequence = draft_decide(draft, steps, user=user, summary=summary)
    return ImportResult(estate_name, plan, True, estate.revision, change_set, sequence)


def _catalogs(estate: Estate | None, estate_name: str, change_set: int | None) -> Mapping[str, engine.InstanceCatalog]:
    if change_set is not None:
        return draft_catalogs(change_set_at(estate_name, change_set))
    return {} if estate is None else estate_catalogs(estate)


def sample_load(name: str, *, user: User | None) -> Estate:
    """Load the sample called `name` into the estate of that name; `ObjectNotFound` when there is no such sample."""
    sample = next((sample for sample in engine.samples() if sample.name == name), None)
    if sample is None:
        raise ObjectNotFound(f"There is no sample {name}.")
    estate_import(estate_name=name, scripts=sample.scripts, user=user, pace=SAMPLE_PACE)
    return Estate.objects.get(name=name)


def _plan(
    catalogs: Mapping[str, engine.InstanceCatalog],
    scripts: Sequence[tuple[str, str]],
    default_instance: str | None,
    default_database: str | None,
) -> engine.ImportPlan:
    if not scripts:
        raise _nothing("The import has no file.", "Choose one or more .sql files, or paste a script.")
    plan = engine.plan_import(
        [engine.parse_script(text, name) for name, text in scripts],
        catalogs,
        default_instance=engine.InstanceName(default_instance or _first_instance(catalogs, scripts)),
        default_database=engine.DatabaseName(default_database or engine.MASTER),
        now=engine.UtcTime(round(timezone.now().timestamp(), 3)),
        entropy=engine.OperatingSystemEntropy(),
        smith=engine.key_vault(),
    )
    if not (plan.rows or plan.problems or plan.changes):
        names = ", ".join(name for name, _ in scripts)
        raise _nothing(f"There is no statement in {names}.", "Give a file or a text with T-SQL statements.")
    return plan


def _nothing(detail: str, cure: str) -> MalformedRequest:
    """An import that could only make an empty estate, or nothing at all."""
    return MalformedRequest(
        detail, why="An import does what its statements say, and here is none.", cure=cure, pointer="/files"
    )


def _first_instance(catalogs: Mapping[str, engine.InstanceCatalog], scripts: Sequence[tuple[str, str]]) -> str:
    """Where scripts begin when nobody says: the only instance there is, or one named like the first file."""
    if len(catalogs) == 1:
        return next(iter(catalogs))
    return PurePath(scripts[0][0]).stem.upper()


def _steps(estate: Estate, plan: engine.ImportPlan) -> list[InstanceStep]:
    """One step for each instance that the plan changes; an instance that it creates begins empty."""
    rows = {row.name: row for row in estate.instances.all()}
    before = estate_catalogs(estate)
    steps = []
    for name, changes in plan.changes.items():
        row = rows.get(name) or Instance.objects.create(estate=estate, name=name, folded_name=fold(name))
        empty = engine.InstanceCatalog(name=name)
        steps.append(InstanceStep(row, before.get(name, empty), plan.catalogs[name], changes))
    return steps


def _refusal(problems: Sequence[engine.ImportProblem]) -> EngineRefused:
    first = problems[0]
    return EngineRefused(
        first, "/files", file=first.file, line=first.line, column=first.column, problem_count=len(problems)
    )


def import_report(result: ImportResult) -> dict[str, Any]:
    """The result in the words of the API."""
    plan = result.plan
    return {
        "estate": result.estate_name,
        "is_applied": result.is_applied,
        "revision": result.revision,
        "change_set": result.change_set,
        "sequence": result.sequence,
        "rows": [msgspec.structs.asdict(row) for row in plan.rows],
        "problems": [
            {
                "file": problem.file,
                "line": problem.line,
                "column": problem.column,
                "code": problem.number,
                "detail": problem.text,
                "why": problem.why,
                "cure": problem.cure,
            }
            for problem in plan.problems
        ],
        "warnings": [{"file": warning.file, "line": warning.line, "detail": warning.text} for warning in plan.warnings],
    }
