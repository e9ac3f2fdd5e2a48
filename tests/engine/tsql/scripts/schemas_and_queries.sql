CREATE DATABASE Audit;
GO
USE Audit
GO
CREATE XML SCHEMA COLLECTION dbo.OrderSchema AS N'<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="o" type="xsd:int"/></xsd:schema>';
GO
CREATE MESSAGE TYPE Ord VALIDATION = VALID_XML WITH SCHEMA COLLECTION OrderSchema;
CREATE MESSAGE TYPE Fin VALIDATION = EMPTY;
GO
CREATE CONTRACT Con (Ord SENT BY ANY, Fin SENT BY INITIATOR)
GO
CREATE SCHEMA sb AUTHORIZATION dbo;
GO
CREATE QUEUE sb.Inbox ON [PRIMARY];
GO
CREATE SERVICE Svc AUTHORIZATION dbo ON QUEUE sb.Inbox (Con, [DEFAULT])
GO
;WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 10)
MERGE dbo.T AS t USING n ON t.i = n.i
WHEN MATCHED AND t.send = 1 THEN UPDATE SET t.j = n.i
WHEN NOT MATCHED BY TARGET THEN INSERT (i) VALUES (n.i)
WHEN NOT MATCHED BY SOURCE THEN DELETE
OUTPUT $action, inserted.i INTO @out;
GO
DECLARE @x xml = N'<a><b/></a>', @h uniqueidentifier;
SET @x.modify('insert <c/> into (/a)[1]');
SELECT n.c.value('.', 'int') FROM @x.nodes('/a/b') AS n(c) CROSS APPLY (SELECT 1 AS one) AS z;
IF EXISTS (SELECT * FROM sys.conversation_groups) AND @h IS NULL
    BEGIN DIALOG @h FROM SERVICE Svc TO SERVICE 'Svc' ON CONTRACT Con WITH ENCRYPTION = OFF;
ELSE
    BEGIN CONVERSATION TIMER (@h) TIMEOUT = 30;
GO
CREATE TABLE #r (conversation_handle uniqueidentifier, message_body varbinary(max));
DECLARE @r TABLE (queuing_order bigint, h uniqueidentifier, body varbinary(max));
RECEIVE TOP(1000) queuing_order, conversation_handle, message_body FROM sb.Inbox INTO @r;
INSERT #r SELECT h, body FROM @r ORDER BY queuing_order;
DROP TABLE #r;
GO
CREATE BROKER PRIORITY High FOR CONVERSATION SET (CONTRACT_NAME = Con, LOCAL_SERVICE_NAME = Svc, REMOTE_SERVICE_NAME = ANY, PRIORITY_LEVEL = 9);
ALTER DATABASE Audit SET HONOR_BROKER_PRIORITY ON;
GO
CREATE TRIGGER dbo.tr ON dbo.T AFTER INSERT AS
BEGIN
   DECLARE @h uniqueidentifier
   BEGIN DIALOG @h FROM SERVICE Svc TO SERVICE 'Svc'
   SEND ON CONVERSATION @h (N'x')
END
GO
ENABLE TRIGGER dbo.tr ON dbo.T;
GO
CREATE EVENT NOTIFICATION Disabled ON QUEUE sb.Inbox WITH FAN_IN FOR BROKER_QUEUE_DISABLED TO SERVICE 'Svc', 'current database';
CREATE EVENT NOTIFICATION Ddl ON DATABASE FOR DDL_TABLE_EVENTS TO SERVICE 'Svc', 'current database';
GO
