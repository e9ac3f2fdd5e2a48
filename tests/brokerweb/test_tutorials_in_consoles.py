"""Scripts as tutorials teach Service Broker, typed into consoles of the browser: live, and in a sandbox."""

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.training.models import Mode
from brokerweb.training.services.acting import clock_set
from brokerweb.training.services.sessions import session_begin
from tests.brokerweb.conftest import ApiClient
from tests.brokerweb.sql_browser import SqlBrowser
from tests.engine.tsql.console.test_dialogs import (
    ANSWER,
    ANSWERING,
    ASK,
    ASKING,
    CONTRACTS,
    END_TYPE,
    ONE_DATABASE,
)

ANSWERED = "//Tour/Answer"
PATIENT_ANSWER = ANSWER.replace("TIMEOUT 5000", "TIMEOUT 30000")
HEAR = "WAITFOR (RECEIVE TOP (1) message_type_name AS kind FROM AskingQueue), TIMEOUT 30000;"
FRONT = f"CREATE DATABASE Front\nGO\nUSE Front\nGO\n{CONTRACTS}{ASKING}"
BACK = f"CREATE DATABASE Back\nGO\nUSE Back\nGO\n{CONTRACTS}{ANSWERING}"


class Place:
    """An estate with PARIS and LYON on port 4022, and somebody who may type there."""

    def __init__(self, estate, client):
        self.estate, self.client = estate, client

    async def console(self, browser, instance):
        await browser.hello(self.estate, instance, "master")
        assert (await browser.hear("welcome", "refused"))["type"] == "welcome"
        return browser


def browser_of(user):
    client = ApiClient()
    client.force_login(user)
    return client


@pytest.fixture(params=["live", "sandbox"])
def place(request, live_estate):
    if request.param == "live":
        return Place(live_estate.name, browser_of(user_create("édith", Role.EDITOR, reads_payloads=True)))
    user = user_create("olga", Role.VIEWER)
    run = session_begin(user, "first-route", Mode.LEARN, seed=5)
    clock_set(user, run.pk, 60.0)
    return Place(run.sandbox, browser_of(user))


async def do(browser, script):
    answers = await browser.run(script)
    assert [each for each in answers if each["type"] == "failed"] == []
    return answers


async def said(browser, script):
    return [each["text"] for each in await do(browser, script) if each["type"] == "printed"]


async def answered(one, other):
    """The request, its reply, and the end of the conversation."""
    await do(one, ASK)
    assert await said(other, PATIENT_ANSWER) == ["//Tour/Request"]
    assert [await one.rows(HEAR) for _ in range(2)] == [[[ANSWERED]], [[END_TYPE]]]


async def test_within_one_database(place):
    async with SqlBrowser(place.client) as browser:
        typing = await place.console(browser, "PARIS")
        await do(typing, ONE_DATABASE)
        await answered(typing, typing)


async def test_between_two_databases(place):
    async with SqlBrowser(place.client) as first, SqlBrowser(place.client) as second:
        one, other = await place.console(first, "PARIS"), await place.console(second, "PARIS")
        await do(one, FRONT)
        await do(other, BACK)
        await answered(one, other)


async def test_between_two_instances(place):
    async with SqlBrowser(place.client) as first, SqlBrowser(place.client) as second:
        one, other = await place.console(first, "PARIS"), await place.console(second, "LYON")
        await do(one, FRONT)
        await do(other, BACK)
        await do(one, "CREATE ROUTE There WITH SERVICE_NAME = '//Tour/Answering', ADDRESS = 'TCP://lyon:4022'")
        await do(other, "CREATE ROUTE Back WITH SERVICE_NAME = '//Tour/Asking', ADDRESS = 'TCP://paris:4022'")
        await answered(one, other)
