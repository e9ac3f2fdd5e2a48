"""Objects in lists and forms: a route by click, a mistake seen as it is typed, many edited as one (journeys 11-13)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import check_barriers, serious_findings
from tests.support.thoroughness import share

pytestmark = pytest.mark.browser

ESTATE = "/estates/demo-fr-de"
TOPOLOGY = f"{ESTATE}/topology"
ROUTES = f"{ESTATE}/objects/route"
KINDS = (
    *("instance", "database", "service", "queue", "contract", "message-type", "route", "endpoint"),
    *("remote-service-binding", "certificate", "user", "login", "priority", "event-notification"),
)
MADE_ELSEWHERE = {"certificate"}
"""Kinds of which a list makes none."""
TWELVE = 12


def drawn(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=re.compile(name))


def test_a_route_is_made_by_click_without_dragging(page: Page) -> None:
    page.goto(f"{TOPOLOGY}?select=database%2FPARIS%2FVentes")
    page.evaluate("window.dragged = 0; window.addEventListener('dragstart', () => { window.dragged += 1; }, true)")
    page.get_by_role("button", name="Connect to…").click()
    page.get_by_role("menuitem", name="HUB").click()
    form = page.get_by_role("form", name="Add a route to Ventes")
    expect(form.get_by_role("combobox", name="Address", exact=True)).to_have_value(re.compile("TCP://hub:"))
    form.get_by_role("textbox", name="Name", exact=True).fill("Vers la relève")
    form.get_by_role("combobox", name="Service name").fill("//exemple.fr/Nouveau")
    form.get_by_role("button", name="Add route").click()
    expect(drawn(page, "Route Vers la relève of PARIS Ventes")).to_be_attached()
    expect(page.get_by_text("In the draft, not live yet")).to_be_visible()
    expect(page.get_by_text(re.compile(r"^Draft #\d+ · 1 change$"))).to_be_visible()
    expect(page.get_by_role("link", name="Review changes (1)")).to_be_enabled()
    assert page.evaluate("window.dragged") == 0
    check_barriers(page)


def test_a_mistake_shows_while_it_is_typed_and_goes_when_it_is_mended(page: Page) -> None:
    drafts = page.request.get(f"/api/v1{ESTATE}/change-sets?state=open").json()["items"]
    newest = max(draft["number"] for draft in drafts)
    page.goto(f"{TOPOLOGY}?draft={newest}&select=route%2FPARIS%2FVentes%2FVers%20la%20rel%C3%A8ve")
    route = drawn(page, "Route Vers la relève of PARIS Ventes")
    marked = drawn(page, "Route Vers la relève of PARIS Ventes.*finding.*error")
    expect(route).to_be_attached()
    before = marked.count()
    database = drawn(page, "Ventes.*finding")
    page.get_by_role("complementary", name="Details").get_by_role("button", name="Change").click()
    form = page.get_by_role("form", name="Change route Vers la relève")
    address = form.get_by_role("combobox", name="Address", exact=True)
    right = address.input_value()
    address.fill("TCP://hub")
    address.press("Escape")
    expect(address).to_be_focused()
    expect(form.get_by_text(re.compile("9744 · The address has no port"))).to_be_visible()
    expect(marked).to_have_count(1)
    expect(database.first).to_be_attached()
    expect(form.get_by_role("button", name="Save changes")).to_be_disabled()
    review = page.get_by_role("button", name="Review changes (1)")
    expect(review).to_have_attribute("aria-disabled", "true")
    check_barriers(page)
    address.fill(right)
    address.press("Escape")
    expect(form.get_by_text(re.compile("9744"))).to_have_count(0)
    expect(marked).to_have_count(before)
    expect(form.get_by_role("button", name="Save changes")).to_be_enabled()
    expect(page.get_by_role("link", name="Review changes (1)")).to_be_visible()
    check_barriers(page)


def expiries(page: Page) -> list[str]:
    return page.get_by_role("table", name="Routes").locator("tbody tr td:nth-child(7)").all_inner_texts()


def test_twelve_routes_are_edited_undone_and_redone_as_one_step(page: Page) -> None:
    page.goto(f"{ROUTES}?sort=place")
    table = page.get_by_role("table", name="Routes")
    boxes = table.locator("tbody").get_by_role("checkbox")
    expect(boxes.nth(TWELVE)).to_be_visible()
    before = expiries(page)
    for number in range(TWELVE):
        boxes.nth(number).check()
    bar = page.get_by_role("toolbar", name="12 selected")
    expect(bar).to_be_visible()
    check_barriers(page)
    bar.get_by_role("button", name="Edit").click()
    dialog = page.get_by_role("dialog", name="Edit 12 objects")
    dialog.get_by_role("checkbox", name="Select Lifetime in seconds").check()
    dialog.get_by_role("textbox", name="Lifetime in seconds").fill("600")
    dialog.get_by_role("button", name="Preview").click()
    expect(dialog.get_by_text("12 to change, 0 as they are, 0 refused")).to_be_visible()
    check_barriers(page)
    dialog.get_by_role("button", name="Put into the draft").click()
    expect(dialog.get_by_text("12 done, 0 as they were, 0 refused")).to_be_visible()
    dialog.get_by_role("button", name="Close").last.click()
    counter = page.get_by_text(re.compile(r"Draft #\d+ · 12 changes"))
    expect(counter).to_be_visible()
    expect(table.get_by_text("Changed")).to_have_count(TWELVE)
    after = expiries(page)
    assert [one != other for one, other in zip(before, after, strict=True)] == [
        number < TWELVE for number in range(len(before))
    ]

    page.keyboard.press("Control+z")
    expect(table.get_by_text("Changed")).to_have_count(0)
    assert expiries(page) == before
    expect(page.get_by_text(re.compile(r"Draft #\d+ · no change"))).to_be_visible()
    page.keyboard.press("Control+Shift+z")
    expect(counter).to_be_visible()
    expect(table.get_by_text("Changed")).to_have_count(TWELVE)
    assert expiries(page) == after
    check_barriers(page)


def test_a_list_is_in_the_address_bar_and_an_object_has_its_details(page: Page) -> None:
    page.goto(f"{ESTATE}/objects/service")
    page.get_by_role("textbox", name="Find").fill("entrepot")
    expect(page).to_have_url(re.compile("text=entrepot"))
    name = page.get_by_role("table", name="Services").get_by_role("button", name=re.compile("entrepôt", re.IGNORECASE))
    expect(name.first).to_be_visible()
    page.reload()
    name.first.click()
    panel = page.get_by_role("complementary", name="service")
    expect(panel.get_by_text("CREATE SERVICE")).to_be_visible()
    check_barriers(page)
    panel.get_by_role("link", name="Show on canvas").click()
    expect(page).to_have_url(re.compile("/topology.*select=service"))


@pytest.mark.slow
def test_a_queue_is_made_in_a_form_that_the_server_tries_while_one_types(page: Page) -> None:
    page.goto(f"{ESTATE}/objects/service")
    page.get_by_role("button", name="New service").click()
    form = page.get_by_role("form", name="Create a service")
    form.get_by_role("textbox", name="Name").fill("//exemple.fr/Essai")
    form.get_by_role("combobox", name="Queue").fill("dbo.Nulle")
    form.get_by_role("textbox", name="Owner").focus()
    expect(form.get_by_role("alert")).to_contain_text("dbo.Nulle")
    expect(form.get_by_role("button", name="Create")).to_be_disabled()
    check_barriers(page)
    page.goto(f"{ESTATE}/objects/queue")
    page.get_by_role("button", name="New queue").click()
    form = page.get_by_role("form", name="Create a queue")
    form.get_by_role("textbox", name="Name").fill("dbo.Essai")
    form.get_by_role("button", name="Create").click()
    expect(page.get_by_text("dbo.Essai created.")).to_be_visible()
    expect(page.get_by_role("complementary", name="queue").get_by_text("CREATE QUEUE")).to_be_visible()


@pytest.mark.parametrize("kind", share(KINDS, 1))
def test_every_kind_has_a_list_and_a_form_without_barriers(page: Page, kind: str) -> None:
    page.goto(f"{ESTATE}/objects/{kind}")
    expect(page.get_by_role("status").filter(has_text="object")).to_be_visible()
    assert serious_findings(page) == []
    new = page.get_by_role("button", name=re.compile("^New "))
    if kind not in MADE_ELSEWHERE:
        new.click()
        expect(page.get_by_role("form")).to_be_visible()
        assert serious_findings(page) == []
    else:
        expect(new).to_have_count(0)
