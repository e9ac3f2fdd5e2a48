-- a poison message procedure, dialog pool and internal activation monitor, older style without semicolons
create database B
go
use B
go
create table [SessionConversations] ([FromService] SYSNAME NOT NULL, [ToService] SYSNAME NOT NULL, [OnContract] SYSNAME NOT NULL, [Handle] UNIQUEIDENTIFIER NOT NULL, PRIMARY KEY ([FromService], [ToService], [OnContract]), UNIQUE ([Handle]))
go
create procedure [usp_Send] (@fromService SYSNAME, @toService SYSNAME, @onContract SYSNAME, @messageType SYSNAME, @messageBody VARBINARY(MAX))
as
begin
  declare @handle uniqueidentifier, @counter int, @error int
  select @counter = 1
  begin transaction
  while (1=1)
  begin
    select @handle = [Handle] from [SessionConversations] where [FromService] = @fromService
    if @handle is null
    begin
      begin dialog conversation @handle from service @fromService to service @toService on contract @onContract with encryption = off
      begin conversation timer (@handle) timeout = 120
      insert into [SessionConversations] values (@fromService, @toService, @onContract, @handle)
    end
    ;send on conversation @handle message type @messageType (@messageBody)
    select @error = @@error
    if @error = 0 break
    select @counter = @counter + 1
    if @counter > 10 begin raiserror (N'Failed to SEND on a conversation for more than 10 times. Error %i.', 16, 1, @error) with log break end
    delete from [SessionConversations] where [Handle] = @handle
    select @handle = null
  end
  commit
end
go
create queue Q with activation (procedure_name = usp_Recv, max_queue_readers = 1, execute as self)
create service S on queue Q ([DEFAULT])
go
declare @rows table (h uniqueidentifier, t sysname)
;with x as (select 1 a) select * from x
;receive conversation_handle, message_type_name from Q into @rows where conversation_handle = '00000000-0000-0000-0000-000000000001'
waitfor (receive * from Q) , timeout 100
set @x = (select count(*) from @rows)
if @x > 0 end conversation @h else print 'none'
if @x = 1 send on conversation @h (N'a') else if @x = 2 move conversation @h to @g else get conversation group @g from Q
return
go
exec sp_addmessage 50001, 16, 'x'
exec msdb.dbo.sp_add_job @job_name = 'j', @enabled = 1
exec msdb.dbo.sp_add_jobstep @job_name = 'j', @command = N'ALTER DATABASE B SET NEW_BROKER'
go
alter service S (add contract [http://schemas.microsoft.com/SQL/Notifications/PostEventNotification])
alter service S on queue Q
