"""Journeys 7 to 10 and 14: where a message would go is asked, read, followed on the map, and compared with a draft."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import check_barriers, install_clock, stop_clock
from tests.support.running import Running
from tests.support.waiting import until

pytestmark = pytest.mark.browser

ESTATE = "/estates/demo-fr-de"
GUICHET = "//exemple.fr/Ventes/Guichet"
RECEPTION = "//exemple.fr/Commandes/Réception"
ORDERS = "//beispiel.de/Einkauf/Bestellungen"
"""The service to which no route leads."""
DEPOT = "//exemple.fr/Archives/Dépôt"
"""The one that has no way back."""
STAGE_MILLISECONDS = 400
"""How long the player shows a stage when it goes four times as fast."""
ANSWER_SECONDS = 1.0
"""So long the product may work from the last letter of a question to its answer."""


def asked(place: str, service: str, to: str, **more: str) -> str:
    """The address of a question; `place` is instance and database."""
    sender = "/".join(quote(name, safe="") for name in (*place.split("/"), service))
    return f"{ESTATE}/whatif?{urlencode({'from': sender, 'to': to, **more})}"


def verdict(page: Page, word: str) -> Locator:
    return page.get_by_role("region", name="The answer").get_by_role("heading", name=word, exact=True)


def copied(page: Page, pattern: str) -> str:
    """What the clipboard has, once it is of this pattern: the browser fills it a moment after the click."""
    found = ""

    def has_come() -> bool:
        nonlocal found
        found = page.evaluate("navigator.clipboard.readText()")
        return re.search(pattern, found) is not None

    until(has_come, what=f"{pattern} in the clipboard")
    return found


def leg(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name="The four legs").get_by_role(
        "button", name=re.compile(f"^{name} (Arrives|Fails|Not)")
    )


def hops(page: Page) -> Locator:
    return page.get_by_role("list", name="Hops").locator(":scope > li")


def test_a_question_is_asked_from_a_service_and_its_way_is_on_the_map(page: Page, product: tuple[Running, str]) -> None:
    page.goto(f"{ESTATE}/topology?{urlencode({'select': 'service/PARIS/Ventes/' + quote(GUICHET, safe='')})}")
    details = page.get_by_role("complementary", name="Details")
    details.get_by_role("link", name="What-if from here").click()
    to = page.get_by_role("combobox", name="To service")
    expect(page.get_by_role("group", name=re.compile("^Instance PARIS"))).to_be_visible()
    before = product[0].processor_seconds
    to.fill(RECEPTION)
    expect(verdict(page, "Delivered")).to_be_visible()
    assert product[0].processor_seconds - before < ANSWER_SECONDS
    expect(hops(page)).to_have_count(2)
    for at, route in enumerate(("Vers la réception", "Entrée réception")):
        expect(hops(page).nth(at).get_by_role("button", name=route, exact=True)).to_be_visible()
    for name in ("Message", "Acknowledgement", "Reply", "Reply’s acknowledgement"):
        expect(leg(page, name)).to_contain_text("Arrives")
    # On the map: the line of the route, numbers, a flag where it ends; a veil lies over what is not on the way.
    line = page.get_by_role("group", name=re.compile("^Route Vers la réception of PARIS Ventes"))
    expect(line).to_have_attribute("data-path", "on")
    expect(page.locator("[data-hop]")).to_have_text(["1", "2"])
    expect(page.locator("[data-flag]")).to_have_text("Delivered")
    for name, height in (("PARIS", "4"), ("LYON", "4"), ("BERLIN", "0")):
        expect(page.get_by_role("group", name=re.compile(f"^Instance {name}"))).to_have_css("z-index", height)
    check_barriers(page)


def test_every_other_route_says_why_it_was_not_it(page: Page) -> None:
    page.goto(asked("LYON/Entrepôt", "//exemple.fr/Expédition/Suivi", GUICHET))
    first = hops(page).nth(0)
    first.get_by_role("button", name="Why not the others? (2)").click()
    losers = first.get_by_role("listitem").filter(has_text=re.compile("^(AutoCreatedLocal|Vers les retours)"))
    expect(losers).to_have_text(
        [
            "AutoCreatedLocalIt would match in step 5, and step 2 had ended the search.",
            "Vers les retoursIt names another service: //exemple.fr/Ventes/Retours.",
        ]
    )
    table = page.request.get("/api/v1/estates/demo-fr-de").json()
    lyon = next(each for each in table["instances"] if each["name"] == "LYON")
    routes = next(each for each in lyon["databases"] if each["name"] == "Entrepôt")["routes"]
    assert len(routes) == losers.count() + 1
    considered = page.get_by_role("group", name=re.compile("^Route Vers les retours of LYON Entrepôt"))
    expect(considered).to_have_attribute("data-path", "loser")
    first.get_by_role("button", name="Vers les retours").click()
    expect(page).to_have_url(re.compile("select=route"))
    expect(losers.nth(1)).to_contain_text("CREATE ROUTE [Vers les retours]")
    check_barriers(page)


def test_a_message_without_a_route_names_the_last_place_and_offers_one(page: Page) -> None:
    page.goto(asked("PARIS/Ventes", GUICHET, ORDERS))
    expect(verdict(page, "No route")).to_be_visible()
    answer = page.get_by_role("region", name="The answer")
    expect(answer).to_contain_text(f"It got no further than PARIS: no route of Ventes leads to {ORDERS}.")
    expect(answer).to_contain_text(re.compile("9750 · .*"))
    expect(leg(page, "Message")).to_contain_text("Fails")
    for name in ("Acknowledgement", "Reply", "Reply’s acknowledgement"):
        expect(leg(page, name)).to_contain_text("Not reached")
    expect(answer.get_by_role("link", name="Create route here")).to_be_visible()
    check_barriers(page)


@pytest.mark.slow
def test_a_name_that_is_spelled_otherwise_is_the_first_cure(page: Page) -> None:
    page.goto(asked("PARIS/Ventes", GUICHET, "//exemple.fr/Commandes/Reception"))
    expect(verdict(page, "No route")).to_be_visible()
    answer = page.get_by_role("region", name="The answer")
    expect(answer.get_by_text("Names are compared letter by letter")).to_be_visible()
    check_barriers(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    answer.get_by_role("button", name="Copy as text").click()
    ticket = copied(page, "Step 1 of 1")
    assert "Step 1 of 1, kept by PARIS, reason: no route fits" in ticket
    assert page.url.split("?")[0] in ticket
    answer.get_by_role("button", name=RECEPTION).click()
    expect(verdict(page, "Delivered")).to_be_visible()


@pytest.mark.slow
def test_examples_begin_with_what_arrives_from_afar(page: Page) -> None:
    page.goto(f"{ESTATE}/whatif")
    examples = page.get_by_role("region", name="Ask one of these").get_by_role("listitem")
    expect(examples.first).to_contain_text("Delivered")
    examples.first.get_by_role("link").click()
    expect(hops(page)).to_have_count(3)
    page.go_back()
    expect(examples.first).to_be_visible()


def test_an_acknowledgement_that_is_lost_leaves_the_message_in_the_transmission_queue(page: Page) -> None:
    page.goto(asked("PARIS/Ventes", GUICHET, DEPOT))
    expect(leg(page, "Message")).to_contain_text("Arrives")
    expect(leg(page, "Acknowledgement")).to_contain_text("Fails")
    answer = page.get_by_role("region", name="The answer")
    expect(answer).to_contain_text("stays in the transmission queue of Ventes")
    leg(page, "Acknowledgement").click()
    expect(answer).to_contain_text("It got no further than LYON")
    expect(answer.get_by_role("link", name="Create route here")).to_have_attribute("href", re.compile("Archives"))
    check_barriers(page)


def test_the_player_goes_along_the_way_by_keys_and_says_each_step(page: Page) -> None:
    install_clock(page)
    page.goto(asked("PARIS/Ventes", GUICHET, "//beispiel.de/Lager/Größenprüfung"))
    player = page.get_by_role("region", name="Player")
    told = player.get_by_role("status")
    player.focus()
    page.keyboard.press("ArrowRight")
    expect(told).to_contain_text("Step 1 of 12, sent by PARIS to HUB")
    page.keyboard.press("ArrowRight")
    expect(told).to_have_text(
        "Step 2 of 12, forwarded by HUB to BERLIN, reason: route Weiter nach Berlin names the service"
    )
    expect(page.get_by_role("group", name=re.compile("^Route Weiter nach Berlin of HUB"))).to_have_attribute(
        "data-path", "now"
    )
    expect(page.locator("[data-flag]")).to_have_count(0)
    page.keyboard.press("End")
    expect(told).to_contain_text("Step 12 of 12")
    page.keyboard.press("Home")
    expect(told).to_contain_text("Step 1 of 12")
    # By itself it explains the decision stage by stage, then the next one, and it can be stopped.
    player.get_by_text("4×").click()
    stop_clock(page)
    player.get_by_role("button", name="Play").click()

    def is_at_the_second() -> bool:
        page.clock.run_for(STAGE_MILLISECONDS)
        return "Step 2 of 12" in told.inner_text()

    until(is_at_the_second, what="the second step")
    player.get_by_role("button", name="Pause").click()
    page.clock.resume()
    expect(page).to_have_url(re.compile("stage="))
    page.reload()
    expect(told).to_contain_text("Step 2 of 12")
    check_barriers(page)


def test_before_and_after_of_a_draft_that_creates_the_missing_route(page: Page) -> None:
    page.goto(asked("PARIS/Ventes", GUICHET, ORDERS))
    page.get_by_role("link", name="Create route here").click()
    form = page.get_by_role("form", name="Add a route to Ventes")
    expect(form.get_by_role("combobox", name="Service name")).to_have_value(ORDERS)
    expect(form.get_by_role("combobox", name="Address", exact=True)).to_have_value("TCP://berlin:4022")
    form.get_by_role("textbox", name="Name", exact=True).fill("Vers les achats")
    form.get_by_role("button", name="Add route").click()
    expect(page.get_by_text("Draft #1 · 1 change")).to_be_visible()
    page.get_by_role("navigation").get_by_role("link", name="What-if").click()

    sides = page.get_by_role("region", name="Before and after")
    expect(sides.get_by_text("Revision 1: No route")).to_be_visible()
    expect(sides.get_by_text("Draft #1: Delivered")).to_be_visible()
    expect(sides.get_by_role("list", name="What differs")).to_contain_text("Vers les achats")
    expect(page.locator("[data-flag]")).to_have_text("Delivered")
    check_barriers(page)
    sides.get_by_role("button", name=re.compile("Revision 1")).click()
    expect(verdict(page, "No route")).to_be_visible()

    # The link asks the same of the same draft, and says when the draft has moved on.
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sides.get_by_role("button", name=re.compile("Draft #1")).click()
    expect(verdict(page, "Delivered")).to_be_visible()
    page.get_by_role("button", name="Copy link").click()
    page.goto(copied(page, r"^http\S+$"))
    expect(page.get_by_text("The same answer as when this link was shared.")).to_be_visible()
    change = page.request.get("/api/v1/estates/demo-fr-de/change-sets/1").json()
    token = next(each["value"] for each in page.context.cookies() if each["name"] == "brokerweb_csrftoken")
    undone = page.request.post(
        "/api/v1/estates/demo-fr-de/change-sets/1/undo",
        headers={"X-CSRFToken": token, "Referer": page.url, "If-Match": f'"1-{change["sequence"]}"'},
    )
    assert undone.ok, undone.text()
    # Without a reload: what the draft makes of the estate has changed.
    expect(page.get_by_text("Answer updated")).to_be_visible()
    expect(page.get_by_text("Draft #1 has moved on since.")).to_be_visible()
    expect(sides.get_by_text("Draft #1: No route")).to_be_visible()
    check_barriers(page)


@pytest.mark.slow
def test_a_mirrored_pair_is_compared_in_its_three_states(page: Page) -> None:
    page.goto(asked("PARIS/Ventes", GUICHET, "//beispiel.de/Buchhaltung/Rechnungen"))
    page.get_by_role("button", name="Compare the three states of the pair").click()
    expect(page.get_by_role("button", name=re.compile("^As it is Delivered BERLIN"))).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Both down Unreachable"))).to_be_visible()
    failed_over = page.get_by_role("button", name=re.compile("^Failed over Delivered LYON"))
    expect(failed_over).to_contain_text(re.compile(r"TCP://lyon:4022\s*MIRROR_ADDRESS", re.IGNORECASE))
    check_barriers(page)
    failed_over.click()
    expect(page.get_by_role("list", name="Suppose a failure").get_by_role("listitem")).to_have_count(1)
    expect(page.get_by_role("region", name="The answer")).to_contain_text("receives it in Buchhaltung of LYON")
    check_barriers(page)
