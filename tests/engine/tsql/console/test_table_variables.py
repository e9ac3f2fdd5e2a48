"""Table variables keep what is said of their columns: IDENTITY, DEFAULT, NOT NULL, PRIMARY KEY, UNIQUE, COLLATE."""

import pytest

from tests.engine.tsql.console.test_dialogs import ASK, ONE_DATABASE
from tests.support.console_world import Consoles


@pytest.fixture(scope="module")
def typing():
    return Consoles().open()


@pytest.mark.parametrize(
    ("identity", "numbers"), [("", [1, 2, 3]), ("(1,1)", [1, 2, 3]), ("(10, -5)", [10, 5, 0]), ("(-1, 2)", [-1, 1, 3])]
)
def test_an_identity_numbers_rows_in_the_order_in_which_they_come(typing, identity, numbers):
    script = f"""DECLARE @t TABLE (h nvarchar(5), id int IDENTITY{identity} PRIMARY KEY);
    INSERT INTO @t VALUES (N'c');
    INSERT INTO @t (h) SELECT v.h FROM (VALUES (N'a'), (N'b')) AS v (h) ORDER BY v.h DESC;
    SELECT h, id FROM @t ORDER BY h DESC"""
    assert typing.rows(script) == [("c", numbers[0]), ("b", numbers[1]), ("a", numbers[2])]


def test_a_number_that_was_given_is_not_given_again(typing):
    script = """DECLARE @t TABLE (id tinyint IDENTITY(254, 1), n int NOT NULL);
    INSERT @t VALUES (1); DELETE FROM @t;
    INSERT @t VALUES (2); SELECT id FROM @t;"""
    assert typing.rows(script) == [(255,)]
    assert typing.failure(f"{script} INSERT @t VALUES (3)").number == 8115


def test_defaults_stand_where_no_value_is_given(typing):
    script = """DECLARE @t TABLE (
        id int, word nvarchar(5) NOT NULL DEFAULT N'x', n int DEFAULT (-(1 + 1)) NULL, price decimal(9, 2) DEFAULT -1.5,
        at datetime2 DEFAULT SYSUTCDATETIME(), guid uniqueidentifier DEFAULT NEWID() UNIQUE, last int DEFAULT NULL);
    INSERT INTO @t (id) VALUES (1), (2);
    INSERT INTO @t (id, word, n) VALUES (3, N'own', NULL);
    SELECT id, word, n, CAST(price AS int), DATEDIFF(day, at, SYSUTCDATETIME()), last FROM @t"""
    assert typing.rows(script) == [(1, "x", -2, -1, 0, None), (2, "x", -2, -1, 0, None), (3, "own", None, -1, 0, None)]


TABLE = """DECLARE @t TABLE (
    id int NOT NULL PRIMARY KEY CLUSTERED, name nvarchar(9) UNIQUE, a int, b int, UNIQUE (a, b DESC));
INSERT INTO @t VALUES (1, N'one', 1, 1), (2, NULL, 1, 2);
"""


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("INSERT INTO @t (name) VALUES (N'x')", 515),
        ("INSERT INTO @t (id) VALUES (NULL)", 515),
        ("UPDATE @t SET id = NULL WHERE id = 2", 515),
        ("INSERT INTO @t VALUES (1, N'x', 5, 5)", 2627),
        ("INSERT INTO @t VALUES (3, N'ONE', 5, 5)", 2627),
        ("INSERT INTO @t VALUES (3, NULL, 5, 5)", 2627),
        ("INSERT INTO @t VALUES (3, N'x', 1, 2)", 2627),
        ("INSERT INTO @t VALUES (4, N'x', 5, 5), (4, N'y', 6, 6)", 2627),
        ("UPDATE @t SET id = 7", 2627),
        ("UPDATE @t SET b = 1, name = N'z' WHERE id = 2", 2627),
    ],
)
def test_what_a_table_does_not_take_changes_nothing_and_the_batch_goes_on(typing, statement, number):
    failure = typing.failure(f"{TABLE}{statement}")
    assert (failure.number, failure.parameters["name"]) == (number, "@t")
    after = f"""{TABLE}BEGIN TRY {statement} END TRY BEGIN CATCH PRINT ERROR_NUMBER() END CATCH;
    SELECT id, name, a, b FROM @t"""
    assert typing.said(after) == [str(number)]
    assert typing.rows(after) == [(1, "one", 1, 1), (2, None, 1, 2)]


def test_keys_hold_when_an_update_is_done_and_not_before(typing):
    script = f"{TABLE}UPDATE @t SET id = id + 1, b = 3 - b; INSERT INTO @t VALUES (1, N'x', 2, 1); SELECT id, b FROM @t"
    assert typing.rows(script) == [(2, 2), (3, 1), (1, 1)]
    assert typing.counted(script) == [2, 2, 1, 3]
    assert typing.failure(f"{TABLE}UPDATE @t SET id = id + 1; INSERT INTO @t VALUES (2, N'x', 2, 1)").number == 2627


def test_texts_are_compared_as_their_collation_says(typing):
    script = """DECLARE @t TABLE (a nvarchar(5) COLLATE Latin1_General_BIN2 PRIMARY KEY);
    INSERT INTO @t VALUES (N'a'), (N'A'); SELECT COUNT(*) FROM @t WHERE a = N'a'"""
    assert typing.rows(script) == [(1,)]


def test_messages_are_received_into_numbered_rows():
    typing = Consoles().open()
    typing.do(ONE_DATABASE + ASK)
    script = """DECLARE @t TABLE (id int IDENTITY, kind sysname NOT NULL DEFAULT N'x', body varbinary(max));
    WAITFOR (RECEIVE message_type_name, message_body FROM AnsweringQueue INTO @t), TIMEOUT 5000;
    SELECT id, kind FROM @t"""
    assert typing.rows(script) == [(1, "//Tour/Request")]
    assert (
        typing.failure(
            "DECLARE @t TABLE (id int IDENTITY, s int); RECEIVE status, priority FROM AskingQueue INTO @t"
        ).number
        == 213
    )


@pytest.mark.parametrize(
    ("script", "number"),
    [
        ("DECLARE @t TABLE (a int CHECK (a > 1)); INSERT @t VALUES (1)", 40517),
        ("DECLARE @t TABLE (a int, CHECK (a > 1), b int); SELECT 1 FROM @t", 40517),
        ("DECLARE @t TABLE (a int, INDEX i (a))", 40517),
        ("DECLARE @t TABLE (a int INDEX i)", 40517),
        ("DECLARE @t TABLE (a int, b AS a + 1)", 40517),
        ("DECLARE @t TABLE (a int ROWGUIDCOL)", 40517),
        ("DECLARE @t TABLE (a int PRIMARY KEY WITH (IGNORE_DUP_KEY = ON))", 40517),
        ("DECLARE @t TABLE (a nvarchar(5) IDENTITY)", 40517),
        ("DECLARE @t TABLE (a int IDENTITY, b int IDENTITY)", 40517),
        ("DECLARE @t TABLE (a int IDENTITY DEFAULT 1)", 40517),
        ("DECLARE @t TABLE (a int IDENTITY(1, 0))", 40517),
        ("DECLARE @t TABLE (a int, PRIMARY KEY (b))", 1911),
        ("DECLARE @t TABLE (a int IDENTITY, b int); INSERT INTO @t (a, b) VALUES (1, 2)", 544),
        ("DECLARE @t TABLE (a int IDENTITY, b int); INSERT INTO @t VALUES (1, 2)", 213),
        ("DECLARE @t TABLE (a int IDENTITY, b int); UPDATE @t SET a = 1", 8102),
        ("DECLARE @t TABLE (a int DEFAULT)", 102),
        ("DECLARE @t TABLE (a int DEFAULT (1)", 102),
        ("DECLARE @t TABLE (a int NOT)", 102),
        ("DECLARE @t TABLE (a int = 5)", 102),
        ("DECLARE @t TABLE (a int, PRIMARY KEY (a)", 102),
        ("DECLARE @t TABLE (a int PRIMARY KEY", 102),
    ],
)
def test_what_a_table_variable_cannot_have_is_refused(typing, script, number):
    assert typing.failure(script).number == number
