"""Whole scripts in the manner of tutorials: statements of the broker are recognised, the rest is not misread."""

from pathlib import Path

import pytest

from engine.tsql.plan import Effect
from tests.engine.tsql.test_security_statements import plan

SCRIPTS = Path(__file__).with_name("scripts")
WORKS = " works on conversations:"
DEFINED = {
    "clean_up": [],
    "conversation_groups": [],
    "dialog_pool": [
        (2, "CREATE database B"),
        (34, "CREATE queue Q"),
        (35, "CREATE service S"),
        (50, "ALTER service S"),
        (51, "ALTER service S"),
    ],
    "external_activation": [
        (2, "CREATE database Ext"),
        (6, "CREATE queue dbo.UserQueue"),
        (7, "CREATE queue dbo.NotifyQueue"),
        (8, "CREATE service //ea/User"),
        (9, "CREATE service //ea/Notify"),
        (11, "CREATE event notification EA"),
        (12, "CREATE user DOMAIN\\EAService"),
        (14, "GRANT RECEIVE queue dbo.NotifyQueue"),
        (18, "ALTER queue UserQueue"),
        (21, "ALTER service //ea/User"),
    ],
    "mirrored_pair": [
        (2, ":CONNECT instance SQLA"),
        (3, "CREATE database M"),
        (10, "SET PARTNER database M"),
        (14, ":CONNECT instance SQLB"),
    ],
    "order_flow": [
        (6, "SET SINGLE_USER database Orders"),
        (7, "DROP database Orders"),
        (10, "CREATE database Orders"),
        (14, "SET ENABLE_BROKER database Orders"),
        (15, "SET TRUSTWORTHY ON database Orders"),
        (23, "CREATE message type //acme/Order"),
        (24, "CREATE message type //acme/Receipt"),
        (25, "CREATE contract //acme/OrderContract"),
        (28, "CREATE queue dbo.OrderQueue"),
        (29, "CREATE service //acme/OrderService"),
        (30, "CREATE queue dbo.ShopQueue"),
        (31, "CREATE service //acme/ShopService"),
        (77, "ALTER queue dbo.OrderQueue"),
    ],
    "other_statements": [(40, "CREATE queue AfterAll")],
    "query_notifications": [
        (1, "CREATE database App"),
        (4, "SET ENABLE_BROKER database App"),
        (11, "GRANT RECEIVE queue dbo.QueryNotificationErrorsQueue"),
    ],
    "quoted_identifiers": [
        (8, "CREATE database Odd Name"),
        (17, "CREATE queue my queue"),
        (18, "CREATE service my service"),
        (42, "ALTER queue my queue"),
        (52, "DROP service my service"),
        (52, "DROP queue my queue"),
    ],
    "request_and_reply": [
        (1, "CREATE database A"),
        (6, "SET ENABLE_BROKER database A"),
        (8, "SET ENABLE_BROKER database A"),
        (12, "CREATE message type Req"),
        (12, "CREATE message type Rep"),
        (12, "CREATE contract Ctr"),
        (13, "CREATE queue IQ"),
        (13, "CREATE queue TQ"),
        (13, "CREATE service I"),
        (13, "CREATE service T"),
        (45, "ALTER queue TQ"),
        (46, "ALTER queue TQ"),
        (47, "ALTER route AutoCreatedLocal"),
        (48, "GRANT SEND service T"),
    ],
    "schemas_and_queries": [
        (1, "CREATE database Audit"),
        (7, "CREATE message type Ord"),
        (8, "CREATE message type Fin"),
        (10, "CREATE contract Con"),
        (14, "CREATE queue sb.Inbox"),
        (16, "CREATE service Svc"),
        (39, "CREATE broker priority High"),
        (40, "SET HONOR_BROKER_PRIORITY ON database Audit"),
        (51, "CREATE event notification Disabled"),
    ],
    "secured_dialog": [
        (1, "CREATE database A"),
        (5, "CREATE master key"),
        (7, "CREATE user Remote"),
        (8, "CREATE certificate OwnCert"),
        (9, "CREATE remote service binding Bind"),
        (11, "CREATE queue Q1"),
        (12, "CREATE service S1"),
        (14, "CREATE route R1"),
        (21, "CREATE certificate Sig"),
        (23, "ALTER certificate Sig"),
        (25, "CREATE login SigLogin"),
        (30, "CREATE queue Q1"),
        (30, "ALTER queue Q1"),
        (33, "CREATE queue dbo.Q3"),
        (35, "DROP queue dbo.Q4"),
        (36, "DROP certificate Nope"),
        (37, "DROP user Nobody"),
        (38, "CREATE user Nobody"),
        (39, "DROP login NoLogin"),
    ],
    "tear_down": [
        (1, "CREATE database Audit"),
        (7, "DROP service Svc"),
        (11, "DROP queue sb.Inbox"),
        (15, "DROP route R"),
    ],
    "two_servers": [
        (4, ":CONNECT instance SQLA"),
        (8, "CREATE master key"),
        (10, "CREATE certificate CertA"),
        (12, "BACKUP certificate CertA"),
        (14, "CREATE endpoint BrokerEndpoint"),
        (19, "CREATE login LoginB"),
        (20, "CREATE user UserB"),
        (22, "GRANT CONNECT endpoint BrokerEndpoint"),
        (25, "ALTER master key"),
        (28, ":CONNECT instance SQLB\\ONE"),
        (31, "CREATE database Target"),
        (36, "CREATE route ToA"),
    ],
}
RUNNING = {
    "clean_up": [(11, "END CONVERSATION"), (21, "END CONVERSATION"), (25, "RECEIVE")],
    "conversation_groups": [
        (8, "GET CONVERSATION GROUP"),
        (9, "GET CONVERSATION GROUP"),
        (11, "RECEIVE"),
        (12, "MOVE CONVERSATION"),
        (13, "BEGIN DIALOG"),
        (15, "SEND"),
        (16, "SEND"),
        (17, "END CONVERSATION"),
    ],
    "dialog_pool": [
        (39, "RECEIVE"),
        (40, "RECEIVE"),
        (42, "END CONVERSATION"),
        (43, "SEND"),
        (43, "MOVE CONVERSATION"),
        (43, "GET CONVERSATION GROUP"),
    ],
    "external_activation": [],
    "mirrored_pair": [],
    "order_flow": [(86, "BEGIN DIALOG"), (91, "SEND")],
    "other_statements": [],
    "query_notifications": [],
    "quoted_identifiers": [(26, "BEGIN DIALOG"), (28, "SEND"), (32, "END CONVERSATION")],
    "request_and_reply": [
        (17, "BEGIN DIALOG"),
        (19, "SEND"),
        (25, "RECEIVE"),
        (36, "SEND"),
        (37, "END CONVERSATION"),
        (41, "RECEIVE"),
    ],
    "schemas_and_queries": [(29, "BEGIN DIALOG"), (31, "BEGIN CONVERSATION TIMER"), (35, "RECEIVE")],
    "secured_dialog": [],
    "tear_down": [(33, "GET_TRANSMISSION_STATUS")],
    "two_servers": [],
}


@pytest.mark.filterwarnings("ignore:Attribute's length must be")
@pytest.mark.parametrize("name", DEFINED)
def test_what_a_script_defines_and_what_it_only_runs(name):
    made = plan((SCRIPTS / f"{name}.sql").read_text("utf-8"))
    assert made.problems == ()
    rows = [row for row in made.rows if row.file == "1.sql"]
    told = [
        (row.line, f"{row.verb} {row.object_kind} {row.object_name}".strip())
        for row in rows
        if row.effect is not Effect.IGNORED
    ]
    assert told == DEFINED[name]
    assert [(row.line, row.text.split(WORKS)[0]) for row in rows if WORKS in row.text] == RUNNING[name]


def test_every_script_is_looked_at():
    assert sorted(DEFINED) == sorted(path.stem for path in SCRIPTS.glob("*.sql"))


@pytest.mark.parametrize("function", ["DB_ID", "OBJECT_ID", "CERT_ID", "DATABASE_PRINCIPAL_ID", "USER_ID", "SUSER_ID"])
def test_a_function_that_is_null_for_what_is_not_there_is_a_condition(function):
    dropped = plan(f"IF {function}(N'q') IS NOT NULL DROP QUEUE q")
    assert [(row.effect, row.text) for row in dropped.rows if row.file == "1.sql"] == [
        (Effect.SAME, "Does not exist; the condition holds the statement back.")
    ]
    block = plan(
        f"CREATE QUEUE q WITH STATUS = OFF\nIF {function.lower()}('q', 'SQ') IS NULL\nBEGIN\n  CREATE QUEUE q\nEND"
    )
    assert block.problems == ()
    assert [row.effect for row in block.rows if row.file == "1.sql"] == [Effect.ADD, Effect.SAME]


@pytest.mark.parametrize(
    "condition", ["DB_ID('a') IS NOT NULL AND 1 = 1", "DB_ID('a') = 5", "DB_ID('a') IS", "DB_ID IS NULL"]
)
def test_other_conditions_with_them_are_not_evaluated(condition):
    made = plan(f"IF {condition} DROP QUEUE q")
    assert [problem.number for problem in made.problems] == [15151]


def test_the_rest_of_create_user_belongs_to_it():
    made = plan("CREATE USER u FOR LOGIN l WITH DEFAULT_SCHEMA = dbo\nCREATE QUEUE q")
    assert [row.verb for row in made.rows if row.file == "1.sql"] == ["CREATE", "CREATE"]


def test_a_signature_may_be_added_between_other_statements():
    text = "CREATE QUEUE q\nADD SIGNATURE TO OBJECT::dbo.p BY CERTIFICATE c WITH PASSWORD = 'x'\nCREATE QUEUE r"
    made = plan(f"{text}\nALTER TABLE t\nADD x int\nALTER ROLE r\nADD MEMBER u")
    assert made.problems == ()
    assert [row.line for row in made.rows if row.file == "1.sql"] == [1, 2, 3, 4, 6]
