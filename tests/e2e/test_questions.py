"""Questions whose answers are tables, by a person with a browser: a draft against what is live, and a simulation."""

from __future__ import annotations

import csv
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import check_barriers

pytestmark = pytest.mark.browser

ESTATE = "/estates/demo-fr-de"
USED = "Vers la réception"
SENDER = quote("PARIS/Ventes/" + quote("//exemple.fr/Ventes/Guichet", safe=""), safe="")
RECEIVER = quote("//exemple.fr/Commandes/Réception", safe="")


def choose(page: Page, question: str) -> None:
    page.get_by_role("navigation", name="Questions").get_by_role("button", name=re.compile(f"^{question}")).click()


@pytest.mark.slow
def test_a_draft_differs_from_what_is_live_hop_by_hop_and_in_simulated_worlds(page: Page) -> None:
    page.goto(f"{ESTATE}/topology?select=route%2FPARIS%2FVentes%2F{USED}")
    page.get_by_role("complementary", name="Details").get_by_role("button", name="Delete").click()
    expect(page.get_by_text(re.compile(r"^Draft #\d+ · 1 change$"))).to_be_visible()

    # From the page of one flow its question, its state and what is supposed come along.
    page.goto(f"{ESTATE}/whatif?from={SENDER}&to={RECEIVER}&draft=1")
    expect(page.get_by_role("heading", name="No route")).to_be_visible()
    page.get_by_role("navigation", name="Ways of asking").get_by_role("link", name="Questions").click()
    choose(page, "Route trace")
    answer = page.get_by_role("region", name="Answer")
    first = answer.get_by_role("row").filter(has_text=USED).first
    expect(first).to_contain_text("Changed")
    expect(first.locator("del").filter(has_text=USED)).to_be_visible()
    expect(first.locator("ins").filter(has_text="No route")).to_be_visible()
    expect(page.get_by_text(re.compile(r"^Live · revision \d+$"))).to_be_visible()
    check_barriers(page)
    with page.expect_download() as kept:
        page.get_by_role("button", name="Download CSV").click()
    lines = list(csv.reader(kept.value.path().read_text("utf-8-sig").splitlines()))
    assert next(line[:2] for line in lines if USED in line) == ["changed", "before"]

    answer.get_by_role("button", name="Instance", exact=True).click()
    expect(page).to_have_url(re.compile("sort=instance"))
    choose(page, "Unreachable services")
    come = answer.get_by_role("row").filter(has_text="New").first
    expect(come).to_contain_text("No route")
    come.get_by_role("link", name=re.compile("^Open in what-if: PARIS · Ventes")).click()
    expect(page).to_have_url(re.compile(r"/whatif\?.*draft=1"))
    page.go_back()

    choose(page, "Delivery under faults")
    page.get_by_role("textbox", name="Worlds").fill("3")
    page.get_by_role("textbox", name="Worlds").press("Enter")
    expect(page).to_have_url(re.compile("seeds=3"))
    page.get_by_role("button", name="Simulate", exact=True).click()
    expect(page.get_by_text("3 rows differ, 0 are alike")).to_be_visible()
    expect(page).to_have_url(re.compile("job="))
    world = answer.get_by_role("row").filter(has_text="LYON/Entrepôt").first
    expect(world.locator("ins").filter(has_text="9750")).to_be_visible()
    check_barriers(page)
