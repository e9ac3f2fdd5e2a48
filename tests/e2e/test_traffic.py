"""Test traffic is started, watched and stopped by a person with a browser, and messages really arrive."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import check_barriers
from tests.support.waiting import until

pytestmark = pytest.mark.browser

ESTATE = "/estates/demo-fr-de"


def all_has_arrived(row: Locator) -> bool:
    """Whether as much was received as was sent, and nothing waits or has failed."""
    sent, received, _answered, waiting, failed = row.get_by_role("cell").all_inner_texts()[3:]
    return sent == received and (waiting, failed) in (("0", "0"), ("–", "–"))


def test_traffic_is_started_watched_and_stopped(page: Page) -> None:
    page.goto(f"{ESTATE}/live")
    page.get_by_role("link", name="Traffic").click()
    expect(page.get_by_role("heading", name="Test traffic")).to_be_visible()
    expect(page.get_by_text("Nothing has been sent yet.")).to_be_visible()
    check_barriers(page)

    page.get_by_role("checkbox", name=re.compile("Factures$")).uncheck()
    page.get_by_role("slider", name="Messages a second, each pair").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.get_by_role("textbox", name="Messages in a dialog").fill("5")
    page.get_by_role("button", name="Start 4 pairs").click()

    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    rows = page.get_by_role("region", name="Pairs of services").get_by_role("row")
    expect(rows).to_have_count(5)
    # At least two dialogs of every pair have come and gone.
    for position in range(1, 5):
        expect(rows.nth(position).get_by_role("cell").nth(4)).to_have_text(re.compile(r"^[1-9][\d,]*\d$"))
    expect(page.get_by_text(re.compile(r"^\d+(\.\d+)? of 40 messages a second$"))).to_be_visible()
    check_barriers(page)

    page.goto(f"{ESTATE}/live/conversations?text=Guichet")
    expect(page.get_by_role("row").filter(has_text="//exemple.fr/Ventes/Guichet").first).to_be_visible()

    page.goto(f"{ESTATE}/traffic")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("status").filter(has_text="Stopped")).to_be_visible()
    expect(page.get_by_role("button", name="Start 4 pairs")).to_be_visible()
    expect(rows).to_have_count(6)
    until(lambda: all(map(all_has_arrived, rows.all()[1:])), what="that all has arrived")
    check_barriers(page)


@pytest.mark.slow
def test_what_cannot_arrive_is_seen_to_wait_and_told_by_its_number(page: Page) -> None:
    page.goto(f"{ESTATE}/traffic")
    expect(page.get_by_role("button", name=re.compile("^Start [1-9]"))).to_be_visible()
    for box in page.get_by_role("checkbox").all():
        box.uncheck()
    page.get_by_text("Another pair").click()
    page.get_by_role("combobox", name="From service").fill("Guichet")
    page.get_by_role("option", name=re.compile("Guichet")).click()
    page.get_by_role("combobox", name="To service").fill("Bestellungen")
    page.get_by_role("option", name=re.compile("Bestellungen")).click()
    page.get_by_role("button", name="Add the pair").click()
    page.get_by_role("button", name="Start 1 pair").click()
    row = page.get_by_role("row").filter(has_text="Bestellungen")
    expect(row).to_contain_text("held back")
    check_barriers(page)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("status").filter(has_text="Stopped")).to_be_visible()
