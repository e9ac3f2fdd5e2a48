"""A large estate costs seconds to read: a page asks for it once, and again only when it has changed."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import install_clock
from tests.e2e.live_pages import let_it_read, listen, settle, until_told

pytestmark = pytest.mark.browser

ESTATE = "/api/v1/estates/demo-fr-de"


def reads_of_the_estate(page: Page) -> list[str]:
    """Every request for the whole estate from now on, live or as a draft."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if urlsplit(request.url).path == ESTATE else None)
    return asked


def post(page: Page, path: str, body: dict[str, Any]) -> Any:
    """As another page of the same person would."""
    token = next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "brokerweb_csrftoken")
    answer = page.request.post(f"{ESTATE}/{path}", data=body, headers={"X-CSRFToken": token, "Referer": page.url})
    assert answer.ok, answer.text()
    return answer.json()


def until_told_of(page: Page, draft: int) -> None:
    """Wait until the live connection has told the page of the draft as it is now."""
    sequence = page.request.get(f"{ESTATE}/change-sets/{draft}").json()["sequence"]
    until_told(
        page,
        "({change_sets}, [number, sequence]) => "
        "change_sets?.some((each) => each.number === number && each.sequence === sequence)",
        [draft, sequence],
    )


@pytest.mark.slow
def test_opening_the_map_asks_for_the_estate_once(page: Page) -> None:
    asked = reads_of_the_estate(page)
    listen(page)
    install_clock(page)
    page.goto("/estates/demo-fr-de/topology")
    expect(page.get_by_role("status", name="Connection: Live")).to_be_visible()
    # The live view looks once more, and tells the state of the estate that was read, with a draft beside it.
    until_told_of(page, post(page, "change-sets", {"title": ""})["number"])
    let_it_read(page)
    assert len(asked) == 1


@pytest.mark.slow
def test_another_page_and_back_asks_for_it_at_most_once_more(page: Page) -> None:
    page.goto("/estates/demo-fr-de/topology")
    expect(page.get_by_role("status", name="Connection: Live")).to_be_visible()
    asked = reads_of_the_estate(page)
    page.get_by_role("link", name="Audit").click()
    expect(page.get_by_role("heading", name="Audit")).to_be_visible()
    page.get_by_role("link", name="Topology").click()
    expect(page.get_by_role("group", name=re.compile("^Instance PARIS"))).to_be_visible()
    settle(page)
    assert len(asked) <= 1


@pytest.mark.slow
def test_a_decision_of_somebody_else_is_read_and_its_way_to_the_instance_is_only_told(page: Page) -> None:
    listen(page)
    install_clock(page)
    page.goto("/estates/demo-fr-de/topology")
    expect(page.get_by_role("status", name="Connection: Live")).to_be_visible()
    asked = reads_of_the_estate(page)
    post(page, "instances/LYON/endpoint", {"state": "STOPPED"})
    revision = page.request.get(ESTATE).json()["revision"]
    expect(page.get_by_text(f"Live · revision {revision}")).to_be_visible()
    until_told(page, "(told, revision) => told.revision === revision && told.behind.length === 0", revision)
    let_it_read(page)
    assert len(asked) == 1
    post(page, "instances/LYON/endpoint", {"state": "STARTED"})


@pytest.mark.slow
def test_an_edit_of_a_draft_reads_the_draft_once(page: Page) -> None:
    listen(page)
    install_clock(page)
    asked = reads_of_the_estate(page)
    address = "/estates/demo-fr-de/topology?select=database%2FPARIS%2FVentes"
    for number in (1, 2, 3):
        page.goto(address)
        expect(page.get_by_role("status", name="Connection: Live")).to_be_visible()
        asked.clear()
        page.get_by_role("button", name="Add route").first.click()
        form = page.get_by_role("form", name="Add a route to Ventes")
        form.get_by_role("textbox", name="Name", exact=True).fill(f"Une {number}")
        form.get_by_role("combobox", name="Service name").fill(f"//exemple.fr/{number}")
        address = form.get_by_role("combobox", name="Address", exact=True)
        address.fill("TCP://lyon:4022")
        address.press("Tab")
        form.get_by_role("button", name="Add route").click()
        told = page.get_by_text(re.compile(rf"Draft #\d+ · {number} change"))
        expect(told).to_be_visible()
        draft = int("".join(re.findall(r"#(\d+)", told.inner_text())))
        until_told_of(page, draft)
        let_it_read(page)
        assert [url.rpartition("?")[2] for url in asked] == [f"change_set={draft}"], number
        # The first edit has made the draft, the others find it on view.
        address = f"/estates/demo-fr-de/topology?draft={draft}&select=database%2FPARIS%2FVentes"
