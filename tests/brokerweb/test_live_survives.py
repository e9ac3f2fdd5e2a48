"""Parts of a deployment are killed under load: whoever looks sees by himself, within fifteen seconds, what is."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

import httpx
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
GIVES_UP_SECONDS = 90.0
"""How long a part may take to start, on a machine that has other things to do."""
DOWN_SECONDS = 1.0
MESSAGES_A_SECOND = 50.0
CHANGES = 200
"""Changes of conversations after which a tab has seen load."""
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
    """What HTTP shows of a topic, in the shape of a fold; None while nobody answers, or not for every instance."""
    try:
        answer = client.get(f"estates/{ESTATE}/live/{topic.topic}", params=topic.params)
    except httpx.HTTPError:
        return None
    if answer.status_code != 200:
        return None
    told = answer.json()
    if any("unavailable" in facts for facts in told["facts"].values() if isinstance(facts, dict)):
        return None
    return told["keys"], told["rows"]


def held(topic):
    return list(topic.table.rows), [list(row) for row in msgspec.to_builtins(list(topic.table.rows.values()))]


async def until_current(tab):
    """Until the tab shows conversations of the traffic."""
    async with asyncio.timeout(GIVES_UP_SECONDS):
        while not (tab.is_current and any(each.table.rows for each in tab.topics if each.topic == "conversations")):  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def until_busy(tab):
    """Until the tab has heard of a good many changes."""
    [conversations] = [topic for topic in tab.topics if topic.topic == "conversations"]
    assert conversations.cursor is not None
    enough = conversations.cursor.seq + CHANGES
    async with asyncio.timeout(GIVES_UP_SECONDS):
        while conversations.cursor.seq < enough:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def recovered(tab, client):
    """Seconds from when HTTP shows everything again until every fold is current and exactly what is."""
    began, answers_at = time.monotonic(), float("inf")
    while time.monotonic() < began + GIVES_UP_SECONDS:
        shown = await asyncio.to_thread(lambda: [fresh(client, topic) for topic in tab.topics])
        now = time.monotonic()
        if None not in shown:
            answers_at = min(answers_at, now)
            if tab.is_current and shown == [held(topic) for topic in tab.topics]:
                return now - answers_at
        await asyncio.sleep(0.1)
    return float("inf")


@pytest.mark.parametrize("part", ["web", "redis", "worker"])
async def test_a_tab_recovers_by_itself_to_what_is(product, traffic, part):
    running, client = product
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    tab = LiveTab(running.address, cookie, TOPICS, lambda _topic, _events: None)
    following = asyncio.create_task(tab.run())
    try:
        await until_current(tab)
        await until_busy(tab)
        await asyncio.to_thread(running.kill, part)
        # The load ends while the part is away: what was sent until then is what is to be seen.
        await asyncio.sleep(DOWN_SECONDS)
        traffic.kill()
        await asyncio.to_thread(running.start, part)
        seconds = await recovered(tab, client)
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
    assert seconds <= RECOVERS_SECONDS, {topic.topic: (topic.is_current, held(topic)[0][:3]) for topic in tab.topics}
    assert not tab.refusals
