"""Whole tables as files, sent while they are read: they need not fit into memory."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Final
from uuid import UUID

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase

from brokerweb.common.spreadsheet import csv_lines
from brokerweb.pipeline.folders import run_folder
from brokerweb.pipeline.selectors.tables import ResultTable, table_rows, write_parquet

LINES: Final = 1_000
"""Lines that are sent at once."""
BLOCK_BYTES: Final = 1024 * 1024


def csv_file(request: HttpRequest, table: ResultTable) -> HttpResponseBase:
    """All rows as comma-separated values."""

    def lines() -> Iterator[bytes]:
        made = csv_lines([each.name for each in table.columns], table_rows(table))
        while block := "".join(islice(made, LINES)):
            yield block.encode()

    return _file(request, lines(), table, "csv", "text/csv; charset=utf-8")


def parquet_file(request: HttpRequest, table: ResultTable, run_id: UUID) -> HttpResponseBase:
    """All rows as one Parquet file; where a run has written several, they are put together beside it first."""
    parts = sorted(Path(table.files).parent.glob("*.parquet"))
    if len(parts) == 1:
        file: IO[bytes] = parts[0].open("rb")
    else:
        # Without a name from the start: it is gone with the answer, however that ends.
        with tempfile.TemporaryDirectory(dir=run_folder(run_id), prefix="download-") as folder:
            whole = Path(folder) / "whole.parquet"
            write_parquet(table, whole)
            file = whole.open("rb")
    return _file(request, _blocks(file), table, "parquet", "application/vnd.apache.parquet")


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while block := file.read(BLOCK_BYTES):
            yield block


def _file(
    request: HttpRequest, blocks: Iterator[bytes], table: ResultTable, form: str, content_type: str
) -> HttpResponseBase:
    # Django would read all of a plain iterator before it sends the first byte, where it serves asynchronously.
    sent: Iterable[bytes] | AsyncIterator[bytes] = _apart(blocks) if isinstance(request, ASGIRequest) else blocks
    answer = StreamingHttpResponse(sent, content_type=content_type)
    answer["Content-Disposition"] = f'attachment; filename="{table.job}-{table.name}.{form}"'
    return answer


async def _apart(blocks: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Each block is made in a thread, one after another; whoever goes away ends it."""
    following: Callable[[], bytes | None] = lambda: next(blocks, None)  # noqa: E731
    try:
        while (block := await sync_to_async(following, thread_sensitive=False)()) is not None:
            yield block
    finally:
        close = getattr(blocks, "close", None)
        if close is not None:
            close()
