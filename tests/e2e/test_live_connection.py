"""The live view when its connection is lost, and when the server does not serve: the page says which, and why."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import serious_findings
from tests.e2e.test_live_views import LIVE, start_traffic, stop_traffic
from tests.support.relay import Relay
from tests.support.running import Running, eventually

pytestmark = pytest.mark.browser

CUT_SECONDS = 20.0
OFFLINE_MILLISECONDS = 12_000
BACK_MILLISECONDS = 40_000


@pytest.fixture
def relay(product: tuple[Running, str]) -> Iterator[Relay]:
    with Relay(product[0].port) as wire:
        yield wire


def administer(page: Page, method: str, path: str, body: dict[str, Any]) -> Any:
    """As the administration page would, with its session."""
    tokens = [each["value"] for each in page.context.cookies() if each["name"] == "brokerweb_csrftoken"]
    ask = getattr(page.request, method)
    answer = ask(f"/api/v1/{path}", data=body, headers={"X-CSRFToken": tokens[0]})
    assert answer.ok, answer.text()
    return answer.json()


def rows_of(page: Page) -> list[str]:
    """The conversations on the page, a text each: which, and in which state."""
    rows = page.get_by_role("grid", name="Conversations").locator("tbody tr[data-index]")
    texts: list[str] = rows.evaluate_all(
        """all => all.map((row) => ['conversation_handle', 'state', 'is_initiator', 'send_sequence', 'receive_sequence']
            .map((name) => row.querySelector(`td[data-column='${name}']`)?.innerText ?? '').join(' '))"""
    )
    return sorted(texts)


def show_new(page: Page) -> None:
    """Rows that came while nobody could say whether they are read stand behind a bar."""
    bar = page.get_by_role("button", name=re.compile(r"^Show \d+ new"))
    if bar.count() > 0:
        bar.click()


@pytest.mark.parametrize("lose", [Relay.cut, Relay.silence])
def test_a_lost_connection_is_said_and_what_came_meanwhile_is_there_afterwards(
    browser: Browser, page: Page, relay: Relay, lose: Callable[[Relay], None]
) -> None:
    page.goto(f"{LIVE}/conversations")
    start_traffic(page, rate=4, dialog_messages=20)
    # A second page comes over the wire that will be cut; what the browser says of dead requests is no fault of it.
    kept = page.context.storage_state()
    context = browser.new_context(
        storage_state=kept, base_url=f"http://127.0.0.1:{relay.place[1]}", viewport=page.viewport_size
    )
    far = context.new_page()
    failures: list[str] = []
    far.on("pageerror", lambda error: failures.append(str(error)))
    far.goto(f"{LIVE}/conversations")
    connection = far.get_by_role("status", name=re.compile("^Connection: "))
    expect(connection).to_have_accessible_name("Connection: Live")
    expect(far.get_by_role("grid", name="Conversations").get_by_role("row").nth(3)).to_be_visible()

    said: list[str] = []
    far.expose_function("say", lambda word: said.append(word))
    connection.evaluate(
        """badge => new MutationObserver(() => say(badge.getAttribute('aria-label') ?? ''))
            .observe(badge, {attributes: true, childList: true, subtree: true, characterData: true})"""
    )
    lose(relay)
    cut_at = time.monotonic()
    expect(connection).to_have_accessible_name("Connection: Offline", timeout=OFFLINE_MILLISECONDS)
    rows = far.get_by_role("grid", name="Conversations").locator("tbody tr[data-index]")
    assert set(rows.evaluate_all("all => all.map((row) => row.dataset.old)")) == {"true"}
    expect(rows.first.get_by_title(re.compile("^Offline: "))).to_have_text(re.compile(r"\d"))
    expect(far.get_by_role("status").filter(has_text=re.compile("as of .*ago|Offline"))).not_to_have_count(0)
    far.wait_for_timeout(max(CUT_SECONDS - (time.monotonic() - cut_at), 0) * 1e3)
    assert serious_findings(far) == []
    stop_traffic(page)
    relay.mend()
    expect(connection).to_have_accessible_name("Connection: Live", timeout=BACK_MILLISECONDS)
    assert "Connection: Catching up" in said

    page.reload()
    expect(page.get_by_role("grid", name="Conversations").get_by_role("row").nth(3)).to_be_visible()
    eventually(
        lambda: rows_of(far) == rows_of(page) != [], what="the page that was cut off shows what a fresh one does"
    )
    shown = rows_of(far)
    assert len(set(shown)) == len(shown)
    assert set(rows.evaluate_all("all => all.map((row) => row.dataset.old)")) == {"false"}
    assert failures == []
    context.close()


def test_what_is_opened_for_the_first_time_while_the_server_is_away_comes_by_itself(
    browser: Browser, page: Page, relay: Relay
) -> None:
    context = browser.new_context(
        storage_state=page.context.storage_state(),
        base_url=f"http://127.0.0.1:{relay.place[1]}",
        viewport=page.viewport_size,
    )
    far = context.new_page()
    with far.expect_response(re.compile(r"/trace-[^/]*\.js$")):
        far.goto(f"{LIVE}/conversations")
    far.wait_for_load_state("networkidle")
    connection = far.get_by_role("status", name=re.compile("^Connection: "))
    expect(connection).to_have_accessible_name("Connection: Live")
    said: list[str] = []
    far.expose_function("say", lambda word: said.append(word))
    connection.evaluate(
        """badge => new MutationObserver(() => say(badge.getAttribute('aria-label') ?? ''))
            .observe(badge, {attributes: true, childList: true, subtree: true, characterData: true})"""
    )
    relay.cut()
    expect(connection).to_have_accessible_name("Connection: Offline")

    far.get_by_role("navigation", name="Live views").get_by_role("link", name="Queues and activation").click()
    expect(far.get_by_text("Not known: no instance has answered yet.")).to_be_visible()
    assert serious_findings(far) == []
    relay.mend()
    expect(far.get_by_role("grid", name="Queues and activation").get_by_role("row").nth(3)).to_be_visible(
        timeout=BACK_MILLISECONDS
    )
    expect(connection).to_have_accessible_name("Connection: Live")
    assert said.index("Connection: Offline") < said.index("Connection: Catching up") < said.index("Connection: Live")

    # Another page of the estate has not been fetched before.
    relay.cut()
    expect(connection).to_have_accessible_name("Connection: Offline")
    far.get_by_role("link", name="Findings").first.click()
    unfetched = far.get_by_role("heading", name="This page could not be fetched")
    expect(unfetched).to_be_visible()
    assert serious_findings(far) == []
    relay.mend()
    expect(unfetched).to_have_count(0, timeout=BACK_MILLISECONDS)
    expect(far.get_by_role("columnheader", name="What is wrong")).to_be_visible()
    expect(connection).to_have_accessible_name("Connection: Live")
    context.close()


def test_a_session_that_ends_while_somebody_looks_is_said_and_they_are_asked_to_come_back(
    browser: Browser, page: Page
) -> None:
    page.goto("/")
    home = page.url.partition("/estates")[0].rstrip("/")
    administer(page, "post", "users", {"username": "irene", "role": "viewer"})
    context = browser.new_context()
    theirs = context.new_page()
    theirs.goto(home + administer(page, "post", "users/irene/login-link", {})["path"])
    theirs.goto(f"{home}{LIVE}/conversations")
    connection = theirs.get_by_role("status", name=re.compile("^Connection: "))
    expect(connection).to_have_accessible_name("Connection: Live")
    administer(page, "patch", "users/irene", {"is_active": False})
    asked = theirs.get_by_role("dialog", name="Log in to go on")
    expect(asked).to_be_visible()
    expect(asked.get_by_role("button", name="Log in")).to_be_visible()
    expect(connection).to_have_accessible_name("Connection: Refused")
    context.close()


class _Elsewhere(BaseHTTPRequestHandler):
    """A page of another site."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>Elsewhere</title>")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def test_a_page_of_another_site_is_told_why_it_hears_nothing(page: Page, product: tuple[Running, str]) -> None:
    with ThreadingHTTPServer(("127.0.0.2", 0), _Elsewhere) as elsewhere:
        Thread(target=elsewhere.serve_forever, daemon=True).start()
        page.goto(f"http://127.0.0.2:{elsewhere.server_port}/")
        heard = page.evaluate(
            """address => new Promise((done) => {
                const socket = new WebSocket(address);
                const told = [];
                socket.onmessage = ({data}) => told.push(...JSON.parse(data));
                socket.onclose = ({code}) => done({told, code});
            })""",
            f"ws://127.0.0.1:{product[0].port}/ws/live",
        )
        elsewhere.shutdown()
    assert heard == {"told": [{"type": "refused", "code": 4410, "reason": "origin"}], "code": 4410}
