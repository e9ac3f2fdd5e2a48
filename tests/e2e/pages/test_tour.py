"""The tour of the sample, from the menu of any page to its end."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def test_the_tour_is_reached_by_the_menu_and_every_step_can_be_clicked_on_a_small_screen(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto("/training")
    expect(page.get_by_role("heading", name="Lessons")).to_be_visible()
    page.get_by_role("button", name=re.compile("^admin")).click()
    page.get_by_role("menuitem", name="Take the tour").click()
    box = page.get_by_role("region", name="Tour")
    for step in range(1, 6):
        expect(box.get_by_text(f"{step} of 6")).to_be_visible()
        box.get_by_role("button", name="Next").click()
    box.get_by_role("button", name="End").last.click()
    expect(box).to_be_hidden()


def test_back_undoes_a_selection_and_then_leaves_the_page(page: Page) -> None:
    page.goto("/training")
    page.goto("/estates/demo-fr-de/topology")
    page.get_by_role("group", name="Database Ventes of PARIS").click()
    expect(page).to_have_url(re.compile("select="))
    page.go_back()
    expect(page).to_have_url(re.compile(r"/topology$"))
    page.go_back()
    expect(page).to_have_url(re.compile("/training$"))


@pytest.mark.parametrize(
    "address",
    [
        "/nonsense",
        "/estates/demo-fr-de/nonsense",
        "/estates/demo-fr-de/live/transmissions",
        "/estates/demo-fr-de/objects/table",
    ],
)
def test_an_address_without_a_page_says_so_and_stays(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    expect(page).to_have_url(re.compile(f"{address}$"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_examples_of_what_if_have_the_colour_of_links_and_boxes(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto("/estates/demo-fr-de/whatif")
    example = page.get_by_role("region", name="Ask one of these").get_by_role("link").first
    expect(example).to_be_visible()
    colour, wanted = example.evaluate(
        """link => [getComputedStyle(link).color, (() => {
            const probe = document.body.appendChild(document.createElement('a'));
            probe.style.color = 'var(--bw-accent-text)';
            const { color } = getComputedStyle(probe);
            probe.remove();
            return color;
        })()]"""
    )
    assert colour == wanted
