"""T-SQL, collected servers and samples into a change set, or into an estate of their own: all of it is done or none.

What is live is never written: only an estate that nothing has been put into yet takes an import as its first revision.

Not responsible for what a script means: the engine reads it against the wanted catalogs and answers a plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final, Literal

import msgspec
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import EngineRefused, MalformedRequest, ObjectNotFound
from brokerweb.common.languages import asked_language, sentence
from brokerweb.common.origin import OriginKind, comes_from
from brokerweb.topology.models import ChangeSet, Estate, Instance
from brokerweb.topology.names import fold
from brokerweb.topology.selectors.catalogs import estate_catalogs
from brokerweb.topology.selectors.drafts import change_set_at, draft_catalogs
from brokerweb.topology.services.certificate_files import files_of, files_write
from brokerweb.topology.services.change_sets import change_set_create
from brokerweb.topology.services.decisions import SUMMARY_LENGTH_MAX
from brokerweb.topology.services.drafts import draft_decide, draft_open
from brokerweb.topology.services.revision import (
    DraftStep,
    InstanceStep,
    estate_lock,
    revision_conflict,
    revision_write,
)
from brokerweb.topology.summaries import saying, summary_now
from engine import api as engine

NEW: Final = "new"
"""Instead of the number of a change set: one that is made for the import."""
TITLE_LENGTH_MAX = 128
WEB_CHANGES_MAX: Final = 30_000
"""Of one import by the page or the API. It is one transaction of some 10 s then; other writers wait 20 s for it."""
ATTEMPTS: Final = 3
"""How often an import is planned: again where the estate, or the change set, has changed meanwhile."""
TOO_MANY_CHANGES: Final = 8621
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


class _Beginning(msgspec.Struct, frozen=True):
    """Where files begin that do not say where, and who wants to know how far they have been read."""

    instance: str | None
    database: str | None
    progress: engine.imports.Progress | None
    certificate_files: dict[str, bytes]


def estate_import(
    *,
    estate_name: str,
    files: Sequence[engine.imports.ImportFile],
    user: User | None,
    is_dry_run: bool = False,
    default_instance: str | None = None,
    default_database: str | None = None,
    pace: float = 1.0,
    change_set: int | Literal["new"] | None = None,
    progress: engine.imports.Progress | None = None,
    changes_max: int | None = None,
) -> ImportResult:
    """Plan `files` for an estate and, unless it is a dry run, carry the plan out in one decision.

    With `change_set` the plan is made for the draft of that number, or for a new one, and carried out in it. Without
    one it makes an estate of that name, with `pace`, when there is none; of an estate with something in it it changes
    nothing live either, but goes into a new draft, unless all is so already. A plan with a problem changes nothing: a
    dry run answers it, otherwise `EngineRefused` carries the first problem. Files without any statement are refused
    with `MalformedRequest`, and more than `changes_max` changes with `EngineRefused` (8621). Raises `ObjectNotFound`,
    `ChangeSetClosed`, `NotInChangeSet` for the draft, `RevisionConflict` where others change the estate all the time,
    and whatever `progress` raises, which hears how far it is; then nothing is done.
    """
    known = Estate.objects.filter(name=estate_name).first()
    beginning = _Beginning(default_instance, default_database, progress, files_of(known))
    number = None if change_set == NEW else change_set
    for _attempt in range(ATTEMPTS):
        # A transaction keeps all other writers waiting, so the import is planned before it.
        prepared = _prepared(estate_name, files, beginning, number)
        _ensure_not_too_many(prepared.plan, changes_max)
        if is_dry_run:
            revision = None if known is None else prepared.revision
            return ImportResult(estate_name, prepared.plan, is_applied=False, revision=revision, change_set=number)
        if prepared.plan.problems:
            raise _refusal(prepared.plan.problems)
        with transaction.atomic(), comes_from(OriginKind.IMPORT):
            if change_set is None:
                Estate.objects.get_or_create(name=estate_name, defaults={"pace": pace})
            estate = estate_lock(estate_name)
            draft = None if number is None else draft_open(estate, number, None)
            if (estate.revision, 0 if draft is None else draft.sequence) == (prepared.revision, prepared.sequence):
                return _import(estate, draft, prepared, files, change_set=change_set, user=user)
    raise revision_conflict(estate, prepared.revision)


def _import(
    estate: Estate,
    draft: ChangeSet | None,
    prepared: _Prepared,
    files: Sequence[engine.imports.ImportFile],
    *,
    change_set: int | Literal["new"] | None,
    user: User | None,
) -> ImportResult:
    """Carry a plan out, of which nothing has changed since it was made. Part of the caller's transaction."""
    plan, before = prepared.plan, prepared.before
    summary = saying("import", files=", ".join(file.name for file in files)[:SUMMARY_LENGTH_MAX])
    files_write(estate, plan.files)
    if change_set is None and not (estate.revision and plan.changes):
        return _import_first(estate, plan, before, user=user, summary=summary)
    if draft is None:
        draft = change_set_create(estate.name, title=summary_now(summary)[:TITLE_LENGTH_MAX], user=user)
        draft.estate = estate
    return _import_into_draft(draft, plan, before, user=user, summary=summary)


def _import_first(
    estate: Estate,
    plan: engine.ImportPlan,
    before: Mapping[str, engine.InstanceCatalog],
    *,
    user: User | None,
    summary: str,
) -> ImportResult:
    """The first revision of an estate in which nothing is yet; of another one, that nothing is to be changed."""
    steps = _steps(estate, plan, before)
    if steps:
        revision_write(estate, steps, user=user, summary=summary)
    return ImportResult(estate.name, plan, is_applied=True, revision=estate.revision)


def _import_into_draft(
    draft: ChangeSet,
    plan: engine.ImportPlan,
    before: Mapping[str, engine.InstanceCatalog],
    *,
    user: User | None,
    summary: str,
) -> ImportResult:
    estate = draft.estate
    steps = [
        DraftStep(before.get(name, engine.InstanceCatalog(name=name)), plan.catalogs[name], changes)
        for name, changes in plan.changes.items()
    ]
    sequence = draft_decide(draft, steps, user=user, summary=summary)
    return ImportResult(estate.name, plan, True, estate.revision, draft.number, sequence)


class _Prepared(msgspec.Struct, frozen=True):
    """A plan, and what it was made for; `sequence` is the draft's, 0 where there is none yet."""

    plan: engine.ImportPlan
    before: Mapping[str, engine.InstanceCatalog]
    revision: int
    sequence: int


def _prepared(
    estate_name: str,
    files: Sequence[engine.imports.ImportFile],
    beginning: _Beginning,
    number: int | None,
) -> _Prepared:
    estate = Estate.objects.filter(name=estate_name).first()
    sequence = 0 if number is None else change_set_at(estate_name, number).sequence
    before = _catalogs(estate, estate_name, number)
    return _Prepared(_plan(before, files, beginning), before, 0 if estate is None else estate.revision, sequence)


def _ensure_not_too_many(plan: engine.ImportPlan, changes_max: int | None) -> None:
    count = sum(len(changes) for changes in plan.changes.values())
    if changes_max is not None and count > changes_max:
        raise EngineRefused(engine.LocalProtocolError(TOO_MANY_CHANGES, value=count, limit=changes_max), "/files")


def _catalogs(estate: Estate | None, estate_name: str, change_set: int | None) -> Mapping[str, engine.InstanceCatalog]:
    if change_set is not None:
        return draft_catalogs(change_set_at(estate_name, change_set))
    return {} if estate is None else estate_catalogs(estate)


def sample_load(name: str, *, user: User | None) -> ImportResult:
    """Load the sample called `name` as the estate of that name, or into a draft of it what it has no longer.

    Raises `ObjectNotFound` when there is no such sample.
    """
    sample = next((sample for sample in engine.samples() if sample.name == name), None)
    if sample is None:
        raise ObjectNotFound(_("There is no sample {name}.").format(name=name))
    files = [engine.imports.ImportFile(name, text) for name, text in sample.scripts]
    return estate_import(estate_name=sample.name, files=files, user=user, pace=SAMPLE_PACE)


def _plan(
    catalogs: Mapping[str, engine.InstanceCatalog], files: Sequence[engine.imports.ImportFile], beginning: _Beginning
) -> engine.ImportPlan:
    if not files:
        raise _nothing(_("The import has no file."), _("Choose one or more .sql or .json files, or paste a script."))
    plan = engine.imports.plan_files(
        files,
        catalogs,
        default_instance=engine.InstanceName(beginning.instance or _first_instance(catalogs, files)),
        default_database=engine.DatabaseName(beginning.database or engine.MASTER),
        now=engine.UtcTime(round(timezone.now().timestamp(), 3)),
        entropy=engine.OperatingSystemEntropy(),
        smith=engine.keys.key_vault(),
        progress=beginning.progress,
        certificate_files=beginning.certificate_files,
    )
    if not (plan.rows or plan.problems or plan.changes):
        names = ", ".join(file.name for file in files)
        raise _nothing(
            _("There is no statement in {names}.").format(names=names),
            _("Give a file or a text with T-SQL statements."),
        )
    return plan


def _nothing(detail: str, cure: str) -> MalformedRequest:
    """An import that could only make an empty estate, or nothing at all."""
    return MalformedRequest(
        detail, why=_("An import does what its statements say, and here is none."), cure=cure, pointer="/files"
    )


def _first_instance(catalogs: Mapping[str, engine.InstanceCatalog], files: Sequence[engine.imports.ImportFile]) -> str:
    """Where scripts begin when nobody says: the only instance there is, or one named like the first file."""
    if len(catalogs) == 1:
        return next(iter(catalogs))
    return PurePath(files[0].name).stem.upper()


def _steps(estate: Estate, plan: engine.ImportPlan, before: Mapping[str, engine.InstanceCatalog]) -> list[InstanceStep]:
    """One step for each instance that the plan changes; an instance that it creates begins empty."""
    rows = {row.name: row for row in estate.instances.all()}
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


def import_report(result: ImportResult, rows: Iterable[engine.PlanRow] | None = None) -> dict[str, Any]:
    """The result in the words of the API, in English; with `rows` it tells of these statements instead of all."""
    plan = result.plan
    return {
        "estate": result.estate_name,
        "is_applied": result.is_applied,
        "revision": result.revision,
        "change_set": result.change_set,
        "sequence": result.sequence,
        "rows": [msgspec.structs.asdict(row) for row in (plan.rows if rows is None else rows)],
        "problems": [
            {
                "file": problem.file,
                "line": problem.line,
                "column": problem.column,
                "code": problem.number,
                "parameters": dict(problem.parameters),
                "detail": problem.text,
                "why": problem.why,
                "cure": problem.cure,
            }
            for problem in plan.problems
        ],
        "warnings": [
            {"file": warning.file, "line": warning.line, "detail": engine.errors.shortened(warning.text)}
            for warning in plan.warnings
        ],
        "backlogs": [msgspec.structs.asdict(backlog) for backlog in plan.backlogs],
    }


def worded_report(report: dict[str, Any]) -> dict[str, Any]:
    """The report of an import, of now or of an earlier job, in the asker's language."""
    if asked_language() == "en":
        return report
    return {
        **report,
        "rows": [{**row, "text": sentence(row["text"])} for row in report["rows"]],
        "problems": [_worded_problem(each) for each in report["problems"]],
        "warnings": [{**each, "detail": sentence(each["detail"])} for each in report["warnings"]],
    }


def _worded_problem(problem: dict[str, Any]) -> dict[str, Any]:
    said = engine.translations.translated(asked_language(), problem["code"], problem.get("parameters", {}))
    return problem if said is None else {**problem, "detail": said.text, "why": said.why, "cure": said.cure}
