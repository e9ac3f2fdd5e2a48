"""`manage.py estate_snapshots --out FOLDER --revision N …`: an estate as files that the job `whatif` asks.

Exit code 0: a file for each revision; 2: something was refused.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from brokerweb.common.numbered_command import REFUSED, NumberedCommand, numbered
from brokerweb.common.terminal import write_lines
from brokerweb.pipeline.services.exporting import nobody
from brokerweb.pipeline.services.snapshots import draft_to_ask, revision_check, snapshots_write
from brokerweb.topology.selectors.drafts import draft_catalogs
from brokerweb.topology.selectors.estates import estate_named_or_only
from brokerweb.topology.selectors.findings import estate_of

CANNOT_CREATE = 5123


class Command(NumberedCommand):
    help = "Write revisions of an estate into a folder that a what-if for all asks (docs/operations/bulk-what-if.md)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--estate", help="the estate; may be left out when there is only one")
        parser.add_argument(
            "--revision", dest="revisions", type=int, action="append", metavar="N", help="default: the newest"
        )
        parser.add_argument("--change-set", type=int, metavar="N", help="as it would be: the revision after the newest")
        parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="made when it is not there")

    def handle(self, *args: Any, **options: Any) -> None:
        estate = estate_of(estate_named_or_only(options["estate"]))
        number, folder = options["change_set"], options["out"]
        draft = None if number is None else draft_catalogs(draft_to_ask(estate, number))
        revisions = sorted(set(options["revisions"] or [estate.revision]))
        for revision in revisions:
            revision_check(estate, revision)
        if draft is not None:
            revisions.append(estate.revision + 1)
        try:
            written = snapshots_write(estate, revisions, folder, draft=draft, progress=nobody)
        except OSError as error:
            told = f"{folder} cannot be written: {error.strerror}. See that this user may write there."
            raise CommandError(numbered(CANNOT_CREATE, told), returncode=REFUSED) from error
        write_lines(self.stdout, map(str, written))
