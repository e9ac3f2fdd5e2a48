"""A large estate costs seconds to read: a page asks for it once, and again only when it has changed."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

ESTATE = "/api/v1/estates/demo-fr-de"


def reads_of_the_estate(page: Page) -> list[str]:
    """Every request for the whole estate from now on, live or as a draft."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if urlsplit(request.url).path == ESTATE else None)
    return asked


def test_opening_the_map_asks_for_the_estate_once(page: Page) -> None:
    asked = reads_of_the_estate(page)
    page.goto("/estates/demo-fr-de/topology")
    expect(page.get_by_role("status", name="Connection: Live")).to_be_visible()
    # Longer than the live view takes to look by itself.
    page.wait_for_timeout(6000)
    assert len(asked) == 1


def test_another_page_and_back_asks_for_it_at_most_once_more(page: Page) -> None:
    page.goto("/estates/demo-fr-de/topology")
    expect(page.get_by_role("status", name="Connection: Live")).to_be_visible()
    asked = reads_of_the_estate(page)
    page.get_by_role("link", name="Audit").click()
    expect(page.get_by_role("heading", name="Audit")).to_be_visible()
    page.get_by_role("link", name="Topology").click()
    expect(page.get_by_role("group", name=re.compile("^Instance PARIS"))).to_be_visible()
    assert len(asked) <= 1


def test_a_decision_of_somebody_else_is_read_and_its_way_to_the_instance_is_only_told(page: Page) -> None:
    page.goto("/estates/demo-fr-de/topology")
    expect(page.get_by_role("status", name="Connection: Live")).to_be_visible()
    asked = reads_of_the_estate(page)
    token = next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "brokerweb_csrftoken")
    answer = page.request.post(
        f"{ESTATE}/instances/LYON/endpoint",
        data={"state": "STOPPED"},
        headers={"X-CSRFToken": token, "Referer": page.url},
    )
    assert answer.ok
    expect(page.get_by_text("Live · revision 2")).to_be_visible()
    assert len(asked) == 1


def test_an_edit_of_a_draft_reads_the_draft_once(page: Page) -> None:
    page.goto("/estates/demo-fr-de/topology?select=database%2FPARIS%2FVentes")
    expect(page.get_by_role("status", name="Connection: Live")).to_be_visible()
    asked = reads_of_the_estate(page)
    for number in (1, 2, 3):
        asked.clear()
        page.get_by_role("button", name="Add route").first.click()
        form = page.get_by_role("form", name="Add a route to Ventes")
        form.get_by_role("textbox", name="Name", exact=True).fill(f"Une {number}")
        form.get_by_role("combobox", name="Service name").fill(f"//exemple.fr/{number}")
        address = form.get_by_role("combobox", name="Address", exact=True)
        address.fill("TCP://lyon:4022")
        address.press("Tab")
        form.get_by_role("button", name="Add route").click()
        expect(page.get_by_text(re.compile(rf"Draft #1 · {number} change"))).to_be_visible()
        # Longer than the live view takes to tell of it, and to look by itself.
        page.wait_for_timeout(4000)
        assert [url.rpartition("?")[2] for url in asked] == ["change_set=1"], number
        page.goto("/estates/demo-fr-de/topology?draft=1&select=database%2FPARIS%2FVentes")
        expect(page.get_by_role("status", name="Connection: Live")).to_be_visible()
