-- The Service Broker side of a SQL Server instance as one JSON document, for the import of brokerweb.
--
-- For SQL Server 2016 and later. It reads catalog views and counts the rows of sys.transmission_queue; it changes
-- nothing, makes no object and takes no message. README.md beside this file says how to run it and which rights it
-- needs. What the login may not see is missing in the document, and a database that cannot be opened is named with
-- the reason.
--
-- The document leaves in rows of 240 characters without any blank, so that neither sqlcmd nor Management Studio can
-- cut or pad it without being noticed. The import takes the output as it is, headings and row counts included.

SET NOCOUNT ON;
SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED; -- nobody who sends or receives waits for the count
SET TEXTSIZE 2147483647;

DECLARE @inside nvarchar(max) = N'SET @found = (SELECT
    (SELECT v.schema_id, v.name
        FROM sys.schemas AS v ORDER BY v.schema_id FOR JSON PATH) AS schemas,
    (SELECT v.xml_collection_id, v.schema_id, v.name
        FROM sys.xml_schema_collections AS v ORDER BY v.xml_collection_id FOR JSON PATH) AS xml_schema_collections,
    (SELECT v.principal_id, v.name, v.type, v.sid
        FROM sys.database_principals AS v ORDER BY v.principal_id FOR JSON PATH) AS database_principals,
    (SELECT v.class, v.major_id, v.grantee_principal_id, v.permission_name, v.state
        FROM sys.database_permissions AS v
        WHERE v.permission_name IN (N''SEND'', N''RECEIVE'') AND v.class IN (1, 17)
        ORDER BY v.class, v.major_id, v.grantee_principal_id FOR JSON PATH) AS database_permissions,
    (SELECT v.message_type_id, v.name, v.principal_id, v.validation, v.xml_collection_id
        FROM sys.service_message_types AS v ORDER BY v.message_type_id FOR JSON PATH) AS service_message_types,
    (SELECT v.service_contract_id, v.name, v.principal_id
        FROM sys.service_contracts AS v ORDER BY v.service_contract_id FOR JSON PATH) AS service_contracts,
    (SELECT v.service_contract_id, v.message_type_id, v.is_sent_by_initiator, v.is_sent_by_target
        FROM sys.service_contract_message_usages AS v
        ORDER BY v.service_contract_id, v.message_type_id FOR JSON PATH) AS service_contract_message_usages,
    (SELECT v.object_id, v.schema_id, v.name, v.is_ms_shipped, v.max_readers, v.activation_procedure,
            v.execute_as_principal_id, v.is_activation_enabled, v.is_receive_enabled, v.is_enqueue_enabled,
            v.is_retention_enabled, v.is_poison_message_handling_enabled
        FROM sys.service_queues AS v ORDER BY v.object_id FOR JSON PATH) AS service_queues,
    (SELECT v.service_id, v.name, v.principal_id, v.service_queue_id
        FROM sys.services AS v ORDER BY v.service_id FOR JSON PATH) AS services,
    (SELECT v.service_id, v.service_contract_id
        FROM sys.service_contract_usages AS v
        ORDER BY v.service_id, v.service_contract_id FOR JSON PATH) AS service_contract_usages,
    (SELECT v.route_id, v.name, v.remote_service_name, v.broker_instance, v.lifetime, v.address, v.mirror_address
        FROM sys.routes AS v ORDER BY v.route_id FOR JSON PATH) AS routes,
    (SELECT v.remote_service_binding_id, v.name, v.principal_id, v.remote_service_name, v.remote_principal_id,
            v.is_anonymous_on
        FROM sys.remote_service_bindings AS v
        ORDER BY v.remote_service_binding_id FOR JSON PATH) AS remote_service_bindings,
    (SELECT v.priority_id, v.name, v.service_contract_id, v.local_service_id, v.remote_service_name, v.priority
        FROM sys.conversation_priorities AS v ORDER BY v.priority_id FOR JSON PATH) AS conversation_priorities,
    (SELECT v.certificate_id, v.name, v.principal_id, v.pvt_key_encryption_type, v.is_active_for_begin_dialog,
            CERTENCODED(v.certificate_id) AS encoded
        FROM sys.certificates AS v
        WHERE v.name NOT LIKE N''##%'' ORDER BY v.certificate_id FOR JSON PATH) AS certificates,
    (SELECT v.to_service_name, v.transmission_status, COUNT_BIG(*) AS messages, MIN(v.enqueue_time) AS oldest
        FROM sys.transmission_queue AS v
        GROUP BY v.to_service_name, v.transmission_status
        ORDER BY v.to_service_name, v.transmission_status FOR JSON PATH) AS transmission_queue
FOR JSON PATH, WITHOUT_ARRAY_WRAPPER)';

DECLARE @databases nvarchar(max) = N'', @document nvarchar(max), @one nvarchar(max), @found nvarchar(max);
DECLARE @id int = 0, @name sysname, @procedure nvarchar(776), @is_open bit, @problem nvarchar(4000);

WHILE 1 = 1
BEGIN
    SELECT TOP (1) @id = v.database_id, @name = v.name,
        @is_open = CASE WHEN v.state = 0 AND HAS_DBACCESS(v.name) = 1 THEN 1 ELSE 0 END
    FROM sys.databases AS v
    -- tempdb and model hold no services of their own, snapshots those of their source.
    WHERE v.database_id > @id AND v.name NOT IN (N'tempdb', N'model') AND v.source_database_id IS NULL
    ORDER BY v.database_id;
    IF @@ROWCOUNT = 0 BREAK;

    SELECT @found = NULL, @problem = NULL;
    IF @is_open = 0
        SET @problem = N'The database is not open to this login.';
    ELSE
    BEGIN
        BEGIN TRY
            SET @procedure = QUOTENAME(@name) + N'.sys.sp_executesql';
            EXEC @procedure @inside, N'@found nvarchar(max) OUTPUT', @found = @found OUTPUT;
        END TRY
        BEGIN CATCH
            SELECT @found = NULL, @problem = ERROR_MESSAGE();
        END CATCH;
    END;

    SET @one = (
        SELECT v.database_id, v.name, v.service_broker_guid, v.is_broker_enabled, v.is_honor_broker_priority_on,
            v.state, v.is_read_only, v.user_access,
            (SELECT m.mirroring_role, m.mirroring_partner_name
                FROM sys.database_mirroring AS m
                WHERE m.database_id = @id AND m.mirroring_guid IS NOT NULL FOR JSON PATH) AS database_mirroring,
            @problem AS problem,
            JSON_QUERY(@found) AS sys
        FROM sys.databases AS v WHERE v.database_id = @id FOR JSON PATH, WITHOUT_ARRAY_WRAPPER);
    SET @databases += CASE WHEN @databases = N'' THEN N'' ELSE N',' END + @one;
END;

SET @document = (
    SELECT N'service-broker-collection' AS format, 1 AS format_version,
        CONVERT(nvarchar(128), SERVERPROPERTY(N'ServerName')) AS server_name,
        CONVERT(nvarchar(128), SERVERPROPERTY(N'MachineName')) AS machine_name,
        CONVERT(nvarchar(128), SERVERPROPERTY(N'ProductVersion')) AS product_version,
        SYSUTCDATETIME() AS collected_at,
        (SELECT v.endpoint_id, v.name, v.state_desc, v.is_message_forwarding_enabled, v.message_forwarding_size,
                v.connection_auth_desc, v.certificate_id, v.encryption_algorithm_desc
            FROM sys.service_broker_endpoints AS v FOR JSON PATH) AS service_broker_endpoints,
        (SELECT v.endpoint_id, v.port, v.ip_address
            FROM sys.tcp_endpoints AS v WHERE v.type = 3 FOR JSON PATH) AS tcp_endpoints,
        (SELECT v.principal_id, v.name, v.type, v.sid
            FROM sys.server_principals AS v WHERE v.name NOT LIKE N'##%'
            ORDER BY v.principal_id FOR JSON PATH) AS server_principals,
        (SELECT v.class, v.major_id, v.grantee_principal_id, v.permission_name, v.state
            FROM sys.server_permissions AS v WHERE v.class = 105 AND v.permission_name = N'CONNECT'
            ORDER BY v.major_id, v.grantee_principal_id FOR JSON PATH) AS server_permissions,
        JSON_QUERY(N'[' + @databases + N']') AS databases
    FOR JSON PATH, WITHOUT_ARRAY_WRAPPER);

-- JSON has no blank outside its texts here, and inside them a blank may be written so.
SET @document = REPLACE(@document, N' ', N'\u0020');

WITH numbered AS (
    SELECT TOP (DATALENGTH(@document) / 480 + 1) ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) AS number
    FROM sys.all_columns AS a CROSS JOIN sys.all_columns AS b
)
SELECT SUBSTRING(@document, CONVERT(int, number - 1) * 240 + 1, 240) AS service_broker_collection
FROM numbered ORDER BY number;
