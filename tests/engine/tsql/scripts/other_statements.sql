CREATE FUNCTION dbo.f (@h uniqueidentifier) RETURNS nvarchar(4000) AS BEGIN RETURN GET_TRANSMISSION_STATUS(@h) END
GO
CREATE VIEW dbo.v AS SELECT name AS [service], [queue] = 'x' FROM sys.services
GO
CREATE TYPE dbo.tt AS TABLE (h uniqueidentifier, route sysname, status int)
GO
CREATE SEQUENCE dbo.s AS int START WITH 1
CREATE SYNONYM dbo.queue FOR dbo.OtherQueue
CREATE INDEX ix ON dbo.T (service, route) INCLUDE (queue) WITH (ONLINE = ON)
ALTER TABLE dbo.T ADD CONSTRAINT ck CHECK (status IN ('ENABLED', 'DROP QUEUE q'))
ALTER TABLE dbo.T ADD queue sysname NULL, service sysname NULL, route int
ALTER TABLE dbo.T DROP COLUMN route
INSERT INTO dbo.T (queue, service, contract)
  SELECT q.name, s.name, c.name
  FROM sys.services AS s
  JOIN sys.service_queues AS q ON q.object_id = s.service_queue_id
  LEFT JOIN sys.service_contract_usages AS u ON u.service_id = s.service_id
  LEFT JOIN sys.service_contracts AS c ON c.service_contract_id = u.service_contract_id
  WHERE s.is_ms_shipped = 0
UPDATE STATISTICS dbo.T WITH FULLSCAN
SELECT status, priority, queuing_order, conversation_group_id,
       message_type_name,
       validation
FROM dbo.ExpenseQueue
WHERE status = 1
ORDER BY priority DESC
OPTION (MAXDOP 1)
SELECT is_receive_enabled, is_enqueue_enabled
     , receive = is_receive_enabled
     , send
FROM sys.service_queues
EXEC dbo.send @to = 'x', @route = 'y'
EXECUTE AS USER = 'u'
REVERT
DECLARE @t TABLE (send bit, receive bit, [route] sysname)
SELECT TOP 1 WITH TIES name FROM sys.routes ORDER BY ROW_NUMBER() OVER (PARTITION BY name ORDER BY route_id)
TRUNCATE TABLE dbo.T
WAITFOR TIME '23:00'
IF OBJECT_ID('dbo.T') IS NOT NULL DROP TABLE dbo.T
CREATE QUEUE AfterAll
GO
