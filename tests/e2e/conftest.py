"""A browser on the running product: one product for a folder of journeys, one page for a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from shutil import copytree
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, StorageState, expect, sync_playwright

from tests.support.free_port import free_port
from tests.support.login_links import log_in_by
from tests.support.running import REPOSITORY, Running
from tests.support.thoroughness import THOROUGH

PATIENCE_MILLISECONDS = 60_000
"""Only what hangs takes so long, however busy the machine is; where a journey has a limit, its test says it."""
expect.set_options(timeout=PATIENCE_MILLISECONDS)

_open = ExitStack()
"""Closes what one file hands on to the next, after the last journey: the browser and the product."""

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
    log_in_by(made.start(), context.new_page())
    cookies = context.storage_state()
    context.close()
    made.stop()
    return made.data_directory, cookies


class Products:
    """One product at a time, on one port."""

    def __init__(self, port: int, folder: Path) -> None:
        self._port = port
        self._folder = folder
        self._place: Path | None = None
        self._running: tuple[Running, str] | None = None

    def at(self, place: Path, prepare: Callable[[Path], object]) -> tuple[Running, str]:
        """The product of a file or folder, with its login link; it starts on the data that `prepare` makes."""
        if self._running is None or self._place != place:
            self.stop()
            data = self._folder / place.stem
            if not data.exists():
                prepare(data)
            started = Running(data, self._port)
            self._place, self._running = place, (started, started.start())
            _open.callback(self.stop)
        return self._running

    def stop(self) -> None:
        if self._running is not None and self._running[0].is_running:
            self._running[0].stop()
        self._running = None


@pytest.fixture(scope="session")
def products(port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Products]:
    made = Products(port, tmp_path_factory.mktemp("products"))
    yield made
    made.stop()


@pytest.fixture(scope="module")
def product(
    request: pytest.FixtureRequest, products: Products, first_start: tuple[Path, StorageState]
) -> tuple[Running, str]:
    """The product with the sample estate, and an unused login link of its administrator.

    Files of one folder are journeys through one product, in the order of their names: each leaves the sample as it was.
    A file beside the folders has a product of its own.
    """
    data, session = first_start
    is_beside = request.path.parent == Path(__file__).parent
    place = request.path if is_beside else request.path.parent
    started, link = products.at(place, lambda folder: copytree(data, folder))
    forget_preferences(started.port, session)
    return started, link


def forget_preferences(port: int, session: StorageState) -> None:
    """Language, time zone, theme and layers of the administrator as a new account has them."""
    cookies = {each["name"]: each["value"] for each in session["cookies"]}
    answer = httpx.patch(
        f"http://127.0.0.1:{port}/api/v1/me/preferences",
        cookies=cookies,
        headers={"X-CSRFToken": cookies["brokerweb_csrftoken"]},
        json={"language": None, "time_zone": "UTC", "theme": "auto", "hidden_layers": []},
    )
    answer.raise_for_status()


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
    """Close the browser and stop the product after the last journey: other tests have event loops of their own."""
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
        _contexts[0].set_default_timeout(PATIENCE_MILLISECONDS)
    [context] = _contexts
    context.set_storage_state(session)
    made = context.new_page()
    errors: list[str] = []
    made.on("pageerror", lambda error: errors.append(str(error)))
    made.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield made
    if context in _contexts:
        for each in context.pages:
            each.close()
        context.unroute_all()
        context.clear_permissions()
        context.set_offline(False)
    else:
        context.close()
    # A refused request is answered with 4xx on purpose; the browser notes it as an error of its own.
    assert [error for error in errors if "the server responded with a status of 4" not in error] == []


def install_clock(page: Page) -> None:
    """Give a page a clock that the test can move. A context keeps its clock: later tests get another context."""
    page.clock.install()
    _contexts.clear()


def stop_clock(page: Page) -> None:
    """Stop the clock that `install_clock` gave: a minute ahead, as a busy machine lets the clock run on meanwhile."""
    page.clock.pause_at(page.evaluate("Date.now() / 1000 + 60"))


def serious_findings(page: Page) -> list[str]:
    """Barriers that axe finds on the page, serious or critical: rule and place."""
    # Not as a script of the page: its Content-Security-Policy lets none in that is not the product's own.
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {node['html'][:200]}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def check_barriers(page: Page) -> None:
    """Fail when axe finds a barrier in this state of a page; pages/test_languages.py looks at each page."""
    if THOROUGH:
        assert serious_findings(page) == []
