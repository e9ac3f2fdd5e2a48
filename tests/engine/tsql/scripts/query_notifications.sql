CREATE DATABASE App
GO
-- SQL dependency/query notification set-up
ALTER DATABASE [App] SET ENABLE_BROKER WITH ROLLBACK IMMEDIATE
GO
USE App
GO
GRANT CREATE PROCEDURE, CREATE QUEUE, CREATE SERVICE TO [appuser]
GRANT SUBSCRIBE QUERY NOTIFICATIONS TO [appuser]
GRANT REFERENCES ON CONTRACT::[http://schemas.microsoft.com/SQL/Notifications/PostQueryNotification] TO [appuser]
GRANT RECEIVE ON dbo.QueryNotificationErrorsQueue TO [appuser]
GRANT SELECT ON OBJECT::dbo.T TO [appuser]
GRANT VIEW DATABASE STATE TO appuser
GRANT IMPERSONATE ON USER::dbo TO appuser
GRANT CONTROL ON SCHEMA::[app] TO [appuser] WITH GRANT OPTION
GRANT ALTER ON SCHEMA::app TO appuser AS dbo
EXEC sp_addrolemember 'db_owner', 'appuser'
ALTER ROLE db_datareader ADD MEMBER appuser
DENY SEND ON SERVICE::[x] TO appuser
GO
