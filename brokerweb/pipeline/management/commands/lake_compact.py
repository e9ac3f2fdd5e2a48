"""`manage.py lake_compact --lake FOLDER [--estate E]`: few large files of the small ones of each hour.

Hours that have one small file at most are not touched. Exports and jobs may go on meanwhile. Exit code 0: done; 2: the
folder is no lake, or cannot be written.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from brokerweb.common.numbered_command import NumberedCommand
from brokerweb.common.terminal import write_lines
from engine.api import pipeline


class Command(NumberedCommand):
    help = "Put the small files of a lake of events together, hour by hour (docs/operations/spark.md)."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--lake", required=True, type=Path, metavar="FOLDER")
        parser.add_argument("--estate", default="", help="only this one (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        lake, estate = options["lake"].absolute(), options["estate"]
        gone = pipeline.compact(lake, estate)
        files = pipeline.lake_state(lake, estate, ()).files
        write_lines(self.stdout, [f"{gone:,} files put together; there are {files:,} now"])
