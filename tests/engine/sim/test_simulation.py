"""Whole runs: they repeat entry by entry, keep every promise under faults, and tell when a promise is broken."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from engine.core import instance
from engine.core.handlers import timers
from engine.core.transmission.work_table import MemoryWorkTable
from engine.core.vocabulary.settings import EngineSettings, TransmissionObjectSettings
from engine.sim import simulation
from engine.sim.history import Arrived, Died, Healed, Rested, Transmitted, as_json
from engine.sim.questions import simulate_seed, summarize
from engine.sim.scenario import Ending
from engine.sim.scenario_reading import standard_scenario
from engine.sim.simulation import run
from tests.engine.sim.worlds import Recorder, pair
from tests.support.each import for_each
from tests.support.thoroughness import FIRST_SEED, THOROUGH, share

WORLD = standard_scenario()
ROOT = Path(__file__).parents[3]
FIXED_SEEDS = range(40)
FRESH_SEEDS = 15


@for_each("seed", share(FIXED_SEEDS, 8))
def test_no_promise_is_broken_in_the_fixed_seeds(seed):
    report = simulate_seed(WORLD, seed)
    assert report.valid, f"manage.py simulate --first-seed {seed} --seeds 1: {report.findings[0]}"
    assert report.figures.rested_at is not None


@pytest.mark.slow
def test_no_promise_is_broken_in_fresh_seeds():
    reports = [simulate_seed(WORLD, seed) for seed in range(FIRST_SEED, FIRST_SEED + FRESH_SEEDS)]
    for report in reports:
        assert report.valid, f"manage.py simulate --first-seed {report.seed} --seeds 1: {report.findings[0]}"
    assert summarize(reports).messages > FRESH_SEEDS, "there was something to judge"


@pytest.mark.parametrize("first", share(range(0, 20, 10), 1))
def test_no_promise_is_broken_when_whoever_rests_leaves_memory_at_once(first, monkeypatch):
    """protocol.md 5: the work table under crashes, partitions and torn commits."""
    written = []

    class Watched(MemoryWorkTable):
        def write(self, rows):
            written.extend(rows)
            super().write(rows)

    objects = TransmissionObjectSettings(bytes_kept=0, batch_rows=10, rest_seconds=0)
    monkeypatch.setattr(simulation, "EngineSettings", lambda: EngineSettings(transmission_objects=objects))
    monkeypatch.setattr(instance, "MemoryWorkTable", Watched)
    for seed in range(first, first + (10 if THOROUGH else 3)):
        report = simulate_seed(WORLD, seed)
        assert report.valid, report.findings[0]
        assert report.figures.rested_at is not None
    assert len(written) > 100


@pytest.mark.parametrize("seed", [3, 17])
def test_a_seed_takes_the_same_course_every_time_and_another_seed_another(seed):
    hashes = [run(WORLD, each, is_hashed=True).journal_hash for each in (seed, seed, seed + 1)]
    assert hashes[0] == hashes[1] != hashes[2]


def test_observers_change_nothing_and_entries_are_lines_of_json():
    recorder = Recorder()
    watched, alone = run(WORLD, 5, [recorder], is_hashed=True), run(WORLD, 5, is_hashed=True)
    assert watched == alone
    assert len(recorder.entries) == watched.figures.entries
    assert all(msgspec.json.decode(as_json(entry))["entry"] for entry in recorder.entries[:200])


def test_a_world_without_faults_sends_each_message_once():
    report = run(pair(), 1)
    assert report.valid
    assert report.figures.transmissions == report.figures.committed_remote > 20
    assert report.figures.deaths == report.figures.faults == 0


def test_five_per_cent_loss_costs_less_than_half_a_transmission_more():
    """The aim of the protocol's retries (protocol.md 3.5): only what is missing is sent again."""
    scenario = pair(faults={"loss": 0.05}, amplification_max=1.5, faults_seconds=300.0)
    summary = summarize(simulate_seed(scenario, seed) for seed in range(6))
    assert summary.invalid == 0
    assert summary.committed_remote > 200
    assert 1.0 < summary.amplification < 1.5


def test_the_phases_follow_each_other():
    recorder = Recorder()
    run(pair(), 1, [recorder])
    [healed], [rested] = recorder.of(Healed), recorder.of(Rested)
    assert healed.at == 60.0 <= rested.at
    sent, came = recorder.of(Transmitted), recorder.of(Arrived)
    assert sent[0].at < came[0].at


@pytest.mark.parametrize("ending", Ending)
def test_every_ending_comes_to_rest(ending):
    flow = msgspec.structs.replace(pair().flows[0], endings=(ending,))
    report = run(pair(flows=(flow,), faults={"loss": 0.1, "crash": 4.0}), 2)
    assert report.valid, report.findings


@pytest.mark.interpreted
def test_an_exception_of_the_engine_is_a_finding_and_not_the_end_of_the_simulator(monkeypatch):
    real, calls = timers.handle_timer, []

    def break_once(broker):
        calls.append(broker)
        if len(calls) == 20:
            raise ZeroDivisionError("planted")
        real(broker)

    monkeypatch.setattr(timers, "handle_timer", break_once)
    recorder = Recorder()
    report = run(pair(), 1, [recorder])
    assert not report.valid
    [finding] = report.findings
    assert finding.checker == "health"
    assert "ZeroDivisionError: planted" in finding.text
    [died] = recorder.of(Died)
    assert died.is_engine_fault


def test_a_world_in_which_things_happen_for_ever_is_given_up():
    report = run(pair(happenings_max=200), 1)
    assert not report.valid
    assert {finding.checker for finding in report.findings} >= {"convergence"}


def test_reports_are_added_up():
    reports = [run(pair(), 1), run(pair(happenings_max=200), 1)]
    summary = summarize(reports)
    assert (summary.seeds, summary.invalid, summary.converged) == (2, 1, 1)
    assert summary.findings["convergence"] == 1
    assert summary.messages == sum(report.figures.messages for report in reports)


def test_the_course_of_a_seed_does_not_depend_on_the_hashes_of_a_process():
    script = (
        "from tests.engine.sim.test_simulation import WORLD, run; print(run(WORLD, 11, is_hashed=True).journal_hash)"
    )
    hashes = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert hashes == {run(WORLD, 11, is_hashed=True).journal_hash + "\n"}
