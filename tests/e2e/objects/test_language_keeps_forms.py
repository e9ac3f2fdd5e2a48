"""A language or a time zone that is chosen while a form is filled in: the words change, what was typed stays."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import check_barriers

pytestmark = pytest.mark.browser

ESTATE = "/estates/demo-fr-de"
TYPED = "Half written"


def choose(page: Page, menu: str, language: str) -> None:
    page.get_by_role("button", name=menu, exact=True).click()
    page.get_by_role("menuitemradio", name=language, exact=True).click()


@pytest.mark.slow
def test_a_half_filled_form_outlives_a_change_of_language_and_time_zone(page: Page) -> None:
    page.goto(f"{ESTATE}/topology?outline=open&select=database/PARIS/Ventes")
    page.get_by_role("button", name="Add route").first.click()
    form = page.get_by_role("form")
    form.get_by_role("textbox", name="Name", exact=True).fill(TYPED)
    form.get_by_role("combobox", name="Service name").fill("//exemple.fr/Nouveau")

    choose(page, "Language", "Deutsch")
    expect(form.get_by_role("combobox", name="Dienstname")).to_have_value("//exemple.fr/Nouveau")
    expect(page.get_by_role("button", name="Vergrößern", exact=True)).to_be_visible()
    expect(form.get_by_role("textbox", name="Name", exact=True)).to_have_value(TYPED)

    choose(page, "Sprache", "Français")
    expect(page.get_by_role("button", name="Agrandir", exact=True)).to_be_visible()
    expect(form.get_by_role("textbox", name="Nom", exact=True)).to_have_value(TYPED)
    check_barriers(page)

    choose(page, "Langue", "English")
    page.get_by_role("button", name="admin", exact=True).click()
    page.get_by_role("menuitem", name="Time zone: UTC").click()
    page.get_by_role("dialog").get_by_role("combobox").fill("Europe/Par")
    page.get_by_role("option", name="Europe/Paris").click()
    expect(page.get_by_role("dialog", name="Time zone")).to_have_count(0)
    expect(form.get_by_role("textbox", name="Name", exact=True)).to_have_value(TYPED)


@pytest.mark.slow
def test_findings_change_their_language_where_they_stand(page: Page) -> None:
    page.goto(f"{ESTATE}/findings")
    expect(page.get_by_text("No route back to the initiator").first).to_be_visible()
    choose(page, "Language", "Deutsch")
    expect(page.get_by_text("Keine Route zurück zum Initiator").first).to_be_visible()
    choose(page, "Sprache", "English")
    expect(page.get_by_text("No route back to the initiator").first).to_be_visible()
