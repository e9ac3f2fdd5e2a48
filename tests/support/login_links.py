"""Login links as people use them: the page that a link opens, and its button."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from playwright.sync_api import Page


def press_button_of(link: str, browser: httpx.Client) -> httpx.Response:
    """Open a link and press the button on its page; the answer to that, without following where it leads."""
    page = browser.get(link)
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
    assert token is not None, f"{page.status_code} without a button"
    return browser.post(link, data={"csrfmiddlewaretoken": token[1]}, headers={"Referer": link}, follow_redirects=False)


def log_in_by(link: str, page: Page) -> None:
    """Open a link in Chromium and press its button."""
    page.goto(link)
    page.locator("form button").click()
    page.wait_for_url(lambda address: "/login/" not in address)
