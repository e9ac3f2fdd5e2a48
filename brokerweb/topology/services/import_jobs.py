"""Imports that take longer than a request may: the same as all others, as a job that can be watched and cancelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import nsmallest
from typing import Any, Final, Literal

import msgspec
from msgspec import structs

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right
from brokerweb.common.languages import asked_language
from brokerweb.jobs.kinds import JobRun, job_kind
from brokerweb.jobs.models import Job
from brokerweb.jobs.services import TITLE_LENGTH_MAX, job_start
from brokerweb.topology.services.imports import (
    WEB_CHANGES_MAX,
    ImportResult,
    estate_import,
    import_report,
    worded_report,
)
from brokerweb.topology.summaries import saying
from engine import api as engine

IMPORT: Final = "import"
DIRECT_LETTERS_MAX: Final = 1_000_000
"""Up to so many an import is answered at once; it takes a few seconds at most."""
ROWS_MAX: Final = 2_000
"""So many statements a job tells of one by one, the ones to be looked at first; the others it counts."""
_ORDER: Final = ("error", "remove", "change", "add", "same", "ignored")


class ImportOrder(msgspec.Struct, frozen=True):
    """What is to be imported, where, as it waits for its worker."""

    estate: str
    files: tuple[engine.imports.ImportFile, ...]
    is_dry_run: bool
    default_instance: str | None
    default_database: str | None
    change_set: int | Literal["new"] | None


_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(ImportOrder)


def is_long(files: Sequence[engine.imports.ImportFile]) -> bool:
    """Whether an import of these is one for a job."""
    return sum(len(file.text) for file in files) > DIRECT_LETTERS_MAX


def import_start(order: ImportOrder, *, user: User | None) -> Job:
    """A job that does what is ordered. An import reads no password, so none waits for the worker."""
    files = [structs.replace(file, text=engine.console.without_passwords(file.text)) for file in order.files]
    order = structs.replace(order, files=tuple(files))
    names = ", ".join(file.name for file in order.files)[:TITLE_LENGTH_MAX]
    title = saying("preview" if order.is_dry_run else "import", files=names)
    return job_start(IMPORT, title=title, arguments=_encoder.encode(order), user=user)


def _worded(result: str) -> str:
    return result if asked_language() == "en" else _encoder.encode(worded_report(msgspec.json.decode(result))).decode()


@job_kind(IMPORT, needs=Right.EDIT, wording=_worded)
def import_run(run: JobRun, arguments: bytes) -> bytes:
    """The report of the import, with its statements counted by effect and at most `ROWS_MAX` of them."""
    order = _decoder.decode(arguments)
    result = estate_import(
        estate_name=order.estate,
        files=order.files,
        user=run.owner,
        is_dry_run=order.is_dry_run,
        default_instance=order.default_instance,
        default_database=order.default_database,
        change_set=order.change_set,
        progress=run.progress,
        changes_max=WEB_CHANGES_MAX,
    )
    return _encoder.encode(_shortened(result))


def _shortened(result: ImportResult) -> dict[str, Any]:
    rows = result.plan.rows
    shown = rows if len(rows) <= ROWS_MAX else nsmallest(ROWS_MAX, rows, key=lambda row: _ORDER.index(row.effect.value))
    report = import_report(result, shown)
    return {
        **report,
        "problems": report["problems"][:ROWS_MAX],
        "warnings": report["warnings"][:ROWS_MAX],
        "counts": dict(Counter(row.effect.value for row in rows)),
    }
