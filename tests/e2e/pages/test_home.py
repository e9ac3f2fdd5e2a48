"""The overview: a health ladder that names what is wrong, and leads there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from tests.e2e.conftest import check_barriers

pytestmark = pytest.mark.browser

ESTATE = "demo-fr-de"
API = f"/api/v1/estates/{ESTATE}"
OVERVIEW = f"/estates/{ESTATE}/overview"
QUEUE = "dbo.Commandes reçues"


def post(page: Page, path: str, body: dict[str, Any]) -> None:
    """As the page would, with its session."""
    tokens = [each["value"] for each in page.context.cookies() if each["name"] == "brokerweb_csrftoken"]
    answer = page.request.post(f"{API}/{path}", data=body, headers={"X-CSRFToken": tokens[0]})
    assert answer.ok, answer.text()


def rung(page: Page, name: str) -> Locator:
    ladder = page.get_by_role("region", name="Health ladder")
    return ladder.get_by_role("listitem").filter(has=page.get_by_role("heading", name=name, level=3))


@pytest.fixture
def disabled_queue(page: Page) -> Iterator[str]:
    page.goto(OVERVIEW)
    status = f"instances/LYON/databases/Entrepôt/queues/{QUEUE}/status"
    post(page, status, {"is_enabled": False})
    yield QUEUE
    post(page, status, {"is_enabled": True})


def test_an_estate_that_is_well_is_good_on_every_rung(page: Page) -> None:
    page.goto(OVERVIEW)
    expect(page.get_by_role("heading", name="Overview of demo-fr-de")).to_be_visible()
    expect(page.get_by_text("All 13 checks are good.")).to_be_visible()
    first = page.get_by_role("navigation", name="Main").get_by_role("link").first
    expect(first).to_have_text("Overview")
    expect(first).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("link", name=re.compile("^Routes expiring in 24.h 0 1 is over"))).to_be_visible()
    expect(page.get_by_role("region", name="Latest changes").get_by_role("listitem")).to_have_count(1)
    expect(page.get_by_role("region", name="Running jobs")).to_contain_text("No job is running.")
    check_barriers(page)


def test_a_disabled_queue_is_on_the_ladder_and_one_press_from_its_row(page: Page, disabled_queue: str) -> None:
    expect(page.get_by_text("1 check is not good. Begin with “Queues enabled”.")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("^Disabled queues 1"))).to_be_visible()
    expect(rung(page, "Endpoint started and listening")).to_contain_text("Good")
    troubled = rung(page, "Queues enabled")
    expect(troubled).to_contain_text("Begin here")
    expect(troubled).to_contain_text("Enable it, if it is not off on purpose.")
    check_barriers(page)

    troubled.get_by_role("link", name=f"LYON · Entrepôt · {disabled_queue}").click()
    grid = page.get_by_role("grid", name="Queues")
    expect(grid).to_have_attribute("aria-rowcount", "2")
    expect(grid.get_by_role("row").nth(1)).to_contain_text(disabled_queue.removeprefix("dbo."))
    check_barriers(page)


@pytest.mark.slow
def test_a_page_that_is_cut_off_calls_nothing_good(page: Page) -> None:
    sockets: list[WebSocketRoute] = []
    is_cut = False

    def connect(socket: WebSocketRoute) -> None:
        if is_cut:
            socket.close()
        else:
            sockets.append(socket)
            socket.connect_to_server()

    page.route_web_socket(re.compile("/ws/live"), connect)
    page.goto(OVERVIEW)
    expect(page.get_by_text("All 13 checks are good.")).to_be_visible()
    is_cut = True
    # Without a socket the page would ask over HTTP.
    page.route("**/live/**", lambda route: route.fulfill(status=404))
    for socket in sockets:
        socket.close()
    expect(page.get_by_text("Every instance: Offline.")).to_be_visible()
    expect(rung(page, "Broker enabled")).to_contain_text("Unknown")
    expect(page.get_by_role("link", name=re.compile("^Disabled queues Unknown"))).to_be_visible()
    check_barriers(page)

    is_cut = False
    expect(page.get_by_text("All 13 checks are good.")).to_be_visible()
