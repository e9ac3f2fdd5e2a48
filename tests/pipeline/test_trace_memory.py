"""A trace of many rejected rows takes no more memory than one of few."""

import tracemalloc

from deltalake import DeltaTable

from engine.pipeline.lake.importing import import_trace
from engine.pipeline.lake.taking_out import take_out_trace
from engine.pipeline.lake.trace_file import RECORD_LINES_MAX, records
from engine.pipeline.lake.trace_rejects import rejects_of
from engine.pipeline.lake.trace_sorting import REJECTS_MAX
from engine.pipeline.lake.writing import Lake


def test_rejected_rows_beyond_those_that_are_kept_are_counted(tmp_path):
    lake, lines, path = Lake(tmp_path / "lake"), 5 * REJECTS_MAX, tmp_path / "trace.csv"
    path.write_bytes(b'EventClass,TextData\n"' + b"a\n" * lines)
    tracemalloc.start()
    try:
        found = import_trace(lake, "e", "PARIS", path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (found.rows, found.rejected, found.unkept) == (lines, lines, lines - REJECTS_MAX)
    kept = DeltaTable(rejects_of(lake)).to_pyarrow_table()
    assert sorted(kept["line"].to_pylist()) == list(range(2, REJECTS_MAX + 2))
    assert peak < 1_000 * REJECTS_MAX
    assert take_out_trace(lake, "e", "PARIS", path).rejected == REJECTS_MAX


def test_no_more_lines_are_held_than_a_row_may_have():
    held = 0

    def lines():
        nonlocal held
        for _ in range(200_000):
            held += 1
            yield "a\n"

    rows = records(lines())
    for number in range(1, 100_001):
        assert next(rows) == (number, ["a"], "a")
        assert held - number <= 10 * RECORD_LINES_MAX
