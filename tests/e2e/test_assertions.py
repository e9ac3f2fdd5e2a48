"""An answer is pinned, a draft breaks it, the page says so, and what comes now is accepted: with a browser."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import check_barriers

pytestmark = pytest.mark.browser

ESTATE = "/estates/demo-fr-de"
ASKED = {
    "from": "PARIS/Ventes/%2F%2Fexemple.fr%2FVentes%2FGuichet",
    "to": "//exemple.fr/Commandes/Réception",
}
NAME = "Orders are received"


def test_a_pinned_answer_fails_in_review_and_after_apply_until_it_is_accepted(page: Page) -> None:
    page.goto(f"{ESTATE}/assertions")
    expect(page.get_by_role("button", name="Create from observed flows")).to_be_visible()
    check_barriers(page)

    page.goto(f"{ESTATE}/whatif?{urlencode(ASKED)}")
    page.get_by_role("button", name="Pin as assertion").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name").fill(NAME)
    dialog.get_by_role("button", name="Pin", exact=True).click()
    page.get_by_role("link", name="Show it").click()
    details = page.get_by_role("complementary", name="The assertion")
    expect(details.get_by_role("heading", name=NAME)).to_be_visible()
    page.get_by_role("button", name="Run all (1)").click()
    expect(details.get_by_text("Passed", exact=True)).to_be_visible()
    check_barriers(page)

    page.goto(f"{ESTATE}/topology?select=route%2FPARIS%2FVentes%2FVers%20la%20r%C3%A9ception")
    page.get_by_role("complementary", name="Details").get_by_role("button", name="Delete").click()
    page.get_by_role("link", name="Review changes (1)").click()
    page.get_by_role("tab", name="Assertions (1 newly failing)").click()
    table = page.get_by_role("table", name="Newly failing (1)")
    expect(table.get_by_role("link", name=NAME)).to_be_visible()
    check_barriers(page)
    page.get_by_role("tab", name=re.compile("^Flow impact")).click()
    page.get_by_role("checkbox", name=re.compile("^Intended: from")).first.click()
    apply = page.get_by_role("button", name=re.compile("^Apply"))
    expect(apply).not_to_have_attribute("aria-disabled", "true")
    apply.click()
    warning = page.get_by_role("dialog")
    expect(warning.get_by_text(NAME)).to_be_visible()
    warning.get_by_role("button", name="Apply anyway").click()
    expect(page.get_by_text("is live as revision 2.")).to_be_visible()

    page.goto(f"{ESTATE}/assertions")
    page.get_by_role("button", name="Run all (1)").click()
    row = page.get_by_role("row").filter(has=page.get_by_role("button", name=NAME))
    expect(row).to_contain_text("Failed")
    row.get_by_role("button", name=NAME).click()
    expect(details.get_by_role("heading", name="Proof")).to_be_visible()
    details.get_by_role("button", name="Accept what comes now").click()
    again = page.get_by_role("dialog")
    expect(again.get_by_text("Expected from now on")).to_be_visible()
    again.get_by_role("button", name="Accept", exact=True).click()
    expect(page.get_by_text(f"{NAME} expects what comes now.")).to_be_visible()
    page.get_by_role("button", name="Run all (1)").click()
    expect(details.get_by_text("Passed", exact=True)).to_be_visible()
    check_barriers(page)
