"""Opens a folded estate of 5,000 nodes, and pans over it and over an unfolded one: our components in a real browser."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.benchmarks.canvas.dashboard import Dashboard
from tests.benchmarks.canvas.estates import BOXES, script
from tests.support.login_links import log_in_by
from tests.support.running import REPOSITORY

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

ROUNDS = int(os.environ.get("ROUNDS") or 5)
PAN_FRAMES = 240
NODES = 1000
"""Of the estate that is panned: instances and databases."""
SCREEN = {"width": 1920, "height": 1080}
PROBES = (Path(__file__).parent / "probes.js").read_text(encoding="utf-8")
LIVE = (Path(__file__).parent / "live.js").read_text(encoding="utf-8")
Show = Callable[[str, list[list[str]]], None]


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    if not (REPOSITORY / "frontend" / "dist" / "index.html").exists():
        pytest.skip("the front end is not built")
    made = Dashboard(tmp_path_factory.mktemp("dashboard"))
    made.manage("prepare")
    for nodes in (1000, 5000):
        made.load(f"nodes-{nodes}", script(nodes // BOXES))
    with made.served():
        yield made


@pytest.fixture(scope="module")
def context(dashboard: Dashboard, chromium_launch_options: dict[str, object]) -> Iterator[BrowserContext]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(**chromium_launch_options)
        made = new_context(chromium, dashboard)
        log_in_by(dashboard.login_link(), made.new_page())
        yield made
        chromium.close()


def new_context(
    chromium: Browser, dashboard: Dashboard, cookies: list[dict[str, object]] | None = None
) -> BrowserContext:
    made = chromium.new_context(
        viewport=SCREEN,
        base_url=dashboard.address,
        storage_state={"cookies": cookies or []},
        # `wait_for_function` makes scripts of texts, which the policy of the pages refuses.
        bypass_csp=True,
    )
    made.add_init_script(PROBES)
    return made


def test_an_estate_of_5000_nodes_opens_folded(dashboard: Dashboard, context: BrowserContext, show: Show) -> None:
    """From navigation to the first frame with a node in it, server included; each time with an empty cache."""
    chromium = context.browser
    assert chromium is not None
    opened, answered, answers = [], [], 0
    for _ in range(ROUNDS):
        fresh = new_context(chromium, dashboard, context.cookies())
        page = fresh.new_page()
        page.goto("/estates/nodes-5000/topology")
        page.wait_for_function("window.canvasProbe.firstNode !== null", timeout=120_000)
        opened.append(page.evaluate("window.canvasProbe.firstNode"))
        asked, *_again = json.loads(
            page.evaluate(
                "JSON.stringify(performance.getEntriesByType('resource')"
                ".filter(({name}) => /api.v1.estates.nodes-5000$/.test(name)))"
            )
        )
        answered.append(asked["responseEnd"] - asked["requestStart"])
        answers = asked["decodedBodySize"]
        fresh.close()
    show(
        "open an estate of 5,000 nodes, folded",
        [
            ["", "median", "fastest", "slowest"],
            ["first paint of the canvas, s", *_spread(opened)],
            [f"of it the topology ({answers / 2**20:.1f} MiB), s", *_spread(answered)],
        ],
    )


def test_a_drawing_of_1000_nodes_is_panned(context: BrowserContext, show: Show) -> None:
    """A frame is from one step of the hand to the next picture. With all in view, instances are chips with lines."""
    page = context.new_page()
    page.goto("/estates/nodes-1000/topology?panel=closed")
    page.get_by_role("button", name="Unfold all instances").click(timeout=60_000)
    page.get_by_role("button", name="Fold all instances").wait_for(timeout=60_000)
    _wait_for_boxes(page, NODES // BOXES)
    rows = [["", "boxes in the document", "lines", "median", "p95", "slowest"]]
    rows.append(["all in view, ms", *_panned(page, 60)])
    for name in ("card", "full"):
        while page.locator("[data-level]").first.get_attribute("data-level") != name:
            page.get_by_role("button", name="Zoom in").click()
            page.wait_for_timeout(300)
        rows.append([f"zoomed in to level {name}, ms", *_panned(page, 200)])
    show("pan over an estate of 1,000 nodes, unfolded", rows)


def test_a_drawing_of_500_folded_instances_is_panned(context: BrowserContext, show: Show) -> None:
    """Every instance of 5,000 nodes, and all lines between them: more is not drawn at once."""
    page = context.new_page()
    page.goto("/estates/nodes-5000/topology?panel=closed")
    _wait_for_boxes(page, 400)
    rows = [["", "boxes in the document", "lines", "median", "p95", "slowest"]]
    rows.append(["all in view, ms", *_panned(page, 60)])
    show("pan over an estate of 5,000 nodes, folded", rows)


def test_a_drawing_on_which_everything_is_live_is_panned(context: BrowserContext, show: Show) -> None:
    """Every line with a rate and every box with a ring, told anew once a second: no estate is as busy."""
    rows = [["", "boxes in the document", "lines", "median", "p95", "slowest"]]
    for nodes, boxes in ((1000, 100), (5000, 400)):
        page = context.new_page()
        page.add_init_script(LIVE.replace("INSTANCES", str(nodes // BOXES)))
        page.goto(f"/estates/nodes-{nodes}/topology?panel=closed")
        _wait_for_boxes(page, boxes)
        page.wait_for_function(
            "() => document.querySelectorAll('[data-flow][data-verdict=delivered]').length"
            " === document.querySelectorAll('[data-line]').length"
        )
        rows.append([f"{nodes:,} nodes folded, all in view, ms", *_panned(page, 60)])
        page.close()
    show("pan over an estate on which everything is live", rows)


def _wait_for_boxes(page: Page, count: int) -> None:
    page.wait_for_function(f"document.querySelectorAll('.react-flow__node').length >= {count}", timeout=120_000)
    # Findings come after the drawing, and are drawn into it.
    page.wait_for_timeout(5000)


def _panned(page: Page, radius: int) -> list[str]:
    nodes, lines = (page.locator(each).count() for each in (".react-flow__node", "[data-line]"))
    frames = sorted(page.evaluate(f"window.canvasProbe.pan({PAN_FRAMES}, {radius})"))
    return [
        f"{nodes:,}",
        f"{lines:,}",
        *(f"{each:.1f}" for each in (statistics.median(frames), frames[int(len(frames) * 0.95)], frames[-1])),
    ]


def _spread(milliseconds: list[float]) -> list[str]:
    return [f"{each / 1000:.2f}" for each in (statistics.median(milliseconds), min(milliseconds), max(milliseconds))]
