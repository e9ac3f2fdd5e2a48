"""Findings are fixed by way of a draft, and the log is seen to be whole, by a person with a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import check_barriers

pytestmark = pytest.mark.browser

ESTATE = "/estates/demo-fr-de"
FINDINGS = f"{ESTATE}/findings"


def test_a_fix_is_previewed_taken_into_a_draft_reviewed_undone_and_the_empty_draft_discarded(page: Page) -> None:
    page.goto(FINDINGS)
    page.get_by_role("row").filter(has_text="SBD-103").click()
    about = page.get_by_role("complementary", name="About the finding")
    about.get_by_role("button", name="Preview fix").click()
    dialog = page.get_by_role("dialog", name=re.compile("Fix SBD-103"))
    expect(dialog.get_by_text("Mends 1 of 1 finding")).to_be_visible()
    expect(dialog.get_by_text("Soldes de printemps")).to_be_visible()
    check_barriers(page)
    dialog.get_by_role("tab", name="T-SQL").click()
    expect(dialog.get_by_text("DROP", exact=False).first).to_be_visible()
    check_barriers(page)
    dialog.get_by_role("button", name="Add to a new draft").click()

    heading = page.get_by_role("heading", name=re.compile(r"Draft #\d+"))
    expect(heading).to_be_visible()
    expect(page.get_by_text("Removed")).to_be_visible()
    page.get_by_role("tab", name="Findings (0 new, 1 gone)").click()
    page.get_by_text("Gone with it (1)").click()
    gone = page.get_by_role("list", name="Findings that the draft mends")
    expect(gone).to_contain_text("Route has expired")
    expect(page.get_by_role("button", name=re.compile("new error"))).to_have_count(0)
    check_barriers(page)

    number = (heading.text_content() or "").rpartition("#")[2]
    page.goto(f"{FINDINGS}?draft={number}")
    expect(page.get_by_role("status", name="Open findings")).to_contain_text("1 error")
    page.get_by_role("button", name=re.compile("^Undo")).click()
    expect(page.get_by_text(f"Draft #{number} · no change")).to_be_visible()
    expect(page.get_by_role("status", name="Open findings")).to_contain_text("2 errors")
    check_barriers(page)
    page.get_by_role("button", name="Discard empty draft").click()
    expect(page.get_by_text(f"Draft #{number} was empty and is discarded.")).to_be_visible()
    expect(page.get_by_role("button", name="Discard empty draft")).to_have_count(0)


@pytest.mark.slow
def test_a_draft_that_breaks_something_says_so_beside_apply_and_can_be_applied(page: Page) -> None:
    page.goto(f"{ESTATE}/topology?select=route%2FPARIS%2FVentes%2FVers%20Berlin")
    page.get_by_role("complementary", name="Details").get_by_role("button", name="Change").click()
    form = page.get_by_role("form", name="Change route Vers Berlin")
    address = form.get_by_role("combobox", name="Address", exact=True)
    address.fill("TCP://hub:4999")
    address.press("Tab")
    form.get_by_role("button", name="Save changes").click()
    page.get_by_role("link", name="Review changes (1)").click()
    warning = page.get_by_role("button", name=re.compile(r"^\d+ new errors?$"))
    expect(warning).to_be_visible()
    # Findings hold nobody up; a flow that is lost does, until somebody says that it is meant.
    page.get_by_role("tab", name=re.compile("^Flow impact")).click()
    loss = page.get_by_role("checkbox", name=re.compile("^Intended: from .*Guichet to .*Größenprüfung$"))
    loss.click()
    expect(loss).to_be_checked()
    expect(loss).to_be_enabled()
    expect(page.get_by_role("button", name="Apply 1 change")).not_to_have_attribute("aria-disabled", "true")
    warning.click()
    brought = page.get_by_role("list", name="Findings that the draft brings")
    expect(brought).to_be_visible()
    check_barriers(page)
    # From there to all about it, in the draft, with what would mend it.
    brought.get_by_role("link").first.click()
    about = page.get_by_role("complementary", name="About the finding")
    expect(about).to_be_visible()
    expect(page.get_by_text(re.compile(r"of draft #\d+"))).to_be_visible()
    check_barriers(page)


@pytest.mark.slow
def test_the_audit_page_says_that_the_log_is_whole(page: Page) -> None:
    page.goto(f"{ESTATE}/audit")
    page.get_by_role("button", name=re.compile("Log whole")).click()
    told = page.get_by_role("dialog", name=re.compile("Log whole"))
    expect(told).to_contain_text("Hash of decision")
    check_barriers(page)
