"""Where a statement ends when no semicolon says so: every kind of statement in front of every other (tsql.md 12)."""

import re
from itertools import product

import pytest

from engine.tsql.console import pieces, reading, reading_dialogs
from engine.tsql.console.failing import StatementFailed
from engine.tsql.console.reading import read_batch
from engine.tsql.tokens import Tokens
from tests.support.thoroughness import share

DECLARED = "DECLARE @h uniqueidentifier, @n int, @s nvarchar(50);\nDECLARE @t TABLE (a int, b int);\n"

STATEMENTS = [
    # queries and what changes rows
    "SELECT 1",
    "SELECT @n = COUNT(*) FROM sys.services WHERE name LIKE 'a%' GROUP BY name HAVING COUNT(*) > 1",
    "SELECT name FROM sys.services UNION ALL SELECT name FROM sys.routes",
    "SELECT name FROM sys.services ORDER BY name OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY",
    "SELECT a FROM @t AS send WITH (NOLOCK) OPTION (MAXDOP 1)",
    "SELECT CASE WHEN @n = 1 THEN 2 ELSE 3 END",
    "WITH x AS (SELECT 1 AS a) SELECT a FROM x",
    "INSERT INTO @t VALUES (1, 2)",
    "INSERT @t (a, b) VALUES (1, 2), (3, 4)",
    "INSERT INTO @t SELECT 1, 2",
    "INSERT INTO @t (a, b) SELECT 1, 2 UNION SELECT 3, 4",
    "INSERT INTO @t DEFAULT VALUES",
    "INSERT INTO @t (a) OUTPUT inserted.a VALUES (1)",
    "WITH x AS (SELECT 1 AS a, 2 AS b) INSERT INTO @t SELECT a, b FROM x",
    "INSERT INTO @t EXEC ('SELECT 1, 2')",
    "INSERT INTO @t EXECUTE dbo.p @n",
    "UPDATE @t SET a = 1",
    "UPDATE @t SET a = 1, b = 2 FROM @t WHERE a = 3",
    "UPDATE STATISTICS dbo.t WITH FULLSCAN",
    "DELETE FROM @t WHERE a = 1",
    "DELETE @t",
    "TRUNCATE TABLE dbo.t",
    "MERGE t USING u ON t.a = u.a WHEN MATCHED THEN UPDATE SET b = 1 WHEN NOT MATCHED THEN INSERT (a) VALUES (1);",
    "BULK INSERT dbo.t FROM 'c:\\t.txt' WITH (FIELDTERMINATOR = ',')",
    # flow and variables
    "DECLARE @x int",
    "DECLARE @x int = 1, @y nvarchar(10) = N'a'",
    "SET @n = 1",
    "SET @n += CASE WHEN @n = 1 THEN 2 ELSE 3 END",
    "SET NOCOUNT ON",
    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
    "SET IDENTITY_INSERT dbo.t ON",
    "PRINT N'a'",
    "PRINT CONCAT('a', @n)",
    "RAISERROR ('a', 16, 1)",
    "RAISERROR ('a %d', 10, 1, @n) WITH NOWAIT",
    "IF @n = 1 PRINT 'a' ELSE PRINT 'b'",
    "IF EXISTS (SELECT 1 FROM @t) SELECT 1",
    "WHILE @n < 3 SET @n += 1",
    "BEGIN PRINT 'a' END",
    "BEGIN TRY PRINT 'a' END TRY BEGIN CATCH PRINT ERROR_MESSAGE() END CATCH",
    "WAITFOR DELAY '00:00:01'",
    "USE master",
    # procedures
    "EXEC ('PRINT 1')",
    "EXEC sp_executesql N'PRINT 1'",
    "EXEC dbo.p",
    "EXEC dbo.p 1, 'a', @n",
    "EXECUTE dbo.p @a = 1, @b = @n",
    "EXEC @n = dbo.p @s",
    # transactions
    "BEGIN TRANSACTION",
    "BEGIN TRAN one WITH MARK 'a'",
    "COMMIT",
    "COMMIT TRANSACTION one",
    "ROLLBACK TRAN",
    "ROLLBACK WORK",
    "SAVE TRANSACTION one",
    # conversations
    "BEGIN DIALOG @h FROM SERVICE a TO SERVICE 'b', 'CURRENT DATABASE' ON CONTRACT c WITH LIFETIME = 60",
    "BEGIN DIALOG CONVERSATION @h FROM SERVICE a TO SERVICE 'b'",
    "BEGIN CONVERSATION TIMER (@h) TIMEOUT = 60",
    "SEND ON CONVERSATION @h MESSAGE TYPE t (N'a')",
    "SEND ON CONVERSATION @h",
    "RECEIVE TOP (1) @h = conversation_handle FROM q",
    "RECEIVE * FROM q INTO @t WHERE conversation_handle = @h",
    "WAITFOR (RECEIVE TOP (1) message_body FROM dbo.q), TIMEOUT 1000",
    "GET CONVERSATION GROUP @h FROM q",
    "MOVE CONVERSATION @h TO @h",
    "END CONVERSATION @h",
    "END CONVERSATION @h WITH ERROR = 1 DESCRIPTION = N'a'",
    "END CONVERSATION @h WITH CLEANUP",
    # definitions of the broker
    "CREATE MESSAGE TYPE t VALIDATION = NONE",
    "CREATE CONTRACT c (t SENT BY ANY)",
    "CREATE QUEUE q WITH STATUS = ON, ACTIVATION (PROCEDURE_NAME = p, MAX_QUEUE_READERS = 1, EXECUTE AS SELF)",
    "ALTER QUEUE q WITH ACTIVATION (DROP)",
    "CREATE SERVICE s ON QUEUE q (c)",
    "ALTER SERVICE s (ADD CONTRACT c, DROP CONTRACT d)",
    "CREATE ROUTE r WITH ADDRESS = 'LOCAL'",
    "DROP ROUTE r",
    "CREATE BROKER PRIORITY p FOR CONVERSATION SET (PRIORITY_LEVEL = 1)",
    "CREATE EVENT NOTIFICATION n ON QUEUE q FOR QUEUE_ACTIVATION TO SERVICE 's', 'current database'",
    "CREATE REMOTE SERVICE BINDING b TO SERVICE 's' WITH USER = u, ANONYMOUS = ON",
    "CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'a'",
    "CREATE CERTIFICATE c WITH SUBJECT = 'a'",
    "CREATE CERTIFICATE c FROM FILE = 'c:\\a.cer' WITH PRIVATE KEY (FILE = 'c:\\a.pvk', DECRYPTION BY PASSWORD = 'a')",
    "CREATE USER u WITHOUT LOGIN",
    "CREATE LOGIN l WITH PASSWORD = 'a'",
    "CREATE DATABASE d",
    "ALTER DATABASE d SET ENABLE_BROKER WITH ROLLBACK IMMEDIATE",
    "ALTER DATABASE d SET RECOVERY SIMPLE",
    "ALTER AUTHORIZATION ON SERVICE::s TO u",
    # permissions
    "GRANT SEND ON SERVICE::s TO public",
    "GRANT RECEIVE ON q TO u WITH GRANT OPTION",
    "GRANT EXECUTE ON p TO u",
    "GRANT SELECT ON q TO u",
    "GRANT SELECT, INSERT, UPDATE, DELETE, EXECUTE ON SCHEMA::dbo TO u",
    "GRANT CREATE TABLE, CREATE QUEUE TO u",
    "GRANT ALTER ANY LOGIN TO l",
    "DENY DELETE ON dbo.t TO u CASCADE",
    "REVOKE EXECUTE ON p FROM u",
    "REVOKE GRANT OPTION FOR EXECUTE ON p FROM u CASCADE",
    # other definitions
    "CREATE TABLE dbo.t (a int IDENTITY PRIMARY KEY, b nvarchar(10) DEFAULT 'x')",
    "ALTER TABLE dbo.t ADD c int NULL",
    "ALTER TABLE dbo.t WITH CHECK ADD CONSTRAINT k CHECK (a > 1)",
    "ALTER TABLE dbo.t ALTER COLUMN a bigint NOT NULL",
    "ALTER TABLE dbo.t DROP COLUMN a",
    "ALTER TABLE dbo.t SET (LOCK_ESCALATION = AUTO)",
    "ALTER TABLE dbo.t ENABLE TRIGGER ALL",
    "DROP TABLE IF EXISTS dbo.t",
    "DROP PROCEDURE dbo.p",
    "CREATE INDEX i ON dbo.t (a) INCLUDE (b) WITH (FILLFACTOR = 80)",
    "ALTER INDEX i ON dbo.t REBUILD",
    "ALTER INDEX i ON dbo.t DISABLE",
    "CREATE TYPE dbo.y FROM nvarchar(10)",
    "CREATE SYNONYM dbo.z FOR dbo.t",
    "CREATE SEQUENCE dbo.n START WITH 1 INCREMENT BY 1",
    "CREATE ROLE r AUTHORIZATION dbo",
    "ALTER ROLE r ADD MEMBER u",
    "ALTER ROLE r DROP MEMBER u",
    "ALTER SERVER ROLE r ADD MEMBER l",
    "ALTER LOGIN l DISABLE",
    "ALTER LOGIN l WITH PASSWORD = 'b'",
    "ALTER USER u WITH NAME = v",
    "CREATE ASSEMBLY a FROM 'c:\\a.dll' WITH PERMISSION_SET = SAFE",
    "CREATE SYMMETRIC KEY k WITH ALGORITHM = AES_256 ENCRYPTION BY CERTIFICATE c",
    "OPEN SYMMETRIC KEY k DECRYPTION BY CERTIFICATE c",
    "CLOSE SYMMETRIC KEY k",
    "OPEN MASTER KEY DECRYPTION BY PASSWORD = 'a'",
    "CLOSE MASTER KEY",
    "ADD SIGNATURE TO dbo.p BY CERTIFICATE c WITH PASSWORD = 'a'",
    "ENABLE TRIGGER dbo.r ON dbo.t",
    "DISABLE TRIGGER ALL ON DATABASE",
    # cursors
    "DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT name FROM sys.services",
    "OPEN c",
    "FETCH NEXT FROM c INTO @s",
    "CLOSE c",
    "DEALLOCATE c",
    # the server
    "BACKUP DATABASE d TO DISK = 'c:\\d.bak' WITH INIT",
    "BACKUP LOG d TO DISK = 'c:\\d.trn'",
    "BACKUP CERTIFICATE c TO FILE = 'c:\\c.cer'",
    "RESTORE DATABASE d FROM DISK = 'c:\\d.bak' WITH MOVE 'd' TO 'c:\\d.mdf', REPLACE",
    "DBCC CHECKDB (d) WITH NO_INFOMSGS",
    "CHECKPOINT",
    "KILL 55",
    "RECONFIGURE WITH OVERRIDE",
    "EXECUTE AS USER = 'u'",
    "REVERT",
    "SET DEADLOCK_PRIORITY LOW",
]

PAIRS = 4_000
"""Of all of them in `make test`: each statement with every fourth other one."""

_PLACE = re.compile(r"\b(?:line|at|column)=\d+,? ?")


def steps(text: str) -> list[str]:
    """The statements of a batch, without the lines on which they are."""
    tokens = Tokens(DECLARED + text)
    _variables, _table, *found = read_batch(tokens, 0)
    return [" ".join(_PLACE.sub("", repr(each)).split()) for each in found]


@pytest.fixture(autouse=True)
def only_ends_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is inside of a query is not looked at: it takes most of the time, and changes no end."""
    for module in (pieces, reading, reading_dialogs):
        monkeypatch.setattr(module, "check_syntax", lambda text: None)


def test_each_is_one_statement():
    assert [text for text in STATEMENTS if len(steps(text)) != 1] == []


@pytest.mark.parametrize("between", ["\n", pytest.param(" ", marks=pytest.mark.slow)])
def test_each_ends_where_the_next_begins(between):
    alone = {text: steps(text) for text in STATEMENTS}
    wrong = []
    for first, second in share(list(product(STATEMENTS, STATEMENTS)), PAIRS):
        if first.startswith("DECLARE @x") and second.startswith("DECLARE @x"):
            continue  # 134
        try:
            found = steps(f"{first}{between}{second}")
        except StatementFailed as error:
            found = [f"{error.number} {error.parameters}"]
        if found != [*alone[first], *alone[second]]:
            wrong.append(f"{first}{between}{second}: {found}")
    assert wrong == []
