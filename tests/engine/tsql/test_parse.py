"""What a script says: every statement with all its options, and what is stepped over."""

import pytest

from engine.core.catalog.changes import ActivationPatch
from engine.core.catalog.objects import ContractUse, EndpointState, SentBy, Validation
from engine.core.vocabulary.identifiers import MessageTypeName
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.parse import parse_script
from engine.tsql.statements import (
    AlterEndpoint,
    AlterMessageType,
    AlterQueue,
    AlterRoute,
    AlterService,
    AnyStatement,
    BrokerOption,
    Clause,
    Connect,
    CreateContract,
    CreateDatabase,
    CreateEndpoint,
    CreateMessageType,
    CreateQueue,
    CreateRoute,
    CreateService,
    Drop,
    DropDatabase,
    DroppedKind,
    EndpointClauses,
    Guard,
    MaintainQueue,
    ObjectName,
    Place,
    QueueOptions,
    RouteClauses,
    SetBroker,
    SetPartner,
    Use,
)
from tests.support.each import for_each

AT = Place(1, 1)


def name(*parts: str) -> ObjectName:
    return ObjectName(parts)


def only(text: str) -> AnyStatement:
    script = parse_script(text, "essai.sql")
    assert (script.problems, script.ignored) == ((), ())
    (statement,) = script.statements
    return statement


def use(message_type: str, sent_by: SentBy) -> ContractUse:
    return ContractUse(MessageTypeName(message_type), sent_by)


STATEMENTS = [
    ("USE [Entrepôt 2]", Use(database="Entrepôt 2", place=AT)),
    ("CREATE DATABASE Ventes;", CreateDatabase(name="Ventes", place=AT)),
    (
        "CREATE DATABASE Ventes ON PRIMARY (NAME = v, FILENAME = 'v.mdf') COLLATE French_CI_AS WITH TRUSTWORTHY ON",
        CreateDatabase(name="Ventes", has_options=True, place=AT),
    ),
    ("DROP DATABASE a, [b c]", DropDatabase(names=("a", "b c"), place=AT)),
    ("DROP DATABASE IF EXISTS a", DropDatabase(names=("a",), place=AT, guard=Guard.EXISTS)),
    ("ALTER DATABASE v SET ENABLE_BROKER", SetBroker(database="v", option=BrokerOption.ENABLE, place=AT)),
    (
        "alter database [v] set disable_broker with rollback immediate",
        SetBroker(database="v", option=BrokerOption.DISABLE, place=AT),
    ),
    (
        "ALTER DATABASE CURRENT SET NEW_BROKER WITH ROLLBACK AFTER 30 SECONDS",
        SetBroker(database=None, option=BrokerOption.NEW, place=AT),
    ),
    (
        "ALTER DATABASE [CURRENT] SET NEW_BROKER WITH NO_WAIT",
        SetBroker(database="CURRENT", option=BrokerOption.NEW, place=AT),
    ),
    (
        "ALTER DATABASE v SET PARTNER = 'TCP://lyon:5022'",
        SetPartner(database="v", address=Clause("TCP://lyon:5022", Place(1, 32)), place=AT),
    ),
    ("ALTER DATABASE v SET PARTNER OFF", SetPartner(database="v", address=None, place=AT)),
    ("CREATE MESSAGE TYPE [//a/Größe]", CreateMessageType(name=name("//a/Größe"), place=AT)),
    (
        "CREATE MESSAGE TYPE t AUTHORIZATION dbo VALIDATION = EMPTY",
        CreateMessageType(name=name("t"), validation=Validation.EMPTY, place=AT),
    ),
    (
        "CREATE MESSAGE TYPE t VALIDATION = VALID_XML WITH SCHEMA COLLECTION dbo.[Schéma]",
        CreateMessageType(
            name=name("t"), validation=Validation.VALID_XML, schema_collection=name("dbo", "Schéma"), place=AT
        ),
    ),
    (
        "ALTER MESSAGE TYPE t VALIDATION = WELL_FORMED_XML",
        AlterMessageType(name=name("t"), validation=Validation.WELL_FORMED_XML, place=AT),
    ),
    (
        "CREATE CONTRACT c AUTHORIZATION dbo (a SENT BY INITIATOR, [DEFAULT] SENT BY ANY, \"b\" SENT BY TARGET)",
        CreateContract(
            name=name("c"),
            uses=(use("a", SentBy.INITIATOR), use("DEFAULT", SentBy.ANY), use("b", SentBy.TARGET)),
            place=AT,
        ),
    ),
    ("CREATE QUEUE q", CreateQueue(name=name("q"), place=AT)),
    ("CREATE QUEUE v..q ON [DEFAULT]", CreateQueue(name=name("v", "", "q"), place=AT)),
    (
        "CREATE QUEUE v.dbo.q WITH STATUS = OFF, RETENTION = ON, POISON_MESSAGE_HANDLING (STATUS = OFF),"
        " ACTIVATION (STATUS = ON, PROCEDURE_NAME = v.dbo.[lire tout], MAX_QUEUE_READERS = 4, EXECUTE AS 'bob')",
        CreateQueue(
            name=name("v", "dbo", "q"),
            options=QueueOptions(
                is_enabled=False,
                is_retention_enabled=True,
                is_poison_message_handling_enabled=False,
                activation=ActivationPatch(
                    procedure_name="v.dbo.lire tout", max_queue_readers=4, execute_as="bob", is_enabled=True
                ),
            ),
            place=AT,
        ),
    ),
    (
        "ALTER QUEUE q WITH RETENTION = OFF ACTIVATION (MAX_QUEUE_READERS = 1 EXECUTE AS SELF)",
        AlterQueue(
            name=name("q"),
            options=QueueOptions(
                is_retention_enabled=False, activation=ActivationPatch(max_queue_readers=1, execute_as="SELF")
            ),
            place=AT,
        ),
    ),
    (
        "ALTER QUEUE q WITH ACTIVATION (DROP)",
        AlterQueue(name=name("q"), options=QueueOptions(drops_activation=True), place=AT),
    ),
    ("ALTER QUEUE q REBUILD WITH (MAXDOP = 2)", MaintainQueue(name=name("q"), place=AT)),
    ("ALTER QUEUE q REORGANIZE WITH (LOB_COMPACTION = ON)", MaintainQueue(name=name("q"), place=AT)),
    ("ALTER QUEUE q MOVE TO [default]", MaintainQueue(name=name("q"), place=AT)),
    (
        "CREATE SERVICE [//a] AUTHORIZATION dbo ON QUEUE dbo.q ([//c], [DEFAULT])",
        CreateService(name=name("//a"), queue=name("dbo", "q"), contracts=("//c", "DEFAULT"), owner="dbo", place=AT),
    ),
    ("CREATE SERVICE s ON QUEUE q", CreateService(name=name("s"), queue=name("q"), place=AT)),
    (
        "ALTER SERVICE s ON QUEUE q2 (ADD CONTRACT a, DROP CONTRACT b)",
        AlterService(name=name("s"), queue=name("q2"), adds=("a",), drops=("b",), place=AT),
    ),
    ("ALTER SERVICE s", AlterService(name=name("s"), place=AT)),
    (
        "CREATE ROUTE r WITH ADDRESS = 'LOCAL'",
        CreateRoute(name=name("r"), clauses=RouteClauses(address=Clause("LOCAL", Place(1, 31))), place=AT),
    ),
    (
        "CREATE ROUTE [r] AUTHORIZATION dbo WITH SERVICE_NAME=N'L''été' BROKER_INSTANCE='x',, LIFETIME = 60,"
        " ADDRESS='A', MIRROR_ADDRESS='M'",
        CreateRoute(
            name=name("r"),
            clauses=RouteClauses(
                service_name=Clause("L'été", Place(1, 54)),
                broker_instance=Clause("x", Place(1, 80)),
                lifetime_seconds=60,
                lifetime_place=Place(1, 97),
                address=Clause("A", Place(1, 109)),
                mirror_address=Clause("M", Place(1, 129)),
            ),
            place=AT,
        ),
    ),
    (
        "CREATE ROUTE r WITH LIFETIME = NULL, ADDRESS = 'LOCAL'",
        CreateRoute(
            name=name("r"), clauses=RouteClauses(address=Clause("LOCAL", Place(1, 48)), never_expires=True), place=AT
        ),
    ),
    (
        "ALTER ROUTE r WITH LIFETIME = 5",
        AlterRoute(
            name=name("r"), clauses=RouteClauses(lifetime_seconds=5, lifetime_place=Place(1, 31)), place=AT
        ),
    ),
    (
        "CREATE ENDPOINT e AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER ()",
        CreateEndpoint(name=name("e"), clauses=EndpointClauses(port=4022), place=AT),
    ),
    (
        "CREATE ENDPOINT e AUTHORIZATION sa STATE = STARTED AS TCP (LISTENER_PORT = 4022, LISTENER_IP = (10.0.0.1))"
        " FOR SERVICE_BROKER (AUTHENTICATION = CERTIFICATE [Mon ]]cert] WINDOWS KERBEROS, ENCRYPTION = SUPPORTED"
        " ALGORITHM RC4 AES, MESSAGE_FORWARDING = ENABLED, MESSAGE_FORWARD_SIZE = 20)",
        CreateEndpoint(
            name=name("e"),
            clauses=EndpointClauses(
                state=EndpointState.STARTED,
                port=4022,
                listener_ip="10.0.0.1",
                authentication="CERTIFICATE [Mon ]]cert] WINDOWS KERBEROS",
                encryption="SUPPORTED ALGORITHM RC4 AES",
                is_message_forwarding_enabled=True,
                message_forward_size_megabytes=20,
            ),
            place=AT,
        ),
    ),
    (
        "ALTER ENDPOINT e STATE = STOPPED",
        AlterEndpoint(name=name("e"), clauses=EndpointClauses(state=EndpointState.STOPPED), place=AT),
    ),
    (
        "ALTER ENDPOINT e AS TCP (LISTENER_IP = ('::1')) FOR SERVICE_BROKER (ENCRYPTION = DISABLED)",
        AlterEndpoint(name=name("e"), clauses=EndpointClauses(listener_ip="::1", encryption="DISABLED"), place=AT),
    ),
    (
        "ALTER ENDPOINT e FOR SERVICE_BROKER (AUTHENTICATION = WINDOWS CERTIFICATE c)",
        AlterEndpoint(name=name("e"), clauses=EndpointClauses(authentication="WINDOWS CERTIFICATE [c]"), place=AT),
    ),
    *(
        (f"DROP {kind} [x y]", Drop(kind=kind, name=name("x y"), place=AT))
        for kind in DroppedKind
    ),
    (":CONNECT PARIS", Connect(instance="PARIS", place=AT)),
    (":connect tcp:PARIS\\SQL2019,1433 -U sa -P geheim", Connect(instance="PARIS\\SQL2019", place=AT)),
    (
        ':CONNECT "PARIS"\n-- host: paris.exemple.fr , 10.0.0.1\n-- Bonjour\n-- host: p\nGO',
        Connect(instance="PARIS", host_names=("paris.exemple.fr", "10.0.0.1", "p"), place=AT),
    ),
]  # fmt: skip


@for_each(("text", "expected"), STATEMENTS)
def test_a_statement_means_what_it_says(text: str, expected: AnyStatement) -> None:
    assert only(text) == expected


def test_statements_need_neither_semicolons_nor_lines_of_their_own() -> None:
    text = "USE a CREATE QUEUE q CREATE SERVICE s ON QUEUE q (c) DROP ROUTE r; DROP ROUTE t ALTER QUEUE q REBUILD"
    script = parse_script(text, "essai.sql")
    assert script.problems == ()
    assert [type(statement) for statement in script.statements] == [
        Use, CreateQueue, CreateService, Drop, Drop, MaintainQueue,
    ]  # fmt: skip


def test_words_that_are_keywords_elsewhere_are_names() -> None:
    assert only("CREATE SERVICE Status ON QUEUE Route (Lifetime)") == CreateService(
        name=name("Status"), queue=name("Route"), contracts=("Lifetime",), place=AT
    )


class TestConditions:
    def test_if_exists_stands_before_one_statement(self) -> None:
        text = "IF EXISTS (SELECT 1 FROM sys.routes WHERE (name = N'r'))\n DROP ROUTE r\nDROP ROUTE t"
        guards = [statement.guard for statement in parse_script(text, "e").statements]
        assert guards == [Guard.EXISTS, None]

    def test_begin_and_end_hold_what_the_condition_is_about(self) -> None:
        text = "IF NOT EXISTS (SELECT 1) BEGIN CREATE QUEUE a; CREATE QUEUE b END\nCREATE QUEUE c"
        script = parse_script(text, "e")
        assert [statement.guard for statement in script.statements] == [Guard.NOT_EXISTS, Guard.NOT_EXISTS, None]
        assert (script.problems, script.ignored) == ((), ())

    def test_else_is_the_opposite(self) -> None:
        text = "IF EXISTS (SELECT 1)\n ALTER QUEUE a WITH STATUS = ON\nELSE\n CREATE QUEUE a"
        assert [statement.guard for statement in parse_script(text, "e").statements] == [
            Guard.EXISTS,
            Guard.NOT_EXISTS,
        ]

    def test_a_condition_ends_with_its_batch(self) -> None:
        text = "IF EXISTS (SELECT 1)\nGO\nCREATE QUEUE a"
        assert [statement.guard for statement in parse_script(text, "e").statements] == [None]

    def test_other_conditions_are_listed_as_ignored(self) -> None:
        script = parse_script("IF COL_LENGTH('q') IS NULL\n CREATE QUEUE q", "e")
        assert [ignored.text for ignored in script.ignored] == ["IF COL_LENGTH"]
        assert [statement.guard for statement in script.statements] == [None]


IGNORED = [
    ("CREATE TABLE t (a int, b int)", "CREATE TABLE t"),
    ("ALTER LOGIN x WITH PASSWORD = 'geheim'", "ALTER LOGIN x WITH PASSWORD"),
    ("GRANT CREATE QUEUE, SELECT TO bob", "GRANT CREATE QUEUE"),
    ("GRANT CONTROL ON SERVICE::[//a] TO [public]", "GRANT CONTROL ON SERVICE"),
    ("ALTER TABLE t\n  DROP COLUMN c", "ALTER TABLE t"),
    (
        "CREATE PROCEDURE p AS\nBEGIN\n CREATE ROUTE r WITH ADDRESS = 'LOCAL';\nEND\nDROP ROUTE r",
        "CREATE PROCEDURE p AS BEGIN CREATE",
    ),
    ("CREATE OR ALTER TRIGGER t ON x AFTER INSERT AS DROP ROUTE r", "CREATE OR ALTER TRIGGER t ON"),
    ("DROP PROCEDURE p", "DROP PROCEDURE p"),
    ("CREATE ENDPOINT m AS TCP (LISTENER_PORT = 5022) FOR TSQL ()", "CREATE ENDPOINT m AS TCP"),
    ("ALTER SERVICE MASTER KEY REGENERATE", "ALTER SERVICE MASTER KEY REGENERATE"),
    ("ALTER DATABASE v SET RECOVERY SIMPLE", "ALTER DATABASE v SET RECOVERY SIMPLE"),
    ("ALTER DATABASE v SET PARTNER FAILOVER", "ALTER DATABASE v SET PARTNER FAILOVER"),
    ("CREATE DATABASE ENCRYPTION KEY WITH ALGORITHM = AES_256", "CREATE DATABASE ENCRYPTION KEY WITH ALGORITHM"),
    ("ALTER USER u WITH DEFAULT_SCHEMA = dbo", "ALTER USER u WITH DEFAULT_SCHEMA"),
    ("ALTER AUTHORIZATION ON DATABASE::v TO sa", "ALTER AUTHORIZATION ON DATABASE"),
    ("BACKUP DATABASE d TO DISK = 'd.bak'", "BACKUP DATABASE d TO DISK"),
    ("CREATE EVENT NOTIFICATION n ON SERVER FOR CREATE_DATABASE TO SERVICE 's', 'current database'",
     "CREATE EVENT NOTIFICATION n ON SERVER"),
    ("DROP EVENT NOTIFICATION n ON DATABASE", "DROP EVENT NOTIFICATION n ON DATABASE"),
    ("CREATE EVENT SESSION s ON SERVER ADD EVENT sqlserver.x", "CREATE EVENT SESSION s ON SERVER"),
    ("BEGIN DIALOG @h FROM SERVICE a TO SERVICE 'b' WITH ENCRYPTION = OFF", "BEGIN DIALOG"),
    ("SELECT * FROM sys.routes WHERE name = 'DROP ROUTE r'", "SELECT"),
    ("INSERT INTO t VALUES (1)", "INSERT INTO t VALUES"),
    ("sp_configure 'show advanced options', 1", "sp_configure"),
    (":on error exit", ":on"),
    ("!!dir", "!!dir"),
]  # fmt: skip


@for_each(("text", "beginning"), IGNORED)
def test_what_says_nothing_about_the_network_is_listed_with_its_line(text: str, beginning: str) -> None:
    script = parse_script("-- une ligne\n" + text, "e")
    assert (script.statements, script.problems) == ((), ())
    assert (script.ignored[0].line, script.ignored[0].column) == (2, 1)
    assert script.ignored[0].text == beginning


def test_no_text_in_quotes_is_shown_of_what_is_ignored() -> None:
    script = parse_script(
        ":CONNECT P -P geheim\nGO\n:on error exit geheim\nALTER LOGIN x WITH PASSWORD = 'geheim'", "e"
    )
    assert "geheim" not in repr(script)


def test_after_what_is_ignored_reading_goes_on() -> None:
    text = "SET NOCOUNT ON\nSELECT 1\nCREATE QUEUE q\nPRINT 'x' DROP QUEUE r\nEXEC p; DROP ROUTE r"
    script = parse_script(text, "e")
    assert [type(statement) for statement in script.statements] == [CreateQueue, Drop, Drop]
    assert [ignored.line for ignored in script.ignored] == [1, 2, 4, 5]


class TestHints:
    ID = "0f8fad5b-d9cb-469f-a165-70867728950e"

    @pytest.mark.parametrize(
        "text", [f"-- broker_instance: {ID}\nCREATE DATABASE v", f"CREATE DATABASE v; -- broker_instance: {ID}"]
    )
    def test_a_broker_id_stands_on_the_line_of_create_database_or_on_the_one_before(self, text: str) -> None:
        script = parse_script(text, "e")
        (statement,) = script.statements
        assert isinstance(statement, CreateDatabase)
        assert statement.broker_instance is not None
        assert (statement.broker_instance.value, script.notices) == (self.ID, ())

    def test_a_hint_beside_one_statement_is_not_about_the_next(self) -> None:
        text = f"CREATE DATABASE a -- broker_instance: {self.ID}\nCREATE DATABASE b"
        first, second = parse_script(text, "e").statements
        assert isinstance(first, CreateDatabase)
        assert isinstance(second, CreateDatabase)
        assert (first.broker_instance is None, second.broker_instance) == (False, None)

    def test_an_instant_of_expiry_may_stand_on_any_line_of_the_route(self) -> None:
        text = "CREATE ROUTE r WITH\n LIFETIME = 60, -- expires_at: 2024-03-31T22:00:00Z\n ADDRESS = 'LOCAL'"
        (statement,) = parse_script(text, "e").statements
        assert isinstance(statement, CreateRoute)
        assert statement.clauses.expires_at == UtcTime(1_711_922_400.0)

    def test_a_role_says_which_partner_is_the_copy(self) -> None:
        text = "ALTER DATABASE v SET PARTNER = 'TCP://a:1' -- role: mirror\nALTER DATABASE w SET PARTNER = 'TCP://a:1'"
        assert [getattr(statement, "is_mirror_copy", None) for statement in parse_script(text, "e").statements] == [
            True,
            False,
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "-- broker_instance: x\n\nCREATE DATABASE v",
            "CREATE QUEUE a -- broker_instance: x\nCREATE DATABASE v",
            "-- expires_at: demain\nCREATE ROUTE r WITH ADDRESS = 'LOCAL'",
            "-- expires_at: 2024-03-31T22:00:00\nCREATE ROUTE r WITH ADDRESS = 'LOCAL'",
            "-- role: chef\nALTER DATABASE v SET PARTNER OFF",
            "-- host: x\nCREATE QUEUE q",
        ],
    )
    def test_a_hint_that_tells_nothing_is_pointed_out(self, text: str) -> None:
        (notice,) = parse_script(text, "e").notices
        assert notice.line == 1
