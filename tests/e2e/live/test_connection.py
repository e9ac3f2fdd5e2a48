"""The live view when its connection is lost, and when the server does not serve: the page says which, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import check_barriers, stop_clock
from tests.e2e.live_pages import API, LIVE, start_traffic, stop_traffic
from tests.support.login_links import log_in_by
from tests.support.relay import Relay
from tests.support.running import Running
from tests.support.waiting import until

pytestmark = pytest.mark.browser

SENT_MEANWHILE = 80
"""Messages that are sent while a page is cut off: of several dialogs that begin and end."""
OFFLINE_MILLISECONDS = 12_000
"""So long after its last word a wire that is silent is taken for a dead one, at most."""
BACK_MILLISECONDS = 20_000


@pytest.fixture
def relay(product: tuple[Running, str]) -> Iterator[Relay]:
    with Relay(product[0].port) as wire:
        yield wire


@pytest.fixture
def silent_relay(product: tuple[Running, str]) -> Iterator[Relay]:
    with Relay(product[0].port) as wire:
        yield wire


class Far:
    """A page of the same person over a wire that can be cut; what the browser says of dead requests is no fault."""

    def __init__(self, browser: Browser, page: Page, relay: Relay) -> None:
        self.context = browser.new_context(
            storage_state=page.context.storage_state(),
            base_url=f"http://127.0.0.1:{relay.place[1]}",
            viewport=page.viewport_size,
        )
        self.page = self.context.new_page()
        self.failures: list[str] = []
        self.page.on("pageerror", lambda error: self.failures.append(str(error)))
        self.connection = self.page.get_by_role("status", name=re.compile("^Connection: "))
        self.said: list[str] = []
        """What the badge of the connection has said since `listen`, one after the other."""

    def listen(self) -> None:
        """Note what the badge says from now on, which is that all is live."""
        expect(self.connection).to_have_accessible_name("Connection: Live")
        self.page.expose_function("say", lambda word: self.said.append(word))
        self.connection.evaluate(
            """badge => new MutationObserver(() => say(badge.getAttribute('aria-label') ?? ''))
                .observe(badge, {attributes: true, childList: true, subtree: true, characterData: true})"""
        )


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


def sent(page: Page) -> int:
    """Messages of the test traffic so far."""
    return sum(pair["sent"] for pair in page.request.get(f"{API}/traffic").json()["pairs"])


def test_a_lost_connection_is_said_and_what_came_meanwhile_is_there_afterwards(
    browser: Browser, page: Page, relay: Relay, silent_relay: Relay
) -> None:
    """One page whose wire is cut and one whose wire falls silent, while the same messages are sent."""
    page.goto(f"{LIVE}/conversations")
    start_traffic(page, rate=16, dialog_messages=20)
    pages = cut_off, silent = Far(browser, page, relay), Far(browser, page, silent_relay)
    silent.page.clock.install()
    for far in pages:
        far.page.goto(f"{LIVE}/conversations")
        far.listen()
        expect(far.page.get_by_role("grid", name="Conversations").get_by_role("row").nth(3)).to_be_visible()

    relay.cut()
    silent_relay.silence()
    enough = sent(page) + SENT_MEANWHILE
    expect(cut_off.connection).to_have_accessible_name("Connection: Offline")
    # By its own clock, which stands still otherwise: how fast the machine is does not matter.
    stop_clock(silent.page)
    silent.page.clock.run_for(OFFLINE_MILLISECONDS)
    expect(silent.connection).to_have_accessible_name("Connection: Offline")
    silent.page.clock.resume()
    for far in pages:
        rows = far.page.get_by_role("grid", name="Conversations")
        expect(rows.locator("tbody tr[data-index][data-old=false]")).to_have_count(0)
        first = rows.locator("tbody tr[data-index][data-old=true]").first
        expect(first.get_by_title(re.compile("^Offline: "))).to_have_text(re.compile(r"\d"))
        expect(far.page.get_by_role("status").filter(has_text=re.compile("as of .*ago|Offline"))).not_to_have_count(0)
        check_barriers(far.page)
    until(lambda: sent(page) >= enough, what="messages that no cut-off page hears of")
    stop_traffic(page)
    relay.mend()
    silent_relay.mend()
    for far in pages:
        expect(far.connection).to_have_accessible_name("Connection: Live", timeout=BACK_MILLISECONDS)
        assert "Connection: Catching up" in far.said

    page.reload()
    expect(page.get_by_role("grid", name="Conversations").get_by_role("row").nth(3)).to_be_visible()
    for far in pages:
        check_equal(far, page)


def check_equal(far: Far, page: Page) -> None:
    """Nothing is missing, doubled or old beside a page that was just loaded."""
    until(
        lambda: rows_of(far.page) == rows_of(page) != [], what="the page that was cut off shows what a fresh one does"
    )
    shown = rows_of(far.page)
    assert len(set(shown)) == len(shown)
    rows = far.page.get_by_role("grid", name="Conversations").locator("tbody tr[data-index]")
    expect(rows.and_(far.page.locator("[data-old=true]"))).to_have_count(0)
    assert far.failures == []
    far.context.close()


@pytest.mark.slow
def test_what_is_opened_for_the_first_time_while_the_server_is_away_comes_by_itself(
    browser: Browser, page: Page, relay: Relay
) -> None:
    away = Far(browser, page, relay)
    far, connection = away.page, away.connection
    with far.expect_response(re.compile(r"/trace-[^/]*\.js$")):
        far.goto(f"{LIVE}/conversations")
    far.wait_for_load_state("networkidle")
    away.listen()
    relay.cut()
    expect(connection).to_have_accessible_name("Connection: Offline")

    far.get_by_role("navigation", name="Live views").get_by_role("link", name="Queues and activation").click()
    expect(far.get_by_text("Not known: no instance has answered yet.")).to_be_visible()
    check_barriers(far)
    relay.mend()
    expect(far.get_by_role("grid", name="Queues and activation").get_by_role("row").nth(3)).to_be_visible(
        timeout=BACK_MILLISECONDS
    )
    expect(connection).to_have_accessible_name("Connection: Live")
    order = [away.said.index(f"Connection: {word}") for word in ("Offline", "Catching up", "Live")]
    assert order == sorted(order)

    # Another page of the estate has not been fetched before.
    relay.cut()
    expect(connection).to_have_accessible_name("Connection: Offline")
    far.get_by_role("link", name="Findings").first.click()
    unfetched = far.get_by_role("heading", name="This page could not be fetched")
    expect(unfetched).to_be_visible()
    check_barriers(far)
    relay.mend()
    expect(unfetched).to_have_count(0, timeout=BACK_MILLISECONDS)
    expect(far.get_by_role("columnheader", name="What is wrong")).to_be_visible()
    expect(connection).to_have_accessible_name("Connection: Live")
    away.context.close()


def test_a_session_that_ends_while_somebody_looks_is_said_and_they_are_asked_to_come_back(
    browser: Browser, page: Page
) -> None:
    page.goto("/")
    home = page.url.partition("/estates")[0].rstrip("/")
    administer(page, "post", "users", {"username": "irene", "role": "viewer"})
    context = browser.new_context()
    theirs = context.new_page()
    log_in_by(home + administer(page, "post", "users/irene/login-link", {})["path"], theirs)
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
