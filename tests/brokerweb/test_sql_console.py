"""Sessions of the T-SQL console over their websocket, against the real engine."""

import asyncio

import pytest
from asgiref.sync import sync_to_async

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.console import protocol
from brokerweb.topology.models import Decision, Instance
from engine import api as engine
from tests.brokerweb.conftest import ApiClient
from tests.brokerweb.sql_browser import SqlBrowser
from tests.support.waiting import until

BEGIN = """DECLARE @handle uniqueidentifier;
BEGIN DIALOG CONVERSATION @handle FROM SERVICE [//test/Commandes] TO SERVICE N'//test/Réception'
    ON CONTRACT [//test/Commander] WITH ENCRYPTION = OFF;
SEND ON CONVERSATION @handle MESSAGE TYPE [//test/Commande] (N'<Commande/>');
"""


@pytest.fixture
def operating(transactional_db):
    """The browser of an operator who may read bodies."""
    client = ApiClient()
    client.force_login(user_create("ophélie", Role.OPERATOR, reads_payloads=True))
    return client


@pytest.fixture
def editing(transactional_db):
    client = ApiClient()
    client.force_login(user_create("édith", Role.EDITOR, reads_payloads=True))
    return client


@pytest.fixture
def blind(transactional_db):
    """An operator who may not read bodies."""
    client = ApiClient()
    client.force_login(user_create("aveugle", Role.OPERATOR))
    return client


async def connected(browser, estate, instance="PARIS", database="Ventes", **more):
    await browser.hello(estate.name, instance, database, **more)
    return await browser.hear("welcome", "refused")


async def test_what_one_console_sends_another_receives(live_estate, operating):
    async with SqlBrowser(operating) as paris, SqlBrowser(operating) as lyon:
        welcome = await connected(paris, live_estate)
        assert (welcome["database"], welcome["withholds_bodies"], welcome["may_define"]) == ("Ventes", False, False)
        await connected(lyon, live_estate, "LYON", "stock")
        waiting = await lyon.start(
            "WAITFOR (RECEIVE message_type_name, CAST(message_body AS nvarchar(max)) FROM dbo.[File]), TIMEOUT 20000;"
        )
        done = (await paris.run(BEGIN))[-1]
        assert (done["type"], done["outcome"], done["transaction_count"]) == ("done", "finished", 0)
        answers = await lyon.ending(waiting)
    received = next(each for each in answers if each["type"] == "result-set")
    assert received["rows"] == [["//test/Commande", "<Commande/>"]]
    assert received["columns"][0]["name"] == "message_type_name"


async def test_each_session_has_a_number_of_its_own(live_estate, operating):
    async with SqlBrowser(operating) as one, SqlBrowser(operating) as other:
        await connected(one, live_estate)
        await connected(other, live_estate)
        numbers = {*map(tuple, await one.rows("SELECT @@SPID;")), *map(tuple, await other.rows("SELECT @@SPID;"))}
        assert len(numbers) == 2


async def test_an_error_has_its_number_and_its_line(live_estate, operating):
    async with SqlBrowser(operating) as browser:
        await connected(browser, live_estate)
        answers = await browser.run("PRINT N'begun';\n\nSELECT * FROM sys.no_such_view;\n")
    assert [each["type"] for each in answers] == ["printed", "failed", "done"]
    assert (answers[1]["number"], answers[1]["line"]) == (208, 3)
    assert "no_such_view" in answers[1]["message"]


async def test_errors_are_told_in_the_language_of_the_page(live_estate, operating):
    said = {}
    for language in ("en", "fr", "de"):
        async with SqlBrowser(operating) as browser:
            await connected(browser, live_estate, language=language)
            answers = await browser.run("SELECT * FROM sys.no_such_view;\n")
            said[language] = next(each["message"] for each in answers if each["type"] == "failed")
    assert len(set(said.values())) == 3
    assert all("no_such_view" in text for text in said.values())


async def test_what_a_script_raises_itself_is_told_as_it_is(live_estate, operating):
    async with SqlBrowser(operating) as browser:
        await connected(browser, live_estate, language="de")
        answers = await browser.run("RAISERROR (N'Lager leer', 16, 3);")
    failed = next(each for each in answers if each["type"] == "failed")
    assert (failed["number"], failed["message"], failed["severity"], failed["state"]) == (50000, "Lager leer", 16, 3)


async def test_an_open_transaction_is_rolled_back_when_its_browser_leaves(live_estate, operating):
    async with SqlBrowser(operating) as leaving:
        await connected(leaving, live_estate)
        done = (await leaving.run("BEGIN TRANSACTION;\n" + BEGIN))[-1]
        assert done["transaction_count"] == 1
    async with SqlBrowser(operating) as browser:
        await connected(browser, live_estate)
        assert await browser.rows("SELECT COUNT(*) AS n FROM sys.conversation_endpoints;") == [[0]]


async def test_a_transaction_lives_from_script_to_script(live_estate, operating):
    async with SqlBrowser(operating) as browser:
        await connected(browser, live_estate)
        await browser.run("BEGIN TRANSACTION;\n" + BEGIN)
        assert await browser.rows("SELECT @@TRANCOUNT AS open_transactions;") == [[1]]
        done = (await browser.run("COMMIT TRANSACTION;"))[-1]
        assert done["transaction_count"] == 0
        assert await browser.rows("SELECT COUNT(*) AS n FROM sys.conversation_endpoints;") == [[1]]


async def test_a_wait_is_cancelled_and_the_session_goes_on(live_estate, operating):
    async with SqlBrowser(operating) as browser:
        await connected(browser, live_estate, "LYON", "Stock")
        number = await browser.start("PRINT N'waiting';\nWAITFOR (RECEIVE * FROM dbo.[File]);\nPRINT N'not reached';")
        await browser.hear("printed")
        await browser.say(type="cancel", id=number)
        answers = await browser.ending(number)
        assert (answers[-1]["type"], answers[-1]["outcome"]) == ("done", "cancelled")
        assert "not reached" not in str(answers)
        assert await browser.rows("SELECT 1 AS one;") == [[1]]


async def test_a_loop_without_an_end_is_cancelled(live_estate, operating):
    async with SqlBrowser(operating) as browser:
        await connected(browser, live_estate)
        number = await browser.start("WHILE 1 = 1 PRINT N'again';")
        await browser.hear("printed")
        await browser.say(type="cancel", id=number)
        assert (await browser.ending(number))[-1]["outcome"] == "cancelled"


async def test_who_leaves_while_a_script_waits_leaves_nobody_waiting(live_estate, operating):
    async with SqlBrowser(operating) as leaving:
        await connected(leaving, live_estate, "LYON", "Stock")
        await leaving.start("PRINT N'waiting';\nWAITFOR (RECEIVE * FROM dbo.[File]);")
        await leaving.hear("printed")
    async with SqlBrowser(operating) as browser:
        await connected(browser, live_estate)
        await browser.run(BEGIN)
        place = live_estate.name, "LYON", "Stock", "File"
        await asyncio.to_thread(until, lambda: engine.peek_queue(*place, 1).total == 1, "the message stays there")


async def test_one_script_runs_at_a_time(live_estate, operating):
    async with SqlBrowser(operating) as browser:
        await connected(browser, live_estate)
        first = await browser.start("PRINT N'waiting';\nWAITFOR DELAY '00:00:20';")
        await browser.hear("printed")
        second = await browser.start("PRINT N'second';")
        denied = await browser.hear("denied")
        assert (denied["id"], denied["code"], denied["reason"]) == (second, 4409, "busy")
        await browser.say(type="cancel", id=first)
        assert (await browser.ending(first))[-1]["outcome"] == "cancelled"


async def test_bodies_are_null_for_who_may_not_read_them(live_estate, blind):
    async with SqlBrowser(blind) as paris, SqlBrowser(blind) as lyon:
        assert (await connected(paris, live_estate))["withholds_bodies"] is True
        await connected(lyon, live_estate, "LYON", "Stock")
        await paris.run(BEGIN)
        place = live_estate.name, "LYON", "Stock", "File"
        await asyncio.to_thread(until, lambda: engine.peek_queue(*place, 1).total == 1, "the message arrived")
        looked = await lyon.rows("SELECT message_body, message_type_name FROM dbo.[File];")
        guessed = await lyon.rows("SELECT COUNT(*) FROM dbo.[File] WHERE message_body IS NOT NULL;")
        received = await lyon.rows("RECEIVE message_body, message_type_name FROM dbo.[File];")
    assert looked == received == [[None, "//test/Commande"]]
    assert guessed == [[0]]


async def test_definitions_are_a_revision_that_the_instance_has_when_the_statement_is_over(live_estate, editing):
    async with SqlBrowser(editing) as browser:
        assert (await connected(browser, live_estate))["may_define"] is True
        script = "CREATE QUEUE dbo.Neue;\nGO\nSELECT name FROM sys.service_queues WHERE name = N'Neue';"
        assert await browser.rows(script) == [["Neue"]]
    row = await Decision.objects.filter(estate=live_estate, author_name="édith").alatest("sequence")
    assert (row.revision, row.origin) == (2, "ui")
    paris = await Instance.objects.aget(estate=live_estate, name="PARIS")
    assert paris.applied_revision == 2


async def test_definitions_are_refused_to_who_may_not_edit_and_nothing_changes(live_estate, operating):
    async with SqlBrowser(operating) as browser:
        await connected(browser, live_estate)
        answers = await browser.run(
            "CREATE QUEUE dbo.Neue;\nALTER DATABASE Ventes SET PARTNER FAILOVER;\nSELECT 1 AS n;"
        )
    failures = [(each["number"], each["line"]) for each in answers if each["type"] == "failed"]
    assert failures == [(15247, 1), (15247, 2)]
    assert answers[-1]["outcome"] == "finished"
    await live_estate.arefresh_from_db()
    assert live_estate.revision == 1


async def test_what_a_script_did_is_in_the_log_and_what_it_only_read_is_not(live_estate, operating):
    async with SqlBrowser(operating) as browser:
        await connected(browser, live_estate)
        before = await Decision.objects.filter(estate=live_estate).acount()
        await browser.run("SELECT * FROM sys.conversation_endpoints;")
        assert await Decision.objects.filter(estate=live_estate).acount() == before
        await browser.run(BEGIN)
    row = await Decision.objects.filter(estate=live_estate).alatest("sequence")
    assert row.summary == "Run BEGIN DIALOG, SEND in Ventes on PARIS"
    assert (row.author_name, row.origin, row.revision) == ("ophélie", "ui", None)


async def test_many_rows_come_in_frames_and_none_is_missing(live_estate, operating, monkeypatch):
    monkeypatch.setattr(protocol, "SENT_CHARACTERS_MAX", 40)
    script = """DECLARE @t TABLE (n int); DECLARE @n int = 0;
WHILE @n < 200 BEGIN INSERT INTO @t VALUES (@n); SET @n = @n + 1; END;
SELECT n FROM @t ORDER BY n;"""
    async with SqlBrowser(operating) as browser:
        await connected(browser, live_estate)
        answers = [each for each in await browser.run(script) if each["type"] in ("result-set", "rows")]
    assert len(answers) > protocol.UNACKED_MAX
    assert [row for each in answers for row in each["rows"]] == [[number] for number in range(200)]
    assert [each["is_whole"] for each in answers] == [False] * (len(answers) - 1) + [True]


async def test_a_browser_that_takes_nothing_is_not_sent_everything(live_estate, operating, monkeypatch):
    async with SqlBrowser(operating) as browser:
        await connected(browser, live_estate)
        monkeypatch.setattr(protocol, "SILENCE_SECONDS_MAX", 1.0)
        browser.acks = False
        await browser.start("WHILE 1 = 1 PRINT N'again';")
        frames = 0
        while (message := await browser.next())["type"] != "refused":
            frames += 1
        assert (message["code"], message["reason"]) == (4408, "silent")
        assert frames <= protocol.UNACKED_MAX + 3


async def test_cells_travel_as_their_types_say(live_estate, operating):
    async with SqlBrowser(operating) as browser:
        await connected(browser, live_estate)
        (row,) = await browser.rows(
            "SELECT NULL, CAST(1 AS bit), CAST(9007199254740993 AS bigint), 0x00FF,"
            " CAST('0A1B2C3D-0000-4000-8000-00000000000a' AS uniqueidentifier), N'Réception';"
        )
    assert row == [None, 1, "9007199254740993", "0x00FF", "0A1B2C3D-0000-4000-8000-00000000000A", "Réception"]


async def test_so_many_sessions_are_open_at_once_and_no_more(live_estate, operating, monkeypatch):
    monkeypatch.setattr("brokerweb.console.services.client.SESSIONS_OF_ONE_MAX", 1)
    async with SqlBrowser(operating) as first:
        await connected(first, live_estate)
        async with SqlBrowser(operating) as second:
            refused = await connected(second, live_estate)
            assert (refused["code"], refused["reason"]) == (4429, "too-many")
        assert await first.rows("SELECT 1;") == [[1]]
    async with SqlBrowser(operating) as third:
        assert (await connected(third, live_estate))["type"] == "welcome"


async def offered(browser, script, position=None):
    at = len(script.encode("utf-16-le")) // 2 if position is None else position
    await browser.say(type="complete", id=900, script=script, position=at)
    answer = await browser.hear("completion")
    return {each["label"]: each["apply"] for each in answer["options"]}, answer["begins_at"]


async def test_what_may_stand_there_is_offered_from_the_model(live_estate, operating):
    async with SqlBrowser(operating) as browser:
        await connected(browser, live_estate)
        script = "-- 😀\nSELECT * FROM sys.conv"
        options, begins_at = await offered(browser, script)
        assert "conversation_endpoints" in options
        assert script.encode("utf-16-le")[2 * begins_at :].decode("utf-16-le") == "conv"
        options, _ = await offered(browser, "RECEIVE * FROM ")
        assert any("File" in label for label in options)
        assert await offered(browser, "", position=99) is not None


@pytest.fixture
def quick_looks(monkeypatch):
    monkeypatch.setattr(protocol, "HEARTBEAT_SECONDS", 0.2)


async def test_who_logs_out_while_a_script_waits_is_refused_and_nothing_waits_on(live_estate, operating, quick_looks):
    async with SqlBrowser(operating) as browser:
        await connected(browser, live_estate, "LYON", "Stock")
        await browser.start("WAITFOR (RECEIVE * FROM dbo.[File]);")
        await sync_to_async(operating.logout)()
        assert (await browser.hear("refused"))["code"] == 4401
