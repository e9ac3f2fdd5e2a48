"""The live view of a trainee's sandbox through the real ASGI application: its time passes, and wakes nobody."""

import asyncio

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.live import protocol
from brokerweb.live.protocol import Code
from brokerweb.live.services import follower
from engine import api as engine
from tests.brokerweb.live_browser import Browser
from tests.brokerweb.private_estates import ROUTE, Private
from tests.brokerweb.test_training import begin, browser

UNKNOWN = "~" + "0" * 32


@pytest.fixture
def olga(transactional_db):
    return browser("olga")


@pytest.fixture
def sandbox(olga):
    run = begin(olga, seed=5)
    run.pause()
    return Private(run)


async def post(sandbox, what, body=None):
    return await asyncio.to_thread(sandbox.run.post, what, body)


async def denied(client, name):
    async with Browser(client) as page:
        await page.greet()
        await page.say(type="sub", sub=1, estate=name, topic="queues", params={})
        return await page.hear("denied", sub=1)


async def test_new_rows_are_told_while_its_clock_runs(sandbox):
    async with Browser(sandbox.client) as page:
        await page.greet()
        estate = await page.subscribe(1, sandbox.name, "estate")
        waiting = await page.subscribe(2, sandbox.name, "transmissions", instances=["PARIS"])
        await page.until(lambda: waiting.rows() and estate.table.facts)
        before, revision = len(waiting.rows()), estate.table.facts["revision"]
        await post(sandbox, "clock/rate", {"rate": 60.0})
        await page.until(lambda: len(waiting.rows()) >= before + 6)
        assert estate.table.facts["clock"]["rate"] == 60.0
        assert estate.table.facts["revision"] > revision
        assert not [each for each in page.heard if each["type"] == "resync"]


async def test_what_is_done_while_its_clock_stands_is_told_at_once(sandbox, monkeypatch):
    # Nobody looks by himself.
    monkeypatch.setattr(follower, "LOOK_SECONDS", 3_600.0)
    async with Browser(sandbox.client) as page:
        await page.greet()
        estate = await page.subscribe(1, sandbox.name, "estate")
        queues = await page.subscribe(2, sandbox.name, "queues", instances=["PARIS"])
        await page.until(lambda: queues.rows() and estate.table.facts)
        state = estate.table.facts["state"]
        sql = {"instance": "PARIS", "database": "Ventes", "script": ROUTE + "\nCREATE QUEUE [Neuve];"}
        await post(sandbox, "run", sql)
        await page.until(lambda: queues.rows(name="Neuve"))
        await page.until(lambda: estate.table.facts["state"] != state)
        assert (await asyncio.to_thread(sandbox.ask))["state"] == estate.table.facts["state"]


async def test_others_hear_what_they_hear_of_a_name_that_nothing_has(sandbox):
    pavel = await asyncio.to_thread(browser, "pavel", Role.ADMIN)
    foreign, unknown = await denied(pavel, sandbox.name), await denied(pavel, UNKNOWN)
    assert (foreign["code"], foreign["reason"]) == (Code.UNKNOWN_ESTATE, "unknown-estate")
    assert foreign["detail"].replace(sandbox.name, "") == unknown["detail"].replace(UNKNOWN, "")


async def test_a_trainer_looks_until_the_trainee_leaves_the_group(sandbox, monkeypatch):
    monkeypatch.setattr(protocol, "HEARTBEAT_SECONDS", 0.2)
    trainer = await asyncio.to_thread(browser, "tatiana", Role.TRAINER)
    body = {"name": "Equipe", "members": ["olga"]}
    group = await asyncio.to_thread(trainer.ask, "POST", "/training/groups", body)
    async with Browser(trainer) as page:
        await page.greet()
        queues = await page.subscribe(1, sandbox.name, "queues")
        await page.until(lambda: queues.rows())
        await asyncio.to_thread(trainer.ask, "DELETE", f"/training/groups/{group.json()['id']}")
        assert (await page.hear("denied", sub=1))["code"] == Code.UNKNOWN_ESTATE


@pytest.mark.slow
async def test_the_end_of_a_run_ends_what_is_looked_at(sandbox):
    async with Browser(sandbox.client) as page:
        await page.greet()
        queues = await page.subscribe(1, sandbox.name, "queues")
        await page.until(lambda: queues.rows())
        await post(sandbox, "finish")
        over = await page.hear("denied", sub=1)
        assert (over["code"], over["reason"]) == (Code.SANDBOX_OVER, "sandbox-over")
    again = await denied(sandbox.client, sandbox.name)
    assert again["code"] == Code.SANDBOX_OVER


@pytest.mark.slow
async def test_everybody_who_looks_has_a_running_sandbox_read_once_a_second(sandbox, monkeypatch):
    asked = []
    keeper = engine.sandboxes.sandbox_keeper()
    look = keeper.look

    def counted(name, at):
        asked.append(name)
        return look(name, at)

    monkeypatch.setattr(keeper, "look", counted)
    async with Browser(sandbox.client) as page, Browser(sandbox.client) as other:
        for browser_ in (page, other):
            await browser_.greet()
            await browser_.subscribe(1, sandbox.name, "estate")
            await browser_.subscribe(2, sandbox.name, "instances")
            await browser_.subscribe(3, sandbox.name, "queues")
        await page.until(lambda: page.folds[3].rows() and page.folds[2].rows() and page.folds[1].table.facts)
        await post(sandbox, "clock/rate", {"rate": 60.0})
        begun = await page.hear("hb")
        asked.clear()
        await page.hear("hb")
        ended = await page.hear("hb")
    # Each second two instances and the state of both, for all together; a few more where two questions did not meet.
    assert len(asked) <= 6 * (ended["server_time"] - begun["server_time"])
