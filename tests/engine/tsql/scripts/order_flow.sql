-- Two databases on one server, an order flow.
USE master;
GO
IF DB_ID('Orders') IS NOT NULL
BEGIN
    ALTER DATABASE Orders SET SINGLE_USER WITH ROLLBACK IMMEDIATE;
    DROP DATABASE Orders;
END
GO
CREATE DATABASE Orders
ON PRIMARY (NAME = N'Orders', FILENAME = N'C:\Data\Orders.mdf', SIZE = 8192KB)
LOG ON (NAME = N'Orders_log', FILENAME = N'C:\Data\Orders_log.ldf');
GO
ALTER DATABASE Orders SET RECOVERY SIMPLE, ENABLE_BROKER WITH ROLLBACK IMMEDIATE;
ALTER DATABASE Orders SET TRUSTWORTHY ON;
GO
USE Orders;
GO
SET NOCOUNT ON;
SET ANSI_NULLS, QUOTED_IDENTIFIER ON;
CREATE TABLE dbo.Received (Id int IDENTITY(1,1) PRIMARY KEY, Body xml NULL, At datetime2 NOT NULL DEFAULT SYSUTCDATETIME());
GO
CREATE MESSAGE TYPE [//acme/Order] VALIDATION = WELL_FORMED_XML;
CREATE MESSAGE TYPE [//acme/Receipt] VALIDATION = WELL_FORMED_XML
CREATE CONTRACT [//acme/OrderContract]
    ([//acme/Order] SENT BY INITIATOR,
     [//acme/Receipt] SENT BY TARGET);
CREATE QUEUE dbo.OrderQueue WITH STATUS = ON, RETENTION = OFF;
CREATE SERVICE [//acme/OrderService] ON QUEUE dbo.OrderQueue ([//acme/OrderContract]);
CREATE QUEUE dbo.ShopQueue;
CREATE SERVICE [//acme/ShopService] ON QUEUE dbo.ShopQueue;
GO
CREATE OR ALTER PROCEDURE dbo.ProcessOrders
AS
BEGIN
    SET NOCOUNT ON; SET XACT_ABORT OFF;
    DECLARE @h uniqueidentifier, @body xml, @type sysname, @error int, @text nvarchar(3000);
    WHILE (1 = 1)
    BEGIN
        BEGIN TRY
            BEGIN TRANSACTION;
            WAITFOR (
                RECEIVE TOP (1)
                    @h = conversation_handle,
                    @type = message_type_name,
                    @body = CAST(message_body AS xml)
                FROM dbo.OrderQueue
            ), TIMEOUT 5000;
            IF @@ROWCOUNT = 0
            BEGIN
                ROLLBACK TRANSACTION;
                BREAK;
            END
            IF @type = N'//acme/Order'
            BEGIN
                INSERT dbo.Received (Body) VALUES (@body);
                SEND ON CONVERSATION @h MESSAGE TYPE [//acme/Receipt] (N'<ok/>');
                END CONVERSATION @h;
            END
            ELSE IF @type = N'http://schemas.microsoft.com/SQL/ServiceBroker/EndDialog'
                END CONVERSATION @h;
            ELSE IF @type = N'http://schemas.microsoft.com/SQL/ServiceBroker/Error'
            BEGIN
                WITH XMLNAMESPACES (DEFAULT 'http://schemas.microsoft.com/SQL/ServiceBroker/Error')
                SELECT @error = @body.value('(/Error/Code)[1]', 'int'), @text = @body.value('(/Error/Description)[1]', 'nvarchar(3000)');
                END CONVERSATION @h;
            END
            COMMIT TRANSACTION;
        END TRY
        BEGIN CATCH
            IF XACT_STATE() <> 0 ROLLBACK;
            THROW;
        END CATCH
    END
END
GO
ALTER QUEUE dbo.OrderQueue WITH ACTIVATION (
    STATUS = ON,
    PROCEDURE_NAME = dbo.ProcessOrders,
    MAX_QUEUE_READERS = 4,
    EXECUTE AS SELF
);
GO
DECLARE @h uniqueidentifier;
DECLARE @m xml = N'<order id="1"/>';
BEGIN DIALOG CONVERSATION @h
    FROM SERVICE [//acme/ShopService]
    TO SERVICE N'//acme/OrderService', N'CURRENT DATABASE'
    ON CONTRACT [//acme/OrderContract]
    WITH ENCRYPTION = OFF, LIFETIME = 3600;
SEND ON CONVERSATION @h MESSAGE TYPE [//acme/Order] (@m);
GO
SELECT CAST(message_body AS xml), * FROM dbo.OrderQueue WITH (NOLOCK);
SELECT q.name, m.state FROM sys.dm_broker_queue_monitors AS m JOIN sys.service_queues AS q ON m.queue_id = q.object_id;
SELECT * FROM sys.transmission_queue;
GO
