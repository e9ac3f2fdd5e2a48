"""The canvas without a mouse: going, reading, moving; and places that stay where a person has put boxes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import check_barriers
from tests.support.waiting import until

pytestmark = pytest.mark.browser

TOPOLOGY = "/estates/demo-fr-de/topology?panel=closed"


def instance(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=re.compile(f"^Instance {name}"))


def place(page: Page, name: str) -> tuple[float, float]:
    """Where a box stands in the drawing, whatever part of it is in view."""
    transform = instance(page, name).evaluate("node => node.style.transform")
    x, y = re.findall(r"-?[\d.]+", transform)
    return float(x), float(y)


def stands(page: Page, name: str, where: tuple[float, float]) -> None:
    """Wait until a box stands there."""
    until(lambda: place(page, name) == where, what=f"that {name} stands at {where}")


@contextmanager
def kept(page: Page) -> Iterator[None]:
    """What moves a box within: the server has kept it at the end."""
    with page.expect_response(lambda answer: answer.request.method == "PATCH" and "/positions" in answer.url) as answer:
        yield
    assert answer.value.ok


def opened(page: Page) -> Locator:
    page.goto(TOPOLOGY)
    expect(instance(page, "PARIS")).to_be_visible()
    return page.get_by_role("region", name=re.compile("^Topology"))


def test_a_node_is_reached_expanded_and_read_by_keyboard_only(page: Page) -> None:
    canvas = opened(page)
    page.get_by_role("button", name="Fold all instances").focus()
    page.keyboard.press("Enter")
    expect(instance(page, "BERLIN")).to_have_accessible_name(re.compile("folded"))
    canvas.focus()
    _walk_to(page, "BERLIN")
    # Name, kind and number of findings.
    told = page.locator("[aria-live=polite]").filter(has_text=re.compile(r"Instance BERLIN.*finding"))
    expect(told).to_have_count(1)
    page.keyboard.press("Enter")
    expect(instance(page, "BERLIN")).not_to_have_accessible_name(re.compile("folded"))
    expect(instance(page, "BERLIN")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_attribute("aria-label", re.compile("^Database .* of BERLIN"))
    check_barriers(page)


def _walk_to(page: Page, name: str) -> None:
    """By arrow keys alone, to whichever side leads nearer."""
    page.keyboard.press("ArrowDown")
    target = place(page, name)
    for _ in range(12):
        focus = page.locator(":focus")
        if focus.get_attribute("data-id") == f"instance/{name}":
            return
        x, y = map(float, re.findall(r"-?[\d.]+", focus.evaluate("node => node.style.transform")))
        sideways = abs(target[0] - x) >= abs(target[1] - y)
        key = (
            ("ArrowRight" if target[0] > x else "ArrowLeft")
            if sideways
            else ("ArrowDown" if target[1] > y else "ArrowUp")
        )
        page.keyboard.press(key)
    raise AssertionError(f"the arrow keys do not lead to {name}")


@pytest.mark.slow
def test_a_box_is_moved_without_dragging_stays_there_and_goes_back(page: Page) -> None:
    opened(page)
    before = place(page, "HUB")
    instance(page, "HUB").focus()
    page.keyboard.press("m")
    expect(page.get_by_role("group", name="Move HUB")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    check_barriers(page)
    with kept(page):
        page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Move HUB")).to_have_count(0)
    moved = (before[0], before[1] + 6 * 24)
    stands(page, "HUB", moved)
    # It is no change of the estate.
    expect(page.get_by_text("Live · revision 1")).to_be_visible()
    opened(page)
    stands(page, "HUB", moved)

    # With the pointer and no drag: pick, then place.
    instance(page, "HUB").press("Enter")
    page.get_by_role("button", name="Move the selected box to…").click()
    page.get_by_role("button", name="To the right").click()
    with kept(page):
        page.get_by_role("button", name="Done").click()
    stands(page, "HUB", (moved[0] + 24, moved[1]))
    with kept(page):
        page.get_by_role("button", name="Take the last move back").click()
    stands(page, "HUB", moved)
    with kept(page):
        page.get_by_role("button", name="Do the move again").click()
    stands(page, "HUB", (moved[0] + 24, moved[1]))
    with kept(page):
        page.get_by_role("button", name="Lay everything out anew").click()
    stands(page, "HUB", before)
    opened(page)
    stands(page, "HUB", before)
    check_barriers(page)


@pytest.mark.slow
def test_a_box_is_dragged_and_its_lines_come_along(page: Page) -> None:
    opened(page)
    before = place(page, "LYON")
    # The pointer goes there once the box stands still in the frame.
    instance(page, "LYON").hover(position={"x": 90, "y": 14})
    box = instance(page, "LYON").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 14)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 40, box["y"] + 114, steps=8)
    page.mouse.up()
    until(lambda: place(page, "LYON")[1] > before[1] + 50, what="LYON further down")
    expect(instance(page, "LYON")).to_be_focused()
    page.keyboard.press("Escape")
    # Nothing is selected, and the box keeps the focus: its keys go on.
    expect(page).not_to_have_url(re.compile("select="))
    expect(instance(page, "LYON")).to_be_focused()
    page.keyboard.press("u")
    stands(page, "LYON", before)


@pytest.mark.slow
def test_the_keys_are_shown_and_single_letters_can_be_switched_off(page: Page) -> None:
    canvas = opened(page)
    canvas.focus()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys of the topology")
    expect(keys).to_be_visible()
    expect(keys.get_by_text("Along a route to the nearest box it joins")).to_be_visible()
    check_barriers(page)
    keys.get_by_role("switch", name="Single letters and signs are commands").click(force=True)
    page.keyboard.press("Escape")
    expect(keys).to_have_count(0)
    instance(page, "HUB").focus()
    page.keyboard.press("m")
    # While a box is moved the arrows are about it; now they lead to the next one.
    page.keyboard.press("ArrowUp")
    expect(page.locator(":focus")).to_have_attribute("data-id", re.compile("^instance/(?!HUB)"))
    expect(page.get_by_role("group", name="Move HUB")).to_have_count(0)
