"""A browser on the running product: one product for a module, one fresh page for a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.support.running import REPOSITORY, Running

PATIENCE_MILLISECONDS = 15_000
"""What a page may take on a machine that does other work; where a journey has a limit, its test says it."""
expect.set_options(timeout=PATIENCE_MILLISECONDS)

AXE = REPOSITORY / "frontend" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture(scope="session")
def first_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a first start leaves, which takes it seconds: tables, keys, the sample estate."""
    made = Running(tmp_path_factory.mktemp("first"))
    made.start()
    made.stop()
    return made.data_directory


@pytest.fixture(scope="module")
def product(first_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, str]]:
    """The product with the sample estate, and its login link."""
    data = tmp_path_factory.mktemp("product")
    copytree(first_data, data, dirs_exist_ok=True)
    started = Running(data)
    link = started.start()
    yield started, link
    if started.is_running:
        started.stop()


_standing = ExitStack()
"""The browser that one file hands on to the next, while there is one."""
_browsers: list[Browser] = []


@pytest.fixture(scope="module")
def browser(chromium_launch_options: dict[str, Any]) -> Browser:
    """One for all files: their pages have contexts of their own."""
    if not _browsers:
        playwright = _standing.enter_context(sync_playwright())
        _browsers.append(playwright.chromium.launch(**chromium_launch_options))
        _standing.callback(lambda: _browsers.pop().close())
    return _browsers[0]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Behind the last journey it is closed: tests elsewhere have event loops of their own."""
    if nextitem is None or Path(__file__).parent not in nextitem.path.parents:
        _standing.close()


@pytest.fixture(scope="module")
def session(product: tuple[Running, str], browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cookies of a browser that has used the login link."""
    kept = tmp_path_factory.mktemp("session") / "cookies.json"
    context = browser.new_context()
    context.new_page().goto(product[1])
    context.storage_state(path=kept)
    context.close()
    return kept


@pytest.fixture
def page(product: tuple[Running, str], browser: Browser, session: Path) -> Iterator[Page]:
    """A page of the logged-in administrator; whatever the console calls an error fails the test."""
    context = browser.new_context(
        storage_state=session,
        viewport={"width": 1600, "height": 1000},
        base_url=f"http://127.0.0.1:{product[0].port}",
        reduced_motion="reduce",
    )
    made = context.new_page()
    errors: list[str] = []
    made.on("pageerror", lambda error: errors.append(str(error)))
    made.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield made
    context.close()
    # A refused request is answered with 4xx on purpose; the browser notes it as an error of its own.
    assert [error for error in errors if "the server responded with a status of 4" not in error] == []


def serious_findings(page: Page) -> list[str]:
    """What axe finds on the page that keeps people out: rule and place."""
    page.add_script_tag(path=AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {node['html'][:200]}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
