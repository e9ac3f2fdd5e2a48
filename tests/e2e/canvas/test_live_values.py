"""The live overlay of the canvas: what goes over lines, what waits in boxes, and the same in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import check_barriers
from tests.support.waiting import until

pytestmark = pytest.mark.browser

ESTATE = "demo-fr-de"
API = f"/api/v1/estates/{ESTATE}"
TOPOLOGY = f"/estates/{ESTATE}/topology?panel=closed"
ROUTE = "route/PARIS/Ventes/Vers%20la%20r%C3%A9ception"
DIALOG = {
    "from_service": "//exemple.fr/Ventes/Guichet",
    "to_service": "//exemple.fr/Commandes/Réception",
    "contract": "//exemple.fr/Commandes/Contrat",
}
MESSAGE_TYPE = "//exemple.fr/Commandes/Commande"


def post(page: Page, path: str, body: dict[str, Any]) -> Any:
    """As the page would, with its session."""
    tokens = [each["value"] for each in page.context.cookies() if each["name"] == "brokerweb_csrftoken"]
    answer = page.request.post(f"{API}/{path}", data=body, headers={"X-CSRFToken": tokens[0]})
    assert answer.ok, answer.text()
    return answer.json()


def opened(page: Page, more: str = "") -> Locator:
    page.goto(TOPOLOGY + more)
    expect(page.get_by_role("group", name=re.compile("^Instance PARIS"))).to_be_visible()
    return page.get_by_role("region", name="Live values")


def glow(page: Page) -> Locator:
    return page.locator(f"[data-flow='{ROUTE}']")


def outline_row(page: Page, name: str) -> Locator:
    return page.get_by_role("treegrid").get_by_role("row", name=re.compile(name)).first


@pytest.fixture
def traffic(page: Page) -> Iterator[None]:
    opened(page)
    pair = {"from_instance": "PARIS", "from_database": "Ventes", **DIALOG, "message_type": MESSAGE_TYPE}
    plan = {"pairs": [pair], "rate": 10, "size": 64, "reply_ratio": 0, "dialog_messages": 20}
    post(page, "traffic/start", plan)
    yield
    post(page, "traffic/stop", {})
    until(lambda: page.request.get(f"{API}/traffic").json()["state"] == "stopped", what="the end of the traffic")


@pytest.fixture
def waiting(page: Page) -> Iterator[None]:
    """Three messages from PARIS to LYON, which listens to nobody."""
    opened(page)
    post(page, "instances/LYON/endpoint", {"state": "STOPPED"})
    path = "instances/PARIS/databases/Ventes/conversations"
    path += "/" + post(page, path, DIALOG)["conversation_handle"]
    post(page, f"{path}/messages", {"message_type": MESSAGE_TYPE, "bodies": ["<commande/>"] * 3})
    yield
    post(page, f"{path}/end", {"with_cleanup": True})
    post(page, "instances/LYON/endpoint", {"state": "STARTED"})


@pytest.mark.slow
def test_what_goes_over_a_route_is_its_width_in_words_and_still_for_who_wants_no_motion(
    page: Page, traffic: None
) -> None:
    legend = opened(page, f"&outline=open&select={ROUTE}")
    expect(legend.get_by_text(re.compile(r"^Line width: up to \d+(\.\d)? messages/s$"))).to_be_visible()
    expect(glow(page)).to_have_attribute("data-verdict", "delivered")
    expect(legend.get_by_text(re.compile(r"^[\d.]+ messages/s, delivered$"))).to_be_visible()
    expect(outline_row(page, "Vers la réception")).to_contain_text(re.compile(r"messages/s"))
    width = "each => parseFloat(getComputedStyle(each).strokeWidth)"
    until(lambda: 4 < glow(page).evaluate(width) <= 14, what="a line as wide as its traffic")

    dots = page.locator("path[class*=dots]")
    expect(dots).to_have_count(1)
    expect(dots).to_have_css("animation-name", "none")
    page.emulate_media(reduced_motion="no-preference")
    expect(dots).not_to_have_css("animation-name", "none")
    check_barriers(page)

    # Nothing moves but the selected flow, and nothing of the overlay is left without its layer.
    page.get_by_role("button", name="Layers").click()
    page.get_by_role("dialog", name="Layers").get_by_role("checkbox", name=re.compile("^Live values")).click()
    expect(legend).to_have_count(0)
    expect(page.locator("[data-flow]")).to_have_count(0)
    expect(outline_row(page, "Vers la réception")).not_to_contain_text("messages/s")
    page.get_by_role("dialog", name="Layers").get_by_role("checkbox", name=re.compile("^Live values")).click()
    expect(glow(page)).to_have_count(1)


@pytest.mark.slow
def test_what_is_not_known_is_hatched_and_never_green(page: Page, traffic: None) -> None:
    sockets = []
    is_cut = False

    def connect(socket: Any) -> None:
        if is_cut:
            socket.close()
        else:
            sockets.append(socket)
            socket.connect_to_server()

    page.route_web_socket(re.compile("/ws/live"), connect)
    opened(page)
    expect(glow(page)).to_have_attribute("data-verdict", "delivered")
    is_cut = True
    page.route("**/live/**", lambda route: route.fulfill(status=404))
    for socket in sockets:
        socket.close()
    expect(glow(page)).to_have_attribute("data-verdict", "unknown")
    expect(glow(page)).not_to_have_css("stroke-dasharray", "none")
    expect(page.locator("[data-flow][data-verdict='delivered']")).to_have_count(0)
    page.get_by_role("button", name="Outline").click()
    outline = page.get_by_role("treegrid")
    expect(outline.get_by_role("row", name=re.compile("PARIS")).first).to_contain_text("backlog unknown")
    check_barriers(page)


# An address that could not be reached is left alone for a while, so this stands last.
@pytest.mark.slow
def test_a_connection_that_fails_is_the_worst_of_its_minute_and_what_waits_has_a_ring(
    page: Page, waiting: None
) -> None:
    legend = opened(page, f"&outline=open&select={ROUTE}")
    expect(glow(page)).to_have_attribute("data-verdict", "lost")
    expect(legend.get_by_text(re.compile(r"not delivered, error \d+$"))).to_be_visible()
    expect(outline_row(page, "Ventes")).to_contain_text(re.compile("^.*3 messages wait, the oldest for"))
    check_barriers(page)

    # A chip stands for its databases; larger, each of them has a ring of its own.
    opened(page)
    card = page.get_by_role("group", name=re.compile("^Instance PARIS"))
    ring = page.get_by_role("group", name=re.compile("^Database Ventes of PARIS")).locator("[data-age]")
    expect(ring).to_have_attribute("data-age", re.compile("^minutes?$"))
    expect(card.locator("[data-age]")).to_have_count(0)
