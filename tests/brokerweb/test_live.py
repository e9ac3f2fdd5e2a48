"""The live view through the real ASGI application, against the real engine."""

import asyncio
import threading

import pytest
from asgiref.sync import sync_to_async

from brokerweb.common.wakeups import wake_topology_watchers
from brokerweb.live import protocol
from brokerweb.live.services import asking
from brokerweb.live.services import follower as following
from brokerweb.live.services.hub import shared_hub
from brokerweb.live.services.reading import READERS_MAX
from brokerweb.operations.services import conversations as console
from brokerweb.topology.models import Instance
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.topology.services.instance import endpoint_set_state
from engine import api as engine
from tests.brokerweb.live_browser import Browser
from tests.support.each import for_each
from tests.support.waiting import SECONDS_MAX

STOCK = "22222222-0000-4000-8000-000000000002"


async def begin_and_send(estate, count):
    place = DatabasePlace(estate.name, "PARIS", "Ventes")
    begun = await asyncio.to_thread(
        console.conversation_begin, place, None, from_service="//test/Commandes", to_service="//test/Réception"
    )
    await send(estate, begun, count)
    return begun


async def send(estate, begun, count):
    place = DatabasePlace(estate.name, "PARIS", "Ventes")
    bodies = [f"message {number}" for number in range(count)]
    await asyncio.to_thread(console.messages_send, place, None, handle=begun.conversation_handle, bodies=bodies)


async def fresh(viewer, estate, topic, **params):
    """The topic as HTTP has it: keys, rows and facts."""
    answer = await asyncio.to_thread(viewer.get, f"/api/v1/estates/{estate.name}/live/{topic}", params)
    assert answer.status_code == 200, answer.content
    return answer.json()


async def test_a_browser_sees_what_is_and_then_what_changes(live_estate, viewer):
    async with Browser(viewer) as browser:
        welcome = await browser.greet()
        assert (welcome["protocol"], welcome["heartbeat_seconds"], welcome["ack_seconds"]) == (2, 5.0, 1.0)
        estate = await browser.subscribe(1, live_estate.name, "estate")
        instances = await browser.subscribe(2, live_estate.name, "instances")
        queues = await browser.subscribe(3, live_estate.name, "queues", instances=["LYON"])
        conversations = await browser.subscribe(4, live_estate.name, "conversations", database="Stock")
        await browser.until(lambda: set(instances.table.rows) == {"PARIS", "LYON"})
        assert estate.table.facts["revision"] == 1

        begun = await begin_and_send(live_estate, 100)
        await browser.until(lambda: queues.rows(database_name="Stock") and queues.rows()[0]["ready"] == 100)
        await browser.until(lambda: len(conversations.rows()) == 1)
        (row,) = conversations.rows()
        assert row["conversation_id"] == str(begun.conversation_id)
        assert conversations.deltas + queues.deltas > 0, "what changed came as changes"


async def test_deltas_have_only_the_cells_that_changed(live_estate, viewer):
    async with Browser(viewer) as browser:
        await browser.greet()
        conversations = await browser.subscribe(1, live_estate.name, "conversations", instances=["PARIS"])
        begun = await begin_and_send(live_estate, 1)
        await browser.until(lambda: [row["far_broker_instance"] for row in conversations.rows()] == [STOCK])
        await send(live_estate, begun, 1)
        await browser.until(lambda: [row["send_sequence"] for row in conversations.rows()] == [2])
        changes = [message["ops"] for message in browser.heard if message["type"] == "delta"]
        cells = [cell for ops in changes for cell in ops.get("cells", [])]
        assert cells
        assert all(1 < len(cell) < 2 * len(conversations.table.columns) for cell in cells)


@pytest.mark.parametrize("pace", [100.0])
async def test_a_stopped_endpoint_makes_rows_wait_with_a_number_and_a_started_one_drains_them(live_estate, viewer):
    lyon = DatabasePlace(live_estate.name, "LYON", "Stock").instance_place
    switch = sync_to_async(endpoint_set_state)
    async with Browser(viewer) as browser:
        await browser.greet()
        instances = await browser.subscribe(1, live_estate.name, "instances")
        waiting = await browser.subscribe(2, live_estate.name, "transmissions", database="Ventes", instances=["PARIS"])
        await switch(lyon, "STOPPED", user=None)
        await browser.until(lambda: instances.rows(name="LYON", endpoint_state="STOPPED"))
        await begin_and_send(live_estate, 3)

        def waits_with_a_number():
            rows = waiting.rows()
            return len(rows) == 3 and rows[0]["transmission_status_number"] is not None

        await browser.until(waits_with_a_number)
        (group,) = waiting.table.facts["PARIS"]["groups"]
        assert group["messages"] == 3
        await switch(lyon, "STARTED", user=None)
        await browser.until(lambda: not waiting.rows())


async def test_after_a_burst_the_fold_is_what_a_fresh_snapshot_shows(live_estate, viewer):
    topics = ("instances", "conversations", "transmissions", "queues", "mirrors", "forwarded")
    async with Browser(viewer) as browser:
        await browser.greet()
        folds = {topic: await browser.subscribe(at, live_estate.name, topic) for at, topic in enumerate(topics)}
        for _ in range(20):
            await begin_and_send(live_estate, 5)
        queues = folds["queues"]
        await browser.until(lambda: [row["ready"] for row in queues.rows(database_name="Stock")] == [100])

        async def differs():
            for topic, fold in folds.items():
                now = await fresh(viewer, live_estate, topic)
                if (now["keys"], now["rows"]) != (
                    list(fold.table.rows),
                    [list(row) for row in fold.table.rows.values()],
                ):
                    return topic
            return None

        async with asyncio.timeout(SECONDS_MAX):
            while await differs():
                await browser.next()


async def test_the_trace_tells_the_newest_events(live_estate, viewer):
    async with Browser(viewer) as browser:
        await browser.greet()
        trace = await browser.subscribe(1, live_estate.name, "trace", instances=["PARIS"], rows=50)
        await browser.hear("snapshot")
        await begin_and_send(live_estate, 1)
        await browser.until(lambda: trace.rows(EventClassName="Broker:Conversation"))
        numbers = [row["EventSequence"] for row in trace.rows()]
        assert numbers == sorted(numbers)
        assert len(numbers) <= 50


async def test_counters_come_by_the_clock(live_estate, viewer):
    async with Browser(viewer) as browser:
        await browser.greet()
        counters = await browser.subscribe(1, live_estate.name, "counters", instances=["PARIS"])
        await browser.hear("snapshot")
        await begin_and_send(live_estate, 7)
        sent = "SQL SENDs/sec"
        await browser.until(
            lambda: any(row["cntr_value"] >= 7 for row in counters.rows() if row["counter_name"].strip() == sent)
        )


async def test_what_is_told_of_the_estate_bears_the_tag_that_is_read(live_estate, viewer):
    read = sync_to_async(lambda: viewer.get(f"/api/v1/estates/{live_estate.name}").json()["state"])
    place = DatabasePlace(live_estate.name, "LYON", "Stock").instance_place
    async with Browser(viewer) as browser:
        await browser.greet()
        estate = await browser.subscribe(1, live_estate.name, "estate")
        await browser.hear("snapshot")
        first = await read()
        assert estate.table.facts["state"] == first
        await sync_to_async(endpoint_set_state)(place, "STOPPED", user=None)
        await browser.until(lambda: estate.table.facts["revision"] == 2)
        assert estate.table.facts["state"] == await read() != first
        await browser.until(lambda: estate.table.facts["behind"] == [])


async def test_who_does_not_have_what_is_wanted_is_named_and_the_tag_stays_when_they_catch_up(live_estate, viewer):
    lyon = Instance.objects.filter(estate__name=live_estate.name, name="LYON")
    await lyon.aupdate(applied_revision=0, apply_error="9797: The revision is another.")
    async with Browser(viewer) as browser:
        await browser.greet()
        estate = await browser.subscribe(1, live_estate.name, "estate")
        await browser.hear("snapshot")
        assert estate.table.facts["behind"] == [
            {"name": "LYON", "applied_revision": 0, "apply_error": "9797: The revision is another."}
        ]
        state = estate.table.facts["state"]
        await lyon.aupdate(applied_revision=1, apply_error="")
        await sync_to_async(wake_topology_watchers)(live_estate.name)
        await browser.until(lambda: estate.table.facts["behind"] == [])
        assert estate.table.facts["state"] == state


async def test_an_instance_that_does_not_answer_is_unavailable_with_a_reason(live_estate, viewer, monkeypatch):
    monkeypatch.setattr(asking, "READ_SECONDS", 1.0)
    await asyncio.to_thread(engine.close_instance, live_estate.name, "LYON")
    async with Browser(viewer) as browser:
        await browser.greet()
        instances = await browser.subscribe(1, live_estate.name, "instances")
        await browser.until(lambda: "unavailable" in instances.table.facts.get("LYON", {}))
        assert "LYON" in instances.table.facts["LYON"]["unavailable"]["reason"]
        await browser.until(lambda: "PARIS" in instances.table.rows)


async def test_an_instance_that_is_not_in_the_estate_is_missing_and_a_database_refused_with_its_number(
    live_estate, viewer
):
    async with Browser(viewer) as browser:
        await browser.greet()
        fold = await browser.subscribe(1, live_estate.name, "queues", instances=["PARIS", "ROMA"], database="Stock")
        await browser.until(lambda: "PARIS" in fold.table.facts)
        assert fold.table.facts["ROMA"] == {"missing": True}
        assert fold.table.facts["PARIS"]["refused"]["number"] == 911


async def test_heartbeats_carry_the_number_of_every_stream(live_estate, viewer, monkeypatch):
    monkeypatch.setattr(protocol, "HEARTBEAT_SECONDS", 0.2)
    async with Browser(viewer) as browser:
        await browser.greet()
        fold = await browser.subscribe(1, live_estate.name, "estate")
        await browser.hear("snapshot")
        first = await browser.hear("hb")
        assert first["streams"] == {fold.stream: fold.seq}
        assert (await browser.hear("hb"))["server_time"] > first["server_time"]


async def test_a_browser_that_says_nothing_is_let_go(viewer, monkeypatch):
    monkeypatch.setattr(protocol, "HEARTBEAT_SECONDS", 0.1)
    async with Browser(viewer) as browser:
        await browser.greet()
        monkeypatch.setattr(protocol, "SILENCE_SECONDS_MAX", 0.3)
        browser.acks = False
        assert (await browser.hear("refused"))["reason"] == "silent"


@for_each(
    ("messages", "reason", "code"),
    [
        ([{"type": "hello", "protocol": 1}], "protocol", 4426),
        ([{"type": "hello"}], "malformed", 4400),
        ([{"type": "nonsense"}], "malformed", 4400),
        ([{"type": "sub", "sub": 1, "estate": "paire", "topic": "estate"}], "malformed", 4400),
        ([{"type": "hello", "protocol": 2}, {"type": "ack", "frames": 99}], "malformed", 4400),
        ([{"type": "hello", "protocol": 2}, {"type": "ack", "frames": -1}], "malformed", 4400),
        ([{"type": "hello", "protocol": 2}, {"type": "unsub", "sub": 2**60}], "malformed", 4400),
        ([{"type": "hello", "protocol": 2, "tab": "x" * 1_000_001}], "malformed", 4400),
    ],
)
async def test_what_the_server_does_not_understand_ends_the_connection_with_a_reason(viewer, messages, reason, code):
    async with Browser(viewer) as browser:
        browser.acks = False
        for message in messages:
            await browser.say(**message)
        refused = await browser.hear("refused")
        assert (refused["reason"], refused["code"]) == (reason, code)
        assert await browser.socket.receive_output(SECONDS_MAX) == {"type": "websocket.close", "code": code}


@for_each(
    ("asked", "code", "reason"),
    [
        ({"topic": "nonsense"}, 4406, "unknown-topic"),
        ({"topic": "queues", "params": {"rows": 0}}, 4422, "parameters"),
        ({"topic": "queues", "params": {"nonsense": 1}}, 4422, "parameters"),
        ({"topic": "queues", "params": {"topic": "estate"}}, 4422, "parameters"),
        ({"topic": "conversations", "params": {"states": ["XX"]}}, 4422, "parameters"),
        ({"topic": "conversations", "params": {"text": "x" * 1_001}}, 4422, "parameters"),
        ({"topic": "queues", "params": {"instances": ["LYON"] * 10_001}}, 4422, "parameters"),
        ({"topic": "transmissions", "params": {"numbers": [10**30]}}, 4422, "parameters"),
        ({"topic": "estate", "estate": "nowhere"}, 4404, "unknown-estate"),
    ],
)
async def test_a_subscription_is_denied_with_a_number_and_the_others_go_on(live_estate, viewer, asked, code, reason):
    async with Browser(viewer) as browser:
        await browser.greet()
        await browser.say(**{"type": "sub", "sub": 7, "estate": live_estate.name, **asked})
        denied = await browser.hear("denied", sub=7)
        assert (denied["code"], denied["reason"]) == (code, reason)
        assert denied["detail"]
        await browser.subscribe(8, live_estate.name, "estate")
        await browser.hear("snapshot")


async def test_subscriptions_have_a_bound(live_estate, viewer, monkeypatch):
    monkeypatch.setattr(protocol, "SUBSCRIPTIONS_MAX", 2)
    async with Browser(viewer) as browser:
        await browser.greet()
        for number in (1, 2):
            await browser.subscribe(number, live_estate.name, "estate")
        await browser.say(type="sub", sub=3, estate=live_estate.name, topic="estate")
        assert (await browser.hear("denied", sub=3))["code"] == 4429
        await browser.say(type="unsub", sub=1)
        await browser.subscribe(3, live_estate.name, "estate")


async def test_who_was_away_for_a_moment_goes_on_from_where_he_stood(live_estate, viewer):
    params = {"instances": ["LYON"]}
    async with Browser(viewer) as staying, Browser(viewer) as leaving:
        for browser in (staying, leaving):
            await browser.greet()
        stays = await staying.subscribe(1, live_estate.name, "queues", **params)
        fold = await leaving.subscribe(1, live_estate.name, "queues", **params)
        await leaving.hear("snapshot")
        await leaving.say(type="unsub", sub=1)
        await begin_and_send(live_estate, 4)
        await staying.until(lambda: [row["ready"] for row in stays.rows()] == [4])
        leaving.heard.clear()
        cursor = {"stream": fold.stream, "seq": fold.seq}
        await leaving.subscribe(1, live_estate.name, "queues", cursor, **params)
        await leaving.until(lambda: [row["ready"] for row in fold.rows()] == [4])
        assert "snapshot" not in {message["type"] for message in leaving.heard}


@pytest.mark.parametrize(
    ("cursor", "reason"), [("another", "other-stream"), (None, "cursor-too-old")], ids=["another stream", "too old"]
)
async def test_a_cursor_that_leads_nowhere_is_answered_with_a_snapshot(
    live_estate, viewer, monkeypatch, cursor, reason
):
    monkeypatch.setattr(following, "RING_LENGTH_MAX", 0)
    async with Browser(viewer) as staying, Browser(viewer) as coming:
        for browser in (staying, coming):
            await browser.greet()
        stays = await staying.subscribe(1, live_estate.name, "queues")
        await staying.until(lambda: len(stays.rows()) > 1)
        first = stays.seq
        await begin_and_send(live_estate, 1)
        await staying.until(lambda: stays.seq > first)
        asked = {"stream": cursor or stays.stream, "seq": first}
        fold = await coming.subscribe(1, live_estate.name, "queues", asked)
        assert (await coming.hear("resync"))["reason"] == reason
        await coming.until(lambda: fold.table == stays.table)


async def test_two_hundred_browsers_have_one_follower_and_the_same_text(live_estate, viewer):
    async with Browser(viewer) as one, Browser(viewer) as other:
        for browser in (one, other):
            await browser.greet()
            await browser.subscribe(1, live_estate.name, "queues", rows=100)
        assert shared_hub().followers == 1
        await begin_and_send(live_estate, 1)
        # Who came second may have missed what was told the first one alone.
        delta = await other.hear("delta")
        assert await one.hear("delta", to=delta["to"]) == delta


async def test_what_changes_nothing_to_see_is_told_as_seen(live_estate, viewer):
    async with Browser(viewer) as browser:
        await browser.greet()
        fold = await browser.subscribe(1, live_estate.name, "mirrors", instances=["PARIS"])
        first = await browser.hear("snapshot")
        held, seq = fold.table, fold.seq
        await begin_and_send(live_estate, 1)
        progress = await fresh(viewer, live_estate, "mirrors", instances="PARIS")
        assert progress["events"]["PARIS"] > first["events"]["PARIS"]
        while (delta := await browser.hear("delta"))["events"]["PARIS"] < progress["events"]["PARIS"]:
            pass
        assert (delta["from"], delta["to"], delta["ops"]) == (seq + 1, seq, {})
        assert (fold.table, fold.seq) == (held, seq)

    async with Browser(viewer) as coming:
        await coming.greet()
        await coming.subscribe(1, live_estate.name, "mirrors", instances=["PARIS"])
        assert (await coming.hear("snapshot"))["events"]["PARIS"] >= progress["events"]["PARIS"]


async def test_a_burst_of_events_is_told_at_most_four_times_a_second(live_estate, viewer):
    async with Browser(viewer) as browser:
        await browser.greet()
        fold = await browser.subscribe(1, live_estate.name, "conversations", instances=["PARIS"])
        await browser.hear("snapshot")
        browser.heard.clear()
        started = asyncio.get_running_loop().time()
        for _ in range(40):
            await begin_and_send(live_estate, 1)
        await browser.until(lambda: len(fold.rows()) == 40)
        seconds = asyncio.get_running_loop().time() - started
        assert len([one for one in browser.heard if one["type"] == "delta"]) <= 4 * seconds + 2


async def test_a_reading_that_was_given_up_when_its_browser_left_is_made_up_for(live_estate, viewer):
    threads, free = shared_hub()._threads, threading.Event()
    busy = [threads.run(free.wait) for _ in range(READERS_MAX)]
    async with Browser(viewer) as browser:
        await browser.greet()
        await browser.subscribe(1, live_estate.name, "instances")
        follower = next(iter(shared_hub()._followers.values()))
        await browser.until(lambda: len(follower._reading) == 2)
    assert not follower._reading
    free.set()
    await asyncio.gather(*(each.ended for each in busy))
    async with Browser(viewer) as browser:
        await browser.greet()
        instances = await browser.subscribe(1, live_estate.name, "instances")
        await browser.until(lambda: set(instances.table.rows) == {"PARIS", "LYON"})
