-- Async trigger-style pattern with conversation reuse and timers
USE master;
GO
CREATE PROCEDURE #p AS SELECT 1
GO
EXEC #p
DECLARE @g uniqueidentifier, @h uniqueidentifier, @n int = 5, @rc int;
GET CONVERSATION GROUP @g FROM dbo.Q;
WAITFOR (GET CONVERSATION GROUP @g FROM dbo.Q), TIMEOUT 1000;
IF (@g IS NULL) GOTO done;
RECEIVE @h = conversation_handle FROM dbo.Q WHERE conversation_group_id = @g;
MOVE CONVERSATION @h TO @g;
BEGIN DIALOG CONVERSATION @h FROM SERVICE [a] TO SERVICE 'b'
   WITH RELATED_CONVERSATION_GROUP = @g, LIFETIME = @n * 60, ENCRYPTION = ON;
SEND ON CONVERSATION @h;
SEND ON CONVERSATION (@h, @g) MESSAGE TYPE [t] (CAST(N'<x/>' AS xml));
END CONVERSATION @h WITH ERROR = 50001 DESCRIPTION = N'no ' ;
BEGIN TRAN
  UPDATE dbo.T SET sent = 1, [send] = GETDATE() OUTPUT inserted.id INTO dbo.Log (id) WHERE id = @n
COMMIT TRAN
done:
PRINT 'end'
WAITFOR DELAY '00:00:01'
RETURN
GO
