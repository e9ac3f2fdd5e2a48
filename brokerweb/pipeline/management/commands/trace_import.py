"""`manage.py trace_import FILE --lake FOLDER --estate E --instance I`: a trace of a real server into a lake.

Takes CSV as Profiler and Extended Events export it. Rows that are not understood go into the folder FOLDER.rejects,
with line and reason. The same file again, or a longer one of the same trace, adds nothing that is there. `--take-out`
deletes what an import of the file has brought, asked with the same instance and zone. Exit code 0: every row is
somewhere, or none of them is in the lake any more; 2: the file cannot be read, there is no such time zone, or no lake
to take anything out of.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from brokerweb.common.numbered_command import NumberedCommand
from brokerweb.common.terminal import write_lines
from engine.api import pipeline


class Command(NumberedCommand):
    help = "Take a trace of Profiler or Extended Events (CSV) over into a lake of events (docs/operations/spark.md)."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--lake", required=True, type=Path, metavar="FOLDER", help="made by an import when it is not there"
        )
        parser.add_argument("--estate", required=True, help="the estate whose trace it is")
        parser.add_argument("--instance", required=True, help="the instance that was traced")
        parser.add_argument(
            "--time-zone", default="UTC", metavar="ZONE", help="of times without an offset, an IANA name (UTC)"
        )
        parser.add_argument(
            "--take-out", action="store_true", help="delete from the lake what an import of this file has brought"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        work = _taken_out if options["take_out"] else _imported
        place = options["lake"].absolute(), options["estate"], options["instance"], options["file"]
        write_lines(self.stdout, [work(*place, time_zone=options["time_zone"])])


def _imported(*place: Any, time_zone: str) -> str:
    found = pipeline.import_trace(*place, time_zone=time_zone)
    told = f"{found.rows:,} rows: {found.written:,} written, {found.rejected:,} rejected"
    told += f" ({found.unkept:,} of them are only counted)" if found.unkept else ""
    return told + (f", {found.known:,} were there before" if found.known else "")


def _taken_out(*place: Any, time_zone: str) -> str:
    found = pipeline.take_out_trace(*place, time_zone=time_zone)
    told = f"{found.rows:,} rows: {found.taken:,} taken out, {found.missing:,} were not there"
    return told + (f"; {found.rejected:,} rejected ones deleted" if found.rejected else "")
