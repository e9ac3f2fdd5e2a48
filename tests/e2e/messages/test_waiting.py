"""The console waits for a message: while it waits, when one comes, and when it is stopped."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.care.test_databases import ESTATE, post
from tests.e2e.conftest import check_barriers
from tests.support.running import database_path
from tests.support.thoroughness import share
from tests.support.waiting import until

pytestmark = pytest.mark.browser

DATABASE, QUEUE = "Entrepôt", "dbo.Commandes reçues"
SENDER, SERVICE = "//exemple.fr/Expédition/Suivi", "//exemple.fr/Commandes/Réception"


def waiting(page: Page) -> Locator:
    """The console with the queue chosen, once it waits; answers the clock."""
    queue = "/".join(quote(part, safe="") for part in ("LYON", DATABASE, QUEUE))
    page.goto(f"/estates/{ESTATE}/console?queue={quote(queue, safe='')}")
    page.get_by_role("button", name="Wait for a message").click()
    timer = page.get_by_role("timer")
    expect(timer).to_have_text(re.compile(r"^([12]\d|30) seconds left$"))
    return timer


def middle(place: Locator) -> float:
    box = place.bounding_box()
    assert box is not None
    return box["y"] + box["height"] / 2


SIZES_AND_THEMES = [(1280, "dark"), (1280, "light"), (1920, "light"), (1920, "dark")]


@pytest.mark.parametrize(("width", "scheme"), share(SIZES_AND_THEMES, 1))
def test_a_wait_is_shown_in_one_line_and_can_be_stopped(page: Page, width: int, scheme: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    timer = waiting(page)
    stop = page.get_by_role("button", name="Stop waiting")
    until(lambda: abs(middle(timer) - middle(stop)) < 2, what="the button and the seconds in one line")
    check_barriers(page)
    stop.click()
    expect(page.get_by_text(f"No longer waiting for {QUEUE}")).to_be_visible()
    expect(timer).to_have_count(0)


def test_what_comes_while_it_waits_is_received(page: Page) -> None:
    timer = waiting(page)
    base = database_path(ESTATE, "LYON", DATABASE)
    estate = page.request.get(f"/api/v1/estates/{ESTATE}").json()
    lyon = next(each for each in estate["instances"] if each["name"] == "LYON")
    database = next(each for each in lyon["databases"] if each["name"] == DATABASE)
    contract = next(each for each in database["services"] if each["name"] == SERVICE)["contracts"][0]
    uses = next(each for each in database["contracts"] if each["name"] == contract)["uses"]
    message_type = next(use["message_type"] for use in uses if use["sent_by"] != "TARGET")
    begin = {"from_service": SENDER, "to_service": SERVICE, "contract": contract}
    handle = post(page, f"{base}/conversations", begin)["conversation_handle"].upper()
    body = "<Commande n='1'/>"
    post(page, f"{base}/conversations/{handle}/messages", {"message_type": message_type, "bodies": [body]})
    expect(page.get_by_text(f"1 message received from {QUEUE}")).to_be_visible()
    expect(page.get_by_text(body)).to_be_visible()
    expect(timer).to_have_count(0)
