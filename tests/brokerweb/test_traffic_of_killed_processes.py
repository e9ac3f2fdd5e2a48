"""Test traffic goes on after `kill -9`, and what the dead process had open is ended with the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.running import Client, Running, database_path
from tests.support.waiting import until

pytestmark = pytest.mark.slow

ESTATE = "demo-fr-de"
TRAFFIC = f"estates/{ESTATE}/traffic"


def sent(client: Client) -> int:
    return sum(pair["sent"] for pair in client.get(TRAFFIC).json()["pairs"])


def pairs_on_offer(client: Client) -> list[dict[str, Any]]:
    names = ("from_instance", "from_database", "from_service", "to_service")
    offers = client.get(f"{TRAFFIC}/offers").raise_for_status().json()
    return [{name: offer[name] for name in names} | offer["terms"][0] for offer in offers]


def open_ends(client: Client) -> list[tuple[str, str, str]]:
    """Ends of conversations that are not closed, in every database of the estate."""
    found = []
    for instance in client.topology(ESTATE)["instances"]:
        for database in instance["databases"]:
            where = database_path(ESTATE, instance["name"], database["name"])
            page = client.get(f"{where}/views/sys.conversation_endpoints?column=state&rows=1000").json()
            found += [(instance["name"], database["name"], row[0]) for row in page["rows"] if row[0] != "CD"]
    return found


def test_it_goes_on_after_a_kill_and_leaves_nothing_open(tmp_path: Path):
    product = Running(tmp_path)
    link = product.start()
    try:
        with Client.logged_in(link) as client:
            pairs = pairs_on_offer(client)
            assert len(pairs) == 5
            # Dialogs so long that every pair has one open when the process dies.
            body = {"pairs": pairs, "rate": 10.0, "dialog_messages": 1000}
            client.post_json(f"{TRAFFIC}/start", body).raise_for_status()
            until(lambda: sent(client) >= 100, what="a hundred messages")
            before = sent(client)
        product.kill()
        link = product.start()
        with Client.logged_in(link) as client:
            assert client.get(TRAFFIC).json()["state"] == "running"
            until(lambda: sent(client) > before + 50, what="traffic that goes on")
            client.post_json(f"{TRAFFIC}/stop", {}).raise_for_status()
            until(lambda: client.get(TRAFFIC).json()["state"] == "stopped", what="the end")
            assert client.get(TRAFFIC).json()["left_open"] == 0
            until(lambda: open_ends(client) == [], what="closed ends")
    finally:
        if product.is_running:
            assert product.stop() == 0


def test_a_process_that_is_told_to_stop_leaves_its_run_to_the_next(tmp_path: Path):
    product = Running(tmp_path)
    link = product.start()
    try:
        with Client.logged_in(link) as client:
            body = {"pairs": pairs_on_offer(client), "rate": 10.0}
            client.post_json(f"{TRAFFIC}/start", body).raise_for_status()
            until(lambda: sent(client) >= 100, what="a hundred messages")
            before = sent(client)
        assert product.stop() == 0
        link = product.start()
        with Client.logged_in(link) as client:
            until(lambda: sent(client) > before, what="traffic that goes on")
    finally:
        if product.is_running:
            product.stop()
