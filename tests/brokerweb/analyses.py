"""A run that is done, as a worker would have left it, without Spark: rows and files of a test."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import duckdb
from django.utils import timezone

from brokerweb.jobs.models import Job, JobState
from brokerweb.pipeline.folders import result_folder
from brokerweb.pipeline.models import PipelineRun
from brokerweb.topology.models import Estate

BEGUN = datetime(2026, 11, 26, 9, 0, tzinfo=UTC)


def done_run(estate: Estate, job: str, tables: dict[str, list[str]], **more: Any) -> PipelineRun:
    """Its tables are made by SQL, a file for each statement."""
    work = Job.objects.create(
        kind="pipeline-run", title="A run", state=JobState.DONE, created_at=timezone.now(), started_at=BEGUN
    )
    question = {"job": job, "revisions": [1, 2] if job == "whatif" else []}
    row = PipelineRun.objects.create(
        estate=estate, job=job, question=question, created_at=timezone.now(), work=work, **more
    )
    for name, statements in tables.items():
        folder = result_folder(row.pk) / name
        folder.mkdir(parents=True)
        rows = 0
        for place, statement in enumerate(statements):
            with duckdb.connect(":memory:") as connection:
                connection.execute(f"COPY ({statement}) TO '{folder}/part-{place}.parquet' (FORMAT parquet)")
                [(count, *_)] = connection.execute(f"SELECT count(*) FROM ({statement})").fetchall()
            rows += count
        row.tables[name] = {"rows": rows, "checksum": "0" * 16, "columns": [], "seconds": 1.0}
    row.save()
    return row
