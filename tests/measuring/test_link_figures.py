"""What `make bench-link` makes of what clients and system tell it."""

from __future__ import annotations

import pytest

from tests.benchmarks.link import contestants, machine, messages, processes, turns
from tests.benchmarks.link.__main__ import main
from tests.benchmarks.link.client_process import Seen
from tests.benchmarks.link.figures import (
    Spread,
    WrongDelivery,
    check_delivery,
    link_figures,
    percentile,
    run_figures,
    spread,
)
from tests.benchmarks.link.readings import Used
from tests.benchmarks.link.report import cell, number, tables

STAT = "41 (beam (1) smp) S 7 41 41 0 -1 4194304 9 8 0 0 {own} {system} {ended} 300 20 0 1 0 99 1000 {pages} 0"


def line(pid: int, parent: int) -> processes.ProcessLine:
    return processes.ProcessLine(pid, parent, 1.0, 1)


def test_a_process_is_read_with_the_time_of_its_ended_children() -> None:
    read = processes.parse_line(STAT.format(own=100, system=50, ended=50, pages=3))
    assert (read.pid, read.parent) == (41, 7)
    assert read.cpu_seconds == 500 / processes._TICKS
    assert read.resident_bytes == 3 * processes._PAGE


def test_a_family_is_the_roots_and_all_who_descend_from_them() -> None:
    lines = [line(1, 0), line(10, 1), line(11, 10), line(12, 11), line(20, 1)]
    assert {each.pid for each in processes.families(lines, [10, 99, 12])} == {10, 11, 12}


@pytest.mark.parametrize(
    ("text", "bytes_"), [("Rss: 9 kB\nPss:   12 kB\nPss_Dirty: 1 kB\n", 12288), ("Rss: 9 kB\n", None)]
)
def test_shared_pages_are_counted_once_where_the_system_tells(text: str, bytes_: int | None) -> None:
    assert processes.proportional_bytes(text) == bytes_


def test_flushes_are_counted_by_kernels_that_count_them() -> None:
    eleven = "1 2 3 4 5 6 7 8 9 10 11"
    assert machine.flush_requests(f"{eleven} 12 13 14 15 16 17") == 16
    assert machine.flush_requests(eleven) is None


def test_waiting_processors_are_not_busy() -> None:
    text = "cpu  100 10 20 9999 8888 1 2 3 100 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n"
    assert machine.busy_seconds(text) == 136 / machine._TICKS


@pytest.mark.parametrize(("share", "value"), [(0.5, 50), (0.99, 99), (1.0, 100), (0.001, 1)])
def test_a_percentile_is_a_value_that_was_seen(share: float, value: float) -> None:
    assert percentile([float(each) for each in range(100, 0, -1)], share) == value


def test_there_is_no_percentile_of_nothing() -> None:
    with pytest.raises(ValueError, match="no values"):
        percentile([], 0.5)


def test_a_spread_needs_every_round() -> None:
    assert spread([3.0, 1.0, 2.0]) == Spread(2.0, 1.0, 3.0)
    assert spread([3.0, None]) is None
    assert spread([]) is None


def seen(**changes: object) -> Seen:
    return Seen(**{"began_ns": 10**9, "ended_ns": 3 * 10**9, "cpu_seconds": 0.5, "unique": 1000, **changes})


@pytest.mark.parametrize("changes", [{"unique": 999}, {"repeated": 1}, {"foreign": 1}])
def test_a_run_counts_only_with_every_message_once(changes: dict[str, int]) -> None:
    check_delivery(1000, seen())
    with pytest.raises(WrongDelivery, match="of 1000 messages"):
        check_delivery(1000, seen(**changes))


def test_figures_are_per_message_and_from_the_first_send_to_the_last_receive() -> None:
    used = Used(broker_cpu=2.0, resident=2**21, proportional=2**20, flushes=None, foreign_cores=0.25)
    produced = seen(began_ns=0, ended_ns=10**9)
    run = run_figures("x", 0, "latency", 1000, produced, seen(ended_ns=2 * 10**9, delays_ns=[10**6, 3 * 10**6]), used)
    assert (run.messages_per_second, run.broker_cpu_per_10k, run.producer_cpu_per_10k) == (500, 20.0, 5.0)
    assert (run.p50_ms, run.p99_ms, run.proportional_mib, run.flushes) == (1.0, 3.0, 1.0, None)


def test_a_link_is_measured_from_the_first_look_that_saw_messages() -> None:
    used = Used(broker_cpu=2.0, resident=2**21, proportional=2**20, flushes=8, foreign_cores=0.25)
    watched = seen(began_ns=10**9, ended_ns=3 * 10**9, unique=900)
    run = link_figures("x", 0, "link", 1000, watched, seen(ended_ns=99 * 10**9), used)
    assert (run.messages_per_second, run.seconds, run.broker_cpu_per_10k) == (450.0, 2.0, 20.0)


@pytest.mark.parametrize("changes", [{"unique": 0}, {"missing": 3}])
def test_a_link_that_was_not_seen_at_work_does_not_count(changes: dict[str, int]) -> None:
    used = Used(broker_cpu=2.0, resident=2**21, proportional=2**20, flushes=8, foreign_cores=0.25)
    with pytest.raises(WrongDelivery, match="over the link"):
        link_figures("x", 0, "link", 1000, seen(**changes), seen(), used)


def test_messages_are_ticked_off() -> None:
    tally = messages.Tally(run=7, expected=3)
    damaged = messages.body(7, 2)[:-1] + b"!"
    tally.take([messages.body(7, 0, sent_ns=100), messages.body(7, 0), messages.body(7, 1)], now_ns=350)
    tally.take([messages.body(8, 2), messages.body(7, 3), damaged], now_ns=400)
    assert (tally.unique, tally.repeated, tally.foreign, tally.delays_ns) == (2, 1, 3, [250])
    assert not tally.is_complete
    tally.take([messages.body(7, 2)], now_ns=500)
    assert tally.is_complete


def test_a_message_is_one_kibibyte() -> None:
    assert len(messages.body(2**63 - 1, 10**6, 10**18)) == 1024


def test_everybody_has_every_place_in_the_order() -> None:
    known = contestants.named(["rabbitmq-quorum", "postgresql-100", "rabbitmq-quorum", "brokerweb-1"])
    order = [(round_, contestant.name) for round_, contestant in turns.in_turns(known, 3)]
    a, b, c = "rabbitmq-quorum", "postgresql-100", "brokerweb-1"
    assert order == [(0, a), (0, b), (0, c), (1, b), (1, c), (1, a), (2, c), (2, a), (2, b)]


def test_an_unknown_contestant_is_said_with_those_who_are_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--contestants", "rabbitmq-quorum,nobody"]) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "no contestant 'nobody'" in said
    assert "brokerweb-100000" in said


@pytest.mark.parametrize("rounds", ["0", "-1", "many"])
def test_a_number_of_rounds_that_makes_no_sense_is_refused(rounds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--rounds", rounds])
    assert ended.value.code == 2
    assert "--rounds" in capsys.readouterr().err


@pytest.mark.parametrize(("value", "text"), [(41234.5, "41,234"), (12.34, "12.3"), (0.5, "0.50")])
def test_three_digits_count(value: float, text: str) -> None:
    assert number(value) == text


def test_a_cell_shows_least_and_most_of_several() -> None:
    assert cell(Spread(2.0, 1.0, 3.0), is_whole=True) == "2.00 (1.00-3.00)"
    assert cell(Spread(2.0, 1.0, 3.0), is_whole=False) == "2.00"
    assert cell(None, is_whole=True) == "–"


def test_a_table_compares_with_the_contestant_that_is_named_first() -> None:
    used = Used(broker_cpu=2.0, resident=2**21, proportional=None, flushes=4000, foreign_cores=0.0)
    runs = [
        run_figures(name, 0, "throughput", 1000, seen(began_ns=0), seen(ended_ns=ended), used)
        for name, ended in (("fast", 10**9), ("slow", 4 * 10**9))
    ]
    throughput, link, latency = tables(runs, ["slow", "fast", "absent"])
    assert list(throughput.columns[0].cells) == ["slow", "fast"]
    assert list(throughput.columns[2].cells) == ["1.00", "4.00"]
    assert list(throughput.columns[6].cells) == ["4,000", "4,000"]
    assert (link.row_count, latency.row_count) == (0, 0)
