"""Wake-ups cross from the engine's threads to the server's loop at once, and never fail what is already committed."""

import asyncio
import json
import threading

import pytest
from channels.layers import get_channel_layer

from brokerweb.common import layer_thread
from brokerweb.common.channel_layer import LocalChannelLayer
from brokerweb.common.layer_thread import LayerThread
from brokerweb.common.wakeups import (
    WAKE_UP_BYTES_MAX,
    estate_group,
    instance_key,
    wake_instance_watchers,
    wake_topology_watchers,
)
from tests.support.waiting import SECONDS_MAX


async def in_another_thread(function, *arguments):
    """Runs a function in a thread without touching this loop, and waits for what it caused, not for its end."""
    threading.Thread(target=function, args=arguments).start()


async def test_a_wake_up_from_another_thread_arrives_at_once():
    layer = get_channel_layer()
    assert isinstance(layer, LocalChannelLayer)
    channel = await layer.new_channel()
    await layer.group_add(estate_group("démo"), channel)
    await in_another_thread(wake_instance_watchers, "démo", "PARIS", 7)
    async with asyncio.timeout(SECONDS_MAX):
        message = await layer.receive(channel)
    group, key = estate_group("démo"), instance_key("PARIS")
    assert message == {"type": "live.instance_woke", "estate": group, "instance": key, "sequence": 7}


async def test_a_wake_up_is_handed_over_in_one_step_so_that_a_loop_that_ends_leaves_no_task():
    layer = get_channel_layer()
    channels = [await layer.new_channel() for _ in range(2)]
    for channel in channels:
        await layer.group_add(estate_group("ends"), channel)
    before = asyncio.all_tasks()
    thread = threading.Thread(target=wake_topology_watchers, args=("ends",))
    thread.start()
    thread.join()
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before
    assert [layer.channels[channel].qsize() for channel in channels] == [1, 1]


async def test_a_watcher_whose_queue_is_full_holds_up_nobody():
    layer = get_channel_layer()
    full, other = await layer.new_channel(), await layer.new_channel()
    for _ in range(layer.get_capacity(full)):
        await layer.send(full, {"type": "filled"})
    for channel in (full, other):
        await layer.group_add(estate_group("full"), channel)
    await in_another_thread(wake_topology_watchers, "full")
    async with asyncio.timeout(SECONDS_MAX):
        assert (await layer.receive(other))["type"] == "live.topology_woke"
    assert (await layer.receive(full))["type"] == "filled"


async def test_only_watchers_of_the_estate_are_woken():
    layer = get_channel_layer()
    watcher, other = await layer.new_channel(), await layer.new_channel()
    await layer.group_add(estate_group("demo"), watcher)
    await layer.group_add(estate_group("Demo"), other)
    await in_another_thread(wake_topology_watchers, "demo")
    async with asyncio.timeout(SECONDS_MAX):
        assert await layer.receive(watcher) == {"type": "live.topology_woke", "estate": estate_group("demo")}
    assert other not in layer.channels


async def test_a_wake_up_is_short_however_long_the_names_are():
    layer = get_channel_layer()
    estate, instance = "é" * 128, "中" * 128
    channel = await layer.new_channel()
    await layer.group_add(estate_group(estate), channel)
    await in_another_thread(wake_instance_watchers, estate, instance, 2**53)
    async with asyncio.timeout(SECONDS_MAX):
        message = await layer.receive(channel)
    assert len(json.dumps(message)) < WAKE_UP_BYTES_MAX


def test_without_anybody_who_listens_a_wake_up_is_nothing():
    wake_topology_watchers("nobody looks at this one")


def test_every_word_is_said_on_one_loop_from_whatever_thread():
    thread, loops = LayerThread(), set()

    async def say():
        loops.add(asyncio.get_running_loop())

    threads = [threading.Thread(target=thread.run, args=(say,)) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(loops) == 1


def test_what_fails_over_an_old_connection_is_said_again_and_then_it_is_an_error():
    thread, tried = LayerThread(), []

    async def say(failures):
        tried.append(len(tried))
        if len(tried) <= failures:
            raise OSError("the other side has gone")

    thread.run(lambda: say(1))
    assert tried == [0, 1]
    tried.clear()
    with pytest.raises(OSError, match="gone"):
        thread.run(lambda: say(2))


def test_a_layer_that_hangs_holds_nobody_up_for_ever(monkeypatch):
    monkeypatch.setattr(layer_thread, "SECONDS_MAX", 0.05)
    with pytest.raises(TimeoutError):
        LayerThread().run(lambda: asyncio.sleep(60))
