"""`manage.py pipeline JOB --in FOLDER --out FOLDER`: a job on Spark, from files to files. Needs no database.

Exit code 0: the output is there; 2: something was refused or has failed, and the output is what it was before; 130:
stopped by Ctrl-C, likewise.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from brokerweb.common.numbered_command import REFUSED, UNUSABLE, NumberedCommand, numbered
from brokerweb.common.terminal import write_lines
from brokerweb.pipeline.progress import StageBar
from engine.api import json_encoder, pipeline

STOPPED = 130
CANNOT_CREATE = 5123


class Command(NumberedCommand):
    help = "Run a job over a lake of events on Spark (docs/operations/spark.md)."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = "\n".join(["jobs:", *map(_told_of, pipeline.JOBS.values())])
        parser.add_argument("job", choices=sorted(pipeline.JOBS), metavar="JOB", help=", ".join(sorted(pipeline.JOBS)))
        parser.add_argument("--in", dest="source", required=True, type=Path, metavar="FOLDER", help="what is read")
        parser.add_argument("--out", dest="target", required=True, type=Path, metavar="FOLDER", help="what is written")
        parser.add_argument("--master", default="local[*]", help="address of a cluster (default: this machine)")
        parser.add_argument(
            "--set", dest="given", action="append", default=[], metavar="NAME=VALUE", help="a parameter"
        )
        parser.add_argument(
            "--conf", action="append", default=[], metavar="NAME=VALUE", help="an option of Spark's own"
        )
        parser.add_argument("--json", action="store_true", help="print the manifest as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        bar = StageBar(self.stderr)
        try:
            manifest = pipeline.run(
                options["job"],
                source=options["source"].absolute(),
                target=options["target"].absolute(),
                work=settings.ENVIRONMENT.data_directory / "spark",
                master=options["master"],
                given=dict(map(_parameter, options["given"])),
                progress=bar.show,
                options=dict(map(_parameter, options["conf"])),
            )
        except OSError as error:
            told = f"{options['target']} cannot be written: {error.strerror}. See that this user may write there."
            raise CommandError(numbered(CANNOT_CREATE, told), returncode=REFUSED) from error
        except KeyboardInterrupt:
            bar.clear()
            write_lines(self.stderr, ["Stopped; the output is what it was before."])
            sys.exit(STOPPED)
        finally:
            bar.clear()
        if options["json"]:
            write_lines(self.stdout, [json_encoder.encode(manifest).decode()])
        else:
            write_lines(self.stdout, _told_of_run(manifest, options["target"]))


def _parameter(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise CommandError(numbered(UNUSABLE, f"'{text}' has no value: write NAME=VALUE."), returncode=REFUSED)
    return name, value


def _told_of(job: pipeline.JobDescription) -> str:
    parameters = [
        f"\n      --set {each.name}=…  {each.about}"
        + (f" (default {each.default})" if each.default is not None else "")
        for each in job.parameters
    ]
    return f"  {job.name:<10} {job.about}; reads {job.reads}" + "".join(parameters)


def _told_of_run(manifest: pipeline.Manifest, target: Path) -> list[str]:
    read = ", ".join(f"{rows:,} {name}" for name, rows in manifest.rows_in.items())
    seconds = (manifest.ended_at - manifest.started_at).total_seconds()
    width = max(map(len, manifest.tables), default=0)
    return [
        f"{manifest.job}: {read} read, {manifest.rows_out:,} rows written in {seconds:.1f} s to {target}",
        *(f"  {name:<{width}}  {each.rows:>12,} rows  {each.checksum}" for name, each in manifest.tables.items()),
        *(f"  {name}: {value}" for name, value in manifest.notes.items()),
    ]
