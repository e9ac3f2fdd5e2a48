"""A browser on the running product: one product for a file, one page for a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, StorageState, expect, sync_playwright

from tests.support.free_port import free_port
from tests.support.running import REPOSITORY, Running
from tests.support.thoroughness import THOROUGH

PATIENCE_MILLISECONDS = 15_000
"""What a page may take on a machine that does other work; where a journey has a limit, its test says it."""
expect.set_options(timeout=PATIENCE_MILLISECONDS)

AXE = REPOSITORY / "frontend" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture(scope="session")
def port() -> int:
    """Port of every product of this process, one after another: what the browser has cached stays valid."""
    return free_port()


@pytest.fixture(scope="session")
def first_start(
    port: int, chromium_launch_options: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, StorageState]:
    """Data directory after a first start, which takes seconds, and the cookies of its administrator."""
    made = Running(tmp_path_factory.mktemp("first"), port)
    context = _launched(chromium_launch_options).new_context()
    context.new_page().goto(made.start())
    cookies = context.storage_state()
    context.close()
    made.stop()
    return made.data_directory, cookies


@pytest.fixture(scope="module")
def product(
    port: int, first_start: tuple[Path, StorageState], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Running, str]]:
    """The product with the sample estate, and an unused login link of its administrator."""
    data = tmp_path_factory.mktemp("product")
    copytree(first_start[0], data, dirs_exist_ok=True)
    started = Running(data, port)
    link = started.start()
    yield started, link
    if started.is_running:
        started.stop()


_open = ExitStack()
"""Closes the browser, which one file hands on to the next."""
_browsers: list[Browser] = []
_contexts: list[BrowserContext] = []


def _launched(options: dict[str, Any]) -> Browser:
    if not _browsers:
        playwright = _open.enter_context(sync_playwright())
        _browsers.append(playwright.chromium.launch(**options))
        _open.callback(lambda: (_contexts.clear(), _browsers.pop().close()))
    return _browsers[0]


@pytest.fixture(scope="module")
def browser(chromium_launch_options: dict[str, Any]) -> Browser:
    """One for all files."""
    return _launched(chromium_launch_options)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close the browser after the last journey: other tests have event loops of their own."""
    if nextitem is None or Path(__file__).parent not in nextitem.path.parents:
        _open.close()


@pytest.fixture
def session(first_start: tuple[Path, StorageState]) -> StorageState:
    """Cookies of a browser that has used a login link."""
    return first_start[1]


@pytest.fixture
def page(product: tuple[Running, str], browser: Browser, session: StorageState) -> Iterator[Page]:
    """A page of the logged-in administrator; an error in its console fails the test.

    The pages of all tests share one context: scripts are fetched and compiled once, which takes most of a first visit.
    Cookies and storage are set back before each test.
    """
    if not _contexts:
        _contexts.append(
            browser.new_context(
                viewport={"width": 1600, "height": 1000},
                base_url=f"http://127.0.0.1:{product[0].port}",
                reduced_motion="reduce",
            )
        )
    [context] = _contexts
    context.set_storage_state(session)
    made = context.new_page()
    errors: list[str] = []
    made.on("pageerror", lambda error: errors.append(str(error)))
    made.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield made
    for each in context.pages:
        each.close()
    context.unroute_all()
    context.set_offline(False)
    # A refused request is answered with 4xx on purpose; the browser notes it as an error of its own.
    assert [error for error in errors if "the server responded with a status of 4" not in error] == []


def serious_findings(page: Page) -> list[str]:
    """Barriers that axe finds on the page, serious or critical: rule and place."""
    page.add_script_tag(path=AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {node['html'][:200]}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def check_barriers(page: Page) -> None:
    """Fail when axe finds a barrier in this state of a page; test_languages.py looks at each page in `make test`."""
    if THOROUGH:
        assert serious_findings(page) == []
