"""The lake has every event exactly once, whoever writes, dies and writes again; and what it has can be read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import unquote

import msgspec
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from engine.contracts.codec import json_encoder
from engine.core.exchange.events import BrokerEvent
from engine.pipeline.lake import exporting, writing
from engine.pipeline.lake.exporting import export
from engine.pipeline.lake.failing import LakeUnusable
from engine.pipeline.lake.hours import lake_hours
from engine.pipeline.lake.importing import import_trace
from engine.pipeline.lake.rows import lake_table
from engine.pipeline.lake.schema import COLUMNS, ORDER
from engine.pipeline.lake.trace_rejects import rejects_of
from engine.pipeline.lake.writing import Lake, LakeBusy
from tests.pipeline.drawn_events import Told, drawn_estate
from tests.pipeline.traffic import later, world_of_traffic


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


@pytest.fixture(scope="module")
def told() -> Told:
    return world_of_traffic() | drawn_estate(0, 2)


def test_every_event_is_there_once_whatever_is_written_again(lake, told):
    for instance, events in told.items():
        assert lake.append("e", instance, events[:20]) == min(20, len(events))
        assert lake.append("e", instance, events[5:]) == len(events[20:])
        assert lake.append("e", instance, events) == 0
        assert lake.last_number("e", instance) == events[-1][0]
    assert lake.last_number("e", "NOBODY") == lake.last_number("another", "PARIS") == 0
    assert _payloads(lake) == {
        (instance, number): json_encoder.encode(event).decode()
        for instance, events in told.items()
        for number, event in events
    }
    assert lake.rows() == sum(map(len, told.values()))


def _payloads(lake: Lake) -> dict[tuple[str, int], str]:
    rows = lake.read().select(["instance", "event_number", "payload"]).to_pylist()
    found = {(row["instance"], row["event_number"]): row["payload"] for row in rows}
    assert len(found) == len(rows)
    return found


def test_nothing_of_an_event_is_lost(lake, told):
    for instance, events in told.items():
        lake.append("e", instance, events)
    decoder = msgspec.json.Decoder(BrokerEvent)
    events = {(instance, number): event for instance, events in told.items() for number, event in events}
    assert {key: decoder.decode(payload) for key, payload in _payloads(lake).items()} == events


def test_rows_say_what_their_events_do(lake, told):
    lake.append("e", "PARIS", told["PARIS"])
    for row in lake.read().to_pylist():
        (event,) = [event for number, event in told["PARIS"] if number == row["event_number"]]
        at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=event.at)
        assert abs(row["event_time"] - at) < timedelta(microseconds=2)
        assert (row["trace_date"], row["hour"]) == (row["event_time"].date(), row["event_time"].astimezone(UTC).hour)
        assert row["event"] == event.__struct_config__.tag
        for field in ("database", "queue", "message_sequence_number", "is_initiator", "from_initiator", "to_service"):
            assert row[field] == getattr(event, field, None), field
        for field in ("conversation_id", "conversation_handle", "message_id"):
            wanted = getattr(event, field, None)
            assert row[field] == (None if wanted is None else str(wanted)), field
        decision = getattr(event, "decision", None)
        assert row["route"] == (decision.route.name if decision is not None and decision.route is not None else None)
        assert row["address"] == (str(event.address) if hasattr(event, "address") else _address(decision))


def _address(decision: object) -> str | None:
    address = getattr(decision, "address", None)
    return None if address is None else str(address)


def test_of_two_writers_at_once_one_is_told(lake, told, monkeypatch):
    """Both have read that nothing is there; only one of them writes."""
    events = told["PARIS"]
    lake.append("e", "HUB", told["HUB"])
    slow = Lake(lake.folder)
    seen = slow._table()
    lake.append("e", "PARIS", events[:10])
    monkeypatch.setattr(slow, "_table", lambda: seen)
    with pytest.raises(LakeBusy, match="3960"):
        slow.append("e", "PARIS", events[:10])
    monkeypatch.undo()
    assert slow.append("e", "PARIS", events) == len(events) - 10
    assert len(_payloads(lake)) == len(events) + len(told["HUB"])


def test_files_stand_by_estate_day_and_hour_sorted_and_compressed(lake, told):
    for instance, events in told.items():
        lake.append("e", instance, events)
    for name in lake.files():
        file = Path(name.removeprefix("file://"))
        estate, day, hour = file.relative_to(lake.folder).parts[:3]
        assert estate == "estate=e"
        table = pq.ParquetFile(file)
        assert table.metadata.row_group(0).column(0).compression == "ZSTD"
        rows = table.read(columns=["event_time", *ORDER]).to_pylist()
        assert {(f"trace_date={row['event_time']:%Y-%m-%d}", f"hour={row['event_time'].hour}") for row in rows} == {
            (day, hour)
        }
        keys = [tuple((row[name] is None, row[name] or 0) for name in ORDER) for row in rows]
        assert keys == sorted(keys)
    assert DeltaTable(lake.folder).metadata().name == "brokerweb events 1"


def test_an_empty_lake_is_read(lake):
    assert lake.read().schema.names == COLUMNS.names
    assert (lake.rows(), lake.files(), lake.compact()) == (0, [], 0)


# ── from instances ───────────────────────────────────────────────────────────────────────────────────────────────────
def reader(events):
    """As a store reads: what it has after a number, at most so many."""

    def read(after, most):
        return [each for each in events if each[0] > after][:most]

    return read


def test_an_export_takes_over_what_is_new(lake, told):
    events, heard = told["PARIS"], []
    first = export(lake, "e", "PARIS", reader(events[:50]), heard.append, batch_events=20)
    assert (first.events, first.last_number, first.lost) == (50, 50, 0)
    assert heard == [20, 40, 50]
    again = export(lake, "e", "PARIS", reader(events[:50]), heard.append)
    assert (again.events, again.last_number) == (0, 50)
    export(lake, "e", "PARIS", reader(events), heard.append)
    assert _payloads(lake).keys() == {("PARIS", int(number)) for number, _ in events}


def test_an_export_that_dies_is_gone_on_with(lake, told):
    events = told["PARIS"]

    def dies(written):
        if written == 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(lake, "e", "PARIS", reader(events), dies, batch_events=20)
    assert lake.last_number("e", "PARIS") == 40
    export(lake, "e", "PARIS", reader(events), lambda _: None)
    assert _payloads(lake).keys() == {("PARIS", int(number)) for number, _ in events}


def test_two_exports_at_once_double_nothing(lake, told):
    events = told["PARIS"]

    def read_while_another_exports(after, most):
        export(Lake(lake.folder), "e", "PARIS", reader(events), lambda _: None)
        return reader(events)(after, most)

    export(lake, "e", "PARIS", read_while_another_exports, lambda _: None)
    assert _payloads(lake).keys() == {("PARIS", int(number)) for number, _ in events}


def test_what_an_instance_let_go_before_it_was_exported_is_counted(lake, told):
    events = told["PARIS"]
    export(lake, "e", "PARIS", reader(events[3:10]), lambda _: None)
    gone = export(lake, "e", "PARIS", reader(events[15:]), lambda _: None)
    assert gone.lost == 5
    (state,) = lake.state("e", ["PARIS"]).instances
    assert (state.events, state.last_number, state.lost) == (len(events) - 8, len(events), 8)


def test_an_instance_that_was_made_anew_is_exported_from_its_beginning(lake, told):
    old, new = told["PARIS"], later(told["BERLIN"])
    export(lake, "e", "PARIS", reader(old[:60]), lambda _: None)
    for events in (new[:10], new):
        export(lake, "e", "PARIS", reader(events), lambda _: None)
    rows = lake.read().select(["event_number", "payload"]).to_pylist()
    wanted = [*old[:60], *new]
    assert sorted((row["event_number"], row["payload"]) for row in rows) == sorted(
        (number, json_encoder.encode(event).decode()) for number, event in wanted
    )
    (state,) = lake.state("e", ["PARIS"]).instances
    assert (state.events, state.last_number) == (len(wanted), len(new))
    assert lake.mark("e", "PARIS").lost_until == round(new[0][1].at * 1_000_000)


def test_rows_of_an_instance_that_lost_events_and_was_made_anew_are_counted(lake, told):
    export(lake, "e", "PARIS", reader(told["PARIS"][60:80]), lambda _: None)
    export(lake, "e", "PARIS", reader(later(told["BERLIN"])[:10]), lambda _: None)
    (state,) = lake.state("e", ["PARIS"]).instances
    assert (state.events, state.last_number, state.lost) == (30, 10, 60)
    assert lake.rows() == 30


def test_rows_of_a_lake_that_did_not_count_them_are_counted_and_counted_on(lake, told, monkeypatch):
    with monkeypatch.context() as earlier:
        earlier.setattr(writing, "ROWS", "/not-yet")
        export(lake, "e", "PARIS", reader(told["PARIS"][60:80]), lambda _: None)
        export(lake, "e", "PARIS", reader(later(told["BERLIN"])[:10]), lambda _: None)
        lake.append("f", "PARIS", told["PARIS"])
    assert lake.state("e", ["PARIS"]).instances[0].events == 30
    export(lake, "e", "PARIS", reader(later(told["BERLIN"])[:15]), lambda _: None)
    assert lake.state("e", ["PARIS"]).instances[0].events == 35


def test_two_exports_at_once_double_nothing_of_an_instance_that_was_made_anew(lake, told):
    old, new = told["PARIS"], later(told["BERLIN"])
    export(lake, "e", "PARIS", reader(old[:60]), lambda _: None)

    def read_while_another_exports(after, most):
        found = reader(new)(after, most)
        if most == 7:
            export(Lake(lake.folder), "e", "PARIS", reader(new), lambda _: None)
        return found

    with pytest.raises(LakeBusy, match="3960"):
        export(lake, "e", "PARIS", read_while_another_exports, lambda _: None, batch_events=7)
    export(lake, "e", "PARIS", reader(new), lambda _: None)
    assert_holds(lake, [*old[:60], *new])


def test_events_that_were_read_before_another_began_a_new_log_are_not_written_into_it(lake, told):
    old, new = told["PARIS"], later(told["BERLIN"])
    export(lake, "e", "PARIS", reader(old[:60]), lambda _: None)

    def read_while_it_is_made_anew(after, most):
        if most == 7:
            export(Lake(lake.folder), "e", "PARIS", reader(new[:10]), lambda _: None)
        return reader(old)(after, most)

    with pytest.raises(LakeBusy, match="3960"):
        export(lake, "e", "PARIS", read_while_it_is_made_anew, lambda _: None, batch_events=7)
    assert_holds(lake, [*old[:60], *new[:10]])


def assert_holds(lake, events):
    """All of these, each once, and no others."""
    rows = lake.read().select(["event_number", "payload"]).to_pylist()
    assert sorted((row["event_number"], row["payload"]) for row in rows) == sorted(
        (int(number), json_encoder.encode(event).decode()) for number, event in events
    )


@pytest.mark.parametrize("compared", [7, 50, 20_000])
@pytest.mark.parametrize("first", [1, 31])
def test_of_a_store_that_was_put_back_what_is_exported_already_is_not_written_again(
    lake, told, monkeypatch, compared, first
):
    monkeypatch.setattr(exporting, "COMPARED_EVENTS", compared)
    events = told["PARIS"][first - 1 :]
    old = [each for each in events if each[0] <= 60]
    back = [each for each in events if each[0] <= 50]
    other = later([each for each in events if each[0] > 50])
    export(lake, "e", "PARIS", reader(old), lambda _: None)
    assert export(lake, "e", "PARIS", reader(back), lambda _: None).events == 0
    # Fewer than had been exported, then more.
    assert export(lake, "e", "PARIS", reader([*back, *other[:5]]), lambda _: None).events == 5
    again = export(lake, "e", "PARIS", reader([*back, *other[:30]]), lambda _: None)
    assert (again.events, again.last_number, again.lost) == (25, 80, 0)
    assert_holds(lake, [*old, *other[:30]])
    # And back to the other state, which had more in common with the lake than what is below the mark.
    third = later([each for each in events if each[0] > 60], 7200.0)
    export(lake, "e", "PARIS", reader([*old, *third[:2]]), lambda _: None)
    assert_holds(lake, [*old, *other[:30], *third[:2]])
    (state,) = lake.state("e", ["PARIS"]).instances
    assert (state.events, state.lost) == (lake.rows(), first - 1)


def test_a_store_that_was_put_back_and_has_passed_its_mark_is_noticed(lake, told):
    events = told["PARIS"]
    other = later(events[50:])
    export(lake, "e", "PARIS", reader(events[:60]), lambda _: None)
    assert export(lake, "e", "PARIS", reader([*events[:50], *other]), lambda _: None).events == len(other)
    assert_holds(lake, [*events[:60], *other])


def test_what_an_instance_is_called_changes_no_mark_of_another(lake, told):
    names = [("e", "A"), ("e", "A/lost"), ("e", "A/at"), ("e", "A%2Flost"), ("e/A", "lost"), ("e", "A/rows")]
    for place, (estate, name) in enumerate(names):
        export(lake, estate, name, reader(told["PARIS"][3 : 10 + place]), lambda _: None)
    for place, (estate, name) in enumerate(names):
        (state,) = lake.state(estate, [name]).instances
        assert (state.events, state.last_number, state.lost) == (7 + place, 10 + place, 3)


def test_an_instance_that_told_nothing_yet_or_let_everything_go_was_not_made_anew(lake, told):
    events = told["PARIS"]
    export(lake, "e", "PARIS", reader(events[:60]), lambda _: None)
    assert export(lake, "e", "PARIS", reader([]), lambda _: None).events == 0
    assert export(lake, "e", "PARIS", reader(events[70:]), lambda _: None).lost == 10
    assert lake.rows() == len(events) - 10


def test_what_two_exports_miss_is_counted_once(lake, told):
    events = told["PARIS"][3:]
    lake.append("e", "PARIS", events[:10], lost=3)
    lake.append("e", "PARIS", events, lost=3)
    assert lake.mark("e", "PARIS").lost == 3


def test_the_state_of_a_lake_is_that_of_one_estate(lake, told):
    assert lake.state("e", ["PARIS"]).instances == ()
    for estate in ("e", "f"):
        for instance, events in told.items():
            lake.append(estate, instance, events)
    times = [event.at for events in told.values() for _, event in events]
    state = lake.state("e", ["PARIS", "NOBODY"])
    assert state.events == len(times) == lake.rows("f")
    assert state.files == len(lake.files("e")) == len(lake.files()) / 2
    assert state.bytes == sum(Path(unquote(file)).stat().st_size for file in lake.files("e"))
    assert (state.first_at, state.last_at) == tuple(map(_millisecond, (min(times), max(times))))
    assert [(each.instance, each.events) for each in state.instances] == [("PARIS", len(told["PARIS"])), ("NOBODY", 0)]
    assert lake.state("nobody").first_at is None


def _millisecond(at):
    exact = datetime.fromtimestamp(at, UTC)
    return exact.replace(microsecond=exact.microsecond // 1000 * 1000)


# ── what does not work ───────────────────────────────────────────────────────────────────────────────────────────────
def test_what_cannot_be_written_is_told_and_written_later(lake, told):
    lake.append("another", "PARIS", told["PARIS"])
    blocked = lake.folder / "estate=e"
    blocked.write_text("in the way")
    with pytest.raises(LakeUnusable, match=rf"^5123: .*{lake.folder}.*Not a directory") as refused:
        export(lake, "e", "PARIS", reader(told["PARIS"]), lambda _: None)
    assert "disk is full" in refused.value.why
    assert "\n" not in str(refused.value)
    assert lake.rows() == len(told["PARIS"])
    blocked.unlink()
    export(lake, "e", "PARIS", reader(told["PARIS"]), lambda _: None)
    assert (lake.rows("e"), lake.mark("e", "PARIS").lost) == (len(told["PARIS"]), 0)


def test_a_lake_that_is_damaged_is_told_whatever_is_asked_of_it(lake, told):
    for begin in (0, 50):
        lake.append("e", "PARIS", told["PARIS"][begin : begin + 50])
    Path(unquote(lake.files()[0])).write_bytes(b"no Parquet")
    for ask in (lake.compact, lake.read, lambda: lake.last_known("e", "PARIS", told["PARIS"][:100])):
        with pytest.raises(LakeUnusable, match=r"^5123: "):
            ask()
    next((lake.folder / "_delta_log").glob("*0.json")).write_text("no log")
    asked = (
        lake.files,
        lake.state,
        lambda: lake.mark("e", "PARIS"),
        lambda: lake_hours(lake.folder, "e"),
        lambda: lake.append("e", "PARIS", told["PARIS"]),
        lambda: lake.take_over("e", "PARIS", lake_table("e", "PARIS", told["PARIS"])),
    )
    for ask in asked:
        with pytest.raises(LakeUnusable, match=r"^5123: "):
            ask()


def test_rejected_rows_that_cannot_be_written_are_told(lake, tmp_path):
    rejects_of(lake).write_text("in the way")
    trace = tmp_path / "trace.csv"
    trace.write_text("EventClass,StartTime\nnothing,never\n")
    with pytest.raises(LakeUnusable, match=r"^5123: "):
        import_trace(lake, "e", "PARIS", trace)
