"""What an operator does from the live views: explain what is stuck, end, switch, read; and who may not is told why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.conftest import check_barriers
from tests.support.login_links import log_in_by
from tests.support.running import Running

pytestmark = pytest.mark.browser

ESTATE = "demo-fr-de"
API = f"/api/v1/estates/{ESTATE}"
LIVE = f"/estates/{ESTATE}/live"
VENTES = "instances/PARIS/databases/Ventes"
RETURNS = "//exemple.fr/Ventes/Retours"
"""A service of the very database that sends: it waits all the same, for no route leads there."""
NOTICE = "//exemple.fr/Retours/Avis"
CLAUSES = {
    "from_service": "//exemple.fr/Ventes/Guichet",
    "to_service": RETURNS,
    "contract": "//exemple.fr/Retours/Contrat",
}


def ask(page: Page, method: str, path: str, body: Any = None, **headers: str) -> Any:
    """As another client of the same person would."""
    tokens = [each["value"] for each in page.context.cookies() if each["name"] == "brokerweb_csrftoken"]
    answer = page.request.fetch(
        f"{API}/{path}", method=method, data=body, headers={"X-CSRFToken": tokens[0], **headers}
    )
    assert answer.ok, answer.text()
    return answer.json()


def details(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Row")


@pytest.fixture
def stuck(page: Page) -> Iterator[str]:
    """The handle of a conversation whose message has no way; the view shows its row alone.

    A row of the test before may still be there, and would keep its place when it leaves.
    """
    handle = ask(page, "POST", f"{VENTES}/conversations", CLAUSES)["conversation_handle"]
    ask(
        page,
        "POST",
        f"{VENTES}/conversations/{handle}/messages",
        {"bodies": ["Rückgabe: Größe 42"], "message_type": NOTICE},
    )
    page.goto(f"{LIVE}/transmission-queues?text={handle}")
    yield handle
    tokens = [each["value"] for each in page.context.cookies() if each["name"] == "brokerweb_csrftoken"]
    # A test may have ended it.
    page.request.post(
        f"{API}/{VENTES}/conversations/{handle}/end", data={"with_cleanup": True}, headers={"X-CSRFToken": tokens[0]}
    )


def test_a_stuck_message_is_explained_and_now_follows_the_topology(page: Page, stuck: str) -> None:
    """Journey 22."""
    page.get_by_role("grid", name="Transmission queues").get_by_role("row").nth(1).click()
    details(page).get_by_role("button", name="Explain").click()
    then = details(page).get_by_role("region", name="Then, when it was sent")
    now = details(page).get_by_role("region", name="Now, if it was tried again")
    expect(then).to_contain_text("Waits")
    expect(now).to_contain_text("Would still wait")
    check_barriers(page)

    details(page).get_by_role("button", name="Retry now…").click()
    page.get_by_role("dialog").get_by_role("button", name="Retry", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("On their way: 0. Still waiting: 1.")
    page.get_by_role("dialog").get_by_role("button", name="Close").last.click()

    revision = page.request.get(API).json()["revision"]
    route = {"name": "Vers les retours", "service_name": RETURNS, "address": "LOCAL"}
    ask(page, "POST", f"{VENTES}/routes", route, **{"If-Match": f'"{revision}"'})
    # Until the engine's next retry it would be delivered, then it was: the same decision either way.
    expect(now).to_contain_text("Route Vers les retours of Ventes, into Ventes.")
    expect(now).to_contain_text("Outcome: delivered inside this instance, to database Ventes.")
    expect(now).to_contain_text("Nothing waits")
    expect(then).to_contain_text("No message of this conversation waits any more.")
    ask(page, "DELETE", f"{VENTES}/routes/Vers les retours", **{"If-Match": f'"{revision + 1}"'})


@pytest.mark.slow
def test_what_waits_for_a_reason_is_tried_together(page: Page, stuck: str) -> None:
    page.get_by_role("region", name="Waiting, by reason").get_by_role("button", name="Retry what waits for 9").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Retry transmission of 1 conversation")
    dialog.get_by_role("button", name="Retry", exact=True).click()
    expect(dialog).to_contain_text("On their way: 0. Still waiting: 1.")
    expect(dialog).to_contain_text(stuck)
    check_barriers(page)


def test_a_conversation_is_ended_once_the_clause_is_typed_and_the_audit_has_it(page: Page, stuck: str) -> None:
    page.goto(f"{LIVE}/conversations?text={stuck}")
    page.get_by_role("grid", name="Conversations").get_by_role("row").nth(1).click()
    details(page).get_by_role("button", name="End conversation…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("the other side is sent an EndDialog message")
    dialog.get_by_role("checkbox", name="With cleanup").check()
    end = dialog.get_by_role("button", name="End", exact=True)
    expect(end).to_be_disabled()
    dialog.get_by_role("textbox", name="Type WITH CLEANUP").fill("WITH CLEANUP")
    check_barriers(page)
    end.click()
    expect(dialog).to_contain_text("1 of 1 conversation was ended.")
    dialog.get_by_role("button", name="Close").last.click()
    expect(details(page)).to_contain_text("This row has left the view.")

    page.goto(f"/estates/{ESTATE}/audit?object={stuck}")
    page.get_by_text(f"End conversation {stuck} in Ventes on PARIS with cleanup").click()
    row = page.get_by_role("dialog")
    expect(row).to_contain_text("conversation, PARIS · Ventes")
    expect(row).to_contain_text("CO")


@pytest.mark.slow
def test_several_are_ended_from_the_selection_with_a_result_for_each(page: Page, stuck: str) -> None:
    other = ask(page, "POST", f"{VENTES}/conversations", {**CLAUSES, "related_conversation": stuck})
    page.goto(f"{LIVE}/conversations?text={other['conversation_group_id']}")
    grid = page.get_by_role("grid", name="Conversations")
    expect(grid.get_by_role("row").nth(2)).to_be_visible()
    grid.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Control+a")
    page.get_by_role("button", name="End 2 conversations…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="End", exact=True).click()
    expect(dialog).to_contain_text("2 of 2 conversations were ended.")
    expect(dialog.get_by_role("listitem")).to_have_count(2)


def test_a_queue_that_is_off_is_enabled(page: Page) -> None:
    page.goto(f"{LIVE}/queues?instance=PARIS")
    ask(page, "POST", f"{VENTES}/queues/dbo.Retours/status", {"is_enabled": False})
    row = page.get_by_role("grid", name="Queues and activation").get_by_role("row").filter(has_text="Retours")
    expect(row.locator("[data-column=is_receive_enabled]")).to_have_text("Off")
    row.click()
    expect(details(page).get_by_role("button", name="Activation on…")).to_have_attribute("aria-disabled", "true")
    details(page).get_by_role("button", name="Enable queue…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("STATUS = ON")
    check_barriers(page)
    dialog.get_by_role("button", name="Enable", exact=True).click()
    expect(details(page).get_by_role("button", name="Disable queue…")).to_be_visible()
    expect(row.locator("[data-column=is_receive_enabled]")).not_to_have_text(re.compile("Off"))


def test_a_body_is_read_as_text_and_as_bytes(page: Page, stuck: str) -> None:
    page.get_by_role("grid", name="Transmission queues").get_by_role("row").nth(1).click()
    details(page).get_by_role("button", name="Read body").click()
    body = details(page).get_by_role("region", name="Body of the message")
    expect(body).to_contain_text("Rückgabe: Größe 42")
    expect(body).to_contain_text("All 21 bytes; at most 65,536 are shown.")
    body.get_by_text("Hexadecimal").click()
    expect(body).to_contain_text("52 c3 bc 63 6b 67 61 62")
    check_barriers(page)


@pytest.mark.slow
def test_a_role_without_the_right_sees_what_there_is_and_why_not(
    page: Page, browser: Browser, product: tuple[Running, str], stuck: str
) -> None:
    tokens = [each["value"] for each in page.context.cookies() if each["name"] == "brokerweb_csrftoken"]
    headers = {"X-CSRFToken": tokens[0]}
    assert page.request.post("/api/v1/users", data={"username": "vera", "role": "viewer"}, headers=headers).ok
    made = page.request.post("/api/v1/users/vera/login-link", data={}, headers=headers)
    assert made.ok, made.text()
    context = browser.new_context(base_url=f"http://127.0.0.1:{product[0].port}")
    theirs = context.new_page()
    log_in_by(next(value for value in made.json().values() if "/login/link/" in str(value)), theirs)
    theirs.goto(f"{LIVE}/transmission-queues")
    theirs.get_by_role("grid", name="Transmission queues").get_by_role("row").nth(1).click()
    for name, why in (("Retry now…", "may not operate"), ("Read body", "No role includes it")):
        button = details(theirs).get_by_role("button", name=name)
        expect(button).to_have_attribute("aria-disabled", "true")
        expect(button).to_have_attribute("aria-description", re.compile(why))
    details(theirs).get_by_role("button", name="Explain").click()
    expect(details(theirs).get_by_role("region", name="Now, if it was tried again")).to_contain_text("Would still wait")
    context.close()
