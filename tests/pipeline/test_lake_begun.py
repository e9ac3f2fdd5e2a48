"""A lake is begun once, whoever begins it; and one whose columns mean something else is left alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from deltalake import write_deltalake

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.lake.schema import COLUMNS
from engine.pipeline.lake.writing import Lake, LakeBusy
from tests.pipeline.traffic import world_of_traffic


@pytest.mark.parametrize(
    ("name", "told"), [("brokerweb events 2", "2"), ("something else", "something else"), (None, "?")]
)
def test_a_lake_of_another_schema_is_neither_read_nor_written(tmp_path, name, told):
    folder = tmp_path / "lake"
    write_deltalake(folder, COLUMNS.empty_table(), name=name)
    (event, *_) = world_of_traffic()["PARIS"]
    for ask in (Lake.rows, Lake.files, Lake.read, lambda lake: lake.append("e", "PARIS", [event])):
        with pytest.raises(LocalProtocolError, match=f"948.* {told}; "):
            ask(Lake(folder))


def test_who_writes_the_first_events_of_a_new_lake_at_once_doubles_none(tmp_path):
    """Each of several finds no table, and makes one."""
    events = world_of_traffic()["PARIS"][:50]

    def write(folder):
        try:
            return Lake(folder).append("e", "PARIS", events)
        except LakeBusy:
            return 0

    for number in range(20):
        folder = tmp_path / str(number)
        with ThreadPoolExecutor(3) as pool:
            written = list(pool.map(write, [folder] * 3))
        assert sorted(written) == [0, 0, 50]
        assert Lake(folder).rows() == 50
