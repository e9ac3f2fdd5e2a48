"""What Profiler and Extended Events export goes into the lake; what is not understood beside it, with the reason."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from deltalake import DeltaTable

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.lake import trace_sorting
from engine.pipeline.lake.importing import import_trace
from engine.pipeline.lake.trace_file import COLUMNS_MAX, header_of
from engine.pipeline.lake.trace_rejects import rejects_of
from engine.pipeline.lake.writing import Lake
from engine.pipeline.manifest import Imported, RejectedRows
from tests.pipeline.drawn_events import drawn_estate
from tests.pipeline.trace_files import exported, written
from tests.pipeline.traffic import world_of_traffic
from tests.support.thoroughness import share

AT = "2026-11-26T06:00:00.250"
CONVERSATION = "6F9619FF-8B86-D011-B42D-00C04FC964FF"


ONE_TO_A_TRACE = {("delayed", "dropped"), ("message-queued-for-transmission", "message-sent-directly")}
"""What the engine tells apart, and the vendor's classes do not."""


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def test_columns_of_one_name_are_numbered_however_many_there_are():
    """Each name was compared with all others, for each number: a header of 10 KB took minutes."""
    names = header_of(["EventClass", *["c"] * (COLUMNS_MAX - 3), "c (7)", "c"]).names
    assert len(set(names)) == len(names) == COLUMNS_MAX
    assert names[:4] == ("EventClass", "c", "c (2)", "c (3)")


def test_a_row_of_more_cells_than_a_trace_has_is_no_header():
    assert not header_of(["EventClass"] * (COLUMNS_MAX + 1)).is_one


def taken(lake: Lake, path: Path, text: str | bytes) -> Imported:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return import_trace(lake, "e", "PARIS", path)


def rejects(lake: Lake) -> list[dict[str, Any]]:
    return DeltaTable(rejects_of(lake)).to_pyarrow_table().sort_by("line").to_pylist()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_trace_of_ours_is_taken_whole_and_once(lake, tmp_path, encoding):
    rows = exported()
    path = written(tmp_path / "trace.csv", rows, encoding)
    assert import_trace(lake, "e", "PARIS", path) == Imported(rows=len(rows), written=len(rows))
    assert import_trace(lake, "e", "PARIS", path) == Imported(rows=len(rows), known=len(rows))
    assert lake.rows() == len(rows)
    assert not rejects_of(lake).exists()


@pytest.mark.parametrize("instance", ["PARIS", "HUB", "BERLIN", "A0", "B1"])
def test_its_rows_say_what_those_of_the_engine_do(tmp_path, instance):
    """Where a trace tells it at all, a column is what the export of the same events has."""
    ours, theirs = Lake(tmp_path / "ours"), Lake(tmp_path / "theirs")
    ours.append("e", instance, (world_of_traffic() | drawn_estate(0, 3))[instance])
    import_trace(theirs, "e", instance, written(tmp_path / "t.csv", exported(instance)))
    known = {row["event_number"]: row for row in ours.read().to_pylist()}
    compared = set()
    for row in theirs.read().to_pylist():
        wanted = known[row["event_number"]]
        for name in set(row) - {"payload", "text", "state", "count", "message_id", "time_consumed", "number"}:
            if row[name] is not None:
                assert row[name] == wanted[name] or (row[name], wanted[name]) in ONE_TO_A_TRACE, name
                compared.add(name)
    assert {"event", "event_time", "estate", "instance"} <= compared


def test_bad_rows_are_kept_with_line_and_reason_and_hurt_nobody(lake, tmp_path):
    lines = [
        "name,timestamp,EventSubClass,GUID,RoleName,BigintData1",
        f"Broker:Conversation,{AT},11 - BEGIN DIALOG,{CONVERSATION},initiator,",
        f"Broker:Conversation,{AT},99,{CONVERSATION},initiator,",
        f"SQL:BatchCompleted,{AT},,,,",
        f"Broker:Conversation,yesterday,,{CONVERSATION},,",
        f"Broker:Conversation,{AT},,no-guid,,",
        f"Broker:Conversation,{AT},,{CONVERSATION},reader,",
        f"Broker:Forwarded Message Sent,{AT},,{CONVERSATION},,many",
        f"Broker:Forwarded Message Sent,{AT},,{CONVERSATION},,99999999999999999999",
        "too,few",
        f'124,{AT},"11 - BEGIN DIALOG,{CONVERSATION},initiator,',
        f"broker_conversation,{AT},END CONVERSATION,{CONVERSATION},target,",
        "",
        f'Broker:Transmission,"{AT}","","","","',
    ]
    found = taken(lake, tmp_path / "x.csv", "\r\n".join(lines))
    assert (found.rows, found.written, found.rejected, found.known) == (12, 2, 10, 0)
    assert found.reasons[0] == RejectedRows(reason="no-csv", rows=2)
    assert {(each.reason, each.column, each.rows) for each in found.reasons[1:]} == {
        ("no-subclass", "", 1),
        ("no-class", "", 1),
        ("no-instant", "", 1),
        ("no-guid", "GUID", 1),
        ("no-role", "", 1),
        ("no-number", "BigintData1", 1),
        ("too-large", "BigintData1", 1),
        ("other-width", "", 1),
    }
    assert [row["event"] for row in lake.read().to_pylist()] == ["conversation-state-changed"] * 2
    assert [(row["line"], row["reason"].partition(":")[0]) for row in rejects(lake)] == [
        (3, "no such subclass"),
        (4, "no class of the broker"),
        (5, "no instant"),
        (6, "GUID is no uniqueidentifier"),
        (7, "no role"),
        (8, "BigintData1 is no number"),
        (9, "BigintData1 is too large a number"),
        (10, "the row has not as many columns as the header"),
        (11, "no row of CSV"),
        (14, "no row of CSV"),
    ]
    assert [row["text"] for row in rejects(lake)] == [lines[row["line"] - 1] for row in rejects(lake)]
    again = taken(lake, tmp_path / "x.csv", "\r\n".join(lines))
    assert (again.rows, again.written, again.rejected, again.known) == (12, 0, 10, 2)
    assert again.reasons == found.reasons
    assert len(rejects(lake)) == 10


def test_a_cell_may_have_several_lines_quotes_and_any_character(lake, tmp_path):
    text = f'EventClass,StartTime,TextData\n142,{AT},"er sagte ""nein"",\nund\u2028ging\x0c"\n142,{AT},plain\n'
    assert taken(lake, tmp_path / "x.csv", text) == Imported(rows=2, written=2)
    assert {row["text"] for row in lake.read().to_pylist()} == {'er sagte "nein",\nund\u2028ging\x0c', "plain"}


@pytest.mark.parametrize("seed", share(range(30), 10))
def test_rows_in_are_rows_written_and_rows_rejected_whatever_the_file(tmp_path, seed):
    """A good export, damaged at random: each of its lines is somewhere afterwards."""
    dice = random.Random(seed)
    lake = Lake(tmp_path / "lake")
    content = bytearray(written(tmp_path / "good.csv", exported()[:40]).read_bytes())
    begin = content.index(b"\n") + 1
    for _ in range(dice.randint(1, 12)):
        place = dice.randrange(begin, len(content))
        content[place : place + dice.randint(0, 3)] = dice.choice([b'"', b",", b"\n", b"\x00", b"\xff", b"\r", b"x"])
    found = taken(lake, tmp_path / "bad.csv", bytes(content))
    assert found.rows == found.written + found.rejected > 0
    assert lake.rows() == found.written
    assert len(rejects(lake) if rejects_of(lake).exists() else []) == found.rejected
    assert found.written > 20


def test_a_number_of_thousands_of_digits_costs_its_row_alone(lake, tmp_path):
    many = "9" * 5000
    rows = [f"{many},{AT},", f"124,{AT},{many}", f"124,{AT},{many} - BEGIN DIALOG", f"0124,{AT},0011"]
    found = taken(lake, tmp_path / "x.csv", "\n".join(["EventClass,StartTime,EventSubClass", *rows]))
    assert (found.rows, found.written) == (4, 2)
    assert [row["line"] for row in rejects(lake)] == [2, 3]


def test_what_is_no_trace_at_all_is_rejected_whole(lake, tmp_path):
    assert taken(lake, tmp_path / "x.csv", "") == Imported()
    assert taken(lake, tmp_path / "x.csv", "\x00\xff\n1\n2\n") == Imported(
        rows=3, rejected=3, reasons=(RejectedRows(reason="no-header", rows=3),)
    )
    with pytest.raises(LocalProtocolError, match="4861"):
        import_trace(lake, "e", "PARIS", tmp_path)


def test_who_is_cancelled_has_written_nothing_and_may_begin_again(lake, tmp_path, monkeypatch):
    monkeypatch.setattr(trace_sorting, "BATCH_ROWS", 7)
    monkeypatch.setattr(trace_sorting, "TOLD_ROWS", 5)
    path = written(tmp_path / "trace.csv", [*exported()[:40], {"EventClass": "?"}])
    heard: list[tuple[int, int]] = []

    def cancel(done: int, total: int) -> None:
        heard.append((done, total))
        if done == total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_trace(lake, "e", "PARIS", path, progress=cancel)
    assert heard[0] == (0, 42)
    assert heard[-1] == (42, 42)
    assert len(heard) > 5
    assert lake.rows() == 0
    assert not rejects_of(lake).exists()
    found = import_trace(lake, "e", "PARIS", path, name="mine.csv")
    assert (found.written, found.rejected, lake.rows()) == (40, 1, 40)
    assert [row["file"] for row in rejects(lake)] == ["mine.csv"]


def test_a_trace_changes_nothing_of_how_far_its_instance_was_exported(lake, tmp_path):
    """Its numbers are not those of the live instance, which goes on to be exported from where it was."""
    events = (world_of_traffic() | drawn_estate(0, 3))["PARIS"]
    lake.append("e", "PARIS", events[:20])
    mark = lake.mark("e", "PARIS")
    rows = [{**row, "EventSequence": 10**9 + place} for place, row in enumerate(exported()[:30])]
    import_trace(lake, "e", "PARIS", written(tmp_path / "trace.csv", rows))
    assert lake.mark("e", "PARIS") == mark
    lake.append("e", "PARIS", events)
    (state,) = lake.state("e", ["PARIS"]).instances
    assert (state.events, state.last_number, state.lost) == (len(events) + 30, int(events[-1][0]), 0)
    assert lake.rows() == len(events) + 30


def test_who_exports_the_same_instance_meanwhile_goes_first(lake, tmp_path, monkeypatch):
    events = (world_of_traffic() | drawn_estate(0, 3))["PARIS"]
    lake.append("e", "PARIS", events[:20])
    seen = lake._table()
    lake.append("e", "PARIS", events[20:40])
    tables = iter([seen])
    monkeypatch.setattr(lake, "_table", lambda: next(tables, None) or Lake(lake.folder)._table())
    path = written(tmp_path / "trace.csv", [*exported()[:10], {"EventClass": "?"}])
    found = import_trace(lake, "e", "PARIS", path)
    assert (found.rows, found.written, found.rejected, found.known) == (11, 10, 1, 0)
    (state,) = lake.state("e", ["PARIS"]).instances
    assert state.events == lake.rows() == 50


def test_of_a_file_without_a_header_the_first_row_is_kept_as_well(lake, tmp_path):
    """Management Studio writes none unless it is told to."""
    lines = [f"124,{AT},{CONVERSATION}", f'142,{AT},"in two\nlines"']
    found = taken(lake, tmp_path / "x.csv", "\n".join(lines))
    assert found == Imported(rows=2, rejected=2, reasons=(RejectedRows(reason="no-header", rows=2),))
    assert [row["text"] for row in rejects(lake)] == lines
    assert {row["reason"] for row in rejects(lake)} == {"the first row of the file names no column: EventClass"}


def test_a_column_that_is_named_twice_keeps_both_values(lake, tmp_path):
    taken(lake, tmp_path / "x.csv", f"EventClass,StartTime,TextData,textdata,TextData\n142,{AT},one,two,three\n")
    (row,) = lake.read().to_pylist()
    assert row["text"] == "one"
    assert {"TextData": "one", "TextData (2)": "two", "TextData (3)": "three"}.items() <= json.loads(
        row["payload"]
    ).items()


@pytest.mark.parametrize(
    "names", ["timestamp,timestamp (UTC)", "timestamp (UTC),Timestamp", "timestamp (UTC),StartTime"]
)
def test_of_two_times_that_of_utc_is_the_time_wherever_the_server_stands(lake, tmp_path, names):
    """As the viewer of Extended Events exports them."""
    local, utc = "2026-07-01 12:00:00.5", "2026-07-01 10:00:00.5"
    times = [local, utc] if names.startswith("timestamp,") else [utc, local]
    path = tmp_path / "x.csv"
    path.write_text(f"name,{names},database_name\nbroker_conversation,{','.join(times)},Ventes\n")
    import_trace(lake, "e", "PARIS", path, time_zone="America/New_York")
    (row,) = lake.read().to_pylist()
    assert (row["event_time"].isoformat(), row["database"]) == ("2026-07-01T10:00:00.500000+00:00", "Ventes")
    assert local in json.loads(row["payload"]).values()


@pytest.mark.parametrize(
    ("told", "utc"),
    [
        ("2026-07-01 00:30:00", "2026-06-30T22:30:00+00:00"),
        ("2026-12-01T00:30:00", "2026-11-30T23:30:00+00:00"),
        ("2026-07-01T00:30:00-05:00", "2026-07-01T05:30:00+00:00"),
        ("2026-10-25T02:30:00", "2026-10-25T00:30:00+00:00"),
    ],
)
def test_times_without_an_offset_are_of_the_clock_of_the_server(lake, tmp_path, told, utc):
    path = tmp_path / "x.csv"
    path.write_text(f"EventClass,StartTime\n142,{told}\n")
    import_trace(lake, "e", "PARIS", path, time_zone="Europe/Paris")
    (row,) = lake.read().to_pylist()
    assert row["event_time"].isoformat() == utc
    assert (row["trace_date"].isoformat(), row["hour"]) == (utc[:10], int(utc[11:13]))


@pytest.mark.parametrize("zone", ["Paris", "", "../etc/passwd", "a" * 300, "Europe/\0"])
def test_a_zone_that_there_is_not_is_refused_by_number(lake, tmp_path, zone):
    path = written(tmp_path / "trace.csv", exported()[:3])
    with pytest.raises(LocalProtocolError, match="9820"):
        import_trace(lake, "e", "PARIS", path, time_zone=zone)
    assert not lake.folder.exists()


@pytest.mark.parametrize("is_numbered", [True, False])
def test_of_a_longer_export_of_the_same_trace_only_what_is_new_is_added(lake, tmp_path, is_numbered):
    """Rows without numbers have those of their lines."""
    rows = exported()[:60]
    if not is_numbered:
        rows = [{**row, "EventSequence": ""} for row in rows]
    path = tmp_path / "trace.csv"
    assert import_trace(lake, "e", "PARIS", written(path, rows[:40])).written == 40
    assert import_trace(lake, "e", "PARIS", written(path, rows)) == Imported(rows=60, written=20, known=40)
    assert import_trace(lake, "e", "LYON", written(path, rows[:5])).written == 5
    begin = 10 if is_numbered else 0
    assert import_trace(lake, "e", "PARIS", written(path, rows[begin:50])).known == 50 - begin
    assert lake.rows() == 65
    (state,) = lake.state("e", ["PARIS"]).instances
    assert state.events == 60


def test_a_quote_that_nobody_closes_does_not_end_at_the_next_one_of_its_kind(lake, tmp_path):
    """A cell of many lines would be made of all rows between the two."""
    rows = [f"142,{AT},plain {number}" for number in range(300)]
    rows[10], rows[290] = f'142,{AT},"open', f'142,{AT},"open as well'
    found = taken(lake, tmp_path / "x.csv", "\n".join(["EventClass,StartTime,TextData", *rows]))
    assert found == Imported(rows=300, written=298, rejected=2, reasons=(RejectedRows(reason="no-csv", rows=2),))
    assert [row["line"] for row in rejects(lake)] == [12, 292]


@pytest.mark.parametrize("is_first", [True, False])
def test_times_that_stand_for_none_and_numbers_of_any_size_cost_no_other_row(lake, tmp_path, is_first):
    """The least and largest dates of .NET; a number that has no exact float."""
    path = tmp_path / "x.csv"
    if not is_first:
        taken(lake, path, f"EventClass,StartTime,EventSequence\n142,{AT},1\n")
    times = ["0001-01-01", "1999-12-31T23:59:59", "9999-12-31 23:59:59.9999999", "2100-01-01T00:00:00Z", AT]
    rows = [f"139,{time},{CONVERSATION},{2**53 + 1}" for time in times]
    found = taken(lake, path, "\n".join(["EventClass,StartTime,GUID,Success", *rows]))
    assert found == Imported(rows=5, written=1, rejected=4, reasons=(RejectedRows(reason="odd-instant", rows=4),))
    (row,) = lake.read().filter(pc.field("event") == "forwarded-message-sent").to_pylist()
    assert row["time_consumed"] == 2.0**53


def test_what_stands_in_a_file_twice_is_there_once_whatever_the_order_of_its_columns(lake, tmp_path):
    """Two exports of one trace that overlap, put together."""
    header, swapped = "EventClass,StartTime,EventSequence", "EventSequence,EventClass,StartTime"
    rows = [f"142,{AT},{number}" for number in range(1, 4)]
    found = taken(lake, tmp_path / "x.csv", "\n".join([header, *rows, header, *rows[1:]]))
    assert (found.rows, found.written, found.known, found.rejected) == (6, 3, 2, 1)
    turned = [f"{number},142,{AT}" for number in range(1, 5)]
    found = taken(lake, tmp_path / "x.csv", "\n".join([swapped, *turned]))
    assert (found.rows, found.written, found.known) == (4, 1, 3)


def test_rejected_rows_of_a_longer_export_are_kept_once(lake, tmp_path):
    lines = ["EventClass,StartTime", "?,", "??,"]
    for _ in range(2):
        assert taken(lake, tmp_path / "x.csv", "\n".join(lines[:2])).rejected == 1
    assert taken(lake, tmp_path / "longer.csv", "\n".join(lines)).rejected == 2
    assert [row["line"] for row in rejects(lake)] == [2, 3]


def test_estates_and_instances_whose_names_join_alike_have_rejects_of_their_own(lake, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("EventClass,StartTime\n?,\n")
    for estate, instance in (("a/b", "c"), ("a", "b/c")):
        assert import_trace(lake, estate, instance, path).rejected == 1
    assert len(rejects(lake)) == 2


@pytest.mark.parametrize("is_new", [True, False])
def test_several_who_import_at_once_write_each_row_once(tmp_path, is_new):
    path, content = tmp_path / "x.csv", [f"142,{AT},{number}" for number in range(200)]
    path.write_text("\n".join(["EventClass,StartTime,EventSequence", *content, "?,,"]))
    folder = tmp_path / "lake"
    if not is_new:
        taken(Lake(folder), tmp_path / "first.csv", f"EventClass,StartTime,EventSequence\n142,{AT},999\n?,\n")
    with ThreadPoolExecutor(5) as pool:
        told = list(pool.map(lambda _: import_trace(Lake(folder), "e", "PARIS", path), range(5)))
    assert sum(each.written for each in told) == 200
    assert sum(each.known for each in told) == 4 * 200
    assert Lake(folder).rows() == 200 + (not is_new)
    assert Lake(folder).state("e", ["PARIS"]).instances[0].events == Lake(folder).rows()
    assert len(rejects(Lake(folder))) == 1 + (not is_new)
