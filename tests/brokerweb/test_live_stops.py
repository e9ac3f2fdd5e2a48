"""A dashboard that is told to stop does so within seconds, also while it waits for an engine that is not there."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.benchmarks.canvas.estates import script
from tests.support.deployed import Deployed, answers
from tests.support.live_tab import LiveTab
from tests.support.redis_server import NO_REDIS, has_redis
from tests.support.running import Client, eventually

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200), pytest.mark.skipif(not has_redis(), reason=NO_REDIS)]

INSTANCES = 90
"""So many that asking all of them, each in vain, takes half a minute."""
STOPS_SECONDS = 10.0


@pytest.fixture
def dashboard(tmp_path):
    """Redis and the web process; nobody hosts."""
    product = Deployed(tmp_path)
    try:
        product.prepare()
        file = tmp_path / "many.sql"
        file.write_text(script(INSTANCES), encoding="utf-8")
        product.manage("tsql_import", str(file), "--estate", "many")
        product.start("web")
        eventually(lambda: answers(product), within=60, what="the dashboard answers")
        with Client.logged_in(product.login_link()) as client:
            yield product, client
    finally:
        product.end()


async def test_it_stops_while_readings_wait_for_an_engine_that_is_not_there(dashboard):
    product, client = dashboard
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    topics = [("many", topic, {}) for topic in ("instances", "queues", "transmissions", "mirrors")]
    tab = LiveTab(product.address, cookie, topics, lambda _topic, _events: None)
    following = asyncio.create_task(tab.run())
    try:
        # Some instances are found silent, most of them are still being asked.
        async with asyncio.timeout(60):
            while not any(_silent(topic) for topic in tab.topics):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert all(_silent(topic) < INSTANCES for topic in tab.topics)
        began = time.monotonic()
        code = await asyncio.to_thread(product.stop, "web")
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
    assert code == 0
    assert time.monotonic() - began < STOPS_SECONDS


def _silent(topic):
    return sum("unavailable" in facts for facts in topic.table.facts.values() if isinstance(facts, dict))
