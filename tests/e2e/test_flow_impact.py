"""Nothing is lost by an Apply unless somebody has said that it is meant, by a person with a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import check_barriers

pytestmark = pytest.mark.browser

TOPOLOGY = "/estates/demo-fr-de/topology"
USED = "Vers la réception"
LOST = "Intended: from //exemple.fr/Ventes/Guichet to //exemple.fr/Commandes/Réception"


def delete_route(page: Page, route: str) -> None:
    page.goto(f"{TOPOLOGY}?select=route%2FPARIS%2FVentes%2F{route}")
    page.get_by_role("complementary", name="Details").get_by_role("button", name="Delete").click()


def is_barred(page: Page) -> None:
    apply = page.get_by_role("button", name=re.compile("^Apply"))
    expect(apply).to_have_attribute("aria-disabled", "true")


def may_apply(page: Page) -> None:
    apply = page.get_by_role("button", name=re.compile("^Apply"))
    expect(apply).not_to_have_attribute("aria-disabled", "true")


def test_a_lost_flow_holds_apply_back_until_it_is_ticked_or_the_removal_is_undone(page: Page) -> None:
    """Journey 15."""
    delete_route(page, USED)
    expect(page.get_by_text(re.compile(r"^Draft #\d+ · 1 change$"))).to_be_visible()
    page.get_by_role("link", name="Review changes (1)").click()
    is_barred(page)
    page.go_back()
    page.get_by_role("link", name="Loses 1 flow").click()
    expect(page.get_by_role("tab", name=re.compile("^Flow impact"))).to_have_attribute("aria-selected", "true")
    lost = page.get_by_role("checkbox", name=LOST)
    expect(lost).not_to_be_checked()
    row = page.get_by_role("row").filter(has=lost)
    expect(page.get_by_role("switch", name="Not ticked yet (1)")).not_to_be_checked()
    expect(row).to_contain_text("9750")
    expect(row).to_contain_text(USED)
    check_barriers(page)

    # The removal is undone: nothing is lost any more.
    page.goto(f"{TOPOLOGY}?draft=1")
    expect(page.get_by_text(re.compile(r"^Draft #\d+ · 1 change$"))).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.get_by_text(re.compile(r"^Draft #\d+ · no change$"))).to_be_visible()
    page.keyboard.press("Control+Shift+z")
    expect(page.get_by_text(re.compile(r"^Draft #\d+ · 1 change$"))).to_be_visible()

    # Or somebody says that it is meant.
    page.get_by_role("link", name="Review changes (1)").click()
    is_barred(page)
    page.get_by_role("tab", name=re.compile("^Flow impact")).click()
    lost.click()
    expect(lost).to_be_checked()
    may_apply(page)
    lost.click()
    expect(lost).not_to_be_checked()
    is_barred(page)
    lost.click()
    expect(lost).to_be_checked()
    expect(page.get_by_text("The lost flow is ticked as intended")).to_be_visible()
    expect(row).to_contain_text("by ")
    check_barriers(page)
    page.get_by_role("button", name=re.compile("^Apply")).click()
    expect(page.get_by_text(re.compile(r"^Draft #\d+ is live as revision \d+\.$"))).to_be_visible()


@pytest.mark.slow
def test_a_draft_that_loses_nothing_says_how_many_flows_were_checked(page: Page) -> None:
    page.goto(f"{TOPOLOGY}?select=route%2FPARIS%2FVentes%2FVers%20le%20suivi")
    page.get_by_role("complementary", name="Details").get_by_role("button", name="Change").click()
    form = page.get_by_role("form", name="Change route Vers le suivi")
    form.get_by_role("combobox", name="Address", exact=True).fill("TCP://LYON:4022")
    form.get_by_role("combobox", name="Address", exact=True).press("Tab")
    form.get_by_role("button", name="Save changes").click()
    page.get_by_role("link", name="Review changes (1)").click()
    page.get_by_role("tab", name=re.compile("^Flow impact")).click()
    expect(page.get_by_text(re.compile(r"\d+ flows checked|\d+ flows were checked")).first).to_be_visible()
    may_apply(page)
    check_barriers(page)
