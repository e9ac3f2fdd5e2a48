"""Findings are read, followed to the canvas, and put aside, by a person with a browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import check_barriers

pytestmark = pytest.mark.browser

FINDINGS = "/estates/demo-fr-de/findings"


def test_a_finding_is_read_followed_to_the_canvas_and_put_aside(page: Page) -> None:
    page.goto(FINDINGS)
    expect(page.get_by_role("status", name="Open findings")).to_contain_text("2 errors")
    row = page.get_by_role("row").filter(has_text="SBD-103")
    row.click()
    about = page.get_by_role("complementary", name="About the finding")
    expect(about.get_by_role("heading", name="Route has expired")).to_be_visible()
    expect(about).to_contain_text("Drop route Soldes de printemps in database Ventes.")
    check_barriers(page)

    about.get_by_role("link", name="Soldes de printemps").click()
    details = page.get_by_role("complementary", name="Details")
    expect(details.get_by_role("heading", name="Findings (1)")).to_be_visible()
    marked = page.locator('[aria-label*="Soldes de printemps"][aria-label*="1 finding: error"]')
    expect(marked).to_be_attached()
    check_barriers(page)

    details.get_by_role("link", name="Route has expired").click()
    about.get_by_role("textbox", name="Why it may stay as it is").fill("The sale comes back every spring.")
    about.get_by_role("button", name="Suppress", exact=True).click()
    expect(page.get_by_role("status", name="Open findings")).to_contain_text("1 error")
    expect(page.get_by_role("row").filter(has_text="SBD-103")).to_have_count(0)

    page.goto(f"{FINDINGS}?suppressed=only")
    page.get_by_role("row").filter(has_text="SBD-103").click()
    expect(about).to_contain_text("The sale comes back every spring.")
    about.get_by_role("button", name="Take back").click()
    expect(page.get_by_role("status", name="Open findings")).to_contain_text("2 errors")
