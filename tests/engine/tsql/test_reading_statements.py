"""T-SQL about priorities, event notifications and conversations ended with an error (tsql.md 7, 10, 11)."""

import pytest

from engine.core.catalog.changes import BrokerConversationsErrored, BrokerSwitched, QueueCreated
from engine.core.catalog.objects import BrokerPriority, EventNotification, QueueEvent
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.tsql.plan import Effect
from tests.support.each import for_each
from tests.support.numbered_entropy import NumberedEntropy

PARIS, VENTES = InstanceName("PARIS"), DatabaseName("Ventes")
GUID = "0f8fad5b-d9cb-469f-a165-70867728950e"
BASE = "CREATE QUEUE q\nCREATE SERVICE s ON QUEUE q ([DEFAULT])\n"
PRIORITY = "CREATE BROKER PRIORITY p FOR CONVERSATION"
NOTIFICATION = "CREATE EVENT NOTIFICATION n ON QUEUE q FOR {} TO SERVICE 'Ecoute', '{}'"
PRIORITY_GONE = "DROP BROKER PRIORITY p"


def plan(text, *, onto=None):
    before = onto.catalogs if onto else {PARIS: new_instance(PARIS, NumberedEntropy())}
    ventes = parse_script("IF NOT EXISTS (SELECT 1) CREATE DATABASE Ventes", "avant.sql")
    return plan_import(
        [ventes, parse_script(text, "1.sql")],
        before,
        default_instance=PARIS,
        default_database=VENTES,
        now=UtcTime(1_700_000_000.0),
        entropy=NumberedEntropy(100),
    )


def found(made):
    assert made.problems == ()
    return made.catalogs[PARIS].databases[VENTES]


def effects(made):
    return [(row.effect, row.verb, row.object_kind, row.object_name) for row in made.rows if row.file == "1.sql"]


@pytest.mark.parametrize(
    ("clauses", "priority"),
    [
        ("", BrokerPriority("p")),
        ("SET (PRIORITY_LEVEL = 9)", BrokerPriority("p", level=9)),
        ("SET (PRIORITY_LEVEL = DEFAULT, CONTRACT_NAME = ANY)", BrokerPriority("p")),
        (
            "SET (CONTRACT_NAME = [DEFAULT], LOCAL_SERVICE_NAME = s, REMOTE_SERVICE_NAME = N'b', PRIORITY_LEVEL = 1)",
            BrokerPriority("p", "DEFAULT", "s", "b", 1),
        ),
        ("SET (LOCAL_SERVICE_NAME = ANY REMOTE_SERVICE_NAME = ANY)", BrokerPriority("p")),
    ],
)
def test_a_priority_with_its_clauses(clauses, priority):
    assert dict(found(plan(f"{BASE}{PRIORITY} {clauses}")).priorities) == {"p": priority}


def test_a_priority_altered_and_dropped():
    made = plan(f"{BASE}{PRIORITY} SET (LOCAL_SERVICE_NAME = s, PRIORITY_LEVEL = 8)")
    altered = plan("ALTER BROKER PRIORITY P FOR CONVERSATION SET (LOCAL_SERVICE_NAME = ANY)", onto=made)
    assert found(altered).priorities["p"] == BrokerPriority("p", level=8)
    assert effects(altered) == [(Effect.CHANGE, "ALTER", "broker priority", "P")]
    dropped = plan(PRIORITY_GONE, onto=altered)
    assert dict(found(dropped).priorities) == {}
    assert effects(dropped) == [(Effect.REMOVE, "DROP", "broker priority", "p")]


@for_each(
    ("statement", "number"),
    [
        (f"{PRIORITY} SET (PRIORITY_LEVEL = 11)", 153),
        (f"{PRIORITY} SET (PRIORITY_LEVEL = 0)", 153),
        (f"{PRIORITY} SET (PRIORITY_LEVEL = 3, PRIORITY_LEVEL = 4)", 153),
        (f"{PRIORITY} SET (LOCAL_SERVICE_NAME = nulle_part)", 15151),
        (f"{PRIORITY} SET (CONTRACT_NAME = aucun)", 15151),
        (f"{PRIORITY}\nCREATE BROKER PRIORITY p2 FOR CONVERSATION", 153),
        ("CREATE BROKER PRIORITY dbo.p FOR CONVERSATION", 9609),
        ("ALTER BROKER PRIORITY x FOR CONVERSATION SET (PRIORITY_LEVEL = 4)", 15151),
        (PRIORITY_GONE, 15151),
        (f"{PRIORITY} SET (LOCAL_SERVICE_NAME = s)\nDROP SERVICE s", 3716),
        (NOTIFICATION.format("CREATE_TABLE", GUID), 2116),
        (NOTIFICATION.format("QUEUE_ACTIVATION", "ailleurs"), 8413),
        (NOTIFICATION.format("QUEUE_ACTIVATION", GUID).replace("QUEUE q", "QUEUE x"), 15151),
        (NOTIFICATION.format("QUEUE_ACTIVATION", GUID).replace("QUEUE q", "QUEUE msdb.dbo.q"), 3811),
        (NOTIFICATION.format("QUEUE_ACTIVATION", GUID).replace("'Ecoute'", "''"), 8412),
        (
            "ALTER QUEUE q WITH ACTIVATION (PROCEDURE_NAME = p, MAX_QUEUE_READERS = 1, EXECUTE AS OWNER)\n"
            + NOTIFICATION.format("QUEUE_ACTIVATION", GUID),
            9718,
        ),
        ("DROP EVENT NOTIFICATION n ON QUEUE q", 15151),
        (
            NOTIFICATION.format("BROKER_QUEUE_DISABLED", GUID)
            + "\nCREATE QUEUE q2\nDROP EVENT NOTIFICATION n ON QUEUE q2",
            3811,
        ),
        ("ALTER DATABASE rien SET HONOR_BROKER_PRIORITY ON", 911),
        ("ALTER DATABASE rien SET ERROR_BROKER_CONVERSATIONS", 911),
    ],
)
def test_a_mistake_has_its_number_and_nothing_is_changed(statement, number):
    made = plan(BASE + statement)
    assert number in [problem.number for problem in made.problems]
    assert made.changes == {}


def test_the_mistake_is_told_at_the_clause():
    (problem,) = plan(BASE + NOTIFICATION.format("QUEUE_ACTIVATION, CREATE_TABLE", GUID)).problems
    assert (problem.number, problem.line, problem.column) == (2116, 3, 62)
    (problem,) = plan(BASE + NOTIFICATION.format("QUEUE_ACTIVATION", "x")).problems
    assert (problem.number, problem.line, problem.column) == (8413, 3, 82)


@pytest.mark.parametrize(("where", "id_text"), [("CURRENT database", None), (GUID, GUID)])
def test_an_event_notification_with_both_events(where, id_text):
    text = NOTIFICATION.format("broker_queue_disabled, QUEUE_ACTIVATION", where).replace(" FOR ", " WITH FAN_IN FOR ")
    notification = found(plan(BASE + text)).event_notifications["n"]
    assert isinstance(notification, EventNotification)
    assert (notification.queue, notification.to_service) == ("dbo.q", "Ecoute")
    assert set(notification.events) == {QueueEvent.QUEUE_ACTIVATION, QueueEvent.BROKER_QUEUE_DISABLED}
    assert (None if notification.broker_instance is None else str(notification.broker_instance)) == id_text


def test_notifications_are_dropped_several_at_once():
    one = NOTIFICATION.format("BROKER_QUEUE_DISABLED", GUID)
    made = plan(f"{BASE}{one}\n{one.replace(' n ', ' m ')}")
    dropped = plan("DROP EVENT NOTIFICATION n, M ON QUEUE dbo.Q", onto=made)
    assert dict(found(dropped).event_notifications) == {}
    assert effects(dropped) == [(Effect.REMOVE, "DROP", "event notification", "n, M")]


def test_a_second_import_changes_nothing():
    honoured = "ALTER DATABASE CURRENT SET HONOR_BROKER_PRIORITY = ON WITH NO_WAIT"
    notification = NOTIFICATION.format("BROKER_QUEUE_DISABLED, QUEUE_ACTIVATION", "current database")
    text = f"{BASE}{PRIORITY} SET (LOCAL_SERVICE_NAME = s)\n{notification}\n{honoured}"
    made = plan(text)
    assert found(made).is_priority_honoured
    again = plan(text, onto=made)
    assert {row.effect for row in again.rows} == {Effect.SAME}
    assert (again.problems, again.changes) == ((), {})


def test_another_definition_under_the_name_is_refused():
    made = plan(f"{BASE}{PRIORITY} SET (PRIORITY_LEVEL = 3)")
    again = plan(f"{PRIORITY} SET (PRIORITY_LEVEL = 4)", onto=made)
    assert [problem.number for problem in again.problems] == [2714]


class TestErrorBrokerConversations:
    def test_it_is_a_change_although_the_catalog_stays(self):
        made = plan("CREATE QUEUE q")
        erred = plan("ALTER DATABASE Ventes SET ERROR_BROKER_CONVERSATIONS WITH ROLLBACK AFTER 5 SECONDS", onto=made)
        assert erred.changes == {PARIS: (BrokerConversationsErrored(database=VENTES),)}
        assert erred.catalogs == made.catalogs
        ((effect, *described),) = effects(erred)
        assert (effect, *described) == (Effect.CHANGE, "SET ERROR_BROKER_CONVERSATIONS", "database", "Ventes")

    def test_it_keeps_its_place_among_the_changes(self):
        made = plan("CREATE QUEUE q\nALTER DATABASE CURRENT SET DISABLE_BROKER")
        text = (
            "CREATE QUEUE a\nALTER DATABASE CURRENT SET ERROR_BROKER_CONVERSATIONS\n"
            "CREATE QUEUE b\nDROP QUEUE b\nALTER DATABASE CURRENT SET DISABLE_BROKER"
        )
        erred = plan(text, onto=made)
        kinds = [type(change) for change in erred.changes[PARIS]]
        assert kinds == [QueueCreated, BrokerConversationsErrored, BrokerSwitched]
        assert apply_changes(made.catalogs[PARIS], erred.changes[PARIS]) == erred.catalogs[PARIS]

    def test_with_a_mistake_elsewhere_it_is_not_done(self):
        text = "ALTER DATABASE Ventes SET ERROR_BROKER_CONVERSATIONS\nDROP QUEUE rien"
        assert plan(text).changes == {}


def test_an_attached_database_is_made_empty_and_that_is_said():
    made = plan("CREATE DATABASE Stock ON (FILENAME = 's.mdf') FOR ATTACH WITH NEW_BROKER\nCREATE QUEUE q")
    assert DatabaseName("Stock") in made.catalogs[PARIS].databases
    (warning,) = [warning for warning in made.warnings if warning.file == "1.sql"]
    assert "made empty" in warning.text


@pytest.mark.parametrize("scope", ["DATABASE", "SERVER", "server"])
@pytest.mark.parametrize("event", ["QUEUE_ACTIVATION", "BROKER_QUEUE_DISABLED", "create_table, queue_activation"])
def test_an_event_of_queues_is_no_event_of_a_database_or_the_server(scope, event):
    text = BASE + f"\nCREATE EVENT NOTIFICATION n ON {scope} FOR {event} TO SERVICE 'Ecoute', 'current database'"
    (problem,) = plan(text).problems
    assert (problem.number, problem.line) == (2116, text.count("\n") + 1)


@pytest.mark.parametrize("scope", ["DATABASE", "SERVER"])
def test_other_events_of_a_database_or_the_server_are_none_of_ours(scope):
    text = (
        BASE
        + f"\nCREATE EVENT NOTIFICATION n ON {scope} WITH FAN_IN FOR CREATE_TABLE TO SERVICE 's', 'current database'"
    )
    assert plan(text).problems == ()
