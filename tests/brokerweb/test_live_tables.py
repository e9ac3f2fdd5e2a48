"""The law of the live view: what is told leads from one table to the next, and nothing else does."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerweb.live.protocol import Snapshot, decode, encode, snapshot_of, table_of
from brokerweb.live.tables import Column, Ops, Table, compare, fold
from tests.support.live_stories import FOLDER, messages, stories

COLUMNS = (Column("name", "sysname"), Column("count", "bigint"), Column("nested", "json", nullable=True))
cells = st.tuples(
    st.text(max_size=3),
    st.integers(-2, 2),
    st.none() | st.dictionaries(st.sampled_from("ab"), st.integers(0, 1), max_size=2),
)
keys = st.integers(0, 12).map(lambda number: f"key {number}")
facts = st.dictionaries(st.sampled_from(("PARIS", "LYON", "HUB")), st.none() | st.integers(0, 2))
tables = st.builds(
    lambda rows, facts: Table(COLUMNS, dict(rows), facts), st.lists(st.tuples(keys, cells), max_size=12), facts
)


def over_the_wire(ops):
    return msgspec.json.decode(msgspec.json.encode(ops), type=Ops)


@given(before=tables, after=tables)
def test_what_is_told_leads_from_one_table_to_the_next(before, after):
    folded = fold(before, over_the_wire(compare(before, after)))
    assert folded == after
    assert list(folded.rows) == list(after.rows)


@given(table=tables)
def test_nothing_is_told_of_what_stays(table):
    assert compare(table, Table(table.columns, dict(table.rows), dict(table.facts))) == Ops()


@given(tables=st.lists(tables, min_size=2, max_size=6))
def test_the_numbers_of_a_stream_count_every_change(tables):
    """A fold that has had everything stands where the stream stands."""
    folded = tables[0]
    for after in tables[1:]:
        ops = compare(folded, after)
        assert (ops.count == 0) == (folded == after and list(folded.rows) == list(after.rows))
        folded = fold(folded, ops)


def test_a_cell_that_changes_is_told_alone():
    before = Table(COLUMNS, {f"key {number}": ("a", number, None) for number in range(100)})
    after = Table(COLUMNS, {**before.rows, "key 40": ("a", -1, None)})
    assert compare(before, after) == Ops(cells=((40, 1, -1),))


@given(table=tables)
def test_a_snapshot_is_the_table(table):
    sent = msgspec.json.decode(encode(snapshot_of("s", 3, 1.0, {"PARIS": 4}, table)))
    held = table_of(msgspec.convert({"facts": {}, **sent}, Snapshot))
    assert held == table


def test_the_stories_are_those_that_are_told_today():
    """`python -m tests.support.live_stories` writes them anew."""
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")} == stories()


@pytest.mark.parametrize("message", messages(), ids=lambda message: type(message).__name__)
def test_every_message_of_the_server_has_its_type(message):
    assert json.loads(encode(message))["type"]


@pytest.mark.parametrize("text", ["", "[]", '{"type":"sub"}', '{"type":"hello","protocol":"2"}', '{"type":"welcome"}'])
def test_what_no_browser_says_is_refused(text):
    with pytest.raises(msgspec.DecodeError):
        decode(text)
