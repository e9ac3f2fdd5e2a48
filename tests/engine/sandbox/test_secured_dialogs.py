"""Dialog security between two instances of a sandbox, set up by T-SQL as on a server; and what is not simulated."""

import pytest

from engine.tsql.console.outputs import Failed
from tests.engine.sandbox.test_console import Bench, rows, run

BEGIN = """
    DECLARE @h uniqueidentifier;
    BEGIN DIALOG CONVERSATION @h FROM SERVICE Till TO SERVICE 'Stock' ON CONTRACT Sale WITH ENCRYPTION = ON;
    SEND ON CONVERSATION @h MESSAGE TYPE [Order] (N'3 apples');
    WAITFOR DELAY '00:00:05';
"""
BODIES = "SELECT CAST(message_body AS nvarchar(max)) FROM Inbox;"


@pytest.fixture(params=["alone", "kept"])
def bench(request) -> Bench:
    """WEST and EAST, each with a key, a certificate of its own and a user for the other side; SEND is for him alone."""
    bench = Bench(request.param)
    for instance, database, own, other in (("WEST", "Shop", "West", "East"), ("EAST", "Store", "East", "West")):
        rows(
            run(
                bench.open(instance, database),
                f"CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Tr41ning!'; CREATE USER {other}User WITHOUT LOGIN;"
                f" CREATE CERTIFICATE {own}Own WITH SUBJECT = '{own}', EXPIRY_DATE = '2030-01-01';",
            )
        )
    rows(
        run(
            bench.open("EAST", "Store"),
            "REVOKE SEND ON SERVICE::Stock FROM [public]; GRANT SEND ON SERVICE::Stock TO WestUser;",
        )
    )
    return bench


def give_public_part(bench: Bench, to: str, database: str, own: tuple[str, str], user: str) -> None:
    """The certificate of one side, as a file would bring it to the other."""
    source = bench.open(*own).target.catalog().databases[own[1]]
    (certificate,) = [each for name, each in source.certificates.items() if name.endswith("Own")]
    binary = certificate.certificate.hex()
    made = f"CREATE CERTIFICATE {user}Certificate AUTHORIZATION {user} FROM BINARY = 0x{binary};"
    rows(run(bench.open(to, database), made))


def bind(bench: Bench) -> None:
    rows(run(bench.open("WEST", "Shop"), "CREATE REMOTE SERVICE BINDING B TO SERVICE 'Stock' WITH USER = EastUser;"))


def test_a_secured_dialog_arrives(bench):
    """SEND is granted to the user of the certificate alone: what arrives was signed with its key."""
    give_public_part(bench, "WEST", "Shop", ("EAST", "Store"), "EastUser")
    give_public_part(bench, "EAST", "Store", ("WEST", "Shop"), "WestUser")
    bind(bench)
    rows(run(bench.open("WEST", "Shop"), BEGIN))
    assert rows(run(bench.open("EAST", "Store"), BODIES)) == [("3 apples",)]


def test_without_the_public_part_nothing_arrives(bench):
    give_public_part(bench, "WEST", "Shop", ("EAST", "Store"), "EastUser")
    bind(bench)
    rows(run(bench.open("WEST", "Shop"), BEGIN))
    assert rows(run(bench.open("EAST", "Store"), BODIES)) == []


def test_certificates_are_exchanged_by_files_of_the_sandbox(bench):
    def other(name):
        return "Store" if name == "EAST" else "Shop"

    for own, to, user in (("WEST", "EAST", "WestUser"), ("EAST", "WEST", "EastUser")):
        file = f"'C:\\{own}.cer'"
        rows(run(bench.open(own, other(own)), f"BACKUP CERTIFICATE {own.title()}Own TO FILE = {file};"))
        made = f"CREATE CERTIFICATE Brought AUTHORIZATION {user} FROM FILE = {file};"
        rows(run(bench.open(to, other(to)), made))
        outputs = run(bench.open(own, other(own)), f"BACKUP CERTIFICATE {own.title()}Own TO FILE = {file};")
        assert [each.number for each in outputs if isinstance(each, Failed)] == [15240]
    bind(bench)
    rows(run(bench.open("WEST", "Shop"), BEGIN))
    assert rows(run(bench.open("EAST", "Store"), BODIES)) == [("3 apples",)]


def test_certificates_of_endpoints_are_refused_by_number_when_a_connection_is_made(bench):
    """They are defined like any; that no connection comes about with them is said where the message waits."""
    for instance in ("WEST", "EAST"):
        rows(
            run(
                bench.open(instance, "master"),
                "CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Tr41ning!';"
                " CREATE CERTIFICATE ForEndpoint WITH SUBJECT = 'endpoint', EXPIRY_DATE = '2030-01-01';"
                " ALTER ENDPOINT [Broker] FOR SERVICE_BROKER (AUTHENTICATION = CERTIFICATE ForEndpoint);",
            )
        )
    west = bench.open("WEST", "Shop")
    rows(run(west, BEGIN.replace("ENCRYPTION = ON", "ENCRYPTION = OFF")))
    ((status,),) = rows(run(west, "SELECT transmission_status FROM sys.transmission_queue;"))
    assert "28036" in str(status), status
