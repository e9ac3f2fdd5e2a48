"""T-SQL on a sandbox: a console session works on it as on any instance, alone and by a keeper's hands."""

from collections.abc import Callable

import pytest

from engine.hosting.sandboxes.asked import KeptInstance
from engine.hosting.sandboxes.entry_log import MemoryEntryLog
from engine.hosting.sandboxes.keeper import SandboxKeeper
from engine.sandbox.actions import FaultBegun
from engine.sandbox.sandbox import Sandbox
from engine.sandbox.target import OwnHands, SandboxTarget
from engine.sim.securing import VAULT
from engine.tsql.console.outputs import ConsoleOutput, Failed, Printed, ResultSet
from engine.tsql.console.session import ConsoleSession
from engine.whatif.faults import Fault, FaultKind
from tests.engine.sandbox.worlds import spec
from tests.support.diagnosed_estates import sound_estate
from tests.support.numbered_entropy import NumberedEntropy

Open = Callable[[str, str], ConsoleSession]
SPEC = spec(estate=sound_estate())
DOWN = FaultBegun(fault=Fault(kind=FaultKind.INSTANCE, instance="EAST"))


class Bench:
    """Sessions on one sandbox, and who can break it."""

    def __init__(self, kind: str) -> None:
        if kind == "alone":
            self._hands = OwnHands(Sandbox(SPEC))
            self.perform = self._hands.perform
            return
        log = MemoryEntryLog()
        log.open("~mine", SPEC)
        keeper = SandboxKeeper(log, lambda: 1_000.0)
        self._hands = None
        self._keeper = keeper
        self.perform = lambda action: keeper.perform("~mine", action)

    def open(self, instance: str, database: str) -> ConsoleSession:
        if self._hands is None:
            return ConsoleSession(KeptInstance(self._keeper, "~mine", instance).target(), database)
        return ConsoleSession(SandboxTarget(self._hands, instance, NumberedEntropy(10_000), VAULT), database)


@pytest.fixture(params=["alone", "kept"])
def bench(request) -> Bench:
    return Bench(request.param)


def run(session: ConsoleSession, script: str) -> list[ConsoleOutput]:
    return list(session.run(script))


def rows(outputs: list[ConsoleOutput]) -> list[tuple[object, ...]]:
    assert not [each for each in outputs if isinstance(each, Failed)], outputs
    return [row for each in outputs if isinstance(each, ResultSet) for row in each.rows]


ORDER = """
DECLARE @handle uniqueidentifier;
BEGIN DIALOG CONVERSATION @handle FROM SERVICE Till TO SERVICE 'Stock' ON CONTRACT Sale WITH ENCRYPTION = OFF;
SEND ON CONVERSATION @handle MESSAGE TYPE [Order] (N'3 apples');
"""
RECEIVE = "WAITFOR (RECEIVE CAST(message_body AS nvarchar(max)) AS body FROM Inbox), TIMEOUT 60000;"


def test_an_order_is_sent_and_waited_for(bench):
    assert rows(run(bench.open("WEST", "Shop"), ORDER)) == []
    assert rows(run(bench.open("EAST", "Store"), RECEIVE)) == [("3 apples",)]


def test_a_delay_lets_messages_arrive(bench):
    run(bench.open("WEST", "Shop"), ORDER + "WAITFOR DELAY '00:00:05';")
    found = rows(run(bench.open("EAST", "Store"), "SELECT COUNT(*) FROM Inbox;"))
    assert found == [(1,)]


def test_definitions_are_changed_and_mistakes_have_numbers(bench):
    session = bench.open("WEST", "Shop")
    assert rows(run(session, "CREATE QUEUE Extra; SELECT name FROM sys.service_queues WHERE name = 'Extra';")) == [
        ("Extra",)
    ]
    (failed,) = [each for each in run(session, "DROP ROUTE Nowhere;") if isinstance(each, Failed)]
    assert failed.number == 15151


def test_a_backup_is_restored_elsewhere(bench):
    run(bench.open("WEST", "Shop"), ORDER + "WAITFOR DELAY '00:00:05';")
    run(bench.open("EAST", "master"), r"BACKUP DATABASE Store TO DISK = 'C:\Store.bak';")
    north = bench.open("NORTH", "master")
    outputs = run(north, r"RESTORE DATABASE Store FROM DISK = 'c:\store.bak';")
    assert not [each for each in outputs if isinstance(each, Failed)], outputs
    assert rows(run(bench.open("NORTH", "Store"), "SELECT COUNT(*) FROM Inbox;")) == [(1,)]


def test_an_instance_that_is_down_is_a_failure_of_the_script_and_not_of_the_console(bench):
    bench.perform(DOWN)
    outputs = run(bench.open("EAST", "Store"), "SELECT COUNT(*) FROM Inbox;")
    assert [type(each) for each in outputs] == [Failed]


def test_printing_needs_nobody(bench):
    assert [each.text for each in run(bench.open("WEST", "Shop"), "PRINT 'hello';") if isinstance(each, Printed)] == [
        "hello"
    ]


def test_master_keys_users_and_certificates_are_made(bench):
    west, east = bench.open("WEST", "Shop"), bench.open("EAST", "Store")
    for session, own, other in ((west, "West", "East"), (east, "East", "West")):
        script = f"""
            CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Tr41ning!';
            CREATE USER {other}User WITHOUT LOGIN;
            CREATE CERTIFICATE {own}Certificate WITH SUBJECT = '{own}', EXPIRY_DATE = '2030-01-01';
        """
        failed = [each for each in run(session, script) if isinstance(each, Failed)]
        assert failed == []
    assert rows(run(west, "SELECT name FROM sys.certificates;")) == [("WestCertificate",)]
