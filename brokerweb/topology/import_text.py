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
    counts = Counter(row.effect for row in plan.rows)
    parts = [f"{counts[effect]:,} {words}" for effect, words in _COUNTED if counts[effect]]
    yield f"{len(plan.rows):,} statements: {', '.join(parts) or 'nothing'}."
    yield _outcome(result)


def _table(rows: Sequence[engine.PlanRow]) -> Iterator[str]:
    """One line for each statement, in columns."""
    lines = [
        (
            f"{row.file}:{row.line}",
            row.effect.value,
            row.instance if row.database is None else f"{row.instance}.{row.database}",
            " ".join(word for word in (row.verb, row.object_kind, row.object_name) if word),
            row.text,
        )
        for row in rows
    ]
    widths = [max((len(line[column]) for line in lines), default=0) for column in range(4)]
    for *cells, text in lines:
        padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
        yield "  ".join((*padded, text)).rstrip()


def _outcome(result: ImportResult) -> str:
    if result.plan.problems:
        count = len(result.plan.problems)
        return f"Nothing was done: {count:,} mistake{'s' if count > 1 else ''}."
    if not result.is_applied:
        return f"Nothing was done to estate {result.estate_name}: this was a dry run."
    if not result.plan.changes:
        return f"Estate {result.estate_name} is so already; it stays at revision {result.revision}."
    return f"Estate {result.estate_name} is at revision {result.revision}."
