"""The glossary: a term is explained where a screen shows it first, by pointer and by keyboard, in its language."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import check_barriers
from tests.support.thoroughness import share

pytestmark = pytest.mark.browser

ESTATE = "/estates/demo-fr-de"
TABS_MAX = 60


def tab_to(page: Page, wanted: Locator) -> None:
    """The Tab key until the focus is there, as somebody without a pointer would."""
    for _ in range(TABS_MAX):
        page.keyboard.press("Tab")
        if wanted.evaluate("one => one === document.activeElement"):
            return
    pytest.fail(f"{TABS_MAX} times Tab do not lead to {wanted}")


def test_a_term_is_explained_to_who_comes_by_keyboard(page: Page) -> None:
    page.goto(f"{ESTATE}/console")
    term = page.get_by_role("button", name="dialog", exact=True)
    expect(term).to_be_visible()
    tab_to(page, term)
    expect(page.get_by_role("tooltip")).to_have_text(
        "A conversation between exactly two services: the initiator, which begins it, and the target."
    )
    expect(term).to_have_accessible_description(
        "A conversation between exactly two services: the initiator, which begins it, and the target."
    )
    page.keyboard.press("Enter")
    panel = page.get_by_role("dialog", name="Glossary")
    expect(panel.get_by_role("term").get_by_text("Dialog", exact=True)).to_be_focused()
    check_barriers(page)
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(term).to_be_focused()


@pytest.mark.parametrize(
    ("address", "terms"),
    share(
        [
            (
                "topology?select=database/PARIS/Ventes",
                {"service", "route", "brokerInstance", "conversation", "transmissionQueue"},
            ),
            ("topology?select=instance/HUB", {"forwarding"}),
            ("console", {"dialog", "conversation", "contract", "brokerInstance"}),
            ("live/queues", {"activation"}),
        ],
        1,
    ),
)
def test_a_screen_marks_its_terms_once_each(page: Page, address: str, terms: set[str]) -> None:
    page.goto(f"{ESTATE}/{address}")
    for term in terms:
        expect(page.locator(f"[data-term={term}]")).to_be_visible()
    marked = page.locator("[data-term]").evaluate_all("all => all.map((one) => one.dataset.term)")
    assert sorted(marked) == sorted(set(marked))
    check_barriers(page)


@pytest.mark.slow
def test_a_term_in_the_label_of_a_field_is_explained_and_leaves_the_field_its_name(page: Page) -> None:
    page.goto(f"{ESTATE}/topology?select=database/PARIS/Ventes")
    page.get_by_role("button", name="Add route", exact=True).click()
    form = page.get_by_role("form", name="Add a route to Ventes")
    expect(form.get_by_role("combobox", name="Mirror address")).to_be_visible()
    form.get_by_role("button", name="Mirror address").hover()
    expect(page.get_by_role("tooltip")).to_contain_text("The second address of a route to a mirrored database")
    check_barriers(page)


@pytest.mark.slow
def test_the_glossary_of_every_page_is_searched_in_the_language_of_the_page(page: Page) -> None:
    page.goto("/import")
    page.get_by_role("button", name="Language").click()
    page.get_by_role("menuitemradio", name="Deutsch").click()
    page.get_by_role("button", name="Glossar").click()
    panel = page.get_by_role("dialog", name="Glossar")
    expect(panel.get_by_role("term").first).to_have_text("Aktivierung")
    panel.get_by_role("searchbox", name="Wort suchen").fill("MIRROR_ADDRESS")
    expect(panel.get_by_role("term")).to_have_text(["Spiegeladresse"])
    check_barriers(page)
