"""Every statement of the T-SQL surface with every option (tsql.md), as texts: what is read, what is stepped over."""

from itertools import product

GUID = "0f8fad5b-d9cb-469f-a165-70867728950e"


def _each(pattern: str, **choices: tuple[str, ...]) -> list[str]:
    """The pattern with every choice at its place, all combinations."""
    return [pattern.format(**dict(zip(choices, chosen, strict=True))) for chosen in product(*choices.values())]


ROUTES = [
    "CREATE ROUTE r WITH ADDRESS = 'LOCAL'",
    "CREATE ROUTE [r]]] AUTHORIZATION dbo WITH ADDRESS = N'TRANSPORT';",
    *_each(
        "CREATE ROUTE r WITH SERVICE_NAME = 's', BROKER_INSTANCE = '{guid}', LIFETIME = {life}, "
        "ADDRESS = 'TCP://a:4022'{comma} MIRROR_ADDRESS = 'tcp://b:4022/'",
        guid=(GUID,),
        life=("600", "NULL"),
        comma=(",", ""),
    ),
    *_each(
        "ALTER ROUTE r WITH {clause}",
        clause=(
            "SERVICE_NAME = 's'",
            f"BROKER_INSTANCE = '{GUID}'",
            "LIFETIME = 60",
            "ADDRESS = 'LOCAL'",
            "MIRROR_ADDRESS = 'TCP://b:1'",
            "SERVICE_NAME = 's' ADDRESS = 'LOCAL'",
        ),
    ),
    "DROP ROUTE r",
]
_ACTIVATION = "ACTIVATION ({status}PROCEDURE_NAME = {name}, MAX_QUEUE_READERS = 5, EXECUTE AS {user})"
QUEUES = [
    "CREATE QUEUE q",
    "CREATE QUEUE d.s.q ON [DEFAULT]",
    "CREATE QUEUE dbo.q WITH STATUS = OFF, RETENTION = ON, POISON_MESSAGE_HANDLING (STATUS = OFF) ON fg;",
    *_each(
        "CREATE QUEUE q WITH " + _ACTIVATION,
        status=("STATUS = OFF, ", ""),
        name=("p", "dbo.p", "d..p"),
        user=("SELF", "OWNER", "'u'"),
    ),
    *_each(
        "ALTER QUEUE q WITH {option}",
        option=(
            "STATUS = ON",
            "RETENTION = OFF",
            "ACTIVATION (DROP)",
            "ACTIVATION (STATUS = ON)",
            "ACTIVATION (PROCEDURE_NAME = p)",
            "ACTIVATION (MAX_QUEUE_READERS = 0)",
            "ACTIVATION (EXECUTE AS OWNER)",
            "POISON_MESSAGE_HANDLING (STATUS = ON)",
            "STATUS = ON, RETENTION = ON, ACTIVATION (STATUS = OFF), POISON_MESSAGE_HANDLING (STATUS = ON)",
        ),
    ),
    *_each(
        "ALTER QUEUE q {action}",
        action=(
            "REBUILD",
            "REBUILD WITH (MAXDOP = 2)",
            "REORGANIZE",
            "REORGANIZE WITH (LOB_COMPACTION = ON)",
            "MOVE TO fg",
            'MOVE TO "default"',
        ),
    ),
    "DROP QUEUE dbo.q;",
]
SERVICES = [
    "CREATE SERVICE s ON QUEUE q",
    "CREATE SERVICE [//a/b] AUTHORIZATION u ON QUEUE dbo.q (c, [DEFAULT], [//c])",
    "ALTER SERVICE s ON QUEUE q",
    "ALTER SERVICE s (ADD CONTRACT c, DROP CONTRACT [DEFAULT])",
    "ALTER SERVICE s ON QUEUE q (DROP CONTRACT c);",
    "DROP SERVICE s",
    "ALTER AUTHORIZATION ON SERVICE::s TO u",
]
CONTRACTS = [
    "CREATE CONTRACT c AUTHORIZATION u (t SENT BY INITIATOR, [DEFAULT] SENT BY ANY, [//t] SENT BY TARGET)",
    "DROP CONTRACT c",
]
MESSAGE_TYPES = [
    "CREATE MESSAGE TYPE t",
    *_each(
        "{verb} VALIDATION = {validation}",
        verb=("CREATE MESSAGE TYPE t AUTHORIZATION u", "ALTER MESSAGE TYPE t"),
        validation=("NONE", "EMPTY", "WELL_FORMED_XML", "VALID_XML WITH SCHEMA COLLECTION dbo.x"),
    ),
    "DROP MESSAGE TYPE t",
]
BINDINGS = [
    "CREATE REMOTE SERVICE BINDING b TO SERVICE 's' WITH USER = u",
    "CREATE REMOTE SERVICE BINDING b AUTHORIZATION dbo TO SERVICE N's' WITH USER = u, ANONYMOUS = ON",
    *_each(
        "ALTER REMOTE SERVICE BINDING b WITH {options}",
        options=(
            "USER = u",
            "ANONYMOUS = OFF",
            ", ANONYMOUS = ON",
            "USER = u, ANONYMOUS = ON",
            "USER = u ANONYMOUS = ON",
        ),
    ),
    "DROP REMOTE SERVICE BINDING b",
]
_CRITERIA = (
    *("CONTRACT_NAME = ANY", "CONTRACT_NAME = [c]", "LOCAL_SERVICE_NAME = ANY", "LOCAL_SERVICE_NAME = s"),
    *("REMOTE_SERVICE_NAME = ANY", "REMOTE_SERVICE_NAME = N's'", "PRIORITY_LEVEL = DEFAULT", "PRIORITY_LEVEL = 10"),
    "CONTRACT_NAME = c, LOCAL_SERVICE_NAME = s, REMOTE_SERVICE_NAME = 's', PRIORITY_LEVEL = 1",
)
PRIORITIES = [
    "CREATE BROKER PRIORITY p FOR CONVERSATION",
    *_each("{verb} BROKER PRIORITY p FOR CONVERSATION SET ({set})", verb=("CREATE", "ALTER"), set=_CRITERIA),
    "DROP BROKER PRIORITY p",
]
_AUTHENTICATIONS = (
    *("WINDOWS", "WINDOWS NTLM", "WINDOWS KERBEROS", "WINDOWS NEGOTIATE", "CERTIFICATE c"),
    *("WINDOWS NTLM CERTIFICATE c", "CERTIFICATE c WINDOWS", "CERTIFICATE c WINDOWS NEGOTIATE"),
)
_ENCRYPTIONS = (
    *("DISABLED", "SUPPORTED", "REQUIRED", "SUPPORTED ALGORITHM AES", "REQUIRED ALGORITHM RC4"),
    *("REQUIRED ALGORITHM AES RC4", "SUPPORTED ALGORITHM RC4 AES"),
)
_ENDPOINT = "CREATE ENDPOINT e {state}AS TCP (LISTENER_PORT = 4022{ip}) FOR SERVICE_BROKER ({options})"
ENDPOINTS = [
    *_each(
        _ENDPOINT,
        state=("", "AUTHORIZATION sa STATE = STARTED ", "STATE = STOPPED ", "STATE = DISABLED "),
        ip=("", ", LISTENER_IP = ALL", ", LISTENER_IP = (10.0.0.1)", ", LISTENER_IP = ('::1')"),
        options=("",),
    ),
    *_each(_ENDPOINT, state=("",), ip=("",), options=tuple(f"AUTHENTICATION = {each}" for each in _AUTHENTICATIONS)),
    *_each(_ENDPOINT, state=("",), ip=("",), options=tuple(f"ENCRYPTION = {each}" for each in _ENCRYPTIONS)),
    *_each(_ENDPOINT, state=("",), ip=("",), options=("MESSAGE_FORWARDING = ENABLED, MESSAGE_FORWARD_SIZE = 20",)),
    *_each(
        "ALTER ENDPOINT e {clause}",
        clause=(
            "STATE = STARTED",
            "AS TCP (LISTENER_PORT = 4023)",
            "AS TCP (LISTENER_IP = ALL)",
            "FOR SERVICE_BROKER (MESSAGE_FORWARDING = DISABLED)",
            "STATE = STOPPED AS TCP (LISTENER_PORT = 4023) FOR SERVICE_BROKER (ENCRYPTION = DISABLED)",
        ),
    ),
    *_each(
        "CREATE ENDPOINT e STATE = STARTED AS TCP (LISTENER_PORT = 5022) FOR {kind} ({options})",
        kind=("DATABASE_MIRRORING", "DATA_MIRRORING"),
        options=(
            *("ROLE = ALL", "ROLE = WITNESS", "AUTHENTICATION = WINDOWS NEGOTIATE, ROLE = PARTNER"),
            "AUTHENTICATION = CERTIFICATE c, ENCRYPTION = REQUIRED ALGORITHM AES, ROLE = ALL",
        ),
    ),
    "ALTER ENDPOINT e FOR DATABASE_MIRRORING (ROLE = PARTNER)",
    "DROP ENDPOINT e",
]
DATABASES = [
    *_each(
        "ALTER DATABASE {name} SET {option}{termination}",
        name=("v", "CURRENT"),
        option=(
            *("ENABLE_BROKER", "DISABLE_BROKER", "NEW_BROKER", "ERROR_BROKER_CONVERSATIONS"),
            *("HONOR_BROKER_PRIORITY ON", "HONOR_BROKER_PRIORITY OFF"),
            *("OFFLINE", "ONLINE", "READ_ONLY", "READ_WRITE", "SINGLE_USER", "MULTI_USER"),
            *("PARTNER = 'TCP://a:5022'", "PARTNER OFF"),
        ),
        termination=(
            *("", " WITH ROLLBACK IMMEDIATE", " WITH ROLLBACK AFTER 5", " WITH ROLLBACK AFTER 5 SECONDS"),
            " WITH NO_WAIT;",
        ),
    ),
    *_each(
        "ALTER DATABASE v SET {options}",
        options=(
            "READ_COMMITTED_SNAPSHOT ON, ENABLE_BROKER WITH ROLLBACK IMMEDIATE",
            "NEW_BROKER, RECOVERY FULL, PAGE_VERIFY CHECKSUM",
            "QUERY_STORE = ON (OPERATION_MODE = READ_WRITE, QUERY_CAPTURE_MODE = AUTO), DISABLE_BROKER",
            "COMPATIBILITY_LEVEL = 160, HONOR_BROKER_PRIORITY ON",
            "CHANGE_TRACKING = ON (CHANGE_RETENTION = 2 DAYS, AUTO_CLEANUP = ON), SINGLE_USER WITH NO_WAIT",
        ),
    ),
    "CREATE DATABASE v",
    "DROP DATABASE IF EXISTS v, w",
    "USE [v]",
    *_each(
        "CREATE DATABASE v ON (FILENAME = 'v.mdf') FOR ATTACH{option}",
        option=("", " WITH ENABLE_BROKER", " WITH NEW_BROKER", " WITH ERROR_BROKER_CONVERSATIONS"),
    ),
]
EVENT_NOTIFICATIONS = [
    *_each(
        "CREATE EVENT NOTIFICATION n ON QUEUE dbo.q{fan} FOR {events} TO SERVICE 's', '{where}'",
        fan=("", " WITH FAN_IN"),
        events=("QUEUE_ACTIVATION", "BROKER_QUEUE_DISABLED", "QUEUE_ACTIVATION, BROKER_QUEUE_DISABLED"),
        where=("current database", GUID),
    ),
    "DROP EVENT NOTIFICATION n, m ON QUEUE q",
]
PERMISSIONS = [
    *_each(
        "{verb} SEND ON SERVICE::s {way} u, [public]{tail}",
        verb=("GRANT", "DENY"),
        way=("TO",),
        tail=("", " AS dbo"),
    ),
    "REVOKE SEND ON SERVICE::[//s] FROM u",
    "GRANT SEND ON SERVICE::s TO u WITH GRANT OPTION",
    "GRANT SEND, CONTROL ON SERVICE::s TO u",
    "GRANT RECEIVE ON OBJECT::dbo.q TO u",
    "DENY RECEIVE, SELECT, ALTER, REFERENCES, VIEW DEFINITION, TAKE OWNERSHIP ON dbo.q TO u",
    "REVOKE RECEIVE ON OBJECT::q FROM u CASCADE",
    "GRANT CONNECT ON ENDPOINT::e TO l, [public] WITH GRANT OPTION",
    "DENY CONNECT ON ENDPOINT::e TO l",
    "REVOKE CONNECT ON ENDPOINT::e FROM l",
]
KEYS = [
    "CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Geheim!1'",
    "ALTER MASTER KEY ADD ENCRYPTION BY SERVICE MASTER KEY",
    "ALTER MASTER KEY DROP ENCRYPTION BY SERVICE MASTER KEY",
    "ALTER MASTER KEY FORCE REGENERATE WITH ENCRYPTION BY PASSWORD = 'Geheim!1'",
    "DROP MASTER KEY",
    "CREATE USER u WITHOUT LOGIN",
    "DROP USER u",
    "DROP USER IF EXISTS u",
    "CREATE LOGIN l WITH PASSWORD = 'Geheim!1'",
    "DROP LOGIN l",
    "CREATE CERTIFICATE c AUTHORIZATION u WITH SUBJECT = 'x', START_DATE = '2026-01-01', EXPIRY_DATE = '2036-01-01'",
    "CREATE CERTIFICATE c FROM BINARY = 0x3082 ACTIVE FOR BEGIN_DIALOG = OFF",
    "CREATE CERTIFICATE c FROM FILE = 'c.cer'",
    "ALTER CERTIFICATE c WITH ACTIVE FOR BEGIN_DIALOG = ON",
    "CREATE CERTIFICATE c FROM FILE = 'c.cer' WITH PRIVATE KEY (FILE = 'c.pvk', DECRYPTION BY PASSWORD = 'x')",
    "CREATE CERTIFICATE c FROM BINARY = 0x3082 WITH PRIVATE KEY (BINARY = 0x01, DECRYPTION BY PASSWORD = 'x')",
    "ALTER CERTIFICATE c WITH PRIVATE KEY (FILE = 'k', DECRYPTION BY PASSWORD = 'x', ENCRYPTION BY PASSWORD = 'y')",
    "ALTER CERTIFICATE c REMOVE PRIVATE KEY",
    "DROP CERTIFICATE c",
]

UNDERSTOOD = [
    *(*ROUTES, *QUEUES, *SERVICES, *CONTRACTS, *MESSAGE_TYPES, *BINDINGS, *PRIORITIES, *ENDPOINTS),
    *(*DATABASES, *EVENT_NOTIFICATIONS, *PERMISSIONS, *KEYS),
]
"""Each is one statement, and says something about the network."""

_DIALOG = "BEGIN DIALOG {word}@h\n  FROM SERVICE [a]\n  TO SERVICE {to}{contract}{options}"
STEPPED_OVER = {
    "BEGIN DIALOG": _each(
        _DIALOG,
        word=("", "CONVERSATION "),
        to=("'b'", f"'b', '{GUID}'", "@s, 'CURRENT DATABASE'"),
        contract=("", "\n  ON CONTRACT [c]"),
        options=(
            "",
            "\n  WITH ENCRYPTION = OFF",
            "\n  WITH RELATED_CONVERSATION = @o, LIFETIME = 60, ENCRYPTION = ON",
            " WITH RELATED_CONVERSATION_GROUP = @g;",
        ),
    ),
    "SEND": [
        "SEND ON CONVERSATION @h",
        "SEND ON CONVERSATION @h MESSAGE TYPE [t] (@body);",
        "SEND ON CONVERSATION (@h, @i) MESSAGE TYPE @t (N'<x/>')",
        f"SEND ON CONVERSATION '{GUID}' (0x01)",
    ],
    "RECEIVE": [
        "RECEIVE * FROM q",
        "RECEIVE TOP (1) @h = conversation_handle, @b = CAST(message_body AS xml) FROM dbo.q",
        "RECEIVE message_type_name AS t FROM d.s.q INTO @rows WHERE conversation_handle = @h",
        "WAITFOR (RECEIVE TOP (@n) * FROM q WHERE conversation_group_id = @g)",
        "WAITFOR (\n  RECEIVE * FROM q\n), TIMEOUT 5000;",
    ],
    "GET CONVERSATION GROUP": [
        "GET CONVERSATION GROUP @g FROM dbo.q",
        "WAITFOR (GET CONVERSATION GROUP @g FROM q), TIMEOUT -1",
    ],
    "MOVE CONVERSATION": ["MOVE CONVERSATION @h TO @g", f"MOVE CONVERSATION '{GUID}' TO '{GUID}';"],
    "BEGIN CONVERSATION TIMER": [
        "BEGIN CONVERSATION TIMER (@h) TIMEOUT = 60",
        "BEGIN CONVERSATION TIMER (@h) TIMEOUT = @s;",
    ],
    "END CONVERSATION": [
        "END CONVERSATION @h",
        "END CONVERSATION @h WITH CLEANUP",
        "END CONVERSATION @h\n  WITH ERROR = 1 DESCRIPTION = N'no';",
    ],
    "GET_TRANSMISSION_STATUS": ["SELECT GET_TRANSMISSION_STATUS(@h)", "SET @s = GET_TRANSMISSION_STATUS (@h);"],
    "RESTORE DATABASE": _each(
        "RESTORE DATABASE v FROM DISK = 'v.bak' WITH {option}",
        option=("ENABLE_BROKER", "NEW_BROKER", "ERROR_BROKER_CONVERSATIONS", "REPLACE, ENABLE_BROKER"),
    ),
    "EVENT NOTIFICATION": [
        "CREATE EVENT NOTIFICATION n ON DATABASE FOR CREATE_TABLE TO SERVICE 's', 'current database'",
        f"CREATE EVENT NOTIFICATION n ON SERVER WITH FAN_IN FOR DDL_EVENTS, DEADLOCK_GRAPH TO SERVICE 's', '{GUID}'",
        "DROP EVENT NOTIFICATION n ON DATABASE",
        "DROP EVENT NOTIFICATION n, m ON SERVER",
    ],
    "AUTHORIZATION": _each(
        "ALTER AUTHORIZATION ON {kind}::x TO u",
        kind=("ROUTE", "CONTRACT", "MESSAGE TYPE", "REMOTE SERVICE BINDING", "OBJECT", "ENDPOINT", "DATABASE"),
    ),
    "permission": [
        *_each(
            "{verb} {permission} ON {kind}::x {way} u",
            verb=("GRANT", "DENY"),
            permission=("CONTROL", "TAKE OWNERSHIP", "ALTER", "VIEW DEFINITION"),
            kind=("SERVICE", "ROUTE", "CONTRACT", "MESSAGE TYPE", "REMOTE SERVICE BINDING", "ENDPOINT"),
            way=("TO",),
        ),
        "GRANT REFERENCES ON CONTRACT::c TO u WITH GRANT OPTION AS dbo",
        "GRANT REFERENCES ON MESSAGE TYPE::t TO u",
        "GRANT SELECT, REFERENCES ON OBJECT::dbo.q TO u",
        "REVOKE GRANT OPTION FOR SEND ON SERVICE::s FROM u",
        "REVOKE ALTER ON ROUTE::r FROM u, v CASCADE",
        "GRANT IMPERSONATE ON USER::u TO v",
    ],
    "renaming": ["ALTER DATABASE v MODIFY NAME = w"],
    "FAILOVER": ["ALTER DATABASE v SET PARTNER FAILOVER", "ALTER DATABASE v SET PARTNER FORCE_SERVICE_ALLOW_DATA_LOSS"],
    "witness": _each(
        "ALTER DATABASE v SET {option}",
        option=(
            "WITNESS = 'TCP://w:5022'",
            "WITNESS OFF",
            "PARTNER SAFETY FULL",
            "PARTNER SUSPEND",
            "PARTNER TIMEOUT 10",
        ),
    ),
}
"""By words that the reason names: statements that are recognised and change nothing of what is defined."""
