"""Parts of a deployment are killed under load: whoever looks sees by himself what is."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from contextlib import suppress

import httpx
import msgspec
import pytest

from brokerweb.live import protocol
from brokerweb.live.services import ear, follower
from tests.benchmarks.live.producers import Order
from tests.support.deployed import ESTATE, deployed
from tests.support.live_tab import LiveTab
from tests.support.redis_server import NO_REDIS, has_redis
from tests.support.running import REPOSITORY
from tests.support.waiting import until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(not has_redis(), reason=NO_REDIS),
]

RECOVERS_SECONDS = 15.0
"""So long the page may be wrong after all parts are back, however fast the machine is."""
GIVES_UP_SECONDS = 90.0
"""Only what never comes takes so long, whatever else the machine does."""
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


async def has_recovered(tab, client):
    """Whether every fold has become current, and exactly what HTTP shows."""
    with suppress(TimeoutError):
        async with asyncio.timeout(GIVES_UP_SECONDS):
            while True:
                shown = await asyncio.to_thread(lambda: [fresh(client, topic) for topic in tab.topics])
                if None not in shown and tab.is_current and shown == [held(topic) for topic in tab.topics]:
                    return True
                await asyncio.sleep(0.1)
    return False


def written_at(folder):
    """When something was written last in a folder of the engine."""
    return max(file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file())


def test_nothing_that_a_tab_waits_for_takes_longer_than_it_may():
    """A group that was lost is joined again, what came meanwhile is looked at, and a beat says that it is missing."""
    assert ear.JOIN_SECONDS + follower.LOOK_SECONDS + protocol.HEARTBEAT_SECONDS <= RECOVERS_SECONDS


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
        if part == "web":
            # Nobody is told of this.
            killed_at = time.time_ns()
            await asyncio.to_thread(
                until, lambda: written_at(running.engine_directory) > killed_at, what="messages meanwhile"
            )
        # The load ends while the part is away: what was sent until then is what is to be seen.
        traffic.kill()
        await asyncio.to_thread(running.start, part)
        is_right = await has_recovered(tab, client)
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
    assert is_right, {topic.topic: (topic.is_current, held(topic)[0][:3]) for topic in tab.topics}
    assert not tab.refusals
