"""The first visit, and T-SQL in and out: journeys 1, 2, 19 and 20, by a person with a browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.e2e.conftest import Products, check_barriers, install_clock
from tests.e2e.live_pages import let_it_read, listen, until_told
from tests.support.login_links import log_in_by
from tests.support.running import REPOSITORY, Running

pytestmark = pytest.mark.browser

ESTATE = "/api/v1/estates/demo-fr-de"
LOADED_SECONDS = 5.0
"""The bar of the journey, from the choice of the sample to a live map: so long the product may work for it."""
MAKE_ACCOUNT = (
    "from django.core.management import call_command; call_command('migrate', verbosity=0); "
    "from brokerweb.accounts.services import user_create; from brokerweb.accounts.rights import Role; "
    "user_create('admin', Role.ADMIN)"
)
GOOD = [
    f"CREATE ROUTE [Vers {number}] WITH SERVICE_NAME = '//exemple.fr/{number}', ADDRESS = 'TCP://lyon:4022';"
    for number in range(8)
]
SCRIPT = "\n".join(
    [
        ":CONNECT NICE",
        "CREATE DATABASE Stock;",
        "GO",
        "USE Stock;",
        *GOOD,
        "CREATE ROUTE [Cassée] WITH ADDRESS 'TCP://lyon:4022';",
        "UPDATE STATISTICS dbo.Articles;",
        "",
    ]
)
BROKEN_LINE = 5 + len(GOOD)


@pytest.fixture(scope="module")
def product(products: Products) -> tuple[Running, str]:
    """The product as a new account finds it: without an estate."""
    return products.at(Path(__file__), make_account)


def make_account(data: Path) -> None:
    """An account in new data; the first start gives a sample only where there is none."""
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", MAKE_ACCOUNT],
        cwd=REPOSITORY,
        env={**os.environ, "BROKERWEB_DATA": str(data), "DJANGO_SETTINGS_MODULE": "brokerweb.config.settings.dev"},
        check=True,
    )


@pytest.fixture(scope="module")
def session(product: tuple[Running, str], browser: Browser) -> StorageState:
    """Cookies of the new account."""
    context = browser.new_context()
    log_in_by(product[1], context.new_page())
    cookies = context.storage_state()
    context.close()
    return cookies


def test_a_first_visit_offers_four_ways(page: Page) -> None:
    page.goto("/")
    heading = page.get_by_role("heading", name="No estate yet")
    expect(heading).to_be_visible()
    for name in ("Load sample", "Start empty", "Take the tour"):
        expect(page.get_by_role("button", name=name)).to_be_visible()
    expect(page.get_by_role("link", name="Import T-SQL")).to_be_visible()
    expect(heading).to_be_focused()
    check_barriers(page)


def test_the_sample_is_loaded_in_seconds(page: Page, product: tuple[Running, str]) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith(ESTATE) else None)
    listen(page)
    install_clock(page)
    page.goto("/")
    page.get_by_role("button", name="Load sample").click()
    before = product[0].processor_seconds
    page.get_by_role("menuitem", name="Demo FR/DE").click()
    instances = page.get_by_role("group", name=re.compile("^Instance (PARIS|LYON|BERLIN|HUB)"))
    expect(instances).to_have_count(4)
    expect(page.get_by_text("Live · revision 1")).to_be_visible()
    expect(page.get_by_role("status", name="Connection: Live")).to_be_visible()
    assert product[0].processor_seconds - before < LOADED_SECONDS
    # The four instances take the revision one after the other: that is told, and nothing is read again for it.
    until_told(page, "({revision, behind}, wanted) => revision === wanted && behind.length === 0", 1)
    let_it_read(page)
    assert len(asked) <= 2
    check_barriers(page)


@pytest.fixture
def sample(page: Page) -> None:
    """The sample estate, whichever test has brought it in."""
    if page.request.get(ESTATE).status == 404:
        [sample] = page.request.get("/api/v1/samples").json()
        tokens = [each["value"] for each in page.context.cookies() if each["name"] == "brokerweb_csrftoken"]
        path = f"/api/v1/samples/{sample['name']}/load"
        assert page.request.post(path, headers={"X-CSRFToken": tokens[0]}).ok


@pytest.mark.slow
@pytest.mark.usefixtures("sample")
def test_the_tour_leads_over_the_map(page: Page) -> None:
    page.goto("/estates/demo-fr-de/topology?tour=1")
    tour = page.get_by_role("region", name="Tour")
    expect(tour.get_by_role("heading", name="Four servers")).to_be_focused()
    check_barriers(page)
    for title in ("A database", "A route", "The same as a list", "Nothing changes by accident", "What is wrong"):
        tour.get_by_role("button", name="Next").click()
        expect(tour.get_by_role("heading", name=title)).to_be_visible()
    tour.get_by_role("button", name="End the tour").last.click()
    expect(tour).to_have_count(0)


def preview(page: Page, script: str, *, new_estate: str | None = None) -> None:
    page.goto("/import")
    if new_estate is not None:
        page.get_by_text("As a new estate").click()
        page.get_by_role("textbox", name="Name of the new estate").fill(new_estate)
    page.get_by_role("textbox", name="Or paste T-SQL").fill(script)
    page.get_by_role("button", name="Preview").click()


@pytest.mark.usefixtures("sample")
def test_a_script_with_one_mistake_goes_on_when_that_is_left_out(page: Page) -> None:
    preview(page, SCRIPT)
    expect(page.get_by_text("Add 10")).to_be_visible()
    expect(page.get_by_text("Error 1")).to_be_visible()
    expect(page.get_by_text("Ignored 1")).to_be_visible()
    expect(page.get_by_text(re.compile(rf"pasted\.sql, line {BROKEN_LINE}, column \d+"))).to_be_visible()
    go_on = page.get_by_role("button", name="Continue")
    expect(go_on).to_have_attribute("aria-disabled", "true")
    check_barriers(page)
    page.get_by_role("button", name=f"Leave out line {BROKEN_LINE} of pasted.sql").click()
    expect(page.get_by_text("1 statement is left out.")).to_be_visible()
    expect(page.get_by_text("Ignored 2")).to_be_visible()
    seen = page.request.get("/api/v1/estates/demo-fr-de").json()
    assert "NICE" not in [each["name"] for each in seen["instances"]]
    warnings = page.get_by_role("checkbox", name=re.compile("I have read"))
    if warnings.count() > 0:
        warnings.check()
    go_on.click()
    expect(page.get_by_role("heading", name=re.compile(r"Draft #\d+ of demo-fr-de has the import"))).to_be_visible()
    check_barriers(page)
    assert page.request.get("/api/v1/estates/demo-fr-de").json()["revision"] == 1
    page.get_by_role("link", name="Review the changes").click()
    expect(page.get_by_role("heading", name=re.compile(r"Draft #\d+"))).to_be_visible()
    expect(page.get_by_text("Vers 0").first).to_be_visible()


def exported(page: Page, estate: str) -> str:
    page.goto(f"/estates/{estate}/export")
    page.get_by_role("checkbox", name="Heading with estate, revision and date").uncheck()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    return download.value.path().read_text("utf-8")


@pytest.mark.usefixtures("sample")
def test_what_is_exported_comes_in_again_as_it_was(page: Page) -> None:
    first = exported(page, "demo-fr-de")
    check_barriers(page)
    preview(page, first, new_estate="copie")
    go_on = page.get_by_role("button", name="Continue")
    expect(go_on).to_be_visible()
    warnings = page.get_by_role("checkbox", name=re.compile("I have read"))
    if warnings.count() > 0:
        warnings.check()
    go_on.click()
    expect(page.get_by_role("heading", name="The estate copie is made.")).to_be_visible()
    assert exported(page, "copie") == first
    page.goto("/import")
    page.get_by_role("combobox", name="Estate").or_(page.get_by_role("textbox", name="Estate")).first.click()
    page.get_by_role("option", name="copie").click()
    page.get_by_role("textbox", name="Or paste T-SQL").fill(first)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("0 changes: the estate has all of this already.")).to_be_visible()
    check_barriers(page)
