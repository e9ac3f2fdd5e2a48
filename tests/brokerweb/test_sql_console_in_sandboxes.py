"""Sessions of the T-SQL console in a trainee's sandbox, over their websocket: whose they are, how they wait and end."""

import asyncio
from datetime import timedelta
from time import monotonic

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.console import protocol
from brokerweb.console.services.sandboxes import sandbox_ground
from brokerweb.topology.models import Decision
from brokerweb.training.models import Mode, TrainingGroup, TrainingScript, TrainingSession
from brokerweb.training.services.acting import clock_set
from brokerweb.training.services.sessions import session_begin, session_finish, session_give_up
from tests.brokerweb.conftest import ApiClient
from tests.brokerweb.sql_browser import SqlBrowser
from tests.brokerweb.test_training_bounds import Busy, kept

INSTANCE, DATABASE = "PARIS", "Ventes"


class Trainee:
    """Somebody with a browser and a run."""

    def __init__(self, name, role=Role.VIEWER, mode="practise", scenario="first-route"):
        self.client = ApiClient()
        self.user = user_create(name, role)
        self.client.force_login(self.user)
        self.run = session_begin(self.user, scenario, Mode(mode), seed=5)

    async def pause(self):
        await sync_to_async(clock_set)(self.user, self.run.pk, 0.0)

    async def scripts(self):
        return [
            (each.instance, each.database, bytes(each.script).decode(), each.errors)
            async for each in TrainingScript.objects.filter(session=self.run)
        ]


@pytest.fixture
def olga(transactional_db):
    """Who may only view: to train needs no more."""
    return Trainee("olga")


@pytest.fixture
def quick_looks(monkeypatch):
    monkeypatch.setattr(protocol, "HEARTBEAT_SECONDS", 0.2)


async def connected(browser, sandbox, instance=INSTANCE, database=DATABASE, **more):
    await browser.hello(sandbox, instance, database, **more)
    return await browser.hear("welcome", "refused")


async def test_a_trainee_types_into_a_sandbox_reads_bodies_and_defines(olga):
    async with SqlBrowser(olga.client) as browser:
        welcome = await connected(browser, olga.run.sandbox, database="ventes")
        assert (welcome["database"], welcome["withholds_bodies"], welcome["may_define"]) == (DATABASE, False, True)
        script = "CREATE QUEUE dbo.Neue;\nGO\nSELECT name FROM sys.service_queues WHERE name = N'Neue';"
        assert await browser.rows(script) == [["Neue"]]
    async with SqlBrowser(olga.client) as later:
        await connected(later, olga.run.sandbox)
        assert await later.rows("SELECT COUNT(*) FROM dbo.Neue;") == [[0]]
    assert await Decision.objects.acount() == 0


async def test_each_script_is_noted_with_its_errors_and_where_it_ran(olga):
    wrong = "SELECT * FROM sys.nothing;\nGO\nUSE msdb;"
    async with SqlBrowser(olga.client) as browser:
        await connected(browser, olga.run.sandbox)
        await browser.run(wrong)
        await browser.run("SELECT 1;")
    assert await olga.scripts() == [(INSTANCE, DATABASE, wrong, [208]), (INSTANCE, "msdb", "SELECT 1;", [])]


async def test_a_transaction_lives_from_script_to_script_and_ends_with_its_socket(olga):
    one = "CREATE QUEUE Q; CREATE SERVICE S ON QUEUE Q ([DEFAULT]);"
    begin = "BEGIN TRANSACTION; DECLARE @h uniqueidentifier;" + (
        "BEGIN DIALOG @h FROM SERVICE S TO SERVICE 'S', 'CURRENT DATABASE' WITH ENCRYPTION = OFF;"
        "SEND ON CONVERSATION @h ('hello');"
    )
    count = "SELECT COUNT(*) FROM sys.conversation_endpoints WHERE far_service = 'S' AND is_initiator = 1;"
    await olga.pause()
    async with SqlBrowser(olga.client) as browser:
        await connected(browser, olga.run.sandbox)
        await browser.run(one)
        assert (await browser.run(begin))[-1]["transaction_count"] == 1
        assert await browser.rows("SELECT @@TRANCOUNT;") == [[1]]
        assert (await browser.run("COMMIT;"))[-1]["transaction_count"] == 0
        assert await browser.rows(count) == [[1]]
        await browser.run(begin)
    async with SqlBrowser(olga.client) as later:
        await connected(later, olga.run.sandbox)
        assert await later.rows(count) == [[1]]


@pytest.mark.parametrize("waiting", ["WAITFOR (RECEIVE * FROM Q);", "WAITFOR DELAY '10:00:00';"])
async def test_a_wait_for_the_time_of_the_sandbox_is_cancelled(olga, waiting):
    async with SqlBrowser(olga.client) as browser:
        await connected(browser, olga.run.sandbox)
        await browser.run("CREATE QUEUE Q;")
        number = await browser.start("PRINT N'waits';\n" + waiting + "\nPRINT N'not reached';")
        await browser.hear("printed")
        await browser.say(type="cancel", id=number)
        answers = await browser.ending(number)
        assert answers[-1]["outcome"] == "cancelled"
        assert "not reached" not in str(answers)
        assert await browser.rows("SELECT 1;") == [[1]]


async def test_a_wait_takes_the_time_of_the_sandbox_and_not_of_the_wall(olga):
    await sync_to_async(clock_set)(olga.user, olga.run.pk, 600.0)
    async with SqlBrowser(olga.client) as browser:
        await connected(browser, olga.run.sandbox)
        began = monotonic()
        script = (
            "DECLARE @a datetime = GETUTCDATE();WAITFOR DELAY '00:05:00';SELECT DATEDIFF(second, @a, GETUTCDATE());"
        )
        ((seconds,),) = await browser.rows(script)
    # At 600 times the time of the wall, which goes on while the machine does other work.
    assert 300 <= seconds <= 300 + 600 * (monotonic() - began)


@pytest.mark.parametrize(
    "ending", [lambda run: session_finish(*run), lambda run: session_give_up(*run)], ids=["finish", "give up"]
)
async def test_the_end_of_the_run_ends_its_sessions(olga, quick_looks, ending):
    async with SqlBrowser(olga.client) as browser:
        await connected(browser, olga.run.sandbox)
        await browser.run("BEGIN TRANSACTION; SELECT 1;")
        await sync_to_async(ending)((olga.user, olga.run.pk))
        refused = await browser.hear("refused")
    assert (refused["code"], refused["reason"]) == (4411, "over")
    assert refused["detail"]
    async with SqlBrowser(olga.client) as later:
        assert (await connected(later, olga.run.sandbox))["code"] == 4411


async def test_the_end_of_the_run_ends_a_script_that_waits(olga, quick_looks):
    async with SqlBrowser(olga.client) as browser:
        await connected(browser, olga.run.sandbox)
        await browser.run("CREATE QUEUE Q;")
        await browser.start("PRINT N'waits';\nWAITFOR (RECEIVE * FROM Q);")
        await browser.hear("printed")
        await sync_to_async(session_finish)(olga.user, olga.run.pk)
        assert (await browser.hear("refused"))["code"] == 4411


async def test_an_examination_whose_time_is_over_ends_its_sessions(transactional_db, quick_looks):
    otto = await sync_to_async(Trainee)("otto", mode="exam")
    async with SqlBrowser(otto.client) as browser:
        await connected(browser, otto.run.sandbox, language="de")
        row = TrainingSession.objects.filter(pk=otto.run.pk)
        await row.aupdate(ends_by=timezone.now() - timedelta(seconds=1))
        refused = await browser.hear("refused")
    assert refused["code"] == 4411
    assert (await row.aget()).ended_at is not None


def test_an_examination_is_over_also_while_it_is_being_found_out_what_it_was_worth(transactional_db):
    otto = Trainee("otto", mode="exam")
    ground = sandbox_ground(otto.run.sandbox, INSTANCE, DATABASE, otto.user)
    assert ground.over() is None
    TrainingSession.objects.update(ends_by=timezone.now() - timedelta(seconds=1))
    with kept(worked=Busy(60.0)):
        assert ground.over()
        assert TrainingSession.objects.get().ended_at is None, "not yet"
    assert ground.over()
    assert TrainingSession.objects.get().ended_at is not None


async def test_a_sandbox_is_its_trainees_alone(olga):
    def others():
        trainer = Trainee("theo", Role.TRAINER)
        group = TrainingGroup.objects.create(name="all", trainer=trainer.user)
        group.members.add(olga.user)
        return [trainer, Trainee("adam", Role.ADMIN)]

    told = set()
    for other in await sync_to_async(others)():
        async with SqlBrowser(other.client) as browser:
            refused = await connected(browser, olga.run.sandbox)
            told.add((refused["code"], refused["detail"].replace(olga.run.sandbox, "…")))
        async with SqlBrowser(other.client) as browser:
            missing = await connected(browser, "~" + "0" * 32)
            told.add((missing["code"], missing["detail"].replace("~" + "0" * 32, "…")))
    ((code, _),) = told
    assert code == 4404


@pytest.mark.parametrize(
    ("sandbox", "instance", "database"),
    [("~", INSTANCE, DATABASE), ("~no-such", INSTANCE, DATABASE), (None, "ROME", DATABASE), (None, INSTANCE, "none")],
)
async def test_a_place_that_is_not_there_is_refused(olga, sandbox, instance, database):
    async with SqlBrowser(olga.client) as browser:
        refused = await connected(browser, sandbox or olga.run.sandbox, instance, database)
        assert (refused["code"], refused["reason"]) == (4404, "unknown-place")


async def test_what_may_stand_there_is_offered_from_the_sandbox(olga):
    async with SqlBrowser(olga.client) as browser:
        await connected(browser, olga.run.sandbox)
        await browser.run("CREATE QUEUE dbo.Neue;")
        script = "SELECT * FROM dbo."
        await browser.say(type="complete", id=9, script=script, position=len(script))
        options = (await browser.hear("completion"))["options"]
    assert "Neue" in {each["label"] for each in options}


async def test_a_loop_is_cancelled_within_a_second(olga):
    async with SqlBrowser(olga.client) as browser:
        await connected(browser, olga.run.sandbox)
        number = await browser.start("PRINT N'begins';\nDECLARE @n int = 0;\nWHILE 1 = 1 SET @n = @n + 1;")
        await browser.hear("printed")
        await browser.say(type="cancel", id=number)
        answers = await browser.ending(number)
    assert [each["type"] for each in answers] == ["done"]
    assert answers[-1]["outcome"] == "cancelled"


async def test_two_sessions_of_one_trainee_act_in_the_same_sandbox(olga):
    async with SqlBrowser(olga.client) as first, SqlBrowser(olga.client) as second:
        await asyncio.gather(connected(first, olga.run.sandbox), connected(second, olga.run.sandbox))
        await first.run("CREATE QUEUE dbo.Neue;")
        assert await second.rows("SELECT COUNT(*) FROM dbo.Neue;") == [[0]]
