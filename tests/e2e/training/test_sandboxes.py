"""A trainee's sandbox on the screens of an estate, and two trainees and their trainer at once, each in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from brokerweb.training.library import scenarios
from tests.e2e.conftest import check_barriers
from tests.e2e.training.test_exercises import begin, take
from tests.support.login_links import log_in_by
from tests.support.running import Running
from tests.support.thoroughness import share

pytestmark = pytest.mark.browser

FIRST = scenarios()["first-route"]
ROUTE = (
    "CREATE ROUTE [Vers Lyon] WITH SERVICE_NAME = N'//exemple.fr/Commandes/Réception', ADDRESS = N'TCP://lyon:4022';"
)
Enter = Callable[[str, str], Page]


@pytest.fixture
def enter(page: Page, browser: Browser, product: tuple[Running, str]) -> Iterator[Enter]:
    """Makes a person of a role, by the administrator, and answers a page in a browser of theirs."""
    contexts = []

    def made(name: str, role: str) -> Page:
        page.goto("/administration")
        page.get_by_role("button", name="New user").click()
        form = page.get_by_role("form", name="New user")
        form.get_by_role("textbox", name="Name").fill(name)
        form.get_by_role("combobox", name="Role").click()
        page.get_by_role("option", name=role).click()
        form.get_by_role("button", name="Make the user").click()
        about = page.get_by_role("complementary", name=f"About {name}")
        about.get_by_role("button", name="Make a login link").click()
        copy = about.get_by_role("button", name=re.compile("^Copy login link http"))
        expect(copy).to_be_visible()
        context = browser.new_context(
            viewport={"width": 1600, "height": 1000},
            base_url=f"http://127.0.0.1:{product[0].port}",
            reduced_motion="reduce",
        )
        contexts.append(context)
        theirs = context.new_page()
        log_in_by((copy.get_attribute("aria-label") or "").removeprefix("Copy login link "), theirs)
        return theirs

    yield made
    for context in contexts:
        context.close()


def sandbox(page: Page) -> str:
    """The address of the sandbox of the run that is open."""
    return f"/estates/~{page.url.split('/')[-1].split('?')[0].replace('-', '')}"


def screens(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Screens of the simulation").get_by_role("link", name=name).click()


@pytest.mark.slow
def test_two_trainees_and_a_trainer_at_once(page: Page, enter: Enter) -> None:
    luc, mia, tanja = enter("luc", "Viewer"), enter("mia", "Operator"), enter("tanja", "Trainer")
    for trainee in (luc, mia):
        begin(trainee, FIRST.title.en, "Practise")
    hers, his = sandbox(mia), sandbox(luc)
    take(luc, "first-route")
    luc.get_by_role("button", name="Check").click()
    expect(luc.get_by_text("Best score 100 %")).to_be_visible()
    expect(mia.get_by_role("group", name="How the run stands")).to_contain_text(re.compile(r"(?<!\d)0 %"))

    for trainee, other in ((luc, hers), (mia, his)):
        trainee.goto(f"{other}/topology")
        expect(trainee.get_by_text("This simulation is not there")).to_be_visible()
        expect(trainee.get_by_role("group", name=re.compile("^Instance"))).to_have_count(0)

    tanja.goto("/training")
    form = tanja.get_by_role("form", name="Create the group")
    form.get_by_role("textbox", name="Name of a new group").fill("Night shift")
    form.get_by_role("textbox", name="Members, with commas between").fill("luc, mia")
    form.get_by_role("button", name="Create the group").click()
    group = tanja.get_by_role("region", name="Night shift", exact=True).last
    expect(group.get_by_role("row").filter(has_text="luc")).to_contain_text("100 %")
    expect(group.get_by_role("row").filter(has_text="mia")).to_contain_text("playing")
    group.get_by_role("link", name=f"Look into the run of luc: {FIRST.title.en}").click()
    expect(tanja.get_by_text("Run of luc")).to_be_visible()
    tasks = tanja.get_by_role("list", name="Tasks")
    expect(tasks.locator("> li[data-done='true']")).to_have_count(len(FIRST.tasks))
    expect(tanja.get_by_role("group", name=re.compile("^Instance PARIS"))).to_be_visible()
    for name in ("Check", "Pause", "Step 30 s"):
        expect(tanja.get_by_role("button", name=name)).to_have_count(0)
    check_barriers(tanja)


def test_from_the_map_to_what_if_live_views_and_t_sql_and_back(page: Page) -> None:
    begin(page, FIRST.title.en, "Practise")
    expect(page.get_by_role("group", name=re.compile("^Instance PARIS"))).to_be_visible()
    check_barriers(page)
    address = sandbox(page)
    route = page.get_by_role("group", name=re.compile("^Route Vers Lyon of PARIS Ventes"))

    screens(page, "Topology")
    expect(page.get_by_text("Scenario", exact=True)).to_be_visible()
    expect(page.get_by_role("group", name=re.compile("^Instance LYON"))).to_be_visible()
    expect(route).to_have_count(0)
    check_barriers(page)

    question = {"from": "PARIS/Ventes/%2F%2Fexemple.fr%2FVentes%2FGuichet", "to": "//exemple.fr/Commandes/Réception"}
    page.goto(f"{address}/whatif?{urlencode(question)}")
    answer = page.get_by_role("region", name="The answer")
    expect(answer.get_by_role("heading", name="No route", exact=True)).to_be_visible()
    check_barriers(page)

    screens(page, "Live")
    expect(page.get_by_role("grid").or_(page.get_by_role("table")).first).to_be_visible()
    check_barriers(page)

    # What the map lacks is written by its link, and run; the map of another tab has the route without a reload.
    with page.context.expect_page() as opened:
        page.evaluate("address => window.open(address)", f"{address}/topology")
    map_page = opened.value
    expect(map_page.get_by_role("group", name=re.compile("^Instance PARIS"))).to_be_visible()
    page.goto(f"{address}/sql?{urlencode({'instance': 'PARIS', 'database': 'Ventes', 'script': ROUTE})}")
    editor = page.get_by_role("textbox", name="Script")
    expect(editor).to_contain_text("Vers Lyon")
    expect(page.get_by_text("Connected to Ventes on PARIS")).to_be_visible()
    editor.press("Control+Enter")
    expect(page.get_by_text(re.compile("^Finished after"))).to_be_visible()
    check_barriers(page)
    there = map_page.get_by_role("group", name=re.compile("^Route Vers Lyon of PARIS Ventes"))
    expect(there).to_be_visible()
    map_page.close()

    page.get_by_role("link", name="Back to the exercise").click()
    expect(page.get_by_role("heading", name=FIRST.title.en)).to_be_visible()
    expect(route).to_be_visible()
    for missing in ("audit", "changes", "console"):
        page.goto(f"{address}/{missing}")
        expect(page).to_have_url(re.compile("/topology$"))


LOOKS = [
    (language, scheme, width)
    for language, scheme in (("de", "light"), ("fr", "dark"), ("en", "light"))
    for width in (1280, 1920)
]


@pytest.mark.slow
@pytest.mark.parametrize(("language", "scheme", "width"), share(LOOKS, 1))
def test_player_and_map_fit_and_keep_nobody_out(page: Page, language: str, scheme: str, width: int) -> None:
    begun = page.request.get("/api/v1/training/scenarios").json()["scenarios"]
    running = next(each["running"] for each in begun if each["id"] == "first-route")
    page.set_viewport_size({"width": width, "height": 800 if width == 1280 else 1080})
    page.emulate_media(color_scheme=scheme)
    page.add_init_script(f"localStorage.setItem('brokerweb.language', '{language}')")
    if running is None:
        page.goto("/training")
        page.get_by_role("listitem").filter(has_text=getattr(FIRST.title, language)).get_by_role("button").first.click()
        page.wait_for_url(re.compile("/training/.+"))
    else:
        page.goto(f"/training/{running['id']}")
    expect(page.get_by_role("group", name=re.compile("PARIS")).first).to_be_visible()
    check_barriers(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.goto(f"{sandbox(page)}/topology")
    expect(page.get_by_role("group", name=re.compile("PARIS")).first).to_be_visible()
    check_barriers(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.slow
def test_the_glossary_is_in_view_on_a_low_screen(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto("/estates/demo-fr-de/topology")
    navigation = page.get_by_role("navigation", name="Main")
    for place in (navigation.get_by_role("link").first, navigation.get_by_role("link").last):
        expect(place).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Glossary")).to_be_in_viewport(ratio=1)
