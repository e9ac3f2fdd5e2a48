"""`manage.py simulate`: what it prints, how a failure is seen again, and the exit codes a pipeline goes by."""

import json
import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from brokerweb.operations.progress import ProgressBar
from engine.sim.checkers import catalogue
from engine.sim.checkers.checker import Checker
from engine.sim.history import Healed
from tests.support.thoroughness import share

ROOT = Path(__file__).parents[2]
SOUND = """\
name: two
instances:
  PARIS: {databases: {Ventes: {services: [Client], routes: [{name: out, service: Server, address: "TCP://lyon:4022"}]}}}
  LYON: {databases: {Stock: {services: [Server], routes: [{name: home, service: Client, address: "TCP://paris:4022"}]}}}
flows: [{name: talk, from: {instance: PARIS, database: Ventes, service: Client}, to: Server, messages: [5, 5]}]
faults_seconds: 10
converges_within_seconds: 30
"""
STUCK = SOUND.replace("TCP://lyon:4022", "TCP://nowhere:4022")


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "a world.yaml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def simulate(*arguments):
    """Exit code, output, and error output."""
    out, err = StringIO(), StringIO()
    try:
        call_command("simulate", *arguments, "--jobs", "1", stdout=out, stderr=err)
    except SystemExit as end:
        return end.code, out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_a_sound_world_gives_zero_and_figures(file):
    code, out, err = simulate(file(SOUND), "--seeds", "3")
    assert code == 0
    assert "3 seeds, 0 with findings, 3 came to rest" in out
    assert err == "", "a bar is for terminals"


def test_json_is_a_line_for_each_seed_and_the_sum_goes_beside_it(file):
    code, out, err = simulate(file(SOUND), "--seeds", "3", "--first-seed", "40", "--json")
    assert code == 0
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["seed"] for line in lines] == [40, 41, 42]
    assert all(line["valid"] is True and line["findings"] == [] for line in lines)
    assert "3 seeds, 0 with findings" in err


def test_a_finding_gives_one_and_the_command_that_replays_it(file):
    path = file(STUCK)
    code, out, _ = simulate(path, "--seeds", "2", "--first-seed", "7", "--json")
    assert code == 1
    first = json.loads(out.splitlines()[0])
    assert (first["seed"], first["valid"]) == (7, False)
    assert "convergence" in {finding["checker"] for finding in first["findings"]}
    assert first["replay"] == f"manage.py simulate '{path}' --first-seed 7 --seeds 1 --json"
    again = json.loads(simulate(path, "--seeds", "1", "--first-seed", "7", "--json")[1])
    assert again == first


def test_for_people_findings_are_told_with_their_seed(file):
    code, out, _ = simulate(file(STUCK), "--seeds", "1")
    assert code == 1
    assert "seed 0: " in out
    assert "again: manage.py simulate" in out
    assert "1 seeds, 1 with findings, 0 came to rest" in out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (SOUND.replace("faults_seconds", "fault_seconds"), ":6:1: 153: 'fault_seconds' cannot be used"),
        ("flows: [", "153: not YAML"),
        ("", ":1:1: 153: the file holds no scenario"),
    ],
)
def test_a_scenario_with_faults_gives_two_and_runs_nothing(file, text, words):
    code, out, err = simulate(file(text))
    assert code == 2
    assert words in err
    assert out == ""


def test_a_file_that_is_not_there_or_no_text_gives_two(tmp_path):
    broken = tmp_path / "broken.yaml"
    broken.write_bytes(b"\xff\xfe\xff")
    for path in (tmp_path / "missing.yaml", broken):
        code, _, err = simulate(str(path))
        assert code == 2
        assert err.startswith(f"{path}:1:1: 486")


@pytest.mark.parametrize("option", ["--seeds=0", "--seeds=many", "--first-seed=-1", "--jobs=0", "--seed=3x"])
def test_a_wrong_option_is_refused(option):
    with pytest.raises(CommandError):
        call_command("simulate", option)


@pytest.mark.slow
def test_the_standard_world_runs_in_a_process_of_its_own_in_several_jobs_without_a_database(tmp_path):
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{tmp_path / 'nowhere' / 'db.sqlite3'}"}
    result = subprocess.run(
        [sys.executable, "manage.py", "simulate", "--seeds", "6", "--jobs", "2", "--json"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    assert [json.loads(line)["seed"] for line in result.stdout.splitlines()] == list(range(6))


def test_a_world_that_is_shipped_is_found_by_its_name():
    code, out, _ = simulate("mirrors", "--seeds", "1")
    assert code == 0
    assert "1 seeds, 0 with findings" in out


@pytest.mark.slow
def test_all_lets_seeds_run_in_the_worlds_in_turn_as_in_a_command_for_that_world_alone():
    code, out, err = simulate("all", "--seeds", "8", "--first-seed", "8", "--json")
    assert code == 0
    lines = [json.loads(line) for line in out.splitlines()]
    worlds = ["intruders", "loopback", "mirrors", "operators", "restores", "secured", "standard", "traffic"]
    assert [(line["world"], line["seed"]) for line in lines] == list(zip(worlds, range(8, 16), strict=True))
    alone = json.loads(simulate("secured", "--seeds", "1", "--first-seed", "13", "--json")[1])
    assert alone == lines[5]
    assert "8 seeds, 0 with findings" in err
    assert "\ntraffic: 1 seeds, 0 with findings" in err


class Displeased(Checker):
    """Finds something in every world."""

    name, watches = "displeased", (Healed,)

    def observe(self, entry):
        self.find(entry.at, entry.instance, "as always")


def test_a_finding_in_one_of_all_worlds_names_its_world(monkeypatch):
    monkeypatch.setattr(catalogue, "CHECKERS", (*catalogue.CHECKERS, Displeased))
    code, out, _ = simulate("all", "--seeds", "2", "--json")
    assert code == 1
    assert [json.loads(line)["replay"] for line in out.splitlines()] == [
        "manage.py simulate intruders --first-seed 0 --seeds 1 --json",
        "manage.py simulate loopback --first-seed 1 --seeds 1 --json",
    ]
    told = simulate("all", "--seeds", "1")[1]
    assert "again: manage.py simulate intruders --first-seed 0 --seeds 1 --json" in told


def test_a_file_may_be_called_as_what_is_shipped(tmp_path, monkeypatch):
    (tmp_path / "all").write_text(SOUND, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    code, out, _ = simulate("all", "--seeds", "1", "--json")
    assert (code, json.loads(out)["world"]) == (0, "two")


@pytest.mark.slow
@pytest.mark.parametrize("world", share(["all", "secured"], 1))
def test_the_output_is_the_same_whatever_the_number_of_processes_and_without_a_database(world, tmp_path):
    one = simulate(world, "--seeds", "6", "--first-seed", "3", "--json")[1]
    several = subprocess.run(
        [sys.executable, "manage.py", "simulate", world, "--seeds=6", "--first-seed=3", "--json", "--jobs=3"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": f"sqlite:///{tmp_path / 'nowhere' / 'db.sqlite3'}"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout
    assert several == one


ONE_STARTS_SLOWLY = """
import os, sys, time
from django.core.management import execute_from_command_line
from brokerweb.operations.management.commands import simulate

prepare, first = simulate._prepare, sys.argv.pop()

def slow():
    try:
        os.mkdir(first)
    except FileExistsError:
        while not os.path.exists(first + ".signalled"):
            time.sleep(0.05)
    prepare()

simulate._prepare = slow
execute_from_command_line(["manage.py", *sys.argv[1:]])
"""


@pytest.mark.parametrize("starts_slowly", share([True, False], 1))
def test_ctrl_c_stops_it_and_it_says_how_far_it_was(tmp_path, starts_slowly):
    command = ["simulate", "--seeds", "100000", "--jobs", "2", "--json"]
    program = ["-c", ONE_STARTS_SLOWLY, *command, str(tmp_path / "first")] if starts_slowly else ["manage.py", *command]
    process = subprocess.Popen(
        [sys.executable, *program],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Whoever runs the tests in the background has SIGINT ignored, and so would this.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    first = json.loads(process.stdout.readline())
    os.killpg(process.pid, signal.SIGINT)
    (tmp_path / "first.signalled").touch()
    out, err = process.stdout.read(), process.stderr.read()
    process.wait(timeout=120)
    seeds = [first["seed"], *(json.loads(line)["seed"] for line in out.splitlines())]
    assert process.returncode == 130
    assert seeds == list(range(len(seeds)))
    assert f"stopped after {len(seeds)} of 100000 seeds; go on with --first-seed {len(seeds)}" in err
    assert "Traceback" not in err


class Terminal(StringIO):
    def write(self, text, style_func=None, ending=None):
        return super().write(text)

    def isatty(self):
        return True


def test_the_bar_counts_and_leaves_an_empty_line():
    terminal = Terminal()
    bar = ProgressBar(terminal, 4)
    bar.advance(failed=False)
    bar.advance(failed=True)
    assert terminal.getvalue().endswith("] 2/4, 1 with findings")
    bar.clear()
    assert terminal.getvalue().split("\r")[-1] == ""
    assert terminal.getvalue().split("\r")[-2].strip() == ""


@pytest.mark.slow
def test_nobody_reads_on_and_the_verdict_stands():
    reading, writing = os.pipe()
    os.close(reading)
    try:
        result = subprocess.run(
            [sys.executable, "manage.py", "simulate", "--seeds", "3", "--json"],
            cwd=ROOT,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
        )
    finally:
        os.close(writing)
    assert result.returncode == 0
    assert "Traceback" not in result.stderr
    assert "3 seeds, 0 with findings" in result.stderr


@pytest.mark.parametrize("bound", [["--seeds", str(2**63)], ["--seeds", "10000001"], ["--first-seed", str(2**63)]])
def test_more_seeds_than_anybody_could_wait_for_are_refused(bound):
    with pytest.raises(CommandError, match="at most"):
        simulate("two-instances", *bound)


@pytest.mark.parametrize("ahead", [3, 5])
def test_seeds_that_are_handed_out_bit_by_bit_are_told_in_their_order(file, monkeypatch, ahead):
    monkeypatch.setattr("brokerweb.operations.management.commands.simulate.SEEDS_AHEAD", ahead)
    out = StringIO()
    call_command("simulate", file(SOUND), "--seeds", "7", "--jobs", "2", "--json", stdout=out, stderr=StringIO())
    assert [json.loads(line)["seed"] for line in out.getvalue().splitlines()] == list(range(7))
