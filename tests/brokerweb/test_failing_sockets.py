"""What raises inside a websocket ends it, with a code that the server can send, and frees its place."""

import asyncio
import threading

import pytest
from autobahn.websocket.protocol import WebSocketProtocol
from django.db import OperationalError

from brokerweb.common.sockets import close_socket
from brokerweb.console import protocol as console_protocol
from brokerweb.console.services import client as console_client
from brokerweb.console.services.work import Work
from brokerweb.live import protocol as live_protocol
from brokerweb.live.services import hub
from brokerweb.live.services.client import LiveClient
from brokerweb.live.services.follower import Follower
from brokerweb.live.services.hub import shared_hub
from brokerweb.live.services.subscription import Subscription
from brokerweb.training.services import scripts
from engine import api as engine
from tests.brokerweb.live_browser import Browser
from tests.brokerweb.sql_browser import SqlBrowser
from tests.brokerweb.test_sql_console_in_sandboxes import Trainee, connected
from tests.support.waiting import SECONDS_MAX

FAILED = {"type": "websocket.close", "code": 4500}


def fail(*_args, **_options):
    raise OperationalError("unable to open database file")


async def closed(browser):
    """What the server ends the connection with; what it says before is passed over."""
    async with asyncio.timeout(SECONDS_MAX):
        while (told := await browser.socket.receive_output(SECONDS_MAX))["type"] != "websocket.close":
            pass
    return told


# ── codes ────────────────────────────────────────────────────────────────────────────────────────────────────────────
class Sent(WebSocketProtocol):
    """The server's own rule of what it sends."""

    def __init__(self):
        self.code = None

    def sendCloseFrame(self, code=None, **_options):  # noqa: N802
        self.code = code


@pytest.mark.parametrize("code", [*console_protocol.Code, *live_protocol.Code])
async def test_each_code_is_one_that_the_server_sends(code):
    server = Sent()

    async def send(message):
        server.sendClose(code=message["code"])

    await close_socket(send, code)
    assert server.code == code


@pytest.mark.parametrize("code", [1001, 1011, 2999, 5000])
async def test_a_code_that_it_does_not_send_is_refused_before_it_hangs(code):
    with pytest.raises(ValueError, match=str(code)):
        await close_socket(fail, code)


# ── the console ──────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def olga(transactional_db):
    return Trainee("olga")


def threads():
    return [each for each in threading.enumerate() if each.name.startswith("console")]


async def freed():
    async with asyncio.timeout(SECONDS_MAX):
        while threads():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    return console_client._open.total() == 0


def broken_script(session, script):
    yield engine.console.Printed(text="before", line=1)
    fail()


@pytest.mark.parametrize(
    ("owner", "name", "raises"),
    [
        (engine.console.ConsoleSession, "run", broken_script),
        (scripts.TrainingScript, "save", fail),
        (Work, "completion", fail),
        (Work, "over", fail),
    ],
)
async def test_a_script_that_raises_inside_ends_its_session(olga, monkeypatch, owner, name, raises):
    monkeypatch.setattr(console_protocol, "HEARTBEAT_SECONDS", 0.5)
    async with SqlBrowser(olga.client) as browser:
        await connected(browser, olga.run.sandbox)
        with monkeypatch.context() as broken:
            broken.setattr(owner, name, raises)
            if name == "completion":
                await browser.say(type="complete", id=1, script="SEL", position=3)
            else:
                await browser.start("SELECT 1;")
            assert await closed(browser) == FAILED
    assert await freed()
    async with SqlBrowser(olga.client) as another:
        await connected(another, olga.run.sandbox)
        assert await another.rows("SELECT 2;") == [[2]]


async def test_a_session_that_cannot_begin_ends_and_its_place_is_free(olga, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr(Work, "_open", fail)
        for _ in range(console_client.SESSIONS_OF_ONE_MAX + 1):
            async with SqlBrowser(olga.client) as browser:
                await browser.hello(olga.run.sandbox, "PARIS", "Ventes")
                assert await closed(browser) == FAILED
    assert await freed()
    async with SqlBrowser(olga.client) as another:
        assert (await connected(another, olga.run.sandbox))["type"] == "welcome"


@pytest.mark.parametrize("name", ["close", "cancel"])
async def test_a_session_that_cannot_be_closed_frees_its_place_too(olga, monkeypatch, name):
    async with SqlBrowser(olga.client) as browser:
        await connected(browser, olga.run.sandbox)
        if name == "cancel":
            await browser.start("WAITFOR DELAY '01:00:00';")
            real = Work.cancel

            async def cancel(self, ended):
                await real(self, ended)
                fail()

            monkeypatch.setattr(Work, "cancel", cancel)
        else:
            monkeypatch.setattr(engine.console.ConsoleSession, "close", fail)
    assert await freed()


# ── the live view ────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(("owner", "name"), [(hub.Hub, "follower"), (Subscription, "begin"), (LiveClient, "_keep_up")])
async def test_a_subscription_that_raises_inside_ends_its_connection_and_no_other(
    live_estate, viewer, monkeypatch, owner, name
):
    monkeypatch.setattr(hub, "CLOCK_SECONDS", 0.1)
    async with Browser(viewer) as other:
        await other.greet()
        fold = await other.subscribe(1, live_estate.name, "estate")
        await other.until(lambda: fold.seq > 0)
        async with Browser(viewer) as browser:
            await browser.greet()
            with monkeypatch.context() as broken:
                raises = fail if name != "_keep_up" else _for_one_only(shared_hub()._clients)
                broken.setattr(owner, name, raises)
                await browser.say(type="sub", sub=1, estate=live_estate.name, topic="estate", params={}, cursor=None)
                assert await browser.closed() == FAILED
        assert len(shared_hub()._clients) == 1
        await other.hear("hb")


def _for_one_only(clients):
    """The newest client fails; the one before goes on."""
    real, [*_, newest] = LiveClient._keep_up, sorted(clients, key=lambda each: each._heard_at)

    def keep_up(self, now):
        if self is newest:
            fail()
        real(self, now)

    return keep_up


async def test_a_topic_that_cannot_be_told_once_is_told_later(live_estate, viewer, monkeypatch):
    real, times = Follower.tell, []

    def tell(self, table):
        times.append(1)
        if len(times) == 1:
            fail()
        return real(self, table)

    monkeypatch.setattr(Follower, "tell", tell)
    monkeypatch.setattr("brokerweb.live.services.follower.LOOK_SECONDS", 0.2)
    async with Browser(viewer) as browser:
        await browser.greet()
        fold = await browser.subscribe(1, live_estate.name, "estate")
        await browser.until(lambda: fold.seq > 0)
