"""Failures are supposed in the fault lab, by a person with a browser; nothing that runs is touched."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import check_barriers

pytestmark = pytest.mark.browser

FAULTS = "/estates/demo-fr-de/faults"
API = "/api/v1/estates/demo-fr-de"
ROUTE = "Vers la réception"
"""By which PARIS sends its orders to LYON, and by nothing else."""


def test_a_mirrored_pair_is_failed_over_taken_down_and_brought_back(page: Page) -> None:
    """Journey 24."""
    page.goto(f"{FAULTS}?view=pairs")
    supposed = page.get_by_role("group", name="What is supposed")
    expect(supposed).to_contain_text(re.compile(r"Live · revision \d"))
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
    check_barriers(page)

    pair.get_by_role("button", name="Both partners down").click()
    expect(columns.nth(2)).to_have_attribute("data-active", "true")
    expect(columns.nth(2)).to_contain_text("Unreachable")
    check_barriers(page)

    page.get_by_role("button", name="Reset faults").click()
    expect(supposed).to_contain_text(re.compile(r"Live · revision \d"))
    expect(supposed).to_contain_text("No fault is supposed")
    expect(pair.get_by_text(re.compile("^BERLINP · principal$"))).to_be_visible()
    expect(columns.nth(0)).to_have_attribute("data-active", "true")
    expect(page).to_have_url(re.compile(r"/faults\?view=pairs$"))


@pytest.mark.slow
def test_every_flow_is_asked_under_every_failure_and_a_cell_leads_to_its_what_if(page: Page) -> None:
    page.goto(f"{FAULTS}?kinds=instance")
    grid = page.get_by_role("grid", name="Flows under failures")
    lost = grid.get_by_role("link", name=re.compile(r"^LYON is down: .*, lost$")).first
    expect(lost).to_be_visible()
    check_barriers(page)
    first = grid.locator('a[data-row="0"][data-column="0"]')
    first.focus()
    page.keyboard.press("ArrowRight")
    expect(grid.locator('a[data-row="0"][data-column="1"]')).to_be_focused()
    lost.click()
    expect(page).to_have_url(re.compile(r"/whatif\?.*faults=instance%2FLYON"))


@pytest.mark.slow
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


@pytest.mark.slow
def test_one_flow_is_asked_under_what_it_depends_on_and_under_two_at_once(page: Page) -> None:
    page.goto(f"{FAULTS}?all=1")
    grid = page.get_by_role("grid", name="Flows under failures")
    grid.get_by_role("link", name=re.compile("Guichet.*Buchhaltung.Rechnungen")).first.click()
    table = page.get_by_role("table", name="One flow under failures")
    # Both partners of the mirrored pair are on its way, and HUB is not.
    expect(table.get_by_role("row", name=re.compile("^BERLIN is down .*9787.*Lost"))).to_be_visible()
    expect(table.get_by_role("row", name=re.compile("^LYON is down .*Unchanged"))).to_be_visible()
    expect(table.get_by_role("rowheader", name="HUB is down")).to_have_count(0)
    check_barriers(page)

    page.get_by_text("Pairs", exact=True).click()
    over = "LYON is down + Mirrored pair Buchhaltung of BERLIN has failed over"
    pair = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name=over, exact=True))
    expect(pair).to_contain_text("Lost")
    expect(page).to_have_url(re.compile("preset=pairs"))
    check_barriers(page)
    pair.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"/whatif\?.*faults=instance%2FLYON%2Cpartner%2FBERLIN"))
    expect(page.get_by_role("region", name="The answer")).to_contain_text("9787")
    page.get_by_role("link", name="What it depends on").click()
    expect(page.get_by_role("group", name="What is supposed")).to_contain_text("LYON is down")


@pytest.mark.slow
def test_a_route_has_no_switch_and_its_removal_is_a_draft(page: Page) -> None:
    page.goto(FAULTS)
    page.get_by_role("region", name="Routes").get_by_role("link").click()
    expect(page).to_have_url(re.compile("/topology$"))


@pytest.mark.slow
def test_a_route_that_expires_is_told_with_the_flows_that_go_with_it(page: Page) -> None:
    """The last test: what it changes in the estate stays."""
    page.goto(f"{FAULTS}?view=future")
    expect(page.get_by_text("No route expires within 30 days: time alone changes nothing.")).to_be_visible()
    check_barriers(page)

    token = next(each["value"] for each in page.context.cookies() if each["name"] == "brokerweb_csrftoken")
    revision = page.request.get(API).json()["revision"]
    altered = page.request.patch(
        f"{API}/instances/PARIS/databases/Ventes/routes/{quote(ROUTE)}",
        data={"lifetime_seconds": 86_400},
        headers={"X-CSRFToken": token, "Referer": page.url, "If-Match": f'"{revision}"'},
    )
    assert altered.ok, altered.text()

    # Without a reload: the estate is another one, so the future is asked for anew.
    strip = page.get_by_role("tabpanel").get_by_role("status")
    told = f"Route {ROUTE} of PARIS · Ventes expires: 1 flow becomes undeliverable."
    expect(strip).to_contain_text(re.compile("^Next, "))
    expect(strip).to_contain_text(told)
    slider = page.get_by_role("slider", name="Instant")
    expect(slider).to_have_attribute("aria-valuetext", "Now")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("at=20"))
    expect(strip).not_to_contain_text("Next")
    expect(strip).to_contain_text(told)
    instants = page.get_by_role("list", name="Instants at which routes expire")
    expect(instants.get_by_role("listitem").first).to_contain_text("No route")
    check_barriers(page)

    # The instant holds for the whole lab, and Reset takes it back.
    page.get_by_role("tab", name="Every flow under every failure").click()
    page.get_by_role("switch", name="Only flows that change").click()
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name=re.compile("Guichet.*Commandes.Réception")))
    expect(row.locator('[data-column="1"]')).to_contain_text("No route")
    page.get_by_role("button", name="Reset faults").click()
    expect(row.locator('[data-column="1"]')).to_contain_text("Delivered")
    expect(page).not_to_have_url(re.compile("at=20"))
