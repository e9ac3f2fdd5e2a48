"""Tables of runs: page by page, as files, and samples of their conversations."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from ninja import Query, Router

from brokerweb.accounts.api import viewing
from brokerweb.common.api.names import ESTATE
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.common.errors import MalformedRequest
from brokerweb.pipeline.api.files import csv_file, parquet_file
from brokerweb.pipeline.api.schemas import (
    ConversationSampleOut,
    DownloadAsked,
    ResultPageAsked,
    SamplesAsked,
    SumsAsked,
    TablePage,
    TableSums,
)
from brokerweb.pipeline.selectors.samples import run_samples
from brokerweb.pipeline.selectors.sums import table_sums
from brokerweb.pipeline.selectors.tables import result_table, table_page

router = Router(tags=["analytics"])

RUN = ESTATE + "/runs/{guid:run}"
TABLE = RUN + "/tables/{table}"
BINARY = {"schema": {"type": "string", "format": "binary"}}
FILES = {"responses": {200: {"content": {"text/csv": BINARY, "application/vnd.apache.parquet": BINARY}}}}


@router.get(TABLE, response={200: TablePage}, operation_id="run_table", auth=viewing)
def run_table(
    request: HttpRequest,
    estate: str,
    run: UUID,
    table: str,
    asked: ResultPageAsked = Query(...),  # noqa: B008
) -> TablePage:
    """Rows of a table, filtered and sorted."""
    refuse_unknown(request, asked)
    found = result_table(estate, run, table)
    return TablePage(
        **table_page(
            found,
            offset=asked.offset,
            limit=asked.limit,
            sort=asked.sort,
            descending=asked.descending,
            where=_filters(asked.where, "/where"),
        )
    )


@router.get(TABLE + "/sums", response={200: TableSums}, operation_id="run_sums", auth=viewing)
def run_sums(
    request: HttpRequest,
    estate: str,
    run: UUID,
    table: str,
    asked: SumsAsked = Query(...),  # noqa: B008
) -> TableSums:
    """Sums over every row of a table by what rows have in common, largest first, and what is left out."""
    refuse_unknown(request, asked)
    found = result_table(estate, run, table)
    where, without = _filters(asked.where, "/where"), _filters(asked.without, "/without")
    return TableSums(**table_sums(found, by=asked.by, of=asked.of, limit=asked.limit, where=where, without=without))


@router.get(TABLE + "/download", response={200: None}, operation_id="run_download", auth=viewing, openapi_extra=FILES)
def run_download(
    request: HttpRequest,
    estate: str,
    run: UUID,
    table: str,
    asked: DownloadAsked = Query(...),  # noqa: B008
) -> HttpResponseBase:
    """The whole table as a file."""
    refuse_unknown(request, asked)
    found = result_table(estate, run, table)
    return csv_file(request, found) if asked.format == "csv" else parquet_file(request, found, run)


@router.get(RUN + "/samples", response={200: list[ConversationSampleOut]}, operation_id="run_samples", auth=viewing)
def run_samples_(
    request: HttpRequest,
    estate: str,
    run: UUID,
    asked: SamplesAsked = Query(...),  # noqa: B008
) -> list[ConversationSampleOut]:
    """A few conversations of a what-if run, with what becomes of each under every revision."""
    refuse_unknown(request, asked)
    given = asked.dict()
    change, limit = given.pop("change"), given.pop("limit")
    return [ConversationSampleOut(**each) for each in run_samples(estate, run, change=change, flow=given, limit=limit)]


def _filters(texts: list[str], pointer: str) -> list[tuple[str, str]]:
    return [_filter(text, pointer) for text in texts]


def _filter(text: str, pointer: str) -> tuple[str, str]:
    column, sign, value = text.partition(":")
    if not sign:
        raise MalformedRequest(
            _("The filter {text} names no value.").format(text=text),
            cure=_("Write column:value."),
            pointer=pointer,
        )
    return column, value
