"""What runs in a console is cancelled, also where nothing asks the instance: here nobody hosts any."""

import asyncio

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.models import Decision
from tests.brokerweb.conftest import ApiClient
from tests.brokerweb.estates import make_estate, pair_catalogs
from tests.brokerweb.sql_browser import SqlBrowser
from tests.support.waiting import until

LOOP = "DECLARE @n int = 0;\nWHILE 1 = 1 SET @n = @n + 1;"
TRY = f"BEGIN TRY\n{LOOP}\nEND TRY\nBEGIN CATCH PRINT N'caught'; END CATCH;"
SELECT = """DECLARE @t TABLE (n int); DECLARE @n int = 0;
WHILE @n < 300 BEGIN INSERT INTO @t VALUES (@n); SET @n = @n + 1; END;
PRINT N'begins';
SELECT COUNT(*) FROM @t a CROSS JOIN @t b CROSS JOIN @t c CROSS JOIN @t d WHERE a.n + b.n + c.n + d.n = -1;"""


@pytest.fixture
def editing(transactional_db):
    client = ApiClient()
    client.force_login(user_create("édith", Role.EDITOR))
    return client


@pytest.fixture
def estate(transactional_db):
    return make_estate(pair_catalogs(), name="unhosted")


async def cancelled(browser, script):
    """What comes after the first thing that a script prints, when it is cancelled then."""
    number = await browser.start(script)
    await browser.hear("printed")
    await browser.say(type="cancel", id=number)
    answers = await browser.ending(number)
    assert answers[-1]["outcome"] == "cancelled"
    return answers[:-1]


@pytest.mark.parametrize("script", [f"PRINT N'begins';\n{LOOP}", f"PRINT N'begins';\n{TRY}", SELECT])
async def test_what_only_computes_is_cancelled_and_the_session_goes_on(estate, editing, script):
    async with SqlBrowser(editing) as browser:
        await browser.hello(estate.name, "PARIS", "Ventes")
        await browser.hear("welcome")
        assert await cancelled(browser, script) == []
        assert await browser.rows("SELECT 1;") == [[1]]


async def test_a_definition_that_no_instance_takes_is_waited_for_until_it_is_cancelled_and_stands(estate, editing):
    async with SqlBrowser(editing) as browser:
        await browser.hello(estate.name, "PARIS", "Ventes")
        await browser.hear("welcome")
        number = await browser.start("CREATE QUEUE dbo.Neue;\nPRINT N'not reached';")
        await asyncio.to_thread(until, Decision.objects.filter(revision=2).exists, "the definition is decided")
        await browser.say(type="cancel", id=number)
        failed, done = await browser.ending(number)
    assert (failed["number"], failed["line"], done["outcome"]) == (233, 1, "cancelled")
    assert "revision 2" in failed["why"]
