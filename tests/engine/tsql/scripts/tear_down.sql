CREATE DATABASE Audit
GO
-- tear down, in the manner of SSMS
USE [Audit]
GO
IF  EXISTS (SELECT * FROM sys.services WHERE name = N'Svc')
DROP SERVICE [Svc]
GO
/****** Object:  ServiceQueue [sb].[Inbox]    Script Date: 1/1/2020 ******/
IF  EXISTS (SELECT * FROM sys.service_queues WHERE name = N'Inbox')
DROP QUEUE [sb].[Inbox]
GO
IF EXISTS (SELECT * FROM sys.routes WHERE name = 'R')
BEGIN
  DROP ROUTE R
END
ELSE
  PRINT 'no route'
GO
DECLARE @sql nvarchar(max) = N'';
SELECT @sql += N'DROP ROUTE ' + QUOTENAME(name) + N';' FROM sys.routes WHERE name <> 'AutoCreatedLocal';
EXEC sys.sp_executesql @sql;
GO
BEGIN TRY
    EXEC ('ALTER DATABASE Audit SET NEW_BROKER');
END TRY
BEGIN CATCH
    PRINT ERROR_MESSAGE();
    RAISERROR ('failed', 16, 1) WITH NOWAIT;
END CATCH;
GO
SELECT CASE WHEN is_broker_enabled = 1 THEN 'yes' ELSE 'no' END AS enabled, service_broker_guid FROM sys.databases WHERE name = DB_NAME();
SELECT GET_TRANSMISSION_STATUS(conversation_handle) FROM sys.conversation_endpoints;
PRINT 'done'
GO 3
