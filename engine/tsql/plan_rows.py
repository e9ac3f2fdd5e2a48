"""One statement of a script as a row of the plan."""

from __future__ import annotations

from typing import NamedTuple

from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.tsql.described import described
from engine.tsql.plan import Effect, PlanRow
from engine.tsql.statements import AnyStatement, Ignored


class Scene(NamedTuple):
    """The file that says it, and where in the estate: no database where the statement is about the instance."""

    file: str
    instance: InstanceName
    database: DatabaseName | None


def row_of(
    statement: AnyStatement, scene: Scene, current_database: DatabaseName | None, effect: Effect, text: str
) -> PlanRow:
    """A statement with its effect; `text` explains it."""
    verb, kind, name = described(statement, current_database)
    return PlanRow(
        file=scene.file,
        line=statement.place.line,
        verb=verb,
        object_kind=kind,
        object_name=name,
        instance=scene.instance,
        database=scene.database,
        effect=effect,
        text=text,
    )


def ignored_row(ignored: Ignored, scene: Scene) -> PlanRow:
    """What was stepped over, and why."""
    return PlanRow(
        file=scene.file,
        line=ignored.line,
        verb=ignored.text,
        object_kind="",
        object_name="",
        instance=scene.instance,
        database=scene.database,
        effect=Effect.IGNORED,
        text=ignored.why,
    )
