/* Clean-up of all conversations
   /* nested: DROP QUEUE x */
   still a comment */
DECLARE @handle UNIQUEIDENTIFIER
DECLARE conv CURSOR LOCAL FAST_FORWARD FOR
    SELECT conversation_handle FROM sys.conversation_endpoints WHERE state IN ('CD', 'ER')
OPEN conv
FETCH NEXT FROM conv INTO @handle
WHILE @@FETCH_STATUS = 0
BEGIN
    END CONVERSATION @handle WITH CLEANUP
    FETCH NEXT FROM conv INTO @handle
END
CLOSE conv
DEALLOCATE conv
GO
while exists (select 1 from sys.conversation_endpoints)
begin
    declare @c uniqueidentifier
    select top (1) @c = conversation_handle from sys.conversation_endpoints
    end conversation @c with cleanup
end
go
WHILE (SELECT COUNT(*) FROM dbo.Q) > 0
    RECEIVE TOP (100) * FROM dbo.Q
GO
