"""The queue that these journeys send to is empty before each of them."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from tests.e2e.live_pages import LIVE, post

QUEUE = f"instances/LYON/databases/{quote('Entrepôt')}/queues/{quote('dbo.Commandes reçues')}"


@pytest.fixture(autouse=True)
def empty_queue(page: Page) -> None:
    """Receive what earlier journeys have left in it."""
    page.goto(f"{LIVE}/queues")
    while post(page, f"{QUEUE}/receive", {"top": 1000})["messages"]:
        pass
