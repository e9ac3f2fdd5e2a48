"""The T-SQL console in the browser: sessions on PARIS and LYON of the sample estate."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.care.test_databases import ESTATE
from tests.e2e.conftest import check_barriers
from tests.support.login_links import log_in_by
from tests.support.running import Running
from tests.support.thoroughness import share
from tests.support.waiting import until

pytestmark = pytest.mark.browser

QUEUE = "dbo.[Commandes reçues]"
DIALOG = """DECLARE @handle UNIQUEIDENTIFIER;
BEGIN DIALOG CONVERSATION @handle
    FROM SERVICE [//exemple.fr/Ventes/Guichet]
    TO SERVICE N'//exemple.fr/Commandes/Réception'
    ON CONTRACT [{contract}]
    WITH ENCRYPTION = OFF;
SEND ON CONVERSATION @handle MESSAGE TYPE [{message_type}] (N'<Commande n="{number}"/>');
"""


def console(page: Page, instance: str, database: str) -> Page:
    """The console on a database, once its session is there."""
    page.goto(f"/estates/{ESTATE}/sql?instance={quote(instance)}&database={quote(database)}")
    expect(page.get_by_text(f"Connected to {database} on {instance}")).to_be_visible()
    return page


def run(page: Page, script: str, *, ends: bool = True) -> None:
    """Write a script in the place of what stands there, and run it."""
    editor = page.get_by_role("textbox", name="Script")
    editor.fill(script)
    editor.press("Escape")
    editor.press("Control+Enter")
    if ends:
        expect(page.get_by_text(re.compile(r"^Finished after"))).to_be_visible()


def cells(page: Page, number: int = 1) -> list[list[str]]:
    """The rows of a result set."""
    rows = page.get_by_role("region", name=f"Result set {number}").locator("tbody tr:not([aria-hidden])")
    expect(rows.first).to_be_visible()
    return [row.locator("td").all_inner_texts() for row in rows.all()]


def dialog(page: Page, number: int) -> str:
    """A script that begins a dialog to LYON and sends a message, by the names of the model."""
    estate = page.request.get(f"/api/v1/estates/{ESTATE}").json()
    databases = {
        (instance["name"], each["name"]): each for instance in estate["instances"] for each in instance["databases"]
    }
    services = databases["LYON", "Entrepôt"]["services"]
    contract = next(each for each in services if each["name"] == "//exemple.fr/Commandes/Réception")["contracts"][0]
    uses = next(each for each in databases["PARIS", "Ventes"]["contracts"] if each["name"] == contract)["uses"]
    message_type = next(each for each in uses if each["sent_by"] != "TARGET")["message_type"]
    return DIALOG.format(contract=contract, message_type=message_type, number=number)


@pytest.fixture
def second(page: Page) -> Page:
    """Another tab of the same person."""
    return page.context.new_page()


def test_what_paris_sends_lyon_waits_for_and_receives(page: Page, second: Page) -> None:
    console(second, "LYON", "Entrepôt")
    waits = f"WAITFOR (RECEIVE TOP (1) CAST(message_body AS nvarchar(max)) AS body FROM {QUEUE}), TIMEOUT 30000;"
    run(second, waits, ends=False)
    expect(second.get_by_role("button", name="Cancel")).to_be_visible()
    console(page, "PARIS", "Ventes")
    run(page, dialog(page, 71))
    expect(second.get_by_text('<Commande n="71"/>', exact=True)).to_be_visible()
    expect(second.get_by_text(re.compile(r"^Finished after"))).to_be_visible()


def test_an_error_leads_to_its_line(page: Page) -> None:
    console(page, "PARIS", "Ventes")
    run(page, "PRINT N'first';\n\nSELECT * FROM sys.no_such_view;")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("208 · level 16 · state 1")
    alert.get_by_role("button", name="Line 3").click()
    expect(page.locator(".cm-activeLine")).to_have_text("SELECT * FROM sys.no_such_view;")
    check_barriers(page)


def test_a_transaction_that_is_left_open_is_rolled_back_with_its_tab(page: Page, second: Page) -> None:
    console(second, "PARIS", "Ventes")
    marked = "SELECT COUNT(*) AS n FROM sys.conversation_endpoints;"
    run(second, marked)
    before = cells(second)
    console(page, "PARIS", "Ventes")
    run(page, "BEGIN TRANSACTION;\n" + dialog(page, 72))
    expect(page.get_by_role("group", name="Transaction open")).to_be_visible()
    run(page, marked)
    page.close()
    run(second, marked)
    assert cells(second) == before


@pytest.mark.slow
def test_a_transaction_is_ended_by_its_buttons(page: Page) -> None:
    console(page, "PARIS", "Ventes")
    run(page, "BEGIN TRANSACTION;")
    group = page.get_by_role("group", name="Transaction open")
    group.get_by_role("button", name="Roll back").click()
    expect(group).to_have_count(0)
    run(page, "SELECT @@TRANCOUNT AS open_transactions;")
    assert cells(page) == [["0"]]


def test_a_wait_is_cancelled_by_its_keys_and_the_session_goes_on(page: Page) -> None:
    console(page, "LYON", "Entrepôt")
    run(page, f"WAITFOR (RECEIVE * FROM {QUEUE});", ends=False)
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    page.keyboard.press("Shift+F5")
    expect(page.get_by_text(re.compile(r"^Cancelled after"))).to_be_visible()
    run(page, "SELECT 1 AS one;")
    assert cells(page) == [["1"]]


@pytest.mark.slow
def test_a_loop_that_asks_nobody_is_cancelled(page: Page) -> None:
    console(page, "PARIS", "Ventes")
    run(page, "DECLARE @n int = 0;\nWHILE 1 = 1 SET @n = @n + 1;", ends=False)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text(re.compile(r"^Cancelled after"))).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.slow
def test_who_leaves_an_open_transaction_is_asked(page: Page) -> None:
    console(page, "PARIS", "Ventes")
    run(page, "BEGIN TRANSACTION;")
    question = page.get_by_role("dialog", name="Leave with a transaction open?")
    page.get_by_role("combobox", name="Database").click()
    page.get_by_role("option", name="msdb", exact=True).click()
    check_barriers(page)
    question.get_by_role("button", name="Stay").click()
    page.get_by_role("link", name="Topology", exact=True).click()
    question.get_by_role("button", name="Stay").click()
    run(page, "SELECT @@TRANCOUNT AS n;")
    assert cells(page) == [["1"]]
    page.get_by_role("combobox", name="Database").click()
    page.get_by_role("option", name="msdb", exact=True).click()
    question.get_by_role("button", name="Leave and roll back").click()
    expect(page.get_by_text("Connected to msdb on PARIS")).to_be_visible()
    run(page, "SELECT @@TRANCOUNT AS n;")
    assert cells(page) == [["0"]]


def height(page: Page) -> float:
    box = page.locator(".cm-editor").bounding_box()
    assert box is not None
    return box["height"]


@pytest.mark.slow
def test_the_bar_between_script_and_results_is_moved_by_mouse_and_by_keys_and_kept(page: Page) -> None:
    console(page, "PARIS", "Ventes")
    bar = page.get_by_role("separator", name="Between script and results")
    place = bar.bounding_box()
    assert place is not None
    before = height(page)
    bar.hover()
    page.mouse.down()
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + 123, steps=4)
    page.mouse.up()
    until(lambda: height(page) > before + 80, what="a higher script")
    drawn = height(page)
    bar.focus()
    bar.press("ArrowUp")
    until(lambda: height(page) < drawn, what="a script that is lower again")
    kept = height(page)
    page.reload()
    expect(bar).to_be_visible()
    expect(page.locator(".cm-editor")).to_be_visible()
    until(lambda: abs(height(page) - kept) < 3, what="the height that was kept")


@pytest.mark.slow
def test_completion_offers_views_and_queues(page: Page) -> None:
    console(page, "LYON", "Entrepôt")
    editor = page.get_by_role("textbox", name="Script")
    editor.press_sequentially("SELECT * FROM sys.transm")
    option = page.get_by_role("option", name=re.compile("transmission_queue"))
    expect(option).to_be_visible()
    option.click()
    expect(page.locator(".cm-line").first).to_have_text("SELECT * FROM sys.transmission_queue")
    editor.fill("")
    editor.press_sequentially("RECEIVE * FROM ")
    editor.press("Control+Space")
    expect(page.get_by_role("option", name=re.compile("Commandes reçues"))).to_be_visible()


SIZES_AND_THEMES = [(1280, "dark"), (1280, "light"), (1920, "light"), (1920, "dark")]


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), share(SIZES_AND_THEMES, 1))
def test_it_is_whole_and_reachable_in_every_size_and_theme(page: Page, width: int, scheme: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    console(page, "PARIS", "Ventes")
    run(page, "SELECT name, service_id, broker_instance = NULL FROM sys.services;\nPRINT N'done';")
    check_barriers(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.slow
def test_a_viewer_hears_that_a_session_needs_a_right(
    product: tuple[Running, str], browser: Browser, page: Page
) -> None:
    page.goto(f"/estates/{ESTATE}/overview")
    tokens = [each["value"] for each in page.context.cookies() if each["name"] == "brokerweb_csrftoken"]
    headers = {"X-CSRFToken": tokens[0]}
    assert page.request.post("/api/v1/users", data={"username": "vera", "role": "viewer"}, headers=headers).ok
    made = page.request.post("/api/v1/users/vera/login-link", data={}, headers=headers)
    assert made.ok, made.text()
    context = browser.new_context(base_url=f"http://127.0.0.1:{product[0].port}")
    theirs = context.new_page()
    log_in_by(next(value for value in made.json().values() if "/login/link/" in str(value)), theirs)
    theirs.goto(f"/estates/{ESTATE}/sql")
    expect(theirs.get_by_text("may read this estate, but not run statements")).to_be_visible()
    expect(theirs.get_by_role("button", name="Run")).to_have_count(0)
    context.close()
