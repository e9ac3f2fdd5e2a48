"""Failures are supposed in the fault lab, by a person with a browser; nothing that runs is touched."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import serious_findings

pytestmark = pytest.mark.browser

FAULTS = "/estates/demo-fr-de/faults"


def test_a_mirrored_pair_is_failed_over_taken_down_and_brought_back(page: Page) -> None:
    """Journey 24."""
    page.goto(f"{FAULTS}?view=pairs")
    supposed = page.get_by_role("group", name="What is supposed")
    expect(supposed).to_contain_text("Live · revision 1")
    expect(supposed).to_contain_text("No fault is supposed")
    pair = page.get_by_role("region", name="Mirrored pair Buchhaltung")
    expect(pair.get_by_text(re.compile("^BERLINP · principal$"))).to_be_visible()
    columns = pair.locator("li[data-active]")
    expect(columns).to_have_count(3)
    expect(columns.nth(0)).to_have_attribute("data-active", "true")

    pair.get_by_role("button", name="Fail over in the model").click()
    expect(pair.get_by_text(re.compile("^BERLINM · mirror$"))).to_be_visible()
    expect(pair.get_by_text(re.compile("^LYONP · principal$"))).to_be_visible()
    expect(columns.nth(1)).to_have_attribute("data-active", "true")
    expect(columns.nth(1)).to_contain_text("TCP://lyon:4022", ignore_case=True)
    expect(columns.nth(1)).to_contain_text("MIRROR_ADDRESS")
    expect(columns.nth(1)).to_contain_text("Delivered")
    expect(supposed).to_contain_text("has failed over")
    assert serious_findings(page) == []

    pair.get_by_role("button", name="Both partners down").click()
    expect(columns.nth(2)).to_have_attribute("data-active", "true")
    expect(columns.nth(2)).to_contain_text("Unreachable")
    assert serious_findings(page) == []

    page.get_by_role("button", name="Reset faults").click()
    expect(supposed).to_contain_text("Live · revision 1")
    expect(supposed).to_contain_text("No fault is supposed")
    expect(pair.get_by_text(re.compile("^BERLINP · principal$"))).to_be_visible()
    expect(columns.nth(0)).to_have_attribute("data-active", "true")
    expect(page).to_have_url(re.compile(r"/faults\?view=pairs$"))


def test_every_flow_is_asked_under_every_failure_and_a_cell_leads_to_its_what_if(page: Page) -> None:
    page.goto(f"{FAULTS}?kinds=instance")
    grid = page.get_by_role("grid", name="Flows under failures")
    lost = grid.get_by_role("link", name=re.compile(r"^LYON is down: .*, lost$")).first
    expect(lost).to_be_visible()
    assert serious_findings(page) == []
    first = grid.locator('a[data-row="0"][data-column="0"]')
    first.focus()
    page.keyboard.press("ArrowRight")
    expect(grid.locator('a[data-row="0"][data-column="1"]')).to_be_focused()
    lost.click()
    expect(page).to_have_url(re.compile(r"/whatif\?.*faults=instance%2FLYON"))


def test_what_is_switched_off_is_said_until_it_is_taken_back(page: Page) -> None:
    page.goto(FAULTS)
    faults = page.get_by_role("complementary", name="Faults")
    faults.get_by_role("textbox", name="Find what fails").fill("hub")
    faults.get_by_role("switch", name="HUB", exact=True).first.click(force=True)
    supposed = page.get_by_role("group", name="What is supposed")
    expect(supposed).to_contain_text("HUB is down")
    page.reload()
    expect(supposed).to_contain_text("HUB is down")
    page.get_by_role("button", name="Take back: HUB is down").click()
    expect(supposed).to_contain_text("No fault is supposed")
