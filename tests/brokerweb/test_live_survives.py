"""Parts of a deployment are killed under load: whoever looks sees by himself, within fifteen seconds, what is."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from contextlib import suppress

import msgspec
import pytest

from tests.benchmarks.live.producers import Order
from tests.support.deployed import ESTATE, deployed
from tests.support.live_tab import LiveTab
from tests.support.redis_server import NO_REDIS, has_redis
from tests.support.running import REPOSITORY

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(not has_redis(), reason=NO_REDIS),
]

RECOVERS_SECONDS = 15.0
DOWN_SECONDS = 1.0
MESSAGES_A_SECOND = 50.0
TOPICS = [
    (ESTATE, "estate", {}),
    (ESTATE, "instances", {}),
    (ESTATE, "conversations", {"instances": ["PARIS"], "rows": 50}),
    (ESTATE, "transmissions", {}),
    (ESTATE, "queues", {}),
]


@pytest.fixture(scope="module")
def product(tmp_path_factory):
    with deployed(tmp_path_factory.mktemp("deployed")) as running:
        yield running


@pytest.fixture
def traffic(product):
    """Messages that go on whatever is killed; `stop` ends them."""
    running, _ = product
    order = Order(running.broker_url, str(running.engine_directory), ESTATE, MESSAGES_A_SECOND)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.live.producers", msgspec.json.encode(order).decode()],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    yield process
    process.kill()
    process.wait()


def fresh(client, topic):
    """What HTTP shows of a topic, in the shape of a fold; None while nobody answers."""
    answer = client.get(f"estates/{ESTATE}/live/{topic.topic}", params=topic.params)
    if answer.status_code != 200:
        return None
    told = answer.json()
    if any("unavailable" in facts for facts in told["facts"].values() if isinstance(facts, dict)):
        return None
    return told["keys"], told["rows"]


def held(topic):
    return list(topic.table.rows), [list(row) for row in msgspec.to_builtins(list(topic.table.rows.values()))]


async def recovered(tab, client, since):
    """Seconds until every fold is current and, once the traffic has ended, exactly what is."""
    while time.monotonic() - since < RECOVERS_SECONDS + 5:
        with suppress(Exception):
            if tab.is_current and all(
                (now := await asyncio.to_thread(fresh, client, topic)) is not None and now == held(topic)
                for topic in tab.topics
            ):
                return time.monotonic() - since
        await asyncio.sleep(0.1)
    return float("inf")


@pytest.mark.parametrize("part", ["web", "redis", "worker"])
async def test_a_tab_recovers_by_itself_to_what_is(product, traffic, part):
    running, client = product
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    tab = LiveTab(running.address, cookie, TOPICS, lambda _topic, _events: None)
    following = asyncio.create_task(tab.run())
    try:
        async with asyncio.timeout(30):
            while not (
                tab.is_current and any(topic.table.rows for topic in tab.topics if topic.topic == "conversations")
            ):
                await asyncio.sleep(0.1)
        await asyncio.sleep(3)
        await asyncio.to_thread(running.kill, part)
        # The load ends while the part is away: what was sent until then is what is to be seen.
        await asyncio.sleep(DOWN_SECONDS)
        traffic.kill()
        await asyncio.to_thread(running.start, part)
        seconds = await recovered(tab, client, time.monotonic())
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
    assert seconds <= RECOVERS_SECONDS, {topic.topic: (topic.is_current, held(topic)[0][:3]) for topic in tab.topics}
    assert not tab.refusals
