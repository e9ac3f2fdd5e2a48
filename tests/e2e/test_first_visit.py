"""The first visit, a route edited and a hundred messages sent, by a person with a browser."""

from __future__ import annotations

import re
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Browser, Page, Response, expect

from tests.e2e.conftest import check_barriers
from tests.support.login_links import log_in_by
from tests.support.running import Running, database_path
from tests.support.waiting import until

pytestmark = pytest.mark.browser

TOPOLOGY = "/estates/demo-fr-de/topology"
CONSOLE = "/estates/demo-fr-de/console"
LIVE = "/estates/demo-fr-de/live/transmission-queues?instances=shown"
ROUTE = "Nouvelle route"


def test_the_login_link_opens_the_estate_once_and_explains_itself_the_second_time(
    product: tuple[Running, str], browser: Browser
) -> None:
    administrator, stranger = browser.new_context(), browser.new_context()
    page = administrator.new_page()
    assert httpx.head(product[1]).status_code == httpx.get(product[1]).status_code == 200, "a scanner of mail"
    log_in_by(product[1], page)
    expect(page).to_have_url(re.compile(TOPOLOGY))
    page = stranger.new_page()
    page.goto(product[1])
    expect(page.get_by_text(re.compile("already", re.IGNORECASE))).to_be_visible()
    page.goto(f"http://127.0.0.1:{product[0].port}/")
    expect(page.get_by_role("button", name="Log in")).to_be_visible()
    administrator.close()
    stranger.close()


def test_the_first_visit_shows_four_instances_that_are_live(page: Page) -> None:
    page.goto("/")
    expect(page).to_have_url(re.compile(TOPOLOGY))
    for name in ("PARIS", "LYON", "BERLIN", "HUB"):
        expect(page.get_by_role("group", name=f"Instance {name}, port 4022, endpoint started")).to_be_visible()
    expect(page.get_by_text(re.compile(r"Live · revision \d+"))).to_be_visible()
    expect(page.get_by_role("status", name="Connection: Live")).to_be_visible()
    check_barriers(page)


@pytest.mark.slow
def test_a_first_visit_asks_for_few_files_and_gets_them_compressed(page: Page) -> None:
    files: list[Response] = []
    page.on("response", lambda answer: files.append(answer) if "/assets/" in answer.url else None)
    page.goto(TOPOLOGY)
    expect(page.get_by_role("group", name="Instance PARIS, port 4022, endpoint started")).to_be_visible()
    assert len(files) <= 50
    texts = [each for each in files if each.url.endswith((".js", ".css"))]
    long = [each for each in texts if len(each.body()) > 20_000]
    assert len(long) >= 5
    assert [each.url for each in long if each.header_value("content-encoding") != "gzip"] == []


def test_a_route_is_refused_with_its_number_then_made_changed_and_deleted_on_the_page(page: Page) -> None:
    page.goto(TOPOLOGY)
    page.get_by_role("group", name="Database Ventes of PARIS").click()
    page.get_by_role("button", name="Add route").first.click()
    form = page.get_by_role("form", name="Add a route to Ventes")
    form.get_by_role("textbox", name="Name", exact=True).fill(ROUTE)
    form.get_by_role("combobox", name="Service name").fill("//exemple.fr/Nouveau")
    address = form.get_by_role("combobox", name="Address", exact=True)
    address.fill("TCP://lyon")
    address.press("Tab")
    expect(form.get_by_text("9744")).to_be_visible()
    expect(form.get_by_role("button", name="Add route")).to_be_disabled()
    address.fill("TCP://lyon:4022")
    address.press("Tab")
    form.get_by_role("button", name="Add route").click()
    drawn = page.get_by_role(
        "group", name=f"Route {ROUTE} of PARIS Ventes, service //exemple.fr/Nouveau, to TCP://lyon"
    )
    expect(drawn).to_be_attached()

    details = page.get_by_role("complementary", name="Details")
    details.get_by_role("button", name="Change").click()
    form = page.get_by_role("form", name=f"Change route {ROUTE}")
    form.get_by_role("combobox", name="Address", exact=True).fill("TCP://hub:4022")
    form.get_by_role("combobox", name="Address", exact=True).press("Tab")
    form.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("group", name=re.compile(f"Route {ROUTE}.*to TCP:..hub:4022"))).to_be_attached()

    details.get_by_role("button", name="Delete").click()
    # It leaves by itself after some seconds.
    notice = page.get_by_role("alert").filter(has=page.get_by_role("button", name="Undo")).first
    expect(notice).to_have_css("pointer-events", "none")
    expect(notice.get_by_role("button", name="Undo")).to_have_css("pointer-events", "auto")
    expect(page.get_by_role("group", name=re.compile(f"Route {ROUTE}"))).to_have_count(0)
    expect(page.get_by_text("Draft #1 · no change")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.get_by_role("group", name=re.compile(f"Route {ROUTE}"))).to_be_attached()

    page.get_by_role("link", name="Review changes (1)").click()
    page.get_by_role("button", name="Discard").click()
    page.get_by_role("dialog").get_by_role("button", name="Discard").click()
    expect(page.get_by_text("No draft is open.")).to_be_visible()
    expect(page.get_by_text("Live · revision 1")).to_be_visible()


def test_a_hundred_messages_are_sent_from_paris_and_received_in_order_at_lyon(page: Page) -> None:
    page.goto(CONSOLE)
    page.get_by_role("combobox", name="From service").click()
    page.get_by_role("option", name="//exemple.fr/Ventes/Guichet").click()
    page.get_by_role("combobox", name="To service").fill("//exemple.fr/Commandes/Réception")
    page.get_by_role("combobox", name="To service").press("Tab")
    page.get_by_role("button", name="Begin dialog").click()
    sending = page.get_by_role("region", name="Conversations and sending")
    expect(sending.get_by_text("far broker not known yet")).to_be_visible()
    sending.get_by_role("textbox", name="Count").fill("100")
    sending.get_by_role("textbox", name="Body").fill("<commande numéro='{n}'/>")
    sending.get_by_role("button", name="Send 100 messages").click()
    expect(sending.get_by_text(re.compile("CONVERSING"))).to_be_visible()
    expect(sending.get_by_text("far broker not known yet")).to_have_count(0)
    received = f"{database_path('demo-fr-de', 'LYON', 'Entrepôt')}/queues/{quote('dbo.Commandes reçues')}/messages"
    until(lambda: page.request.get(f"/api/v1/{received}").json()["total"] == 100, what="all hundred at LYON")

    queues = page.get_by_role("region", name="Queues")
    queues.get_by_role("combobox", name="Queue").click()
    page.get_by_role("option", name="dbo.Commandes reçues").click()
    queues.get_by_role("textbox", name="Top").fill("100")
    queues.get_by_role("button", name="Receive").click()
    bodies = queues.get_by_text(re.compile(r"<commande numéro='\d+'/>"))
    expect(bodies).to_have_count(100)
    numbers = [int(re.search(r"'(\d+)'", text).group(1)) for text in bodies.all_inner_texts()]
    assert numbers == list(range(1, 101))
    check_barriers(page)


def test_a_stopped_endpoint_is_seen_as_waiting_rows_and_its_start_as_their_going(page: Page) -> None:
    page.goto(LIVE)
    page.get_by_role("button", name="Stop endpoint… of LYON").click()
    page.get_by_role("dialog").get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_role("button", name="Start endpoint… of LYON")).to_be_visible()

    page.goto(CONSOLE)
    page.get_by_role("combobox", name="From service").click()
    page.get_by_role("option", name="//exemple.fr/Ventes/Guichet").click()
    page.get_by_role("combobox", name="To service").fill("//exemple.fr/Commandes/Réception")
    page.get_by_role("combobox", name="To service").press("Tab")
    page.get_by_role("button", name="Begin dialog").click()
    page.get_by_role("button", name="Send 1 message").click()

    page.goto(LIVE)
    waiting = page.get_by_role("row", name=re.compile("Réception.*975[0-9]"))
    expect(waiting).to_be_visible()
    check_barriers(page)
    page.get_by_role("button", name="Start endpoint… of LYON").click()
    page.get_by_role("dialog").get_by_role("button", name="Start", exact=True).click()
    expect(waiting).to_have_count(0)
