/*============================================
  Big demo -- with GO inside a comment
GO
  and :CONNECT too
=============================================*/
SET QUOTED_IDENTIFIER ON
GO
CREATE DATABASE "Odd Name"
GO
USE "Odd Name"
GO
PRINT N'multi
line
GO
text'
GO
CREATE QUEUE "my queue"
CREATE SERVICE "my service" ON QUEUE "my queue" ("DEFAULT")
GO
DECLARE @d nvarchar(max) = 'x' + CHAR(13) + 'y', @i int = 0;
WHILE @i < 10
BEGIN
  SET @i += 1;
  IF @i % 2 = 0 CONTINUE;
  BEGIN TRY
     BEGIN DIALOG CONVERSATION @h FROM SERVICE "my service" TO SERVICE 'my service', 'CURRENT DATABASE' WITH ENCRYPTION = OFF, RELATED_CONVERSATION = @other
     ;
     SEND ON CONVERSATION @h MESSAGE TYPE [DEFAULT] (@d)
  END TRY
  BEGIN CATCH
     IF @@TRANCOUNT > 0 ROLLBACK TRAN
     END CONVERSATION @h WITH ERROR = 1 DESCRIPTION = 'failed'
     ; THROW
  END CATCH
END
GO
SELECT TOP 10 * FROM "my queue" AS q OUTER APPLY (VALUES (CAST(q.message_body AS nvarchar(max)))) AS v(t) FOR JSON PATH
SELECT (SELECT name FROM sys.services FOR XML PATH('service'), TYPE).query('/service[1]')
SELECT * FROM OPENJSON(N'{"drop":"queue"}') WITH ([drop] nvarchar(10) '$.drop', service sysname '$.service')
INSERT t EXEC dbo.p
SELECT a, b FROM t PIVOT (SUM(x) FOR y IN ([send],[receive])) AS p
;ALTER QUEUE "my queue" WITH STATUS = OFF;
BULK INSERT t FROM 'f' WITH (FIELDTERMINATOR = ',', ROWTERMINATOR = '\n')
CREATE EVENT SESSION s ON SERVER ADD EVENT sqlserver.broker_activation (ACTION (sqlserver.sql_text)) ADD TARGET package0.ring_buffer WITH (STARTUP_STATE = ON)
ALTER EVENT SESSION s ON SERVER STATE = START
CREATE ROLE r AUTHORIZATION dbo
CREATE APPLICATION ROLE ar WITH PASSWORD = 'x'
ALTER AUTHORIZATION ON SCHEMA::dbo TO r
CREATE ASYMMETRIC KEY k WITH ALGORITHM = RSA_2048
CREATE SYMMETRIC KEY sk WITH ALGORITHM = AES_256 ENCRYPTION BY CERTIFICATE c
DROP EVENT SESSION s ON SERVER
DROP SERVICE "my service" DROP QUEUE "my queue"
GO
