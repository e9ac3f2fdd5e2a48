"""What every test may count on: a Chromium where there is one, and a closing line that hides nothing.

With REQUIRE_ALL=1 in the environment a skipped test makes the run fail: then nothing may be missing.
"""

import gc
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from engine.core.vocabulary.errors import demand_every_parameter
from tests.support.thoroughness import FIRST_SEED, THOROUGH

# `--affected`: only what changes can affect.
pytest_plugins = ["tests.support.affected_plugin", "tests.support.stuck_threads"]

# The collector runs through everything that is imported again and again: it rests until the tests are collected.
gc.disable()

# What a user reads is whole: half a sentence with a bare {name} in it fails the test that met it.
demand_every_parameter()

# How long an example takes depends on what else the machine does: no test fails for it. `make test` draws the same
# examples each time, so that it fails for a change and never by chance.
settings.register_profile(
    "brokerweb",
    max_examples=100 if THOROUGH else 20,
    derandomize=not THOROUGH,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("brokerweb")

CHROMIUM_NAMES = (
    # First the one that draws no windows, and so does a fifth less: only for tests, which nobody looks at.
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
NO_CHROMIUM = "no Chromium was found (Debian, Ubuntu: apt-get install chromium; or set CHROMIUM to its path)"


def find_chromium() -> str | None:
    """Give the path of the system's Chromium; CHROMIUM in the environment names another one."""
    chosen = os.environ.get("CHROMIUM")
    if chosen:
        return shutil.which(chosen)
    return next((found for name in CHROMIUM_NAMES if (found := shutil.which(name))), None)


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The Chromium that browser tests start, with `executable_path=chromium_path`."""
    found = find_chromium()
    if found is None:
        pytest.skip(NO_CHROMIUM)
    return found


@pytest.fixture(scope="session")
def chromium_launch_options(chromium_path: str) -> dict[str, object]:
    """What `playwright.chromium.launch` is given: the system's Chromium, silent towards the outside."""
    quiet = ("background-networking", "component-update", "default-apps", "extensions", "sync", "quic", "gpu")
    args = [*(f"--disable-{name}" for name in quiet), "--no-first-run", "--force-color-profile=srgb"]
    if os.geteuid() == 0:
        # Chromium's own sandbox refuses to start for root.
        args.append("--no-sandbox")
    return {"executable_path": chromium_path, "headless": True, "args": args}


SPARK = ("tests/pipeline/", "tests/brokerweb/test_analyses_on_spark.py")
LONGEST_FIRST = (
    *SPARK,
    *("tests/e2e/", "tests/docker/", "tests/engine/hosting/", "tests/brokerweb/", "tests/api/"),
    *("tests/engine/properties/", "tests/engine/sim/", "tests/engine/whatif/", "tests/engine/ports/", "tests/docs/"),
)
"""Folders by how long their files take: those in the first two lines take up to minutes, those in the third seconds.

All other files take moments, and keep every process busy to the end.
"""


class SharedServers(LoadFileScheduling):
    """What a process of xdist is given at once: the files that share a server, which a second process would start too.

    These are the files on Spark and each folder of journeys; otherwise single files.
    """

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(SPARK):
            return SPARK[0]
        path = nodeid.partition("::")[0]
        folder = path.rpartition("/")[0]
        return folder if folder.startswith("tests/e2e/") else path


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> SharedServers:
    return SharedServers(config, log)


def _turn(item: pytest.Item) -> int:
    """When a file has its turn: the longest first, so that no process works on alone at the end."""
    places = (at for at, folder in enumerate(LONGEST_FIRST) if item.nodeid.startswith(folder))
    return next(places, len(LONGEST_FIRST))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_turn)
    if find_chromium() is None:
        skip = pytest.mark.skip(reason=NO_CHROMIUM)
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(skip)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Start the garbage collector again; what is imported by now stays, and it leaves that alone."""
    gc.freeze()
    gc.enable()


def pytest_report_header() -> str:
    """Print the seeds, so that a failure can be repeated."""
    if not THOROUGH:
        return "seeds: the same as in each run of `make test`"
    return f"seeds: from {FIRST_SEED} on, repeated by FIRST_SEED={FIRST_SEED}"


def _skipped(config: pytest.Config) -> list[pytest.TestReport]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return reporter.stats.get("skipped", []) if reporter else []


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if os.environ.get("REQUIRE_ALL") == "1" and exitstatus == pytest.ExitCode.OK and _skipped(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _front_end_line() -> str | None:
    """Say what the front end's own test run, made just before this one, has passed."""
    report = os.environ.get("FRONTEND_TEST_REPORT")
    if not report or not Path(report).is_file():
        return None
    totals = json.loads(Path(report).read_text(encoding="utf-8"))
    return f"front end: {totals['numPassedTests']} of {totals['numTotalTests']} tests passed"


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if line := _front_end_line():
        terminalreporter.write_line(line)


def _closing_lines(config: pytest.Config) -> Iterator[str]:
    skipped = _skipped(config)
    without_chromium = sum(NO_CHROMIUM in str(report.longrepr) for report in skipped)
    if without_chromium:
        yield f"Browser tests not run ({without_chromium}): {NO_CHROMIUM}."
    if skipped and os.environ.get("REQUIRE_ALL") == "1":
        yield f"FAILED: with REQUIRE_ALL=1 no test may be skipped (skipped: {len(skipped)})."


def pytest_unconfigure(config: pytest.Config) -> None:
    """Print what must not be overlooked below pytest's own last line."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter:
        for line in _closing_lines(config):
            reporter.write_line(line, red=True)
