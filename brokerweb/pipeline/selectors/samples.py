"""A few conversations of a what-if run with what becomes of them: from a bar of a chart to single ones."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.utils.translation import gettext as _

from brokerweb.common.errors import MalformedRequest
from brokerweb.pipeline.questions import WHATIF
from brokerweb.pipeline.selectors.reading import reader
from brokerweb.pipeline.selectors.runs import run_of
from brokerweb.pipeline.selectors.tables import cell, table_of

CHANGES: Final = ("unchanged", "gained", "moved", "lost")
"""By their number in the table of conversations."""
_FLOW: Final = ("instance", "database", "service", "direction", "to_service", "broker_instance")
_VERDICT: Final = ("revision", "disposition", "light", "number", "end_instance", "end_database", "route", "path")
_NAMES: Final = {"instance": "instance", "service": "service", "to_service": "to_service"}


def run_samples(
    estate_name: str, run_id: UUID, *, change: str, flow: dict[str, str], limit: int
) -> list[dict[str, Any]]:
    """Conversations of flows with these names, and of that change; '' leaves one open.

    Reading ends as soon as there are `limit`. Raises as `result_table`, and `MalformedRequest` for a run
    of another job.
    """
    row = run_of(estate_name, run_id)
    if row.job != WHATIF:
        raise MalformedRequest(
            _("Run {run_id} is no {job}.").format(run_id=run_id, job=WHATIF),
            why=_("Only {job} has conversations.").format(job=WHATIF),
            cure=_("Read its tables instead."),
        )
    conversations, flows, verdicts = (table_of(row, name).files for name in ("conversations", "flows", "verdicts"))
    asked = {name: value for name, value in flow.items() if value}
    names = " AND ".join(["TRUE", *(_condition(name) for name in asked)])
    with reader() as connection:
        of_change = "" if not change else " AND change = ?"
        found = connection.execute(
            "SELECT conversation_id, flow, change FROM read_parquet(?)"  # noqa: S608
            f" WHERE flow IN (SELECT flow FROM read_parquet(?) WHERE {names}){of_change} LIMIT ?",
            [conversations, flows, *asked.values(), *([CHANGES.index(change)] if change else []), limit],
        ).fetchall()
        numbers = sorted({each[1] for each in found})
        described = connection.execute(
            f"SELECT flow, {', '.join(_FLOW)} FROM read_parquet(?) WHERE list_contains(?::BIGINT[], flow)",  # noqa: S608
            [flows, numbers],
        ).fetchall()
        answered = connection.execute(
            f"SELECT flow, {', '.join(_VERDICT)} FROM read_parquet(?)"  # noqa: S608
            " WHERE list_contains(?::BIGINT[], flow) ORDER BY flow, revision",
            [verdicts, numbers],
        ).fetchall()
    of_flow = {each[0]: dict(zip(_FLOW, map(cell, each[1:]), strict=True)) for each in described}
    answers: dict[int, list[dict[str, Any]]] = {}
    for each in answered:
        answers.setdefault(each[0], []).append(dict(zip(_VERDICT, map(cell, each[1:]), strict=True)))
    return [
        {
            "conversation_id": str(conversation),
            "change": CHANGES[number],
            **of_flow[of],
            "verdicts": [{**each, "path": each["path"] or []} for each in answers.get(of, [])],
        }
        for conversation, of, number in found
    ]


def _condition(name: str) -> str:
    # Names of databases are the same in any letter case.
    return "lower(database) = lower(?)" if name == "database" else f"{_NAMES[name]} = ?"
