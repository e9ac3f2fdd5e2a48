"""Journey 3: another language and the dark theme, chosen once and kept; names and vendor terms stay as they are."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Browser, Locator, Page, StorageState, expect

from tests.e2e.conftest import check_barriers, serious_findings
from tests.support.running import Running
from tests.support.thoroughness import THOROUGH, share

pytestmark = pytest.mark.browser

ESTATE = "/estates/demo-fr-de"
SERVICE = "//exemple.fr/Ventes/Guichet"
FURTHER_VIEWS = [
    "live/transmission-queues",
    "live/connections?instances=shown",
    "live/counters?columns=instance_name~object_name~counter_name~cntr_value",
    "topology?select=instance/PARIS",
    "faults?view=pairs&faults=partner/BERLIN/Buchhaltung",
    "assertions?tab=coverage",
    "assertions?tab=file",
]
"""Of pages that are on the list already: for `make test-all`."""
PAGES = [
    "overview",
    "console",
    "live/conversations",
    "live/queues",
    "topology?outline=open&select=database/PARIS/Ventes",
    "findings",
    "faults",
    "assertions",
    "analytics",
    "audit",
    "changes",
    "sql",
    "whatif",
    "whatif/questions",
    "traffic",
    "export",
    "/import",
    "/administration",
    "/account",
    "/training",
    *(FURTHER_VIEWS if THOROUGH else []),
]
"""Every page but the objects (objects/test_lists_and_forms.py); those without a slash are of the sample estate."""
GERMAN = [
    "Übersicht",
    "Topologie",
    "Objekte",
    "Was wäre wenn",
    "Fehlerlabor",
    "Zusicherungen",
    "Änderungen",
    "Konsole",
    "T-SQL",
    "Live",
    "Verkehr",
    "Befunde",
    "Auswertungen",
    "Audit",
    "Export",
    "Import",
    "Training",
]


def navigation(page: Page, name: str) -> Locator:
    return page.get_by_role("navigation", name=name)


def choose(page: Page, menu: str, item: str) -> None:
    page.get_by_role("button", name=menu).click()
    page.get_by_role("menuitemradio", name=item, exact=True).click()


@pytest.mark.parametrize(
    ("language", "word"), share([("fr-CA", "Topologie"), ("de-AT", "Topologie"), ("pt-BR", "Topology")], 1)
)
def test_who_never_chose_reads_the_language_of_the_browser(
    product: tuple[Running, str], browser: Browser, session: StorageState, language: str, word: str
) -> None:
    context = browser.new_context(
        storage_state=session, locale=language, base_url=f"http://127.0.0.1:{product[0].port}"
    )
    page = context.new_page()
    page.goto(f"{ESTATE}/topology")
    expect(page.get_by_role("link", name=word, exact=True)).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "en" if language == "pt-BR" else language[:2])
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("language", ["de", "fr"])
def test_no_word_is_cut_off_on_a_small_screen_and_no_page_keeps_anybody_out(
    product: tuple[Running, str], browser: Browser, session: StorageState, language: str
) -> None:
    context = browser.new_context(
        storage_state=session,
        locale=language,
        viewport={"width": 1280, "height": 800},
        base_url=f"http://127.0.0.1:{product[0].port}",
    )
    page = context.new_page()
    for address in PAGES:
        page.goto(address if address.startswith("/") else f"{ESTATE}/{address}")
        expect(page.locator("main").get_by_role("heading").first).to_be_attached()
        expect(page.get_by_role("navigation").first).to_be_visible()
        # What stands for something that is still being read; one with a value is a meter.
        expect(page.locator("[role=progressbar]:not([aria-valuenow])")).to_have_count(0)
        assert cut_off(page) == [], address
        assert serious_findings(page) == [], address
    context.close()


@pytest.mark.parametrize(
    ("language", "verdict", "details", "lines"),
    [
        pytest.param(
            "fr",
            "Remis",
            "Dans les termes du moteur",
            ["Un message quitte la base de données Ventes", "Table de routage"],
            marks=pytest.mark.slow,
        ),
        ("de", "Zugestellt", "Mit den Worten der Engine", ["Eine Nachricht an den Dienst", "Routingtabelle"]),
    ],
)
def test_a_proof_is_read_in_the_language_of_the_page(
    product: tuple[Running, str],
    browser: Browser,
    session: StorageState,
    language: str,
    verdict: str,
    details: str,
    lines: list[str],
) -> None:
    context = browser.new_context(
        storage_state=session, locale=language, base_url=f"http://127.0.0.1:{product[0].port}"
    )
    page = context.new_page()
    sender = "/".join(quote(name, safe="") for name in ("PARIS", "Ventes", SERVICE))
    page.goto(f"{ESTATE}/whatif?{urlencode({'from': sender, 'to': '//exemple.fr/Commandes/Réception'})}")
    expect(page.get_by_role("heading", name=verdict, exact=True)).to_be_visible()
    proof = page.locator("details").filter(has_text=details).first
    proof.locator("summary").click()
    for line in lines:
        expect(proof.get_by_text(line).first).to_be_visible()
    assert [line for line in proof.get_by_role("listitem").all_text_contents() if "routing table" in line.lower()] == []
    check_barriers(page)
    context.close()


# What is chosen here comes along with the account, so the tests of who never chose stand above.
def test_german_and_the_dark_theme_survive_a_reload_and_leave_names_alone(page: Page) -> None:
    page.goto(f"{ESTATE}/console?at=PARIS/Ventes&from={SERVICE}")
    expect(page.get_by_role("combobox", name="From service")).to_have_value(SERVICE)
    choose(page, "Theme", "Dark")
    choose(page, "Language", "Deutsch")

    for _ in range(2):
        expect(navigation(page, "Hauptnavigation").get_by_role("link")).to_have_text(GERMAN)
        expect(page.locator("html")).to_have_attribute("lang", "de")
        expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
        expect(page.get_by_role("combobox", name="Von Dienst")).to_have_value(SERVICE)
        expect(page.get_by_role("checkbox", name="ENCRYPTION = ON")).to_be_visible()
        check_barriers(page)
        page.reload()

    page.goto(f"{ESTATE}/live/counters")
    table = page.get_by_role("grid", name="Zähler")
    expect(table.get_by_role("columnheader", name="cntr_value")).to_be_visible()
    expect(table.get_by_role("columnheader", name="Instanz")).to_be_visible()
    page.goto(f"{ESTATE}/live/conversations")
    expect(page.get_by_text("Es gibt keine Konversation.")).to_be_visible()
    check_barriers(page)


def cut_off(page: Page) -> list[str]:
    """Words of buttons, tabs, links and column heads that have less room than they need, or stick out of the rail."""
    # Letters of another font have another width.
    page.evaluate("document.fonts.ready.then(() => null)")
    found = page.evaluate(
        """() => [...document.querySelectorAll('button, th, label, [role=tab], nav a')]
          .filter((one) => one.offsetWidth > 1 && one.scrollWidth > one.clientWidth + 1)
          .concat([...document.querySelectorAll('nav a')].filter((one) =>
            one.getBoundingClientRect().right > one.closest('nav').parentElement.getBoundingClientRect().right))
          .map((one) => one.textContent)"""
    )
    return [re.sub(r"\s+", " ", text) for text in found]
