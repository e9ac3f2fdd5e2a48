"""Traffic in the live engine, its export, a run on Spark, its chart and table, and a trace: all by a browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from deltalake import DeltaTable
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import check_barriers
from tests.support.running import Running
from tests.support.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ESTATE = "/estates/demo-fr-de"
RUN_MILLISECONDS_MAX = 180_000
"""A run starts Spark first; the machine may be busy."""


def test_traffic_is_exported_and_its_delivery_is_charted(page: Page, product: tuple[Running, str]) -> None:
    sent = _sent_by_traffic(page)

    page.goto(ESTATE)
    page.get_by_role("link", name="Analytics").click()
    expect(page.get_by_role("heading", name="Analytics", level=1)).to_be_visible()
    _export(page)
    check_barriers(page)

    page.get_by_role("radio", name="Delivery").click()
    page.get_by_role("button", name="Start the run").click()
    hourly = page.get_by_role("region", name="By hour")
    expect(hourly.get_by_role("slider", name="Latency by hour")).to_be_visible(timeout=RUN_MILLISECONDS_MAX)
    expect(hourly.locator("canvas").first).to_be_visible()
    expect(page.get_by_text(re.compile(r"^Computed .* from [\d,]+ events"))).to_be_visible()
    check_barriers(page)

    service = page.locator('section[data-table="by_service"]')
    wanted = _messages_in_the_lake(product[0].data_directory)
    until(lambda: sum(_figures(service, "Messages")) == wanted, what=f"{wanted} messages, by service")
    assert wanted >= sent > 0


@pytest.mark.parametrize(
    ("job", "charts"),
    [
        ("Audit", ["Exactly once and in order"]),
        ("Paths", ["Ways", "Links", "Routes", "Copies of services"]),
    ],
)
def test_what_is_told_of_every_message_is_charted(page: Page, job: str, charts: list[str]) -> None:
    _with_a_lake(page)
    page.get_by_role("radio", name=job).click()
    page.get_by_role("button", name="Start the run").click()
    for name in charts:
        # Once a table is there, it is a region of that name as well, within the first one.
        region = page.get_by_role("region", name=name, exact=True).first
        expect(region).to_be_visible(timeout=RUN_MILLISECONDS_MAX)
    check_barriers(page)


def test_what_a_draft_does_to_all_conversations_leads_to_one_of_them_and_onto_the_map(page: Page) -> None:
    _with_a_lake(page)
    number = _draft(page, "USE Ventes; DROP ROUTE [Vers la réception];")
    page.reload()
    page.get_by_role("radio", name="What-if for all").click()
    page.get_by_role("combobox", name="Draft").click()
    page.get_by_role("option", name=re.compile(f"^#{number}")).click()
    page.get_by_role("button", name="Start the run").click()

    lost = page.get_by_role("button", name="Samples: Lost")
    expect(lost).to_be_visible(timeout=RUN_MILLISECONDS_MAX)
    expect(page.get_by_text(re.compile(r"^\d+ of \d+ conversations? changes?\.$"))).to_be_visible()
    check_barriers(page)

    page.get_by_role("button", name="Show on the map").click()
    expect(page.get_by_text(re.compile(f"^What-if for all: .*#{number}"))).to_be_visible()
    expect(page.locator("path[data-change=lost]").first).to_be_attached()
    check_barriers(page)
    page.go_back()

    lost.click()
    samples = page.get_by_role("heading", name="Sample conversations").locator("xpath=../..")
    expect(samples.get_by_text("//exemple.fr/Commandes/Réception").first).to_be_visible()
    check_barriers(page)
    samples.get_by_role("link", name="Open in what-if").last.click()
    expect(page).to_have_url(re.compile(f"draft={number}"))
    expect(page.locator("[data-flag]")).to_have_text("No route")


def test_a_trace_of_a_real_server_is_imported_and_taken_out_again(page: Page, tmp_path: Path) -> None:
    trace = tmp_path / "profiler.csv"
    rows = ["EventClass,StartTime,EventSubClass", "124,2026-11-26T06:00:00,11 - BEGIN DIALOG", "SQL:BatchCompleted,,"]
    trace.write_bytes("\r\n".join(rows).encode("utf-16"))
    page.goto(f"{ESTATE}/analytics")
    dialog = _trace_dialog(page, trace)
    check_barriers(page)
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("1 row taken, 1 rejected.")).to_be_visible(timeout=RUN_MILLISECONDS_MAX)
    expect(page.get_by_text("1 × no event class of the broker")).to_be_visible()
    check_barriers(page)

    page.get_by_role("button", name="Close this message").click()
    dialog = _trace_dialog(page, trace)
    dialog.get_by_text("Take out again").click()
    check_barriers(page)
    dialog.get_by_role("button", name="Take out", exact=True).click()
    expect(page.get_by_text("1 row taken out; 1 rejected row deleted.")).to_be_visible(timeout=RUN_MILLISECONDS_MAX)
    check_barriers(page)


def _trace_dialog(page: Page, trace: Path) -> Locator:
    """The dialog that asks for a trace, with one of PARIS chosen."""
    page.get_by_role("button", name="Import a trace").click()
    dialog = page.get_by_role("dialog", name="A trace of a real server")
    page.locator("input[type=file]").set_input_files(trace)
    expect(dialog.get_by_role("button", name="CSV file")).to_have_text("profiler.csv")
    dialog.get_by_role("combobox", name="Instance").click()
    page.get_by_role("option", name="PARIS").click()
    return dialog


def _export(page: Page) -> None:
    page.get_by_role("button", name="Export now").click()
    expect(page.get_by_text("Exported. The lake has what the instances had.")).to_be_visible(
        timeout=RUN_MILLISECONDS_MAX
    )


def _with_a_lake(page: Page) -> None:
    """The page Analytics, with events in the lake: those of an earlier test, if one has left some."""
    if page.request.get("/api/v1/estates/demo-fr-de/lake").json()["events"] == 0:
        _sent_by_traffic(page)
        page.goto(f"{ESTATE}/analytics")
        _export(page)
    page.goto(f"{ESTATE}/analytics")


def _draft(page: Page, script: str) -> int:
    """A draft of what a script does in PARIS."""
    token = next(each["value"] for each in page.context.cookies() if each["name"] == "brokerweb_csrftoken")
    answer = page.request.post(
        "/api/v1/imports",
        headers={"X-CSRFToken": token, "Referer": page.url},
        data={
            "estate": "demo-fr-de",
            "files": [{"name": "draft.sql", "text": script}],
            "dry_run": False,
            "default_instance": "PARIS",
        },
    )
    assert answer.ok, answer.text()
    return int(answer.json()["change_set"])


def _sent_by_traffic(page: Page) -> int:
    """Let it run for a while; how many messages it says it has sent."""
    page.goto(f"{ESTATE}/traffic")
    page.get_by_role("button", name=re.compile("^Start")).click()
    rows = page.get_by_role("region", name="Pairs of services").get_by_role("row")
    expect(rows.nth(1).get_by_role("cell").nth(4)).to_have_text(re.compile(r"^[1-9][\d,]*\d$"))
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("status").filter(has_text="Stopped")).to_be_visible()
    cells = [row.get_by_role("cell").all_inner_texts() for row in rows.all()[1:]]
    return sum(int(row[3].replace(",", "")) for row in cells if row[3].replace(",", "").isdigit())


def _figures(table: Locator, column: str) -> list[int]:
    expect(table.get_by_role("columnheader", name=column, exact=True)).to_be_visible()
    titles = [title.strip() for title in table.get_by_role("columnheader").all_inner_texts()]
    at = titles.index(column)
    rows = [row.get_by_role("cell").all_inner_texts() for row in table.get_by_role("row").all()]
    return [int(re.sub(r"\D", "", row[at])) for row in rows if row]


def _messages_in_the_lake(data: Path) -> int:
    """Counted without Spark: messages that some end has told it sent."""
    columns = ["event", "conversation_handle", "message_sequence_number"]
    rows = DeltaTable(data / "pipeline" / "lake").to_pyarrow_table(columns=columns).to_pylist()
    sent = {"message-queued-for-transmission", "message-sent-directly"}
    return len(
        {
            (row["conversation_handle"], row["message_sequence_number"])
            for row in rows
            if row["event"] in sent and row["message_sequence_number"] >= 0
        }
    )
