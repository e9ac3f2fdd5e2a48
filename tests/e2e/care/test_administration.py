"""Accounts on screens: users and their rights, who reads message bodies, time zone, language and theme, tokens."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import check_barriers
from tests.support.login_links import log_in_by
from tests.support.running import Running

pytestmark = pytest.mark.browser


def menu(page: Page, item: str) -> None:
    page.get_by_role("button", name="admin", exact=True).click()
    page.get_by_role("menuitem", name=item).click()


def test_a_user_is_made_given_the_right_to_read_payloads_and_switched_off(page: Page, browser: Browser) -> None:
    page.goto("/")
    menu(page, "Administration")
    expect(page.get_by_role("heading", name="Administration")).to_be_visible()
    page.get_by_role("button", name="New user").click()
    form = page.get_by_role("form", name="New user")
    form.get_by_role("textbox", name="Name").fill("olga")
    form.get_by_role("combobox", name="Role").click()
    page.get_by_role("option", name="Operator").click()
    form.get_by_role("button", name="Make the user").click()

    about = page.get_by_role("complementary", name="About olga")
    expect(about).to_contain_text("Made: operator")
    about.get_by_role("button", name="Make a login link").click()
    copy = about.get_by_role("button", name=re.compile("^Copy login link http"))
    expect(copy).to_be_visible()
    link = (copy.get_attribute("aria-label") or "").removeprefix("Copy login link ")
    check_barriers(page)

    other = browser.new_context()
    theirs = other.new_page()
    log_in_by(link, theirs)
    rights = "fetch('/api/v1/me').then((answer) => answer.json()).then((me) => me.rights?.join())"
    assert theirs.evaluate(rights) == "view,operate"
    # The switch itself lies under its track.
    about.get_by_role("switch", name="Reads payloads").click(force=True)
    expect(about).to_contain_text("May read payloads")
    assert theirs.evaluate(rights) == "view,read-payloads,operate"
    about.get_by_role("switch", name="Account is on").click(force=True)
    row = page.get_by_role("row").filter(has_text="olga")
    expect(row).to_contain_text("switched off")
    assert theirs.evaluate("fetch('/api/v1/me').then((answer) => answer.status)") == 401
    other.close()
    check_barriers(page)


@pytest.mark.slow
def test_the_last_administrator_cannot_lock_everybody_out(page: Page) -> None:
    page.goto("/administration?user=admin")
    about = page.get_by_role("complementary", name="About admin")
    about.get_by_role("switch", name="Account is on").click(force=True)
    expect(about.get_by_role("alert")).to_contain_text("the last administrator")
    expect(about.get_by_role("switch", name="Account is on")).to_be_checked()
    check_barriers(page)


@pytest.mark.slow
def test_a_time_zone_is_said_everywhere_and_survives_a_reload(page: Page) -> None:
    page.goto("/estates/demo-fr-de/audit")
    expect(page.get_by_role("columnheader", name="When (UTC)")).to_be_visible()
    menu(page, "Time zone: UTC")
    page.get_by_role("combobox", name="Show every time in").fill("Tokyo")
    page.get_by_role("option", name="Asia/Tokyo").click()
    expect(page.get_by_role("columnheader", name="When (Asia/Tokyo)")).to_be_visible()
    expect(page.get_by_role("cell", name="UTC+9").first).to_be_visible()
    page.reload()
    expect(page.get_by_role("columnheader", name="When (Asia/Tokyo)")).to_be_visible()
    check_barriers(page)
    menu(page, "Time zone: Asia/Tokyo")
    page.get_by_role("combobox", name="Show every time in").fill("UTC")
    page.get_by_role("option", name="UTC", exact=True).click()
    expect(page.get_by_role("columnheader", name="When (UTC)")).to_be_visible()


@pytest.mark.slow
def test_language_and_theme_come_along_to_another_browser(
    page: Page, product: tuple[Running, str], browser: Browser
) -> None:
    page.goto("/account")
    expect(page.get_by_role("heading", name="Your account")).to_be_visible()
    page.get_by_role("button", name="Language").click()
    with page.expect_response("**/api/v1/me/preferences"):
        page.get_by_role("menuitemradio", name="Deutsch").click()
    page.get_by_role("button", name="Farbschema").click()
    with page.expect_response("**/api/v1/me/preferences"):
        page.get_by_role("menuitemradio", name="Dunkel").click()
    expect(page.get_by_role("heading", name="Ihr Konto")).to_be_visible()
    check_barriers(page)

    # The same person, elsewhere: nothing is kept in this browser yet.
    context = browser.new_context(base_url=f"http://127.0.0.1:{product[0].port}")
    context.add_cookies(page.context.cookies())
    elsewhere = context.new_page()
    elsewhere.goto("/account")
    expect(elsewhere.get_by_role("heading", name="Ihr Konto")).to_be_visible()
    expect(elsewhere.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    expect(elsewhere.locator("html")).to_have_attribute("lang", "de")
    elsewhere.evaluate(
        """fetch('/api/v1/me/preferences', {method: 'PATCH', body: '{"language":"en","theme":"auto"}', headers: {
        'Content-Type': 'application/json', 'X-CSRFToken': document.cookie.match(/brokerweb_csrftoken=(\\w+)/)[1]}})"""
    )
    context.close()


def test_a_token_is_made_shown_once_used_and_revoked(page: Page, product: tuple[Running, str]) -> None:
    page.goto("/")
    menu(page, "Your account")
    form = page.get_by_role("form", name="Make a token")
    form.get_by_role("textbox", name="What it is for").fill("nightly export")
    form.get_by_role("button", name="Make a token").click()
    copy = page.get_by_role("button", name=re.compile("^Copy token bwt_"))
    expect(copy).to_be_visible()
    token = (copy.get_attribute("aria-label") or "").removeprefix("Copy token ")
    asked = {"headers": {"Authorization": f"Bearer {token}"}}
    address = f"http://127.0.0.1:{product[0].port}/api/v1/me"
    assert httpx.get(address, **asked).json()["rights"] == ["view"]
    check_barriers(page)

    page.reload()
    expect(page.get_by_text("nightly export")).to_be_visible()
    expect(page.get_by_text(token)).to_have_count(0)
    page.get_by_role("button", name="Revoke nightly export").click()
    expect(page.get_by_text("You have no tokens.")).to_be_visible()
    assert httpx.get(address, **asked).status_code == 401
