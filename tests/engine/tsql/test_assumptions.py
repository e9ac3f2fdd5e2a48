"""What an import assumes where it does not run the script, and that it says so at the line where the doubt begins."""

import time

import pytest

from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.compile import plan_import
from engine.tsql.hints import Hints
from engine.tsql.parse import parse_script
from engine.tsql.plan import Effect
from engine.tsql.statements import CreateRoute, Place, RouteClauses
from engine.tsql.statements import ObjectName as Name
from engine.tsql.tokens import Hint
from tests.support.numbered_entropy import NumberedEntropy

Told = list[tuple[int, str]]


def read(text: str) -> tuple[list[str], Told]:
    """The names of the objects that a script defines, and what is assumed; every script here is free of mistakes."""
    script = parse_script(text, "e")
    assert script.problems == ()
    names = [str(getattr(statement, "name", "?")) for statement in script.statements]
    return names, [(notice.line, notice.text) for notice in script.notices]


def lines(told: Told, *words: str) -> list[int]:
    """The lines of the notices, after a look at the words each must hold."""
    assert len(told) == len(words), told
    for (_, text), word in zip(told, words, strict=True):
        assert word in text
    return [line for line, _ in told]


class TestConditions:
    @pytest.mark.parametrize(
        "condition",
        [
            "IF @x = 1", "IF OBJECT_ID('q') = 1", "IF (SELECT 1 FROM t) > 0", "IF 1 = CASE WHEN 1=1 THEN 1 END",
            "IF EXISTS (SELECT 1) AND @x = 1", "IF NOT EXISTS (SELECT 1) OR @x = 1",
        ],
    )  # fmt: skip
    def test_a_condition_that_is_not_understood_is_taken_to_hold(self, condition: str) -> None:
        names, told = read(f"\n{condition} CREATE QUEUE a\nCREATE QUEUE b")
        assert (names, lines(told, "as if the condition held")) == (["a", "b"], [2])

    def test_a_condition_that_is_understood_is_no_assumption(self) -> None:
        assert read("IF NOT EXISTS (SELECT 1)\nBEGIN\nCREATE QUEUE a\nEND ELSE ALTER QUEUE a REBUILD")[1] == []

    def test_only_what_stands_under_it_is_in_doubt(self) -> None:
        assert read("IF @x = 1 PRINT 'a'\nCREATE QUEUE a") == (["a"], [])
        assert read("IF @x = 1 BEGIN PRINT 'a' END CREATE QUEUE a") == (["a"], [])
        assert read("IF @x = 1\nGO\nCREATE QUEUE a") == (["a"], [])

    def test_a_block_is_told_of_once_however_much_it_holds(self) -> None:
        names, told = read("IF @x = 1\nBEGIN\n CREATE QUEUE a\n SELECT 1\n CREATE QUEUE b\nEND\nCREATE QUEUE c")
        assert (names, lines(told, "IF")) == (["a", "b", "c"], [1])

    def test_both_branches_are_read(self) -> None:
        names, told = read("IF @x = 1 BEGIN\n CREATE QUEUE a END\nELSE\n CREATE QUEUE b")
        assert (names, lines(told, "IF", "ELSE")) == (["a", "b"], [1, 3])

    def test_a_branch_of_which_nothing_matters_is_not_told_of(self) -> None:
        assert lines(read("IF @x = 1 PRINT 'a' ELSE CREATE QUEUE b")[1], "ELSE") == [1]

    def test_else_belongs_to_the_if_around_a_loop(self) -> None:
        told = read("IF @x = 1\nWHILE @i < 3\nSET @i += 1\nELSE\nCREATE QUEUE a")[1]
        assert lines(told, "ELSE") == [4]

    def test_conditions_inside_of_conditions_are_all_told(self) -> None:
        assert lines(read("IF @x = 1 BEGIN\nIF @y = 1\nCREATE QUEUE a END")[1], "IF", "IF") == [1, 2]

    def test_what_a_loop_holds_is_read_once(self) -> None:
        names, told = read("WHILE @i < 3 BEGIN\nCREATE QUEUE a\nBREAK END CREATE QUEUE b")
        assert (names, lines(told, "loop")) == (["a", "b"], [1])


class TestTryAndCatch:
    TEXT = "BEGIN TRY\nCREATE QUEUE a\nEND TRY\nBEGIN CATCH\nDROP QUEUE b;\nTHROW\nEND CATCH\nCREATE QUEUE c"

    def test_nothing_fails_so_nothing_is_caught(self) -> None:
        names, told = read(self.TEXT)
        assert (names, lines(told, "TRY", "CATCH")) == (["a", "c"], [1, 4])

    def test_what_is_left_out_is_listed_as_ignored(self) -> None:
        name = InstanceName("PARIS")
        script = parse_script(self.TEXT, "e")
        plan = plan_import([script], {}, default_instance=name, now=UtcTime(0.0), entropy=NumberedEntropy())
        caught = [row for row in plan.rows if row.line == 5]
        assert [(row.effect, "CATCH" in row.text) for row in caught] == [(Effect.IGNORED, True)]
        assert isinstance(plan.catalogs[name], InstanceCatalog)
        assert [warning.line for warning in plan.warnings] == [1, 4]

    def test_a_catch_that_says_nothing_about_the_network_is_not_told_of(self) -> None:
        assert read("BEGIN TRY PRINT 'a' END TRY BEGIN CATCH ROLLBACK END CATCH CREATE QUEUE a") == (["a"], [])


class TestTransactions:
    def test_what_is_rolled_back_is_read_as_if_committed(self) -> None:
        names, told = read("BEGIN TRAN\nCREATE QUEUE a\nGO\nROLLBACK TRANSACTION;\nCREATE QUEUE b")
        assert (names, lines(told, "in line 1")) == (["a", "b"], [4])

    @pytest.mark.parametrize(
        "text",
        [
            "BEGIN TRAN CREATE QUEUE a COMMIT",
            "BEGIN TRAN\nSELECT 1\nROLLBACK\nCREATE QUEUE a",
            "BEGIN DISTRIBUTED TRAN\nBEGIN TRAN\nCREATE QUEUE a\nCOMMIT\nCOMMIT\nROLLBACK",
            "BEGIN TRAN\nCREATE QUEUE a\nALTER DATABASE v SET RESTRICTED_USER WITH\nROLLBACK IMMEDIATE\nCOMMIT",
            "BEGIN TRAN\nBEGIN TRY\nSELECT 1 END TRY\nBEGIN CATCH ROLLBACK END CATCH CREATE QUEUE a\nCOMMIT",
        ],
    )
    def test_what_is_committed_is_no_assumption(self, text: str) -> None:
        assert read(text) == (["a"], [])

    def test_either_or(self) -> None:
        told = read("BEGIN TRAN\nCREATE QUEUE a\nIF @@ERROR = 0 COMMIT ELSE ROLLBACK\nBEGIN TRAN\nSELECT 1\nROLLBACK")[
            1
        ]
        assert lines(told, "ROLLBACK") == [3]

    @pytest.mark.parametrize("end", ["", "\n:CONNECT LYON\nCOMMIT"])
    def test_a_transaction_that_never_ends(self, end: str) -> None:
        assert lines(read(f"\nBEGIN TRAN\nCREATE QUEUE a{end}")[1], "never committed") == [2]


class TestTextsThatAreRun:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("EXEC('CREATE  ROUTE r WITH ADDRESS = ''LOCAL''')", "CREATE ROUTE"),
            ("EXECUTE sys.sp_executesql N'drop service s'", "DROP SERVICE"),
            ("sp_executesql N'alter message\n type t'", "ALTER MESSAGE TYPE"),
            ("DECLARE @s nvarchar(max) = N'CREATE DATABASE d'", "CREATE DATABASE"),
            ("SET @s = 'ALTER DATABASE ' + @d + ' SET NEW_BROKER'", "NEW_BROKER"),
            ("EXEC ('CREATE BROKER PRIORITY p FOR CONVERSATION')", "CREATE BROKER PRIORITY"),
            ("EXEC (@s)", "not known"),
            ("EXEC @code = sp_executesql @s", "not known"),
        ],
    )
    def test_it_is_pointed_out(self, text: str, words: str) -> None:
        names, told = read(f"\n{text}\nCREATE QUEUE a")
        assert (names, lines(told, words)) == (["a"], [2])

    @pytest.mark.parametrize(
        "text",
        [
            "PRINT 'CREATE QUEUE b'", "RAISERROR ('DROP ROUTE r', 1, 1)", "EXEC p @x = 1", "EXEC ('SELECT 1')",
            "INSERT INTO t VALUES ('create the queue')", "CREATE PROCEDURE p AS EXEC ('DROP ROUTE r')\nGO",
        ],
    )  # fmt: skip
    def test_other_texts_are_not(self, text: str) -> None:
        assert read(f"{text}\nCREATE QUEUE a") == (["a"], [])


@pytest.mark.parametrize("text", ["SELECT (1", "IF (@x = 1", "IF EXISTS (SELECT 1"])
def test_a_bracket_that_swallows_the_rest_of_the_batch_is_pointed_out(text: str) -> None:
    names, told = read(f"\n{text}\nCREATE QUEUE a\nGO\nCREATE QUEUE b")
    assert (names, lines(told, "never closed")) == (["b"], [2])


def test_each_statement_looks_only_at_the_comments_beside_it() -> None:
    count = 40_000
    route = CreateRoute(name=Name(("r",)), clauses=RouteClauses(), place=Place(1, 1))
    instant = "2030-01-01T00:00:00Z"
    hints = Hints([Hint("expires_at", instant, line, 1) for line in range(1, count + 1)])
    start = time.process_time()
    told = [hints.told(route, line, line) for line in range(1, count + 1)]
    assert time.process_time() - start < 5, "with every comment looked at by every statement this takes minutes"
    assert all(isinstance(each, CreateRoute) and each.clauses.expires_at == 1893456000.0 for each in told)
    assert hints.left == []


class TestRunningDatabases:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("RESTORE DATABASE v FROM DISK = 'v.bak' WITH NEW_BROKER, REPLACE", "RESTORE DATABASE is not carried out"),
            ("EXEC sp_detach_db 'v'", "not attached or detached"),
            ("EXEC master.dbo.sp_attach_db @dbname = N'v', @filename1 = N'v.mdf'", "not attached or detached"),
            ("ALTER DATABASE v SET PARTNER FAILOVER", "failover is not carried out"),
        ],
    )
    def test_what_moves_them_is_pointed_out(self, text: str, words: str) -> None:
        names, told = read(f"\n{text}\nCREATE QUEUE a")
        assert (names, lines(told, words)) == (["a"], [2])

    @pytest.mark.parametrize(
        "text",
        ["BACKUP DATABASE v TO DISK = 'v.bak'", "RESTORE LOG v", "ALTER DATABASE v SET RECOVERY SIMPLE", "EXEC p"],
    )
    def test_what_leaves_the_network_as_it_is_raises_no_doubt(self, text: str) -> None:
        assert read(f"{text}\nCREATE QUEUE a") == (["a"], [])


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE AVAILABILITY GROUP ag FOR DATABASE Shop REPLICA ON N'N1' WITH (ENDPOINT_URL = 'TCP://n1:5022')",
        "ALTER AVAILABILITY GROUP ag JOIN",
        "ALTER AVAILABILITY GROUP [ag] ADD LISTENER 'l' (WITH IP ((N'10.0.0.9', N'255.0.0.0')), PORT = 1433)",
        "DROP AVAILABILITY GROUP ag",
        "ALTER DATABASE Shop SET HADR AVAILABILITY GROUP = ag",
        "ALTER DATABASE Shop SET HADR SUSPEND",
    ],
)
def test_availability_groups_are_pointed_out_as_not_modelled(statement: str) -> None:
    script = parse_script(f"CREATE DATABASE Shop\nGO\n{statement}\nGO\nDROP DATABASE Shop", "s.sql")
    assert (script.problems, len(script.statements)) == ((), 2)
    words = "Availability groups are not modelled yet"
    assert [(each.line, each.why.startswith(words)) for each in script.ignored] == [(3, True)]
    assert [(each.line, each.text.startswith(words)) for each in script.notices] == [(3, True)]
