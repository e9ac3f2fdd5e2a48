"""Wake-ups cross from the engine's threads to the server's loop at once, and never fail what is already committed."""

import asyncio
import threading

from channels.layers import get_channel_layer

from brokerweb.common.channel_layer import LocalChannelLayer
from brokerweb.common.wakeups import estate_group, wake_instance_watchers, wake_topology_watchers


async def in_another_thread(function, *arguments):
    """Runs a function in a thread without touching this loop, and waits for what it caused, not for its end."""
    threading.Thread(target=function, args=arguments).start()


async def test_a_wake_up_from_another_thread_arrives_at_once():
    layer = get_channel_layer()
    assert isinstance(layer, LocalChannelLayer)
    channel = await layer.new_channel()
    await layer.group_add(estate_group("démo"), channel)
    await in_another_thread(wake_instance_watchers, "démo", "PARIS", 7)
    async with asyncio.timeout(5):
        message = await layer.receive(channel)
    assert message == {"type": "live.instance_woke", "instance": "PARIS", "sequence": 7}


async def test_only_watchers_of_the_estate_are_woken():
    layer = get_channel_layer()
    watcher, other = await layer.new_channel(), await layer.new_channel()
    await layer.group_add(estate_group("demo"), watcher)
    await layer.group_add(estate_group("Demo"), other)
    await in_another_thread(wake_topology_watchers, "demo")
    async with asyncio.timeout(5):
        assert await layer.receive(watcher) == {"type": "live.topology_woke"}
    assert other not in layer.channels


def test_without_anybody_who_listens_a_wake_up_is_nothing():
    wake_topology_watchers("nobody looks at this one")
