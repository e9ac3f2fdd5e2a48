"""T-SQL at a mirrored pair, at a database that is off-line, and at an instance that goes down while one types."""

import pytest

from engine.core.catalog.database import DatabaseState
from engine.sandbox.actions import FailedOver, FaultBegun, FaultEnded
from engine.sandbox.sandbox import Sandbox
from engine.sandbox.target import OwnHands, SandboxTarget
from engine.sim.securing import VAULT
from engine.tsql.console.session import ConsoleSession
from engine.whatif.faults import Fault, FaultKind
from tests.engine.sandbox.worlds import spec
from tests.support.console_world import Typing
from tests.support.numbered_entropy import NumberedEntropy

NORTH_DOWN = FaultBegun(fault=Fault(kind=FaultKind.INSTANCE, instance="NORTH"))
EAST_DOWN = FaultBegun(fault=Fault(kind=FaultKind.INSTANCE, instance="EAST"))
CUT = FaultBegun(fault=Fault(kind=FaultKind.LINK, instance="NORTH", other="EAST"))
FAIL_OVER = "ALTER DATABASE [store] SET PARTNER FAILOVER;"
FORCE = "ALTER DATABASE Store SET PARTNER FORCE_SERVICE_ALLOW_DATA_LOSS"
ROLES = """
SELECT d.name, m.mirroring_role_desc, d.state_desc FROM sys.database_mirroring m JOIN sys.databases d
ON d.database_id = m.database_id WHERE m.mirroring_guid IS NOT NULL
"""


class Pair:
    """EAST with Store, its copy at NORTH, and consoles."""

    def __init__(self) -> None:
        self.spec = spec()
        self.sandbox = Sandbox(self.spec, is_hashed=True)
        self.log = []
        self.hands = OwnHands(self.sandbox, self.log.append)
        self._entropy = NumberedEntropy(10_000)

    def open(self, instance: str, database: str = "master") -> Typing:
        return Typing(ConsoleSession(SandboxTarget(self.hands, instance, self._entropy, VAULT), database))

    def states(self) -> list[DatabaseState]:
        return [self.sandbox.catalog(name).databases["Store"].state for name in ("EAST", "NORTH")]


@pytest.fixture
def pair() -> Pair:
    return Pair()


AS_BEFORE = [DatabaseState.ONLINE, DatabaseState.MIRROR]
EXCHANGED = [DatabaseState.MIRROR, DatabaseState.ONLINE]


# ── failing over ─────────────────────────────────────────────────────────────────────────────────────────────────────
def test_the_roles_change_with_the_statement_at_the_principal_and_change_back(pair):
    east, north = pair.open("EAST"), pair.open("NORTH")
    assert east.rows(ROLES) == [("Store", "PRINCIPAL", "ONLINE")]
    assert north.rows(ROLES) == [("Store", "MIRROR", "RESTORING")]
    for principal, copy, states in ((east, north, EXCHANGED), (north, east, AS_BEFORE), (east, north, EXCHANGED)):
        assert principal.run(FAIL_OVER) == []
        assert pair.states() == states
        assert principal.rows(ROLES) == [("Store", "MIRROR", "RESTORING")]
        assert copy.rows(ROLES) == [("Store", "PRINCIPAL", "ONLINE")]
    assert pair.sandbox.faults() == (), "nobody has to mend it"


def test_a_failover_is_in_the_log_and_is_replayed(pair):
    pair.open("EAST").do(FAIL_OVER)
    assert [each.action for each in pair.log] == [FailedOver(instance="EAST", database="Store")]
    again = Sandbox(pair.spec, is_hashed=True)
    again.replay(pair.log)
    assert again.hash == pair.sandbox.hash


@pytest.mark.parametrize(
    ("instance", "script", "faults", "number"),
    [
        ("NORTH", FAIL_OVER, [], 1470),
        ("EAST", FAIL_OVER, [NORTH_DOWN], 1422),
        ("EAST", FAIL_OVER, [CUT], 1422),
        ("WEST", "ALTER DATABASE Shop SET PARTNER FAILOVER", [], 1416),
        ("EAST", "ALTER DATABASE Nowhere SET PARTNER FAILOVER", [], 911),
        ("EAST", f"BEGIN TRAN; {FAIL_OVER}", [], 226),
        ("EAST", FORCE, [], 1455),
        ("EAST", FORCE, [NORTH_DOWN], 1455),
        ("NORTH", FORCE, [], 1455),
        ("EAST", f"ALTER DATABASE Store SET OFFLINE; {FAIL_OVER}", [], 1455),
        ("EAST", "ALTER DATABASE Store SET PARTNER SUSPEND", [], 40510),
        ("EAST", "ALTER DATABASE Store SET WITNESS = 'TCP://w:1'", [], 40510),
    ],
)
def test_what_does_not_fail_over_says_why(pair, instance, script, faults, number):
    for fault in faults:
        pair.hands.perform(fault)
    assert pair.open(instance).failure(script).number == number
    assert pair.states()[1] is DatabaseState.MIRROR


@pytest.mark.parametrize("fault", [EAST_DOWN, CUT])
def test_service_is_forced_at_the_copy_that_has_lost_its_principal(pair, fault):
    pair.hands.perform(fault)
    north = pair.open("NORTH")
    north.do(FORCE)
    assert pair.states()[1] is DatabaseState.ONLINE
    assert north.rows("SELECT COUNT(*) FROM Store.sys.services WHERE name = 'Stock'") == [(1,)]


def test_what_alter_database_does_not_do_is_named_in_full(pair):
    failures = [
        pair.open("EAST").failure(f"ALTER DATABASE Store {rest}").parameters["found"]
        for rest in ("SET PARTNER SUSPEND", "MODIFY NAME = Other")
    ]
    assert failures == [
        "ALTER DATABASE … SET PARTNER SUSPEND",
        "ALTER DATABASE … MODIFY",
    ]


# ── what cannot be opened ────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "script",
    [
        "USE Store",
        "SELECT * FROM Store.sys.routes",
        "SELECT * FROM Store.dbo.Inbox",
        "ALTER DATABASE Store SET ENABLE_BROKER",
        "ALTER DATABASE Store SET DISABLE_BROKER",
    ],
)
@pytest.mark.parametrize(("is_mirror", "number"), [(True, 954), (False, 942)])
def test_a_copy_and_what_is_off_line_are_not_opened_from_elsewhere(pair, script, is_mirror, number):
    typing = pair.open("NORTH" if is_mirror else "EAST")
    if not is_mirror:
        typing.do("ALTER DATABASE Store SET OFFLINE")
    assert typing.failure(script).number == number
    assert typing.value("DB_NAME()") == "master"


@pytest.mark.parametrize(
    "script",
    [
        "SELECT name FROM sys.services",
        "SELECT * FROM Inbox",
        "RECEIVE * FROM Inbox",
        "CREATE QUEUE Fresh",
        "DROP ROUTE Back",
        "ALTER DATABASE CURRENT SET ERROR_BROKER_CONVERSATIONS",
        "ALTER DATABASE CURRENT SET OFFLINE",
    ],
)
def test_in_a_copy_nothing_is_read_and_nothing_defined(pair, script):
    typing = pair.open("NORTH", "Store")
    before = pair.sandbox.catalog("NORTH").revision
    assert typing.failure(script).number == 954
    assert pair.sandbox.catalog("NORTH").revision == before
    assert typing.rows("SELECT COUNT(*) FROM sys.databases WHERE name = 'Store'") == [(1,)]
    assert typing.failure("ALTER DATABASE Store SET NEW_BROKER").number == 9778
    assert pair.states() == AS_BEFORE


def test_what_was_off_line_is_opened_again_and_what_is_read_only_is_read_and_not_defined_in(pair):
    typing = pair.open("EAST")
    typing.do("ALTER DATABASE Store SET OFFLINE")
    typing.do("ALTER DATABASE Store SET ONLINE; USE Store; SELECT name FROM sys.services; USE master")
    typing.do("ALTER DATABASE Store SET READ_ONLY; USE Store; SELECT name FROM sys.services")
    assert typing.failure("CREATE QUEUE Fresh").number == 3906
    typing.do("ALTER DATABASE Store SET READ_WRITE; CREATE QUEUE Fresh")


def test_the_new_principal_is_defined_in_and_the_old_one_is_not(pair):
    east, north = pair.open("EAST", "Store"), pair.open("NORTH", "Store")
    east.do(FAIL_OVER)
    north.do("CREATE QUEUE Fresh; SELECT * FROM Fresh")
    assert east.failure("CREATE QUEUE Fresh").number == 954


# ── an instance that goes down ───────────────────────────────────────────────────────────────────────────────────────
def test_where_nothing_runs_nothing_answers_and_it_is_told_once(pair):
    typing = pair.open("EAST", "Store")
    typing.do("BEGIN TRAN")
    pair.hands.perform(EAST_DOWN)
    script = "SELECT 1;\nSELECT name FROM sys.routes;\nGO\nPRINT N'next'"
    for _ in range(2):
        (failure,) = typing.run(script)
        assert (failure.number, failure.severity, failure.line) == (233, 20, 1)
    assert typing.session.transaction_count == 0
    pair.hands.perform(FaultEnded(fault=EAST_DOWN.fault))
    assert typing.value("1") == 1


def test_an_instance_that_dies_under_a_script_ends_it_whatever_would_catch(pair):
    typing = pair.open("EAST", "Store")
    typing.session.target.pause = lambda _seconds: pair.sandbox.perform(EAST_DOWN)
    script = """PRINT 'before'
    BEGIN TRY
        WAITFOR DELAY '00:00:10'
        PRINT 'not reached'
    END TRY
    BEGIN CATCH PRINT 'caught' END CATCH
    PRINT 'after'
    GO
    PRINT 'next'
    """
    said, failure = typing.run(script)
    assert said.text == "before"
    assert (failure.number, failure.severity, failure.line) == (233, 20, 3)
