"""What an import does, as lines for a terminal: a table of effects, mistakes with their place, a count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from brokerweb.topology.services.imports import ImportResult
from engine import api as engine

_COUNTED = (
    (engine.Effect.ADD, "to add"),
    (engine.Effect.CHANGE, "to change"),
    (engine.Effect.REMOVE, "to remove"),
    (engine.Effect.SAME, "the same"),
    (engine.Effect.IGNORED, "ignored"),
    (engine.Effect.ERROR, "wrong"),
)


def told(result: ImportResult) -> Iterator[str]:
    """The plan, and what became of it."""
    plan = result.plan
    yield from _table(plan.rows)
    for warning in plan.warnings:
        yield f"warning {warning.file}:{warning.line}: {warning.text}"
    for problem in plan.problems:
        yield f"error   {problem.file}:{problem.line}:{problem.column}: {problem.number} {problem.text}"
        yield from (f"        {sentence}" for sentence in (problem.why, problem.cure) if sentence)
    for backlog in plan.backlogs:
        place = f"{backlog.instance}.{backlog.database}"
        status = f", status: {backlog.status}" if backlog.status else ""
        yield f"waiting {place}: {backlog.messages:,} for {backlog.to_service} since {backlog.oldest} UTC{status}"
    counts = Counter(row.effect for row in plan.rows)
    parts = [f"{counts[effect]:,} {words}" for effect, words in _COUNTED if counts[effect]]
    yield f"{len(plan.rows):,} statements: {', '.join(parts) or 'nothing'}."
    yield _outcome(result)


def _table(rows: Sequence[engine.PlanRow]) -> Iterator[str]:
    """One line for each statement, in columns; each is made twice, as there may be a hundred thousand."""
    widths = [0] * 4
    for row in rows:
        widths = [max(width, len(cell)) for width, cell in zip(widths, _cells(row), strict=False)]
    for row in rows:
        *cells, text = _cells(row)
        padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
        yield "  ".join((*padded, text)).rstrip()


def _cells(row: engine.PlanRow) -> tuple[str, str, str, str, str]:
    return (
        f"{row.file}:{row.line}",
        row.effect.value,
        row.instance if row.database is None else f"{row.instance}.{row.database}",
        " ".join(word for word in (row.verb, row.object_kind, row.object_name) if word),
        row.text,
    )


def _outcome(result: ImportResult) -> str:
    if result.plan.problems:
        count = len(result.plan.problems)
        return f"Nothing was done: {count:,} mistake{'s' if count > 1 else ''}."
    if result.is_applied and result.change_set is not None:
        where = f"Change set #{result.change_set} of estate {result.estate_name}"
        return f"{where} has it; nothing is live before that is applied."
    if not result.is_applied:
        return f"Nothing was done to estate {result.estate_name}: this was a dry run."
    if not result.plan.changes:
        return f"Estate {result.estate_name} is so already; it stays at revision {result.revision}."
    return f"Estate {result.estate_name} is at revision {result.revision}."
