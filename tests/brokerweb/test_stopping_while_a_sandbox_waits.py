"""Ctrl-C while a statement of a trainee waits: the server does not wait with it."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.support.running import Client, running

WAITING = {
    "instance": "PARIS",
    "database": "Ventes",
    "script": "CREATE QUEUE dbo.Begun; WAITFOR DELAY '20:00:00';",
}


def waits(client: Client, run: str) -> str:
    """How a script that waits for most of a day was answered."""
    try:
        answer = client.post_json(f"training/sessions/{run}/run", WAITING)
    except httpx.TransportError:
        return "the connection is closed"
    return f"{answer.status_code}"


def has_begun(client: Client, estate: str) -> bool:
    return "Begun" in client.get(f"estates/{estate}").raise_for_status().text


@pytest.mark.slow
def test_a_statement_that_waits_in_a_sandbox_does_not_hold_up_the_end(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as pool, running(tmp_path) as (product, client):
        session = client.post_json("training/sessions", {"scenario": "first-route", "mode": "learn"}).json()
        run, estate = session["run"]["id"], session["estate"]
        waiting = pool.submit(waits, client, run)
        while not has_begun(client, estate):
            assert not waiting.done(), waiting.result()
        assert product.stop() == 0
        # 200 would be the answer of a script that was let wait until its time was up.
        assert waiting.result() in ("the connection is closed", "503")
