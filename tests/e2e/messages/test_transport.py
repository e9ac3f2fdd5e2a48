"""The live views of what carries messages: forwarders, mirrored pairs, queues, connections, counters, and the trace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import check_barriers
from tests.e2e.live_pages import (
    LIVE,
    THROUGH_HUB,
    TO_THE_MIRROR,
    Waiting,
    post,
    start_traffic,
    stop_traffic,
    topic,
)

pytestmark = pytest.mark.browser


@contextmanager
def berlin_stopped(page: Page) -> Iterator[None]:
    """BERLIN listens to nobody."""
    post(page, "instances/BERLIN/endpoint", {"state": "STOPPED"})
    try:
        yield
    finally:
        post(page, "instances/BERLIN/endpoint", {"state": "STARTED"})


@contextmanager
def traffic(page: Page) -> Iterator[None]:
    """Ten messages a second from PARIS to LYON."""
    start_traffic(page, rate=10)
    try:
        yield
    finally:
        stop_traffic(page)


def all_columns_are_there(page: Page, name: str) -> None:
    """Every column of the vendor's view stands under its own name, some with a word above it."""
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("menuitem", name="All columns").click()
    page.keyboard.press("Escape")
    heads = page.get_by_role("grid").get_by_role("columnheader")
    for column in topic(page, name)["columns"]:
        if column["is_vendors"]:
            expect(heads.filter(has_text=re.compile(rf"(^|\D){column['name']}( \(UTC\))?$"))).not_to_have_count(0)


def open_first(page: Page) -> Locator:
    page.get_by_role("grid").locator("tr[data-index='0'] td[data-column]").first.click()
    return page.get_by_role("complementary", name="Row")


def test_a_forwarder_holds_messages_with_their_hops_and_time_and_they_are_copied(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{LIVE}/forwarded")
    expect(page.get_by_text("Nothing is in transit: HUB forwards")).to_be_visible()
    check_barriers(page)
    with berlin_stopped(page):
        dialog = Waiting(page, THROUGH_HUB)
        dialog.send(3)
        grid = page.get_by_role("grid", name="Forwarded")
        expect(grid).to_have_attribute("aria-rowcount", "4")
        first = grid.locator("tr[data-index='0']")
        expect(first).to_contain_text("TCP://berlin:4022")
        expect(first.locator("td[data-column='time_consumed']")).to_have_text(re.compile(r"^\d+ of 60 s$"))
        sums = page.get_by_role("region", name="In transit, by forwarder").get_by_role("row").filter(has_text="HUB")
        expect(sums.get_by_role("cell").nth(0)).to_have_text("3")
        expect(sums.get_by_role("cell").nth(1)).to_have_text(re.compile("kB of 10 MB"))
        expect(page.get_by_text("Forwarding is off at BERLIN, LYON, PARIS.")).to_be_visible()
        drops = page.get_by_role("region", name="Dropped, by reason")
        expect(drops.get_by_role("row").filter(has_text="11288")).to_contain_text("Harmless")
        check_barriers(page)

        page.get_by_role("button", name="Copy").click()
        expect(page.get_by_text("3 rows copied")).to_be_visible()
        lines = page.evaluate("navigator.clipboard.readText()").split("\r\n")
        assert "hops_remaining" in lines[0].split("\t")
        assert [line.count("TCP://berlin:4022") for line in lines[1:]] == [1, 1, 1]

        drawer = open_first(page)
        expect(drawer).to_contain_text("It waits here until the connection to its next hop is up.")
        check_barriers(page)
        page.keyboard.press("Escape")
        all_columns_are_there(page, "forwarded")
        dialog.give_up()


@pytest.mark.slow
def test_a_mirrored_pair_tells_who_is_the_principal_and_why_messages_wait(page: Page) -> None:
    page.goto(f"{LIVE}/mirrors")
    card = page.get_by_role("list", name="Mirrored pairs").get_by_role("listitem")
    expect(card).to_contain_text("PARIS has not used the route since it was started")
    expect(card.get_by_text("Unknown")).to_have_count(3)
    check_barriers(page)

    dialog = Waiting(page, TO_THE_MIRROR)
    dialog.send(1)
    seen = card.get_by_role("row").filter(has_text="PARIS")
    expect(seen.get_by_role("cell").nth(0)).to_have_text("Principal")
    expect(card).to_contain_text("PARIS sends to the principal.")
    with berlin_stopped(page):
        dialog.send(1)
        expect(seen.get_by_role("cell").nth(0)).to_have_text("Not connected")
        expect(card).to_contain_text("needs a look")
        row = page.get_by_role("grid", name="Mirrors").locator("tr[data-index='0']")
        expect(row.locator("td[data-column='address_state']")).to_have_text("Not connected")
        drawer = open_first(page)
        expect(drawer).to_contain_text("A broker knows neither witness nor quorum")
        check_barriers(page)
    dialog.give_up()


@pytest.mark.slow
def test_a_queue_that_is_off_says_so_with_what_follows_from_it(page: Page) -> None:
    page.goto(f"{LIVE}/queues")
    grid = page.get_by_role("grid", name="Queues and activation")
    row = grid.get_by_role("row").filter(has_text="dbo.Commandes reçues")
    expect(row.locator("td[data-column='is_receive_enabled']")).to_have_text("On")
    expect(row.locator("td[data-column='state']")).to_have_text("no monitor")
    off = page.get_by_role("button", name=re.compile(r"^Off \d"))
    expect(off).to_have_text(re.compile("0$"))
    switch_queue(page, is_enabled=False)
    try:
        expect(off).to_have_text(re.compile("1$"))
        off.click()
        expect(grid).to_have_attribute("aria-rowcount", "2")
        drawer = open_first(page)
        expect(drawer).to_contain_text("While it is off, RECEIVE is refused and activation stops.")
        expect(drawer).to_contain_text("No reader runs.")
        link = drawer.get_by_role("link", name="Conversations of //exemple.fr/Commandes/Réception")
        expect(link).to_have_attribute("href", re.compile("live/conversations.*text="))
        check_barriers(page)
        all_columns_are_there(page, "queues")
    finally:
        switch_queue(page, is_enabled=True)
    expect(page.get_by_text("This row has left the view.")).to_be_visible()


def switch_queue(page: Page, *, is_enabled: bool) -> None:
    queue = quote("dbo.Commandes reçues")
    post(page, f"instances/LYON/databases/{quote('Entrepôt')}/queues/{queue}/status", {"is_enabled": is_enabled})


@pytest.mark.slow
def test_connections_tell_who_is_there_and_how_much_goes_over_them(page: Page) -> None:
    page.goto(f"{LIVE}/connections")
    with traffic(page):
        grid = page.get_by_role("grid", name="Connections")
        row = grid.get_by_role("row").filter(has_text="TCP://lyon:4022")
        expect(row.locator("td[data-column='state_desc']")).to_have_text("LOGGED_IN")
        expect(row.locator("td[data-column='peer_instance']")).to_have_text("LYON")
        rate = row.locator("td[data-column='bytes_sent_per_second']")
        expect(rate).to_have_text(re.compile(r"^[\d.,]+ k?B?(byte)?/s$"))
        endpoints = page.get_by_role("region", name="Endpoints that listen").get_by_role("row").filter(has_text="LYON")
        expect(endpoints).to_contain_text("STARTED")
        check_barriers(page)
        row.locator("td[data-column='state_desc']").click()
        drawer = page.get_by_role("complementary", name="Row")
        expect(drawer).to_contain_text("12 · ONLINE")
        check_barriers(page)
        page.keyboard.press("Escape")
        all_columns_are_there(page, "connections")
    with berlin_stopped(page):
        dialog = Waiting(page, TO_THE_MIRROR)
        dialog.send(1)
        failing = page.get_by_role("button", name=re.compile("^Failing [1-9]"))
        expect(failing).to_be_visible()
        failing.click()
        expect(page.get_by_role("grid").locator("td[data-column='error']").first).to_contain_text(re.compile(r"97\d\d"))
        dialog.give_up()


@pytest.mark.slow
def test_counters_are_drawn_read_with_the_keyboard_and_stand_in_the_table(page: Page) -> None:
    page.goto(f"{LIVE}/counters")
    with traffic(page):
        chart = page.get_by_role("slider", name="SQL SENDs/sec")
        expect(chart).to_be_visible()
        expect(chart.locator("canvas")).to_be_visible()
        expect(chart).to_have_attribute("aria-valuetext", re.compile(r"PARIS [1-9][\d.]*/s"))
        check_barriers(page)
        # Otherwise time goes on under the crosshair.
        page.get_by_role("button", name="Pause").click()
        chart.focus()
        newest = chart.get_attribute("aria-valuenow")
        page.keyboard.press("Home")
        expect(chart).to_have_attribute("aria-valuenow", "0")
        assert newest != "0"
        # The crosshair is that of all charts.
        other = page.get_by_role("slider", name="SQL SEND Total")
        expect(other).to_have_attribute("aria-valuenow", "0")
        page.keyboard.press("ArrowRight")
        expect(other).to_have_attribute("aria-valuenow", "1")
        page.keyboard.press("Escape")
        expect(chart).to_have_attribute("aria-valuenow", chart.get_attribute("aria-valuemax") or "")
        page.get_by_role("button", name="Resume").click()

        page.get_by_role("textbox", name="Filter rows").fill("SQL SENDs/sec")
        row = page.get_by_role("grid").get_by_role("row").filter(has_text="PARIS")
        expect(row).to_have_count(1)
        expect(row.locator("td[data-column='figure']")).to_have_text(re.compile(r"^[1-9][\d.]*/s$"))
        expect(page.get_by_role("slider")).to_have_count(1)
        all_columns_are_there(page, "counters")
    page.get_by_role("textbox", name="Filter rows").fill("Corrupted Messages Total")
    expect(page.get_by_text("Nothing has moved since this page was opened.")).to_be_visible()
    page.get_by_role("button", name="Show 1 chart at rest").click()
    expect(page.get_by_role("slider", name="Corrupted Messages Total")).to_be_visible()


@pytest.mark.slow
def test_the_trace_has_the_newest_first_with_a_column_for_each_of_the_vendors(page: Page) -> None:
    page.goto(f"{LIVE}/trace")
    with traffic(page):
        page.get_by_role("button", name=re.compile(r"^Conversations [1-9]\d*$")).click()
        grid = page.get_by_role("grid", name="Trace")
        expect(grid.get_by_role("row").filter(has_text="SEND Message").first).to_be_visible()
    page.goto(f"{LIVE}/trace?events=conversations&instance=PARIS")
    expect(grid.locator("tr[data-index='2']")).to_be_visible()
    numbers = grid.locator("td[data-column='EventSequence']").all_inner_texts()
    assert [int(number) for number in numbers] == sorted((int(number) for number in numbers), reverse=True)
    classes = set(grid.locator("td[data-column='EventClass']").all_inner_texts())
    assert classes <= {"124", "136", "149"}
    check_barriers(page)
    drawer = open_first(page)
    expect(drawer).to_contain_text("As it came")
    expect(drawer).to_contain_text('"EventSequence"')
    check_barriers(page)
    page.keyboard.press("Escape")
    all_columns_are_there(page, "trace")
    heads = [text.split("\n")[-1] for text in grid.get_by_role("columnheader").all_inner_texts()]
    assert {"TextData", "GUID", "Severity", "BigintData2", "BinaryData"} <= set(heads)
