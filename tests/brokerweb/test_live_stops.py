"""A dashboard that is told to stop does so soon, also while it waits for an engine that is not there."""

from __future__ import annotations

import asyncio

import pytest
from redis import Redis

from engine.hosting.app import queue_of
from tests.benchmarks.canvas.estates import script
from tests.support.deployed import Deployed, answers
from tests.support.live_tab import LiveTab
from tests.support.redis_server import NO_REDIS, has_redis
from tests.support.running import READY_SECONDS, Client
from tests.support.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200), pytest.mark.skipif(not has_redis(), reason=NO_REDIS)]

INSTANCES = 90
"""So many that asking all of them, each in vain, takes half a minute."""


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
        until(lambda: answers(product), seconds=READY_SECONDS, what="the dashboard answers")
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
        code = await asyncio.to_thread(product.stop, "web")
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
    assert code == 0
    # It has not asked the rest before it went.
    assert 0 < asked(product) < INSTANCES


def asked(product):
    """How many instances the dashboard has asked: each has a queue in Redis, and nobody takes from it."""
    with Redis.from_url(product.redis.url) as client:
        return len(set(client.scan_iter(match=f"*{queue_of('many', '')}*", _type="list")))


def _silent(topic):
    return sum("unavailable" in facts for facts in topic.table.facts.values() if isinstance(facts, dict))
