"""Who may not have a session of the T-SQL console, and what is no message: refused with a number and a reason."""

import pytest
from asgiref.sync import sync_to_async

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_update
from brokerweb.console import protocol
from tests.brokerweb.sql_browser import SqlBrowser
from tests.brokerweb.test_live_refusals import FOREIGN, expire
from tests.support.each import for_each
from tests.support.waiting import SECONDS_MAX


@pytest.fixture
def operator(viewer):
    user_update(viewer.user.username, role=Role.OPERATOR)
    return viewer


async def refusal_of(browser):
    message = await browser.hear("refused", "welcome")
    assert message["type"] == "refused", message
    closed = await browser.socket.receive_output(SECONDS_MAX)
    assert closed == {"type": "websocket.close", "code": message["code"]}
    return message["code"], message["reason"]


async def test_nobody_is_refused(transactional_db):
    async with SqlBrowser(None) as browser:
        browser.acks = False
        assert await refusal_of(browser) == (4401, "unauthenticated")


@for_each("origin", FOREIGN)
async def test_a_page_of_another_site_hears_why_and_nothing_else(operator, origin):
    async with SqlBrowser(operator, origin=(b"origin", origin)) as browser:
        browser.acks = False
        assert await browser.next() == {"type": "refused", "code": 4410, "reason": "origin"}


async def test_a_session_that_has_expired_is_refused(operator):
    await sync_to_async(expire)(operator.session.session_key)
    async with SqlBrowser(operator) as browser:
        browser.acks = False
        assert await refusal_of(browser) == (4401, "unauthenticated")


async def test_a_viewer_has_no_session_on_an_estate(live_estate, viewer):
    async with SqlBrowser(viewer) as browser:
        browser.acks = False
        await browser.hello(live_estate.name, "PARIS", "Ventes")
        assert await refusal_of(browser) == (4403, "forbidden")


async def test_a_role_that_is_taken_away_runs_nothing_more(live_estate, operator):
    async with SqlBrowser(operator) as browser:
        await browser.hello(live_estate.name, "PARIS", "Ventes")
        await browser.hear("welcome")
        await sync_to_async(user_update)(operator.user.username, role=Role.VIEWER)
        await browser.start("SELECT 1;")
        assert (await browser.hear("refused", "result-set"))["code"] == 4403


@for_each(
    ("estate", "instance", "database"),
    [("no-such", "PARIS", "Ventes"), (None, "ROME", "Ventes"), (None, "PARIS", "no such"), (None, "", "")],
)
async def test_a_place_that_is_not_there_is_refused(live_estate, operator, estate, instance, database):
    async with SqlBrowser(operator) as browser:
        browser.acks = False
        await browser.hello(estate or live_estate.name, instance, database)
        assert await refusal_of(browser) == (4404, "unknown-place")


@for_each(
    "text",
    [
        "no JSON",
        "[]",
        "{}",
        '{"type": "no-such"}',
        '{"type": "run", "id": 1, "script": "SELECT 1"}',
        '{"type": "hello", "protocol": 1, "estate": 7, "instance": "PARIS", "database": "Ventes"}',
        '{"type": "hello", "protocol": 1, "estate": "' + "e" * 401 + '", "instance": "P", "database": "V"}',
        '{"type": "hello", "protocol": 1, "estate": "e", "instance": "P", "database": "V", "language": "xx"}',
        '{"type": "hello", "protocol": 1, "estate": "' + "e" * protocol.FRAME_CHARACTERS_MAX + '"}',
    ],
)
async def test_what_is_no_message_ends_the_connection(live_estate, operator, text):
    async with SqlBrowser(operator) as browser:
        browser.acks = False
        await browser.socket.send_to(text)
        assert await refusal_of(browser) == (4400, "malformed")


@for_each(
    "message",
    [
        {"type": "run", "id": -1, "script": ""},
        {"type": "run", "id": 1, "script": None},
        {"type": "cancel"},
        {"type": "ack", "frames": 2},
        {"type": "hello", "protocol": 1, "estate": "e", "instance": "i", "database": "d"},
    ],
)
async def test_what_fits_no_session_ends_it(live_estate, operator, message):
    async with SqlBrowser(operator) as browser:
        browser.acks = False
        await browser.hello(live_estate.name, "PARIS", "Ventes")
        await browser.hear("welcome")
        await browser.say(**message)
        assert await refusal_of(browser) == (4400, "malformed")


async def test_another_protocol_is_refused(live_estate, operator):
    async with SqlBrowser(operator) as browser:
        browser.acks = False
        await browser.say(type="hello", protocol=2, estate=live_estate.name, instance="PARIS", database="Ventes")
        assert await refusal_of(browser) == (4426, "protocol")


@pytest.fixture
def reading(operator):
    """An operator who may read bodies."""
    user_update(operator.user.username, reads_payloads=True)
    return operator


SEND = """DECLARE @h uniqueidentifier;
BEGIN DIALOG CONVERSATION @h FROM SERVICE [//test/Commandes] TO SERVICE N'//test/Réception'
    ON CONTRACT [//test/Commander] WITH ENCRYPTION = OFF;
SEND ON CONVERSATION @h MESSAGE TYPE [//test/Commande] (N'<Commande/>');
"""
LOOK = "SELECT message_body FROM dbo.[File];\n"
WAIT = "WAITFOR DELAY '00:00:01';\n"


async def halfway(browser, script, count, change):
    """What a script answers, while something changes as soon as it has answered so many times."""
    number = await browser.start(script)
    heard = [await browser.hear("result-set", "rows", "rows-affected", "failed") for _ in range(count)]
    await sync_to_async(change)()
    return heard, await browser.ending(number)


async def test_the_right_to_read_bodies_is_gone_with_the_next_statement_of_a_script(live_estate, reading):
    name = reading.user.username
    async with SqlBrowser(reading) as paris, SqlBrowser(reading) as lyon:
        await paris.hello(live_estate.name, "PARIS", "Ventes")
        await lyon.hello(live_estate.name, "LYON", "stock")
        await paris.run(SEND)
        while (await lyon.rows("SELECT COUNT(*) FROM dbo.[File];")) != [[1]]:
            pass
        before, after = await halfway(lyon, LOOK + WAIT + LOOK, 1, lambda: user_update(name, reads_payloads=False))
    assert before[0]["rows"][0][0] is not None
    assert [each["rows"] for each in after if each["type"] == "result-set"] == [[[None]]]


@pytest.mark.parametrize("change", [{"role": Role.VIEWER}, {"is_active": False}])
async def test_a_script_that_runs_does_nothing_more_without_its_right(live_estate, operator, change):
    name = operator.user.username
    script = f"{LOOK}{WAIT}BEGIN TRY {LOOK} END TRY BEGIN CATCH PRINT ERROR_NUMBER(); END CATCH;\n{LOOK}"
    async with SqlBrowser(operator) as lyon:
        await lyon.hello(live_estate.name, "LYON", "stock")
        _, answers = await halfway(lyon, script, 1, lambda: user_update(name, **change))
    numbers = [each.get("number") or each.get("text") for each in answers if each["type"] in ("failed", "printed")]
    # Unless the look at the connection, which ends it altogether, was sooner.
    assert numbers[-2:] == ["15247", 15247] or answers == [] or answers[-1]["type"] == "refused"


async def test_definitions_end_with_their_right_too(live_estate, operator):
    name = operator.user.username
    await sync_to_async(user_update)(name, role=Role.EDITOR)
    script = LOOK + WAIT + "CREATE QUEUE dbo.Neue;\n"
    async with SqlBrowser(operator) as lyon:
        await lyon.hello(live_estate.name, "LYON", "stock")
        _, after = await halfway(lyon, script, 1, lambda: user_update(name, role=Role.OPERATOR))
        assert [each["number"] for each in after if each["type"] == "failed"] == [15247]
        assert await lyon.rows("SELECT COUNT(*) FROM sys.service_queues WHERE name = N'Neue';") == [[0]]
