"""What goes wrong beside the live view is not told as a state of the estate, and leaves nobody served unwatched."""

import asyncio

import pytest
from channels.layers import get_channel_layer
from django.db import OperationalError

from brokerweb.common.wakeups import PEOPLE_GROUP
from brokerweb.live import protocol
from brokerweb.live.services import book, doorman, ear, follower, hub
from brokerweb.live.services.book import EstateBook
from brokerweb.live.services.hub import shared_hub
from engine import api as engine
from tests.brokerweb.live_browser import Browser
from tests.support.redis_server import RedisServer
from tests.support.waiting import SECONDS_MAX


def fail(*_args, **_options):
    raise OperationalError("server closed the connection unexpectedly")


async def test_an_estate_that_could_not_be_looked_up_is_not_called_absent(live_estate, monkeypatch):
    known = EstateBook(live_estate.name)
    with monkeypatch.context() as broken:
        broken.setattr(book, "estate_progress", fail)
        for _ in range(2):
            with pytest.raises(OperationalError):
                await known.progress()
    progress = await known.progress()
    assert progress is not None
    assert set(progress.instances) == {"PARIS", "LYON"}


async def test_whose_rights_cannot_be_looked_up_is_let_go_and_may_come_again(live_estate, viewer, monkeypatch):
    monkeypatch.setattr(protocol, "HEARTBEAT_SECONDS", 0.2)
    async with Browser(viewer) as browser:
        browser.acks = False
        await browser.greet()
        await browser.subscribe(1, live_estate.name, "estate")
        await browser.hear("snapshot")
        monkeypatch.setattr(doorman, "session_users", fail)
        assert await browser.closed() == {"type": "websocket.close", "code": 4500}


async def test_an_answer_that_cannot_be_read_makes_what_is_held_old_and_then_right_again(
    live_estate, viewer, monkeypatch
):
    monkeypatch.setattr(follower, "LOOK_SECONDS", 0.5)
    async with Browser(viewer) as browser:
        await browser.greet()
        fold = await browser.subscribe(1, live_estate.name, "queues", instances=["PARIS"])
        await browser.until(lambda: fold.rows() != [])
        with monkeypatch.context() as broken:
            broken.setattr(engine, "read_pictures", lambda *_args, **_options: 1 / 0)
            await browser.until(lambda: "unavailable" in fold.table.facts["PARIS"])
            told = fold.table.facts["PARIS"]["unavailable"]
            assert "could not be read" in told["reason"]
            assert told["since"] is not None
            assert fold.rows() != []
        await browser.until(lambda: "unavailable" not in fold.table.facts["PARIS"])


async def test_followers_that_nobody_needs_are_kept_within_a_bound(live_estate, viewer, monkeypatch):
    monkeypatch.setattr(hub, "KEPT_MAX", 3)
    monkeypatch.setattr(hub, "CLOCK_SECONDS", 0.1)
    async with Browser(viewer) as browser:
        await browser.greet()
        for letter in "abcdefghij":
            await browser.subscribe(1, live_estate.name, "conversations", text=letter)
        async with asyncio.timeout(SECONDS_MAX):
            while shared_hub().followers > 4:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        # The newest are those that somebody comes back to; the one that is followed is none of them.
        texts = {topic.text for _, topic in shared_hub()._followers}
        assert texts == {"g", "h", "i", "j"}


async def test_who_comes_while_the_last_one_leaves_is_woken():
    heard = asyncio.Queue()
    listening = ear.Ear(lambda: {PEOPLE_GROUP}, heard.put_nowait)
    listening.open()
    await listening.join()
    leaving = asyncio.create_task(listening.close())
    await asyncio.sleep(0)
    listening.open()
    await leaving
    try:
        await get_channel_layer().group_send(PEOPLE_GROUP, {"type": "woken"})
        async with asyncio.timeout(SECONDS_MAX):
            assert (await heard.get())["type"] == "woken"
    finally:
        await listening.close()


@pytest.mark.slow
async def test_a_layer_that_hangs_keeps_nobody_waiting(live_estate, viewer, settings, tmp_path, monkeypatch):
    redis = RedisServer(tmp_path)
    settings.CHANNEL_LAYERS = {
        "default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [redis.url]}}
    }
    monkeypatch.setattr(ear, "PATIENCE_SECONDS", 0.5)
    try:
        async with Browser(viewer) as browser:
            await browser.greet()
            redis.hang()
            async with asyncio.timeout(SECONDS_MAX):
                for number, topic in enumerate(("queues", "connections", "mirrors", "forwarded", "transmissions")):
                    await browser.subscribe(number, live_estate.name, topic)
                    await browser.hear("snapshot")
            redis.go_on()
    finally:
        redis.go_on()
        redis.end()
