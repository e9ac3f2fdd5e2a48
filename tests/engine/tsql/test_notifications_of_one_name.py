"""Event notifications of one name on several queues: unique within a queue, as on a server."""

import msgspec
import pytest

from engine.core.catalog.changes import EventNotificationDropped
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.difference import diff
from engine.core.catalog.event_notifications import notifications_by_key
from engine.core.catalog.objects import EventNotification, QueueEvent
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.revisions import changed_objects, objects_of, with_objects
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.tsql.writing.scripts import delta_script, full_script, whole_script
from engine.tsql.writing.written import ScriptOptions
from tests.support.console_world import Consoles
from tests.support.numbered_entropy import NumberedEntropy

PARIS = InstanceName("PARIS")
BASE = """CREATE DATABASE d9
GO
USE d9
GO
CREATE QUEUE q1
CREATE QUEUE q2
CREATE QUEUE q3
CREATE QUEUE watch
CREATE SERVICE w ON QUEUE watch ([http://schemas.microsoft.com/SQL/Notifications/PostEventNotification])
GO
"""
TO_WATCH = "FOR QUEUE_ACTIVATION TO SERVICE 'w', 'current database'"
SEVERAL = "\n".join(
    f"CREATE EVENT NOTIFICATION {name} ON QUEUE {queue} {TO_WATCH}"
    for name, queue in [("n", "q2"), ("N", "q1"), ("n", "q3"), ("m", "q1")]
)


def planned(*texts, onto=None, database=None):
    before = onto or {PARIS: new_instance(PARIS, NumberedEntropy())}
    return plan_import(
        [parse_script(text, f"{number}.sql") for number, text in enumerate(texts)],
        before,
        default_instance=PARIS,
        default_database=database,
        now=UtcTime(1_700_000_000.0),
        entropy=NumberedEntropy(100),
    )


def notifications(catalogs):
    found = catalogs[PARIS].databases[DatabaseName("d9")].event_notifications
    return sorted((each.name, each.queue) for each in found.values())


def made(*texts):
    plan = planned(BASE + SEVERAL, *texts)
    assert plan.problems == ()
    return plan.catalogs


ALL = [("N", "dbo.q1"), ("m", "dbo.q1"), ("n", "dbo.q2"), ("n", "dbo.q3")]


def test_an_import_makes_all_of_them():
    assert notifications(made()) == ALL


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        (f"CREATE EVENT NOTIFICATION N ON QUEUE dbo.Q2 {TO_WATCH.replace('w', 'x')}", 2714),
        ("DROP EVENT NOTIFICATION n ON QUEUE watch", 3811),
        ("DROP EVENT NOTIFICATION gone ON QUEUE q1", 15151),
    ],
)
def test_what_is_wrong_is_so_on_its_queue(statement, number):
    typing = Consoles().open()
    typing.do(BASE + SEVERAL)
    assert typing.failure(f"USE d9\nGO\n{statement}").number == number


def test_one_is_dropped_and_the_others_stay():
    after = made("USE d9\nGO\nDROP EVENT NOTIFICATION n ON QUEUE q1")
    assert notifications(after) == ALL[1:]
    after = made("USE d9\nGO\nDROP EVENT NOTIFICATION n, m ON QUEUE q1\nDROP EVENT NOTIFICATION n ON QUEUE q2")
    assert notifications(after) == [("n", "dbo.q3")]
    after = made("USE d9\nGO\nDROP QUEUE q1")
    assert notifications(after) == ALL[2:]


def test_an_export_is_read_back():
    catalogs = made()
    text = whole_script(full_script(catalogs, ScriptOptions(has_guards=True))).text
    again = planned(text, onto={})
    assert again.problems == ()
    assert diff(again.catalogs[PARIS], catalogs[PARIS]) == ()
    assert planned(text, onto=catalogs).changes == {}


@pytest.mark.parametrize("queue", ["q1", "q2", "q3"])
def test_a_difference_is_written_and_leads_there_and_back(queue):
    before, after = made(), made(f"USE d9\nGO\nDROP EVENT NOTIFICATION n ON QUEUE {queue}")
    for one, other in ((before, after), (after, before)):
        script = whole_script(delta_script(one, other, ScriptOptions())).text
        assert notifications(planned(script, onto=one).catalogs) == notifications(other)
        changes = diff(one[PARIS], other[PARIS])
        assert len(changes) == 1
        assert notifications({PARIS: apply_changes(one[PARIS], changes)}) == notifications(other)


@pytest.mark.parametrize("queue", ["q1", "q2", "q3"])
def test_objects_lead_from_one_catalog_to_the_other(queue):
    before, after = made()[PARIS], made(f"USE d9\nGO\nDROP EVENT NOTIFICATION n ON QUEUE {queue}")[PARIS]
    for one, other in ((before, after), (after, before)):
        wanted = {each.key: each.after for each in changed_objects(one, other)}
        reached = with_objects(one, wanted)
        assert notifications({PARIS: reached}) == notifications({PARIS: other})
        assert objects_of(reached).keys() == objects_of(other).keys()


def test_keys_do_not_depend_on_the_order_and_are_never_shared():
    these = [
        EventNotification(name, queue, (QueueEvent.QUEUE_ACTIVATION,), "w")
        for name, queue in [("n", "dbo.b"), ("n", "dbo.a"), ("n ON QUEUE dbo.b", "dbo.c"), ("other", "dbo.a")]
    ]
    keys = {each: key for key, each in notifications_by_key(these).items()}
    assert keys == {each: key for key, each in notifications_by_key(these[::-1]).items()}
    assert [keys[each] for each in these] == ["n ON QUEUE dbo.b*", "n", "n ON QUEUE dbo.b", "other"]


def test_what_was_stored_under_names_alone_is_read():
    old = DatabaseCatalog(name=DatabaseName("d"), broker_instance=NumberedEntropy().new_uuid())
    known = EventNotification("n", "dbo.q", (QueueEvent.QUEUE_ACTIVATION,), "w")
    old.event_notifications["n"] = known
    read = msgspec.json.decode(msgspec.json.encode(old), type=DatabaseCatalog)
    assert dict(read.event_notifications) == {"n": known}
    assert EventNotificationDropped(database=DatabaseName("d"), name="n").queue is None
