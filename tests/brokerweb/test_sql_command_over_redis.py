"""`manage.py sql` where a broker carries tasks: Redis, a worker that hosts, and the command beside them."""

import subprocess
import sys

import pytest

from tests.support.deployed import ESTATE, deployed
from tests.support.redis_server import NO_REDIS, has_redis
from tests.support.running import REPOSITORY

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(not has_redis(), reason=NO_REDIS),
]

DIALOG = """DECLARE @handle uniqueidentifier;
BEGIN DIALOG CONVERSATION @handle FROM SERVICE [//exemple.fr/Ventes/Guichet]
    TO SERVICE N'//exemple.fr/Commandes/Réception' ON CONTRACT [{contract}] WITH ENCRYPTION = OFF;
SEND ON CONVERSATION @handle MESSAGE TYPE [{message_type}] (N'<Commande/>');
PRINT N'sent';
"""
BEGIN = """DECLARE @handle uniqueidentifier;
BEGIN DIALOG @handle FROM SERVICE [//exemple.fr/Ventes/Guichet] TO SERVICE N'//exemple.fr/Nowhere'
    WITH ENCRYPTION = OFF;"""
RECEIVE = """WAITFOR (
    RECEIVE TOP (1) CAST(message_body AS nvarchar(max)) AS body FROM dbo.[Commandes reçues]
), TIMEOUT 30000;"""


@pytest.fixture(scope="module")
def product(tmp_path_factory):
    with deployed(tmp_path_factory.mktemp("deployed")) as (product, client):
        yield product, client


@pytest.fixture
def sql(product, tmp_path):
    """Runs a script as an operator at a shell does: exit code, standard output, standard error."""

    def run(script, instance="PARIS", database="Ventes"):
        file = tmp_path / "script.sql"
        file.write_text(script, "utf-8")
        done = subprocess.run(
            [sys.executable, "manage.py", "sql", instance, database, "-f", str(file), "--estate", ESTATE],
            cwd=REPOSITORY,
            env=product[0].environment(),
            capture_output=True,
            text=True,
            timeout=120,
        )
        return done.returncode, done.stdout, done.stderr

    return run


def test_errors_have_their_numbers_and_lines(sql):
    code, out, err = sql("SELECT DB_NAME() AS here;\n\nSELECT * FROM sys.no_such_view;")
    assert (code, out) == (1, "here\n------\nVentes\n(1 row)\n")
    assert err.startswith("Msg 208, Level 16, State 1, Line 3\n")


def test_a_message_goes_from_one_instance_to_another(product, sql):
    databases = {
        each["name"]: each for instance in product[1].topology(ESTATE)["instances"] for each in instance["databases"]
    }
    services = databases["Entrepôt"]["services"]
    contract = next(each for each in services if each["name"] == "//exemple.fr/Commandes/Réception")["contracts"][0]
    uses = next(each for each in databases["Ventes"]["contracts"] if each["name"] == contract)["uses"]
    message_type = next(each for each in uses if each["sent_by"] != "TARGET")["message_type"]
    assert sql(DIALOG.format(contract=contract, message_type=message_type)) == (0, "sent\n", "")
    code, out, err = sql(RECEIVE, "LYON", "Entrepôt")
    assert (code, out.splitlines()[2:], err) == (0, ["<Commande/>", "(1 row)"], "")


def test_a_transaction_that_is_left_open_is_rolled_back(sql):
    count = "SELECT COUNT(*) AS n FROM sys.conversation_endpoints;"
    before = sql(count)
    code, _, err = sql(f"BEGIN TRANSACTION;\n{BEGIN}\n{count}")
    assert (code, err) == (0, "")
    assert sql(count) == before


def test_a_definition_is_a_revision_that_the_worker_has_when_the_next_statement_runs(sql):
    code, out, err = sql("CREATE QUEUE Typed;\nGO\nSELECT COUNT(*) AS n FROM Typed;")
    assert (code, out, err) == (0, "n\n-\n0\n(1 row)\n", "")
