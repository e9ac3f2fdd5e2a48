-- external activation / event notification target
CREATE DATABASE Ext ; 
GO
use Ext
go
create queue [dbo].[UserQueue] with status = on , retention = off , poison_message_handling (status = off)
create queue [dbo].[NotifyQueue]
create service [//ea/User] on queue [dbo].[UserQueue] ( [DEFAULT] )
create service [//ea/Notify] authorization [dbo] on queue [dbo].[NotifyQueue]
    ( [http://schemas.microsoft.com/SQL/Notifications/PostEventNotification] )
create event notification [EA] on queue [dbo].[UserQueue] for QUEUE_ACTIVATION to service '//ea/Notify' , 'current database'
create user [DOMAIN\EAService] for login [DOMAIN\EAService] with default_schema = dbo
grant connect to [DOMAIN\EAService]
grant receive on [dbo].[NotifyQueue] to [DOMAIN\EAService]
grant view definition on service::[//ea/Notify] to [DOMAIN\EAService]
grant references on schema::dbo to [DOMAIN\EAService]
go
alter queue UserQueue with status = off
alter queue UserQueue rebuild with (maxdop = 2)
alter queue UserQueue move to [PRIMARY]
alter service [//ea/User] (drop contract [DEFAULT])
go
