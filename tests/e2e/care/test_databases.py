"""Backups, roles, broker ids, poisoned queues and the security suite, by a person with a browser."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import check_barriers
from tests.support.running import database_path
from tests.support.waiting import until

pytestmark = pytest.mark.browser

ESTATE = "demo-fr-de"


def open_database(page: Page, instance: str, database: str) -> Locator:
    """The details of a database, once its instance has answered."""
    selection = "/".join(quote(part, safe="") for part in ("database", instance, database))
    page.goto(f"/estates/{ESTATE}/topology?select={quote(selection, safe='')}")
    expect(page.get_by_role("status", name="Connection: Live")).to_be_visible()
    return page.get_by_role("complementary", name="Details")


def confirm(page: Page, title: str, name: str, verb: str) -> None:
    """What happens is read first, then the name is typed."""
    dialog = page.get_by_role("dialog", name=title)
    expect(dialog.get_by_role("heading", name="What happens")).to_be_visible()
    expect(dialog.get_by_role("button", name=verb)).to_be_disabled()
    dialog.get_by_role("textbox", name=f"Type {name} to confirm").fill(name)
    dialog.get_by_role("button", name=verb).click()
    expect(dialog).to_have_count(0)


def post(page: Page, path: str, body: dict[str, Any] | None = None) -> Any:
    token = next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "brokerweb_csrftoken")
    answer = page.request.post(
        f"/api/v1/{path}",
        data=json.dumps(body or {}),
        headers={"X-CSRFToken": token, "Content-Type": "application/json"},
    )
    assert answer.ok, answer.text()
    return answer.json()


def test_a_backup_is_taken_and_comes_back_as_a_copy_and_over_the_original(page: Page) -> None:
    details = open_database(page, "PARIS", "Facturation")
    details.get_by_role("button", name="Take a backup").click()
    expect(page.get_by_text(re.compile(r"^Backup Facturation .* holds 0 conversations"))).to_be_visible()
    details.get_by_role("button", name=re.compile("^Restore Facturation")).click()
    dialog = page.get_by_role("dialog", name=re.compile("^Restore Facturation"))
    dialog.get_by_role("textbox", name="Database").fill("Essai")
    dialog.get_by_role("radio", name="As it was saved").click()
    expect(dialog.get_by_text(re.compile(r"stays off \(9773\)"))).to_be_visible()
    dialog.get_by_role("radio", name="New id").click()
    expect(dialog.get_by_text(re.compile("9773"))).to_have_count(0)
    check_barriers(page)
    dialog.get_by_role("button", name="Restore as a new database").click()
    expect(page.get_by_role("group", name=re.compile("Database Essai of PARIS"))).to_be_attached()

    details.get_by_role("button", name=re.compile("^Restore Facturation")).click()
    dialog = page.get_by_role("dialog", name=re.compile("^Restore Facturation"))
    expect(dialog.get_by_text("Facturation on PARIS is replaced: what it has now is lost")).to_be_visible()
    dialog.get_by_role("textbox", name="Type Facturation to confirm").fill("Facturation")
    dialog.get_by_role("button", name="Restore over it").click()
    expect(page.get_by_text("Facturation is on PARIS.")).to_be_visible()


@pytest.mark.slow
def test_a_detached_database_leaves_the_drawing_and_its_backup_says_so(page: Page) -> None:
    details = open_database(page, "LYON", "Archives")
    details.get_by_role("button", name="Detach…").click()
    confirm(page, "Detach Archives from LYON", "Archives", "Detach")
    expect(page.get_by_role("group", name=re.compile("Database Archives of LYON"))).to_have_count(0)
    details = open_database(page, "LYON", "Entrepôt")
    expect(details.get_by_text(re.compile("LYON · Archives .* detached"))).to_be_visible()


def test_a_failover_swaps_the_roles_on_the_page(page: Page) -> None:
    details = open_database(page, "LYON", "Buchhaltung")
    mirroring = details.get_by_role("region", name="Mirroring")
    expect(mirroring.get_by_text("Principal on BERLIN")).to_be_visible()
    expect(mirroring.get_by_role("button", name="Fail over…")).to_have_attribute("aria-disabled", "true")

    details = open_database(page, "BERLIN", "Buchhaltung")
    mirroring = details.get_by_role("region", name="Mirroring")
    expect(mirroring.get_by_text("Mirror copy on LYON")).to_be_visible()
    mirroring.get_by_role("button", name="Fail over…").click()
    confirm(page, "Fail Buchhaltung over to LYON", "Buchhaltung", "Fail over")
    expect(mirroring.get_by_text("Principal on LYON")).to_be_visible()
    drawn = re.compile("Database Buchhaltung of LYON.*principal of a mirrored pair")
    expect(page.get_by_role("group", name=drawn)).to_be_attached()
    check_barriers(page)

    mirroring.get_by_role("button", name="Force principal…").click()
    confirm(page, "Make BERLIN the principal of Buchhaltung by force", "Buchhaltung", "Force principal")
    expect(mirroring.get_by_text("Both partners are principal", exact=False)).to_be_visible()
    mirroring.get_by_role("button", name="Make mirror copy…").click()
    confirm(page, "Make Buchhaltung on BERLIN the mirror copy", "Buchhaltung", "Make mirror copy")
    expect(mirroring.get_by_text("Both partners are principal", exact=False)).to_have_count(0)


@pytest.mark.slow
def test_a_poisoned_queue_says_why_and_is_switched_on(page: Page) -> None:
    open_database(page, "LYON", "Entrepôt")
    # A request to nobody's contract comes back as an error: one message in the initiator's own queue.
    lyon = database_path(ESTATE, "LYON", "Entrepôt")
    begun = {"from_service": "//exemple.fr/Entrepôt/Inventaire", "to_service": "//exemple.fr/Entrepôt/Inventaire"}
    handle = post(page, f"{lyon}/conversations", begun)["conversation_handle"]
    post(page, f"{lyon}/conversations/{handle}/timer", {"timeout_seconds": 1})
    queue = f"{lyon}/queues/{quote('dbo.Inventaire')}"
    until(lambda: page.request.get(f"/api/v1/{queue}/messages").json()["total"] >= 1, what="a message in the queue")
    instance = f"estates/{ESTATE}/instances/LYON"
    for _ in range(5):
        transaction = post(page, f"{instance}/transactions")["transaction"]
        assert post(page, f"{queue}/receive", {"transaction": transaction})["messages"]
        post(page, f"{instance}/transactions/{transaction}/rollback")

    details = page.get_by_role("complementary", name="Details")
    notice = details.get_by_role("group", name="Queue dbo.Inventaire is off")
    expect(notice.get_by_text("dbo.Inventaire was switched off by a poison message")).to_be_visible()
    expect(notice.get_by_text(re.compile("5 transactions in a row"))).to_be_visible()
    expect(notice.get_by_role("button", name=f"Copy conversation handle {handle}")).to_be_visible()
    check_barriers(page)
    notice.get_by_role("button", name="Switch queue dbo.Inventaire on").click()
    expect(notice).to_have_count(0)


@pytest.mark.slow
def test_a_new_broker_id_names_the_routes_that_lose_their_end(page: Page) -> None:
    details = open_database(page, "BERLIN", "Einkauf")
    before = details.get_by_role("button", name=re.compile("^Copy broker instance")).get_attribute("aria-label")
    details.get_by_role("button", name="New broker id…").click()
    confirm(page, "Give Einkauf a new broker id", "Einkauf", "Make a new broker id")
    changed = details.get_by_role("button", name=before or "", exact=True)
    expect(changed).to_have_count(0)
    details.get_by_role("button", name="End conversations with an error…").click()
    confirm(page, "End the conversations of Einkauf with an error", "Einkauf", "End them all")
    expect(page.get_by_text("The conversations of Einkauf on BERLIN have ended with an error.")).to_be_visible()


@pytest.mark.slow
def test_the_security_suite_of_the_estate_is_chosen(page: Page) -> None:
    page.goto(f"/estates/{ESTATE}/topology?panel=open")
    details = page.get_by_role("complementary", name="Details")
    form = details.get_by_role("region", name="Dialog security")
    expect(form.get_by_role("radio", name="MD5 and AES-128, as documented")).to_be_checked()
    form.get_by_role("radio", name="AES-256-GCM").click()
    form.get_by_role("button", name="Save the suite").click()
    expect(page.get_by_text(re.compile("begin from now on use AES-256-GCM"))).to_be_visible()
    page.reload()
    expect(form.get_by_role("radio", name="AES-256-GCM")).to_be_checked()
    check_barriers(page)
