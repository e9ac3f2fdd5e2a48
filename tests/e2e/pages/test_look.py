"""The built page: styles in the right order, places that are all in view, names of tabs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.support.thoroughness import share

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


PAGES = (
    "console",
    "topology",
    "faults",
    "overview",
    "objects",
    "whatif",
    "assertions",
    "changes",
    "sql",
    "live/conversations",
    "live/transmission-queues",
    "traffic",
    "findings",
    "analytics",
    "audit",
    "export",
    "/import",
    "/training",
    "/account",
)


def test_a_narrow_screen_has_a_menu_and_cuts_no_page_off(page: Page) -> None:
    """WCAG 1.4.10, at 320 pixels: nothing is beyond the edge of the page, and each part below the one before it."""
    page.set_viewport_size({"width": 320, "height": 640})
    for address in share(PAGES, 3):
        page.goto(address if address.startswith("/") else f"{ESTATE}/{address}")
        expect(page.get_by_role("button", name="Menu")).to_be_visible()
        expect(page.get_by_role("navigation", name="Main")).to_be_hidden()
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, address
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Audit").click()
    expect(page.get_by_role("heading", name="Audit")).to_be_visible()
    expect(page.get_by_role("navigation", name="Main")).to_be_hidden()


def test_on_an_enlarged_page_no_tool_of_the_map_covers_another(page: Page) -> None:
    """1280 × 800 at 200 %."""
    page.set_viewport_size({"width": 640, "height": 400})
    page.goto(f"{ESTATE}/topology")
    bars = page.locator(".react-flow__panel.left")
    expect(bars).to_have_count(2)
    above, below = (bars.nth(at).bounding_box() for at in range(2))
    assert above is not None
    assert below is not None
    first, second = sorted((above, below), key=lambda box: box["y"])
    assert first["y"] + first["height"] <= second["y"]
