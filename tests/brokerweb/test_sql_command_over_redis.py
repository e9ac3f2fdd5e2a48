"""`manage.py sql` where a broker carries tasks: Redis, a worker that hosts, and the command beside them."""

import subprocess
import sys

import pytest

from tests.support.deployed import ESTATE, Deployed
from tests.support.redis_server import NO_REDIS, has_redis
from tests.support.running import REPOSITORY
from tests.support.waiting import until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not has_redis(), reason=NO_REDIS),
]

STARTS_SECONDS = 180.0
"""On a machine that has other things to do."""
DEFINE = """CREATE QUEUE Typed;
CREATE SERVICE [//Typed] ON QUEUE Typed ([DEFAULT]);
"""
SEND = """DECLARE @handle uniqueidentifier;
BEGIN DIALOG @handle FROM SERVICE [//Typed] TO SERVICE N'//Typed', N'CURRENT DATABASE' WITH ENCRYPTION = OFF;
SEND ON CONVERSATION @handle (N'bonjour');
"""
RECEIVE = "WAITFOR (RECEIVE CAST(message_body AS nvarchar(max)) AS said FROM Typed), TIMEOUT 30000;\n"
COUNT = "SELECT COUNT(*) AS n FROM sys.conversation_endpoints WHERE far_service = N'//Typed';\n"


@pytest.fixture(scope="module")
def sql(tmp_path_factory):
    """Runs a script as an operator at a shell does: exit code, standard output, standard error."""
    folder = tmp_path_factory.mktemp("deployed")
    product = Deployed(folder)

    def run(script):
        file = folder / "script.sql"
        file.write_text(script, "utf-8")
        done = subprocess.run(
            [sys.executable, "manage.py", "sql", "PARIS", "Ventes", "-f", str(file), "--estate", ESTATE],
            cwd=REPOSITORY,
            env=product.environment(),
            capture_output=True,
            text=True,
            timeout=120,
        )
        return done.returncode, done.stdout, done.stderr

    try:
        product.prepare()
        for part in ("worker", "beat"):
            product.start(part)
        until(lambda: run("SELECT 1 AS one")[0] == 0, seconds=STARTS_SECONDS, what="the instance answers")
        yield run
    finally:
        product.end()


def test_definitions_messages_waits_and_transactions_go_through_the_worker(sql):
    assert sql(DEFINE + "SELECT COUNT(*) AS n FROM Typed;") == (0, "n\n-\n0\n(1 row)\n", "")
    assert sql(SEND + RECEIVE) == (0, "said\n-------\nbonjour\n(1 row)\n", "")
    before = sql(COUNT)
    assert sql(f"BEGIN TRANSACTION;\n{SEND}") == (0, "", "")
    assert sql(COUNT) == before
    assert sql(SEND) == (0, "", "")
    assert sql(COUNT) != before


def test_an_error_has_its_number_and_its_line(sql):
    code, out, err = sql("SELECT DB_NAME() AS here;\n\nSELECT * FROM sys.no_such_view;")
    assert (code, out) == (1, "here\n------\nVentes\n(1 row)\n")
    assert err.startswith("Msg 208, Level 16, State 1, Line 3\n")
