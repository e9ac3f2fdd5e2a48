"""An estate as T-SQL, to look at and to take away."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import unquote

from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Router
from pydantic import StringConstraints

from brokerweb.accounts.api import viewing
from brokerweb.common.api.names import ESTATE
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.common.api.shape import Request, Shape
from brokerweb.common.languages import sentence
from brokerweb.topology.selectors.scripts import ScriptRequest, script_name, script_parts
from engine import api as engine

router = Router(tags=["scripts"])


PlaceText = Annotated[str, StringConstraints(pattern="^[^/]+(/[^/]+)?$")]


class ScriptAsked(Request):
    """Which script."""

    instance: str | None = None
    """Only this instance."""
    database: str | None = None
    """Only databases of this name."""
    place: list[PlaceText] = Field([], max_length=10_000)
    """Only these, each an instance or, as `INSTANCE/DATABASE`, one of its databases; names are percent-encoded."""
    from_: int | None = Field(None, alias="from", ge=0)
    """Only the changes since this revision."""
    to: int | None = Field(None, ge=0)
    """The state at this revision; by default the newest."""
    change_set: int | None = Field(None, ge=1)
    """What this change set does to what is live, or did when it was applied."""
    rollback: bool = False
    """What takes the changes since `from`, or those of the change set, back."""
    guards: bool = False
    """IF [NOT] EXISTS in front of what creates and drops."""
    header: bool = True
    """Estate, revision and date in comments at the head; without them equal estates have equal scripts."""


class ScriptStatement(Shape):
    """Which lines of a script are about which object; lines count from 1."""

    line: int
    end_line: int
    instance: str
    database: str | None
    """The database it stands in; null where the statement is about the instance or a database as such."""
    kind: str
    name: str


class ScriptNote(Shape):
    """What a person has to know or to supply before the script is run; it stands in this line as a comment."""

    line: int
    detail: str


class ScriptOut(Shape):
    """T-SQL for sqlcmd, the same text each time."""

    text: str
    warnings: list[ScriptNote]
    statements: list[ScriptStatement]


@router.get(ESTATE + "/script", response={200: ScriptOut}, operation_id="script_read", auth=viewing)
def script_read(
    request: HttpRequest,
    estate: str,
    asked: ScriptAsked = Query(...),  # noqa: B008
) -> ScriptOut:
    """The T-SQL of an estate, of one instance or database, of the changes between two revisions, or their rollback."""
    refuse_unknown(request, asked)
    return script_out(engine.scripts.whole_script(script_parts(_wanted(estate, asked))))


def script_out(script: engine.scripts.WrittenScript) -> ScriptOut:
    """A script as it travels."""
    return ScriptOut(
        text=script.text,
        warnings=[ScriptNote(line=each.line, detail=sentence(each.text)) for each in script.warnings],
        statements=[
            ScriptStatement(
                line=each.line,
                end_line=each.end_line,
                instance=each.instance,
                database=each.database,
                kind=each.kind,
                name=each.name,
            )
            for each in script.statements
        ],
    )


@router.get(
    ESTATE + "/script.sql",
    response={200: None},
    operation_id="script_download",
    auth=viewing,
    openapi_extra={"responses": {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}},
)
def script_download(
    request: HttpRequest,
    estate: str,
    asked: ScriptAsked = Query(...),  # noqa: B008
) -> HttpResponse:
    """The same script as a file, in UTF-8."""
    refuse_unknown(request, asked)
    wanted = _wanted(estate, asked)
    # Whole: behind an asynchronous server a text that comes in parts would be gathered all the same.
    return HttpResponse(
        "".join(part.text for part in script_parts(wanted)),
        content_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{script_name(wanted)}"'},
    )


def _place(text: str) -> tuple[str, str | None]:
    instance, divided, database = text.partition("/")
    return unquote(instance), unquote(database) if divided else None


def _wanted(estate: str, asked: ScriptAsked) -> ScriptRequest:
    return ScriptRequest(
        estate=estate,
        instance=asked.instance,
        database=asked.database,
        places=tuple(_place(each) for each in asked.place),
        from_revision=asked.from_,
        to_revision=asked.to,
        change_set=asked.change_set,
        is_rollback=asked.rollback,
        has_guards=asked.guards,
        has_header=asked.header,
    )
