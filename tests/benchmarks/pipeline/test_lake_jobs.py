"""The jobs `delivery` and `audit` on a lake of 20 million events, Parquet to Parquet, on two cores.

`EVENTS` says how many events, `ROUNDS` how often each job works. What they find is compared with what was put in.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from engine.pipeline import manifest_of
from tests.benchmarks.pipeline.contest import Contestant, median_of
from tests.benchmarks.pipeline.events import DOUBLED_EACH, EVENTS_EACH, LOST_EACH, write_lake

EVENTS = int(os.environ.get("EVENTS") or 20_000_000)
ROUNDS = int(os.environ.get("ROUNDS") or 3)


@pytest.mark.timeout(7200)
def test_lives_and_proofs_of_messages(
    show: Callable[[str, list[list[str]]], None], tmp_path_factory: pytest.TempPathFactory
) -> None:
    kept = os.environ.get("FOLDER")
    folder = Path(kept) / f"events{EVENTS}" if kept else tmp_path_factory.mktemp("events")
    write_lake(folder, EVENTS)
    rows = [["job", "s", "events/s", "processor s", "peak MiB", "rows out"]]
    for name in ("delivery", "audit"):
        contestant = Contestant(name, folder)
        contestant.work()
        contestant.taken += [contestant.work() for _ in range(ROUNDS)]
        contestant.end()
        manifest = manifest_of(folder / f"out-{name}")
        assert manifest is not None
        seconds, worked = median_of(contestant), median_of(contestant, "worked")
        read, peak = manifest.rows_in["events"], contestant.peak / 2**20
        rows.append(
            [
                name,
                f"{seconds:.1f}",
                f"{read / seconds:,.0f}",
                f"{worked:.1f}",
                f"{peak:,.0f}",
                f"{manifest.rows_out:,}",
            ]
        )
    _demand_what_was_put_in(folder)
    show(f"Jobs on a lake of {EVENTS:,} events in {len(list((folder / 'lake').rglob('*.parquet')))} files", rows)


def _demand_what_was_put_in(folder: Path) -> None:
    conversations = EVENTS // EVENTS_EACH
    lost = len(range(7, conversations, LOST_EACH))
    doubled = len(range(3, conversations, DOUBLED_EACH))
    (found,) = duckdb.sql(
        f"select sent, delivered, lost, doubled, unsent, unseen from '{folder}/out-audit/summary/*.parquet'"
    ).fetchall()
    assert found == (2 * conversations, 2 * conversations - lost, lost, doubled, 0, 0)
    (lives,) = duckdb.sql(
        f"select count(*), count(delivered_at), sum(hops) from '{folder}/out-delivery/messages/*.parquet'"
    ).fetchall()
    assert lives == (2 * conversations, 2 * conversations - lost, 2 * conversations)
