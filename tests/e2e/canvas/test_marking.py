"""Several routes selected together on the canvas and in the outline, and edited as one step (journey 13)."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import check_barriers

pytestmark = pytest.mark.browser

TOPOLOGY = "/estates/demo-fr-de/topology?panel=closed"


def opened(page: Page, more: str = "") -> Locator:
    page.goto(TOPOLOGY + more)
    expect(page.get_by_role("group", name=re.compile("^Instance PARIS"))).to_be_visible()
    return page.get_by_role("region", name=re.compile("^Topology"))


def toolbar(page: Page) -> Locator:
    return page.get_by_role("toolbar", name=re.compile("routes?.* selected"))


def count(page: Page) -> int:
    found = re.match(r"\d+", toolbar(page).get_by_text(re.compile("selected")).inner_text())
    assert found is not None
    return int(found.group())


def expect_count(page: Page, wanted: int) -> None:
    # What was clicked is shown a moment later.
    expect(toolbar(page).get_by_text(re.compile(rf"^{wanted} route.*selected"))).to_be_visible()


@pytest.mark.slow
def test_routes_selected_together_are_edited_undone_and_redone_as_one_step(page: Page) -> None:
    opened(page).focus()
    page.keyboard.press("Control+a")
    expect(toolbar(page)).to_be_visible()
    many = count(page)
    assert many >= 12
    check_barriers(page)
    toolbar(page).get_by_role("button", name="Set lifetime…").click()
    dialog = page.get_by_role("dialog", name=f"Edit {many} objects")
    field = dialog.get_by_role("textbox", name="Lifetime in seconds")
    field.fill("soon")
    expect(dialog.get_by_role("button", name="Preview")).to_be_disabled()
    field.fill("600")
    dialog.get_by_role("button", name="Preview").click()
    expect(dialog.get_by_text(f"{many} to change, 0 as they are, 0 refused")).to_be_visible()
    check_barriers(page)
    dialog.get_by_role("button", name="Put into the draft").click()
    expect(dialog.get_by_text(f"{many} done, 0 as they were, 0 refused")).to_be_visible()
    dialog.get_by_role("button", name="Close").last.click()
    counter = page.get_by_text(re.compile(rf"^Draft #\d+ · {many} changes$"))
    expect(counter).to_be_visible()
    expect(toolbar(page)).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.get_by_text(re.compile(r"^Draft #\d+ · no change$"))).to_be_visible()
    page.keyboard.press("Control+Shift+z")
    expect(counter).to_be_visible()
    check_barriers(page)


@pytest.mark.slow
def test_clicks_a_rectangle_and_the_outline_select_in_step(page: Page) -> None:
    canvas = opened(page, "&outline=open")
    labels = page.locator("[data-route]")
    expect(labels.first).to_be_visible()
    # What is selected is drawn above the rest: their order in the page changes.
    one, other = (page.locator(f'[data-route="{labels.nth(at).get_attribute("data-route")}"]') for at in (0, 1))
    one.click(modifiers=["Control"])
    other.click(modifiers=["Control"])
    expect_count(page, 2)
    other.click(modifiers=["Shift"])
    expect_count(page, 1)
    expect(page.get_by_role("treegrid")).to_have_attribute("aria-multiselectable", "true")
    expect(page.get_by_role("row", selected=True)).to_have_count(1)

    # A rectangle around everything takes every route that has a line.
    frame = canvas.bounding_box()
    assert frame is not None
    x, y = frame["x"] + 60, frame["y"] + 4
    page.keyboard.down("Shift")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 300, y + 300, steps=4)
    page.mouse.move(frame["x"] + frame["width"] - 4, frame["y"] + frame["height"] - 4, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    # They are selected as the rectangle reaches them.
    expect(toolbar(page).get_by_text(re.compile(r"^(1[2-9]|[2-9]\d|\d{3,}) routes.* selected"))).to_be_visible()
    everything = count(page)
    canvas.focus()
    page.keyboard.press("Escape")
    expect(toolbar(page)).to_have_count(0)

    # In the outline: an instance stands for the routes that lead out of it.
    row = page.locator('[data-row="instance/BERLIN"]')
    row.click(modifiers=["Control"])
    few = count(page)
    assert 0 < few < everything
    row.focus()
    page.keyboard.press("Control+Space")
    expect(toolbar(page)).to_have_count(0)
    row.click(modifiers=["Control"])
    toolbar(page).get_by_role("button", name="Delete…").click()
    dialog = page.get_by_role("dialog", name=f"Delete {few} object")
    dialog.get_by_role("button", name="Preview").click()
    expect(dialog.get_by_text(re.compile(f"{few} to change, 0 as they are, 0 refused"))).to_be_visible()
    check_barriers(page)
    page.keyboard.press("Escape")
    check_barriers(page)
