"""The built page: styles in the right order, places that are all in view, names of tabs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

ESTATE = "/estates/demo-fr-de"


def test_the_styles_of_a_component_win_over_those_of_the_library(page: Page) -> None:
    page.goto(f"{ESTATE}/live/conversations")
    chip = page.get_by_role("button", pressed=False).first
    expect(chip).to_be_visible()
    style = chip.evaluate("chip => { const s = getComputedStyle(chip); return [s.borderTopWidth, s.paddingLeft]; }")
    assert all(float(size.removesuffix("px")) > 0 for size in style), style


@pytest.mark.parametrize("height", [700, 720, 768, 800, 900, 901, 960, 1000, 1080, 1110, 1200])
def test_every_place_of_the_navigation_is_in_view(page: Page, height: int) -> None:
    page.set_viewport_size({"width": 1280, "height": height})
    page.goto(f"{ESTATE}/overview")
    expect(page.get_by_role("link", name="Training")).to_be_visible()
    navigation = page.get_by_role("navigation", name="Main").locator("..")
    assert navigation.evaluate("box => box.scrollHeight <= box.clientHeight")


def test_tabs_and_bookmarks_of_the_browser_name_the_page_and_the_estate(page: Page) -> None:
    page.goto(f"{ESTATE}/findings")
    expect(page).to_have_title("Findings · demo-fr-de · brokerweb")
    page.get_by_role("link", name="Changes").click()
    expect(page).to_have_title("Changes · demo-fr-de · brokerweb")
