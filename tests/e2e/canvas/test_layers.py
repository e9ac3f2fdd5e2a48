"""What the canvas leaves out, and what can be done with some boxes of it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import check_barriers
from tests.e2e.live_pages import until_so

pytestmark = pytest.mark.browser

TOPOLOGY = "/estates/demo-fr-de/topology?panel=closed"


def opened(page: Page, more: str = "") -> Locator:
    page.goto(TOPOLOGY + more)
    expect(page.get_by_role("group", name=re.compile("^Instance PARIS"))).to_be_visible()
    return page.get_by_role("region", name=re.compile("^Topology"))


def lines(page: Page) -> Locator:
    return page.locator("[data-line]")


def drawn(page: Page) -> int:
    """How many lines there are, once there are any."""
    expect(lines(page)).not_to_have_count(0)
    return lines(page).count()


def places(page: Page) -> dict[str, str]:
    script = (
        "Object.fromEntries([...document.querySelectorAll('.react-flow__node')]"
        ".map(node => [node.dataset.id, node.style.transform]))"
    )
    found: dict[str, str] = page.evaluate(script)
    return {name: place for name, place in found.items() if name.startswith(("instance/", "ghost/"))}


@pytest.mark.slow
def test_a_layer_is_hidden_by_keyboard_says_so_and_stays_hidden_for_its_person(page: Page) -> None:
    opened(page, "&outline=open").focus()
    everything = drawn(page)
    page.keyboard.press("l")
    layers = page.get_by_role("dialog", name="Layers")
    for name in ("Mirrors", "Forwarding", "Services and queues", "Findings"):
        expect(layers.get_by_role("checkbox", name=re.compile(f"^{name}"))).to_be_checked()
    check_barriers(page)
    layers.get_by_role("checkbox", name=re.compile("^Routes")).focus()
    page.keyboard.press("Space")
    expect(page).to_have_url(re.compile("hide=routes"))
    page.keyboard.press("Escape")
    expect(layers).to_have_count(0)
    expect(lines(page)).not_to_have_count(everything)
    few = drawn(page)
    assert few < everything
    canvas = page.get_by_role("region", name=re.compile("^Topology"))
    expect(canvas.get_by_text("Hidden: Routes")).to_be_visible()
    expect(page.get_by_role("region", name="Outline", exact=True).get_by_text("Hidden: Routes")).to_be_visible()
    check_barriers(page)

    # With the account, for an address that says nothing of it.
    opened(page)
    expect(page.get_by_text("Hidden: Routes")).to_be_visible()
    expect(lines(page)).to_have_count(few)
    page.get_by_role("button", name="Show all").click()
    expect(page.get_by_text("Hidden: Routes")).to_have_count(0)
    expect(lines(page)).to_have_count(everything)
    # A link that shows them is obeyed, whatever the account keeps.
    opened(page, "&hide=mirrors.services")
    expect(page.get_by_text("Hidden: Mirrors, Services and queues")).to_be_visible()
    expect(lines(page)).not_to_have_count(everything)
    assert drawn(page) < everything


@pytest.mark.slow
def test_some_boxes_are_arranged_by_themselves_and_exported_as_one_script(page: Page) -> None:
    canvas = opened(page)
    before = places(page)
    for name in ("PARIS", "LYON"):
        page.get_by_role("group", name=re.compile(f"^Instance {name}")).click(
            modifiers=["Control"], position={"x": 120, "y": 8}
        )
    bar = canvas.get_by_role("toolbar", name=re.compile("2 boxes selected"))
    expect(bar).to_be_visible()
    check_barriers(page)
    bar.get_by_role("button", name="Arrange").click()
    until_so(
        page,
        "before => [...document.querySelectorAll('.react-flow__node')]"
        ".some(n => n.dataset.id in before && n.style.transform !== before[n.dataset.id])",
        before,
    )
    after = places(page)
    moved = {name for name in before if after[name] != before[name]}
    assert moved
    assert moved <= {"instance/PARIS", "instance/LYON"}
    canvas.get_by_role("button", name="Take the last move back").click()
    until_so(
        page,
        "before => [...document.querySelectorAll('.react-flow__node')]"
        ".every(n => !(n.dataset.id in before) || n.style.transform === before[n.dataset.id])",
        before,
    )

    bar.get_by_role("link", name="Export T-SQL").click()
    expect(page.get_by_text("Only what was selected: 2 places")).to_be_visible()
    script = page.get_by_text(":CONNECT PARIS").first
    expect(script).to_be_visible()
    expect(page.get_by_text(":CONNECT LYON").first).to_be_attached()
    expect(page.get_by_text(":CONNECT BERLIN")).to_have_count(0)
    check_barriers(page)
    page.get_by_role("button", name="Export everything").click()
    expect(page.get_by_text(":CONNECT BERLIN").first).to_be_attached()
