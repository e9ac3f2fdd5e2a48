"""`pytest --affected`: collect only the test files that the changes since a revision can affect."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

CHOSEN = pytest.StashKey[frozenset[str]]()
SUMMARY = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("affected", "tests that changes can affect")
    group.addoption("--affected", action="store_true", help="run only test files that changes can affect")
    group.addoption(
        "--affected-base", metavar="REVISION", help="changes since the merge base with it (default: origin/main, HEAD)"
    )


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("affected"):
        return
    if hasattr(config, "workerinput"):
        # Every process of xdist has to collect the same files: the first one has chosen them.
        config.stash[CHOSEN] = frozenset(config.workerinput["affected"])
        return
    from tests.support.affected import Changes, Dependencies

    try:
        changes = Changes.read(config.getoption("affected_base"))
    except subprocess.CalledProcessError as error:
        raise pytest.UsageError(f"--affected: {error.stderr.strip()}") from error
    dependencies = Dependencies()
    chosen = config.stash[CHOSEN] = frozenset(dependencies.affected(changes.paths))
    config.stash[SUMMARY] = changes.summary(chosen, dependencies)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    if CHOSEN in node.config.stash:
        node.workerinput["affected"] = sorted(node.config.stash[CHOSEN])


def pytest_report_header(config: pytest.Config) -> str | None:
    return config.stash.get(SUMMARY, None)


def _is_chosen(path: Path, config: pytest.Config) -> bool:
    return path.relative_to(config.rootpath).as_posix() in config.stash[CHOSEN]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    is_left_out = CHOSEN in config.stash and collection_path.is_file() and not _is_chosen(collection_path, config)
    return True if is_left_out else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out of files that the command line names, which are never ignored, those that are not affected."""
    if CHOSEN in config.stash:
        left_out = [item for item in items if not _is_chosen(item.path, config)]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if _is_chosen(item.path, config)]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """No test is a success when no change can affect one."""
    if CHOSEN in session.config.stash and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK
