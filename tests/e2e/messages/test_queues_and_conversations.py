"""The live views, as an operator uses them: rows come and nothing jumps, a pause holds, sums are the engine's own."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import check_barriers
from tests.e2e.live_pages import LIVE, Waiting, post, start_traffic, stop_traffic, topic
from tests.support.waiting import until

pytestmark = pytest.mark.browser


@pytest.fixture
def waiting(page: Page) -> Iterator[Waiting]:
    page.goto(f"{LIVE}/transmission-queues")
    post(page, "instances/LYON/endpoint", {"state": "STOPPED"})
    dialog = Waiting(page)
    yield dialog
    dialog.give_up()
    post(page, "instances/LYON/endpoint", {"state": "STARTED"})


def conversations(page: Page) -> int:
    """How many ends there are, as the API tells it."""
    return sum(fact["total"] for fact in topic(page, "conversations")["facts"].values())


def sums_of(page: Page, table: str, name: str) -> Locator:
    """The row of a table of sums."""
    return page.get_by_role("region", name=table).get_by_role("row").filter(has_text=name)


def place_in(row: Locator, frame: Locator) -> tuple[float, float]:
    """Where a row stands in its frame: a new reason, or none yet, may add a line to the sums above."""
    inner, outer = row.bounding_box(), frame.bounding_box()
    assert inner is not None
    assert outer is not None
    return inner["y"] - outer["y"], inner["height"]


def test_a_queue_is_watched_while_it_grows_and_nothing_jumps(page: Page, waiting: Waiting) -> None:
    expect(page.get_by_text("Nothing waits to be transmitted")).to_be_visible()
    waiting.send(40)
    grid = page.get_by_role("grid", name="Transmission queues")
    expect(grid).to_have_attribute("aria-rowcount", "41")
    check_barriers(page)
    for table, name in (("Waiting, by database", "PARIS · Ventes"), ("Waiting, by reason", "975")):
        expect(sums_of(page, table, name).get_by_role("cell").nth(0)).to_have_text("40")

    frame = grid.locator("..")
    frame.evaluate("each => each.scrollTop = 56")
    row = grid.locator("tr[data-index='6']")
    before, key = place_in(row, frame), row.locator("td[data-column='message_sequence_number']").inner_text()
    waiting.send(5)
    expect(grid).to_have_attribute("aria-rowcount", "46")
    assert frame.evaluate("each => each.scrollTop") == 56
    assert place_in(row, frame) == before
    assert row.locator("td[data-column='message_sequence_number']").inner_text() == key

    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("status", name="Connection: Paused")).to_be_visible()
    waiting.send(7)
    expect(page.get_by_role("button", name="Resume · 7 new")).to_be_visible()
    expect(grid).to_have_attribute("aria-rowcount", "46")
    expect(page.get_by_text("Showing 45 of 52")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(grid).to_have_attribute("aria-rowcount", "53")

    assert topic(page, "transmissions")["facts"]["PARIS"]["total"] == 52
    for table, name in (("Waiting, by database", "PARIS · Ventes"), ("Waiting, by reason", "975")):
        expect(sums_of(page, table, name).get_by_role("cell").nth(0)).to_have_text("52")
    check_barriers(page)
    chart = page.get_by_role("slider", name="Messages that wait, by instance")
    expect(chart).to_have_attribute("aria-valuetext", re.compile("^PARIS 52 "))
    expect(chart.locator("canvas")).to_be_visible()


@pytest.mark.slow
def test_a_row_is_opened_and_left_with_the_keyboard_and_the_view_is_an_address(page: Page, waiting: Waiting) -> None:
    waiting.send(3)
    grid = page.get_by_role("grid", name="Transmission queues")
    expect(grid).to_have_attribute("aria-rowcount", "4")
    page.get_by_role("region", name="Waiting, by reason").get_by_role("button", name=re.compile("^975")).click()
    expect(page).to_have_url(re.compile(r"number=975\d"))

    grid.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    drawer = page.get_by_role("complementary", name="Row")
    expect(drawer).to_contain_text("Why it is still here")
    expect(drawer).to_contain_text("to_broker_instance")
    check_barriers(page)
    address = page.url
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    page.goto(address)
    expect(drawer).to_contain_text("Why it is still here")

    page.get_by_role("button", name="Columns").click()
    page.get_by_role("menuitem", name="All columns").click()
    page.keyboard.press("Escape")
    expect(grid.get_by_role("columnheader", name="is_end_of_dialog")).to_be_attached()
    told = [column["name"] for column in topic(page, "transmissions")["columns"] if column["is_vendors"]]
    # A word stands above some of the names.
    heads = [text.removesuffix(" (UTC)").split("\n")[-1] for text in grid.get_by_role("columnheader").all_inner_texts()]
    assert set(told) <= set(heads)


@pytest.mark.slow
def test_both_sides_of_a_conversation_stand_together_and_its_end_is_explained(page: Page) -> None:
    page.goto(f"{LIVE}/conversations")
    expect(page.get_by_text("There is no conversation.")).to_be_visible()
    start_traffic(page, rate=3, dialog_messages=5)
    grid = page.get_by_role("grid", name="Conversations")
    expect(grid.get_by_role("row").filter(has_text="Initiator").first).to_be_visible()
    closed = page.get_by_role("button", name=re.compile(r"^Closed, within retention [1-9]"))
    expect(closed).to_be_visible()
    stop_traffic(page)
    closed.click()
    expect(page).to_have_url(re.compile("closed=retained"))
    expect(page.get_by_role("button", name=re.compile("^Closed, overdue 0"))).to_be_visible()
    grid.get_by_role("row").filter(has_text="within retention").first.click()
    drawer = page.get_by_role("complementary", name="Row")
    expect(drawer).to_contain_text("This is by design.")
    expect(drawer).to_contain_text("Both ends")
    expect(drawer.get_by_role("listitem").filter(has_text="Received Sequenced Message")).not_to_have_count(0)
    badge = page.get_by_role("link", name=re.compile(r"^Conversations [1-9]\d*$"))
    expect(badge).to_be_visible()
    # Closed ones leave while one looks.
    until(lambda: badge.inner_text().split() == ["Conversations", str(conversations(page))], what="the engine's sum")
    check_barriers(page)


@pytest.mark.slow
def test_an_empty_queue_tells_when_the_last_message_left_as_far_as_it_is_known(page: Page) -> None:
    page.goto(f"{LIVE}/transmission-queues?instance=HUB")
    expect(page.get_by_text("Nothing waits to be transmitted at HUB.")).to_be_visible()
    expect(page.get_by_text(re.compile(r"No message has left and arrived since HUB was started, \d+"))).to_be_visible()
    dialog = Waiting(page)
    dialog.send(1)
    page.goto(f"{LIVE}/transmission-queues?instance=PARIS&database=Ventes")
    expect(page.get_by_text(re.compile(r"The last message that arrived left PARIS · Ventes \d+ s ago"))).to_be_visible()
    check_barriers(page)
    dialog.give_up()
