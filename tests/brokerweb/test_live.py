"""The live view through the real ASGI application, against the real engine."""

import asyncio
import json
from itertools import count

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.common.wakeups import wake_topology_watchers
from brokerweb.config.asgi import application
from brokerweb.live.services import session as live_session
from brokerweb.live.services.snapshots import SnapshotCache
from brokerweb.operations.services import conversations as console
from brokerweb.topology.models import Instance
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.topology.services.instance import endpoint_set_state
from engine import api as engine

ORIGIN = (b"origin", b"http://localhost")
_names = count(1)


class Browser:
    """A websocket of somebody who is logged in (or nobody), and what it has heard."""

    def __init__(self, client: Client | None, origin=ORIGIN):
        headers = [origin, (b"host", b"localhost")]
        if client is not None:
            key = client.cookies[settings.SESSION_COOKIE_NAME].value
            headers.append((b"cookie", f"{settings.SESSION_COOKIE_NAME}={key}".encode()))
        self.socket = WebsocketCommunicator(application, "/ws/live", headers=headers)
        self.heard = []

    async def __aenter__(self):
        self.is_open, _ = await self.socket.connect()
        return self

    async def __aexit__(self, *_):
        await self.socket.disconnect()

    async def say(self, **message):
        await self.socket.send_to(json.dumps(message))

    async def hear(self, kind, seconds=15.0, **fields):
        """The next message of a kind whose fields are these; what comes before it is kept in `heard`."""
        async with asyncio.timeout(seconds):
            while True:
                message = json.loads(await self.socket.receive_from(timeout=seconds))
                self.heard.append(message)
                if message["type"] == kind and all(message[name] == value for name, value in fields.items()):
                    return message

    async def view_where(self, name, condition):
        """The next view of an instance for which a condition holds."""
        while True:
            message = await self.hear("instance")
            if message["view"]["name"] == name and condition(message["view"]):
                return message

    async def subscribe(self, estate):
        await self.say(type="hello", protocol=1)
        welcome = await self.hear("welcome")
        await self.say(type="subscribe", estate=estate)
        return welcome


def person(role=Role.VIEWER):
    client = Client()
    client.force_login(user_create(f"person-{next(_names)}", role))
    return client


@pytest.fixture
def viewer(transactional_db):
    return person()


def database_of(view, name):
    (found,) = [database for database in view["databases"] if database["name"] == name]
    return found


async def begin_and_send(estate, count):
    place = DatabasePlace(estate.name, "PARIS", "Ventes")
    begun = await asyncio.to_thread(
        console.conversation_begin, place, None, from_service="//test/Commandes", to_service="//test/Réception"
    )
    bodies = [f"message {number}" for number in range(count)]
    await asyncio.to_thread(console.messages_send, place, None, handle=begun.conversation_handle, bodies=bodies)
    return begun


async def test_a_browser_sees_every_instance_and_then_what_changes(live_estate, viewer):
    async with Browser(viewer) as browser:
        welcome = await browser.subscribe(live_estate.name)
        assert welcome["protocol"] == 1
        assert welcome["heartbeat_seconds"] == 10.0
        assert (await browser.hear("topology"))["revision"] == 1
        first = {(await browser.hear("instance"))["view"]["name"] for _ in range(2)}
        assert first == {"PARIS", "LYON"}

        begun = await begin_and_send(live_estate, 100)
        seen = await browser.view_where("LYON", lambda view: database_of(view, "Stock")["queues"][0]["ready"] == 100)
        assert seen["estate"] == live_estate.name
        assert seen["sequence"] == seen["view"]["last_event"]
        (row,) = database_of(seen["view"], "Stock")["conversation_endpoints"]
        assert row["conversation_id"] == str(begun.conversation_id)


async def test_the_far_broker_id_appears_after_the_first_acknowledgement(live_estate, viewer):
    async with Browser(viewer) as browser:
        await browser.subscribe(live_estate.name)
        await begin_and_send(live_estate, 1)

        def is_pinned(view):
            rows = database_of(view, "Ventes")["conversation_endpoints"]
            return bool(rows) and rows[0]["far_broker_instance"] is not None

        pinned = await browser.view_where("PARIS", is_pinned)
        stock = "22222222-0000-4000-8000-000000000002"
        assert database_of(pinned["view"], "Ventes")["conversation_endpoints"][0]["far_broker_instance"] == stock


async def test_a_stopped_endpoint_makes_rows_wait_with_a_number_and_a_started_one_drains_them(live_estate, viewer):
    lyon = DatabasePlace(live_estate.name, "LYON", "Stock").instance_place
    switch = sync_to_async(endpoint_set_state)
    async with Browser(viewer) as browser:
        await browser.subscribe(live_estate.name)
        await switch(lyon, "STOPPED", user=None)
        await browser.view_where("LYON", lambda view: view["endpoint_state"] == "STOPPED")
        await begin_and_send(live_estate, 3)

        def waits_with_a_number(view):
            rows = database_of(view, "Ventes")["transmission_queue"]
            return len(rows) == 3 and rows[0]["transmission_status_number"] is not None

        waiting = await browser.view_where("PARIS", waits_with_a_number)
        row = database_of(waiting["view"], "Ventes")["transmission_queue"][0]
        assert row["transmission_status"].startswith(f"{row['transmission_status_number']}: ")
        await switch(lyon, "STARTED", user=None)
        await browser.view_where("PARIS", lambda view: database_of(view, "Ventes")["transmission_queue_total"] == 0)


async def test_a_decision_is_told_and_told_again_when_it_is_applied(live_estate, viewer):
    place = DatabasePlace(live_estate.name, "LYON", "Stock").instance_place
    async with Browser(viewer) as browser:
        await browser.subscribe(live_estate.name)
        await sync_to_async(endpoint_set_state)(place, "STOPPED", user=None)
        await browser.hear("topology", revision=2)
        await browser.view_where("LYON", lambda view: view["revision"] == 2)


async def test_what_is_told_bears_the_tag_of_the_estate_as_it_is_read(live_estate, viewer):
    read = sync_to_async(lambda: viewer.get(f"/api/v1/estates/{live_estate.name}").json()["state"])
    place = DatabasePlace(live_estate.name, "LYON", "Stock").instance_place
    async with Browser(viewer) as browser:
        await browser.subscribe(live_estate.name)
        first = await browser.hear("topology")
        assert first["state"] == await read()
        await sync_to_async(endpoint_set_state)(place, "STOPPED", user=None)
        decided = await browser.hear("topology", revision=2)
        assert decided["state"] == await read() != first["state"]


async def test_who_does_not_have_what_is_wanted_is_named_and_the_tag_stays_when_they_catch_up(live_estate, viewer):
    lyon = Instance.objects.filter(estate__name=live_estate.name, name="LYON")
    await lyon.aupdate(applied_revision=0, apply_error="9797: The revision is another.")
    async with Browser(viewer) as browser:
        await browser.subscribe(live_estate.name)
        behind = await browser.hear("topology")
        assert behind["behind"] == [
            {"name": "LYON", "applied_revision": 0, "apply_error": "9797: The revision is another."}
        ]
        await lyon.aupdate(applied_revision=1, apply_error="")
        await sync_to_async(wake_topology_watchers)(live_estate.name)
        assert await browser.hear("topology") == {**behind, "behind": []}


async def test_an_instance_that_does_not_answer_is_unavailable_with_a_reason(live_estate, viewer):
    await asyncio.to_thread(engine.close_instance, live_estate.name, "LYON")
    async with Browser(viewer) as browser:
        await browser.subscribe(live_estate.name)
        message = await browser.hear("unavailable")
        assert message["instance"] == "LYON"
        assert "LYON" in message["reason"]


async def test_a_second_of_silence_is_broken_by_heartbeats(live_estate, viewer, monkeypatch):
    monkeypatch.setattr(live_session, "HEARTBEAT_SECONDS", 0.05)
    async with Browser(viewer) as browser:
        first = await browser.hear("heartbeat")
        second = await browser.hear("heartbeat")
        assert second["server_time"] > first["server_time"]


@pytest.mark.parametrize(
    ("messages", "reason", "code"),
    [
        ([{"type": "hello", "protocol": 2}], "protocol", 4426),
        ([{"type": "hello"}], "malformed", 4400),
        ([{"type": "nonsense"}], "malformed", 4400),
        ([{"type": "subscribe", "estate": "paire"}], "malformed", 4400),
        ([{"type": "hello", "protocol": 1}, {"type": "subscribe", "estate": "nowhere"}], "unknown-estate", 4404),
    ],
)
async def test_what_the_server_does_not_understand_ends_the_connection_with_a_reason(viewer, messages, reason, code):
    async with Browser(viewer) as browser:
        for message in messages:
            await browser.say(**message)
        assert (await browser.hear("refused"))["reason"] == reason
        assert await browser.socket.receive_output() == {"type": "websocket.close", "code": code}


async def test_nobody_is_refused_before_anything_is_told(transactional_db):
    async with Browser(None) as browser:
        assert (await browser.hear("refused"))["reason"] == "unauthenticated"
        assert browser.heard == [{"type": "refused", "reason": "unauthenticated"}]


async def test_a_page_of_another_site_cannot_connect(viewer):
    browser = Browser(viewer, origin=(b"origin", b"https://evil.example"))
    async with browser:
        assert not browser.is_open


async def test_who_logs_out_hears_no_more(live_estate, viewer, monkeypatch):
    monkeypatch.setattr(live_session, "HEARTBEAT_SECONDS", 0.05)
    async with Browser(viewer) as browser:
        await browser.subscribe(live_estate.name)
        await sync_to_async(viewer.logout)()
        assert (await browser.hear("refused"))["reason"] == "unauthenticated"


async def test_fifty_browsers_cost_one_read_of_the_engine(live_estate):
    reads = []

    def counted(estate, instance, rows_max):
        reads.append(instance)
        return engine.read_view(estate, instance, rows_max)

    cache = SnapshotCache(counted)
    shared = {"at_least": 0, "age_seconds_max": 4.0}
    snapshots = await asyncio.gather(*(cache.read(live_estate.name, "PARIS", **shared) for _ in range(50)))
    assert len(reads) == 1
    assert len({snapshot.text for snapshot in snapshots}) == 1

    await begin_and_send(live_estate, 1)
    newest = (await asyncio.to_thread(engine.read_view, live_estate.name, "PARIS", 0)).last_event
    snapshots = await asyncio.gather(
        *(cache.read(live_estate.name, "PARIS", at_least=newest, age_seconds_max=4.0) for _ in range(50))
    )
    assert len(reads) == 2
    assert all(snapshot.sequence >= newest for snapshot in snapshots)


async def test_a_burst_of_events_is_shown_at_most_four_times_a_second(live_estate, viewer):
    async with Browser(viewer) as browser:
        await browser.subscribe(live_estate.name)
        await browser.view_where("PARIS", lambda view: True)
        browser.heard.clear()
        started = asyncio.get_running_loop().time()
        for _ in range(40):
            await begin_and_send(live_estate, 1)
        await browser.view_where(
            "PARIS", lambda view: database_of(view, "Ventes")["conversation_endpoints_total"] == 40
        )
        seconds = asyncio.get_running_loop().time() - started
        views = [message for message in browser.heard if message.get("view", {}).get("name") == "PARIS"]
        assert len(views) <= 4 * seconds + 2
