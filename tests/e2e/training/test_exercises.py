"""Journey 25: an exercise is practised to its report, a hint costs, and the run is played again: with a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from brokerweb.training.library import scenarios
from engine import api as engine
from tests.e2e.conftest import check_barriers
from tests.e2e.messages.test_sql_console import cells, run
from tests.support.thoroughness import share

pytestmark = pytest.mark.browser

STEP_MILLISECONDS = 60_000
"""What a step may take on a machine that does other work."""


def give(page: Page, instance: str, database: str, sql: str) -> None:
    """Type T-SQL at a database, run it, and see that nothing of it fails."""
    pane = page.get_by_role("region", name="T-SQL", exact=True)
    for label, name in (("Instance", instance), ("Database", database)):
        field = pane.get_by_role("combobox", name=label)
        if field.input_value() != name:
            field.click()
            page.get_by_role("option", name=name, exact=True).click()
            expect(field).to_have_value(name)
    expect(pane.get_by_text(f"Connected to {database} on {instance}")).to_be_visible()
    run(page, sql)
    expect(pane.get_by_role("status")).to_contain_text("no errors")


def take(page: Page, name: str) -> None:
    """The reference solution; waits are steps of the clock."""
    for step in scenarios()[name].solution:
        if isinstance(step, engine.training.Statements):
            give(page, step.instance, step.database, step.sql)
        else:
            button = page.get_by_role("button", name="Step 30 s")
            for _ in range(int(step.seconds // 30) + 1):
                # A step may take several answers; as long as it goes on the button waits.
                expect(button).to_be_enabled(timeout=STEP_MILLISECONDS)
                with page.expect_response(re.compile(r"/clock/step$")):
                    button.click()
                expect(button).to_be_enabled(timeout=STEP_MILLISECONDS)


def begin(page: Page, title: str, mode: str) -> None:
    page.goto("/training")
    page.get_by_role("button", name=f"{mode}: {title}").click()
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Pause")).to_have_attribute("aria-pressed", "true")


def revision_of_the_estate(page: Page) -> int:
    """Of the sample, which no exercise touches."""
    revision: int = page.request.get("/api/v1/estates/demo-fr-de").json()["revision"]
    return revision


def test_the_silent_queue_is_practised_with_a_hint_and_played_again(page: Page) -> None:
    scenario = scenarios()["silent-queue"]
    begin(page, scenario.title.en, "Practise")
    check_barriers(page)
    tasks = page.get_by_role("list", name="Tasks")
    expect(tasks.locator("> li[data-done='false']")).to_have_count(len(scenario.tasks))

    cost = scenario.hints[0].cost
    page.get_by_role("button", name=f"Hint 1 (costs {cost} %)").click()
    expect(page.get_by_text(scenario.hints[0].text.en.strip())).to_be_visible()
    expect(page.get_by_text(f"Hints cost {cost} %.")).to_be_visible()

    revision = revision_of_the_estate(page)
    route = "CREATE ROUTE [Vers le suivi] WITH SERVICE_NAME = N'//exemple.fr/Expédition/Suivi', ADDRESS = N'TCP://lyon:4022'"
    give(page, "PARIS", "Ventes", "DROP ROUTE [Vers le suivi]")
    broken = page.get_by_text(re.compile(r"^Broken elsewhere, which costs \d+ %$")).locator("..")
    expect(broken.get_by_role("listitem").filter(has_text="//exemple.fr/Expédition/Suivi")).to_be_visible()
    check_barriers(page)
    give(page, "PARIS", "Ventes", route)
    expect(broken).to_have_count(0)

    take(page, "silent-queue")
    expect(tasks.locator("> li[data-done='true']")).to_have_count(len(scenario.tasks))
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text(f"Best score {100 - cost} %")).to_be_visible()
    check_barriers(page)
    assert revision_of_the_estate(page) == revision

    page.reload()
    expect(tasks.locator("> li[data-done='true']")).to_have_count(len(scenario.tasks))
    page.get_by_role("button", name="Finish").click()
    page.get_by_role("button", name="End the run").click()
    expect(page.get_by_role("heading", name="Report")).to_be_visible()
    expect(page.get_by_text(scenario.explanation.en.strip().split(".")[0])).to_be_visible()
    check_barriers(page)

    page.get_by_role("button", name="Play the run again").click()
    replay = page.get_by_role("region", name="The run once more")
    expect(replay.get_by_role("status")).to_have_text(re.compile(r"^0 %"))
    for _ in range(20):
        if replay.get_by_role("button", name="Next").is_disabled():
            break
        replay.get_by_role("button", name="Next").click()
    expect(replay.get_by_role("status")).to_have_text(re.compile(rf"^{100 - cost} %"))
    check_barriers(page)

    page.get_by_role("link", name="To the exercises").click()
    expect(page.get_by_text(f"Best score {100 - cost} %")).to_be_visible()
    check_barriers(page)


@pytest.mark.slow
def test_the_pane_is_a_session_in_the_sandbox(page: Page) -> None:
    begin(page, scenarios()["forwarding-off"].title.en, "Learn")
    pane = page.get_by_role("region", name="T-SQL", exact=True)
    expect(pane.get_by_text(re.compile("^Connected to "))).to_be_visible()

    run(page, "PRINT N'first';\nSELECT * FROM sys.no_such_view;")
    pane.get_by_role("alert").get_by_role("button", name="Line 2").click()
    expect(page.locator(".cm-activeLine")).to_have_text("SELECT * FROM sys.no_such_view;")

    editor = page.get_by_role("textbox", name="Script")
    editor.fill("")
    editor.press_sequentially("SELECT name FROM sys.serv")
    page.get_by_role("option", name=re.compile("^services")).click()
    expect(page.locator(".cm-line").first).to_have_text("SELECT name FROM sys.services")

    run(page, "CREATE QUEUE Waiting;")
    page.get_by_role("button", name="1 times as fast", exact=True).click()
    run(page, "WAITFOR (RECEIVE * FROM Waiting);", ends=False)
    pane.get_by_role("button", name="Cancel").click()
    expect(pane.get_by_text(re.compile(r"^Cancelled after"))).to_be_visible()

    run(page, "BEGIN TRANSACTION;")
    page.get_by_role("link", name="All exercises").click()
    question = page.get_by_role("dialog", name="Leave with a transaction open?")
    check_barriers(page)
    question.get_by_role("button", name="Stay").click()
    run(page, "SELECT @@TRANCOUNT AS n;")
    assert cells(page) == [["1"]]
    page.get_by_role("link", name="All exercises").click()
    question.get_by_role("button", name="Leave and roll back").click()
    expect(page).to_have_url(re.compile("/training$"))


@pytest.mark.slow
@pytest.mark.parametrize("name", share(["first-route", "name-case"], 1))
def test_an_exercise_is_played_whole(page: Page, name: str) -> None:
    begin(page, scenarios()[name].title.en, "Practise")
    take(page, name)
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("Best score 100 %")).to_be_visible()
    page.get_by_role("button", name="Finish").click()
    page.get_by_role("button", name="End the run").click()
    expect(page.get_by_role("heading", name="Report")).to_be_visible()


@pytest.mark.slow
def test_what_a_fault_breaks_elsewhere_is_named_and_giving_up_shows_the_solution(page: Page) -> None:
    scenario = scenarios()["hardened-msdb"]
    begin(page, scenario.title.en, "Learn")
    down = f"{next(iter(scenario.catalogs))} is down"
    page.get_by_role("combobox", name="What fails").select_option(label=down)
    page.get_by_role("button", name="Break it").click()
    expect(page.get_by_role("button", name=f"Mend: {down}")).to_be_visible()
    page.get_by_role("button", name=f"Mend: {down}").click()
    expect(page.get_by_text("Nothing is broken by a fault.")).to_be_visible()
    page.get_by_role("button", name="Give up and show").click()
    page.get_by_role("button", name="Show the solution").click()
    expect(page.get_by_role("heading", name="Reference solution")).to_be_visible()


def test_an_exam_has_a_timer_and_tells_nothing_before_its_end(page: Page) -> None:
    scenario = scenarios()["routing-loop"]
    page.goto("/training")
    page.get_by_role("button", name=f"Exam: {scenario.title.en}").click()
    question = page.get_by_role("group", name=re.compile("^An exam takes"))
    expect(question).to_be_visible()
    check_barriers(page)
    question.get_by_role("button", name="Begin the exam").click()
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"^0:\d\d:\d\d left$"))
    expect(page.get_by_text("An exam tells how the tasks stand when it has ended.")).to_be_visible()
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)
    check_barriers(page)
    page.get_by_role("button", name="Check").click()
    page.get_by_role("button", name="End the run").click()
    expect(page.get_by_role("heading", name="Report")).to_be_visible()


LOOKS = [("de", "light", 1280), ("fr", "dark", 1280), ("fr", "dark", 1920), ("de", "light", 1920)]


@pytest.mark.slow
@pytest.mark.parametrize(("language", "scheme", "width"), share(LOOKS, 1))
def test_the_pages_fit_and_keep_nobody_out(page: Page, language: str, scheme: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 1000})
    page.emulate_media(color_scheme=scheme)
    page.add_init_script(f"localStorage.setItem('brokerweb.language', '{language}')")
    page.goto("/training")
    page.get_by_role("listitem").first.wait_for()
    check_barriers(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
