"""Test traffic of a sandbox: it does what its plan says, leaves what is others' alone, and tells how it went."""

import pytest

from engine.core.catalog.changes import ActivationPatch, QueueAltered
from engine.core.exchange.replies import MessagesReceived
from engine.sandbox.actions import DefinitionsChanged, FaultBegun, FaultEnded, TrafficBegun, TrafficEnded
from engine.sandbox.spec import NamedTraffic, QueueReader, TrafficPlan
from engine.whatif.faults import Fault, FaultKind
from tests.engine.sandbox.worlds import PAIR, PLAN, Driven, spec
from tests.support.diagnosed_estates import sound_estate

QUEUE_OFF = Fault(kind=FaultKind.QUEUE, instance="EAST", database="Store", queue="dbo.Inbox")
QUEUE_ON = QueueAltered(database="Store", name="dbo.Inbox", is_enabled=True)
CUT = Fault(kind=FaultKind.LINK, instance="WEST", other="EAST")


@pytest.fixture
def west() -> Driven:
    return Driven(spec(estate=sound_estate()))


def figures(driven: Driven, name: str = "test"):
    (found,) = driven.sandbox.traffic()[name]
    return found


def conversations(driven: Driven, instance: str, database: str) -> int:
    rows = driven.rows(instance, "sys.conversation_endpoints", "state", database=database)
    return sum(state != "CD" for (state,) in rows)


def test_it_sends_at_its_rate_and_is_answered_as_often_as_it_says(west):
    west.do(TrafficBegun(name="test", plan=PLAN))
    west.pass_seconds(100.0)
    found = figures(west)
    assert found.sent == pytest.approx(200, abs=2)
    assert found.waiting <= 2
    assert found.replies == pytest.approx(found.received / 2, abs=2)
    assert found.failures == {}
    late = [each.received_at - each.sent_at for each in found.deliveries if each.received_at is not None]
    assert len(late) == found.received
    assert 0.0 < min(late) <= max(late) < 1.0
    assert conversations(west, "WEST", "Shop") <= 3, "dialogs end when they have carried their messages"
    assert conversations(west, "EAST", "Store") <= 3


def test_bodies_have_the_size_of_the_plan(west):
    west.do(TrafficBegun(name="test", plan=TrafficPlan(pairs=(PAIR,), size=1_000)))
    west.do(FaultBegun(fault=CUT))
    west.pass_seconds(2.0)
    assert {row.message_body_bytes for row in transmissions(west)} == {1_000}


def transmissions(driven: Driven):
    return [row for database in driven.sandbox.view("WEST", 100).databases for row in database.transmission_queue]


def test_it_ends_when_it_is_told_to(west):
    west.do(TrafficBegun(name="test", plan=PLAN))
    west.do(TrafficBegun(name="more", plan=PLAN))
    west.pass_seconds(10.0)
    west.do(TrafficEnded(name="test"))
    assert set(west.sandbox.traffic()) == {"more"}
    sent = figures(west, "more").sent
    west.pass_seconds(10.0)
    assert figures(west, "more").sent == pytest.approx(sent + 20, abs=2)


def test_it_begins_by_itself_where_the_spec_says_so():
    driven = Driven(spec(estate=sound_estate(), traffic=(NamedTraffic(name="test", plan=PLAN, at_seconds=10.0),)))
    driven.pass_seconds(9.9)
    assert driven.sandbox.traffic() == {}
    driven.pass_seconds(10.1)
    assert figures(driven).sent == pytest.approx(20, abs=2)


def test_it_reads_nobody_elses_messages(west):
    west.do(TrafficBegun(name="test", plan=PLAN))
    west.order(west.begin(), b"of a person")
    west.pass_seconds(20.0)
    (reply,) = west.receive().replies
    assert isinstance(reply, MessagesReceived)
    assert [row.message_body for row in reply.messages] == [b"of a person"]


@pytest.mark.parametrize("fault", [CUT, QUEUE_OFF])
def test_what_waited_arrives_late_and_counts_as_late(west, fault):
    west.do(TrafficBegun(name="test", plan=PLAN))
    west.pass_seconds(10.0)
    west.do(FaultBegun(fault=fault))
    west.pass_seconds(60.0)
    found = figures(west)
    assert found.waiting >= 100
    assert found.deliveries[-1].received_at is None
    west.do(FaultEnded(fault=fault))
    west.pass_seconds(200.0)
    found = figures(west)
    assert found.waiting <= 2
    late = [each.received_at - each.sent_at for each in found.deliveries if each.received_at is not None]
    assert max(late) > 30.0


def test_what_is_refused_is_counted_by_its_number(west):
    off = Fault(kind=FaultKind.DATABASE, instance="WEST", database="Shop")
    west.do(TrafficBegun(name="test", plan=PLAN))
    west.do(FaultBegun(fault=off))
    west.pass_seconds(10.0)
    assert figures(west).sent == 0
    assert set(figures(west).failures) == {"942"}
    down = Fault(kind=FaultKind.INSTANCE, instance="WEST")
    west.do(FaultEnded(fault=off))
    west.do(FaultBegun(fault=down))
    west.pass_seconds(10.0)
    assert figures(west).failures["down"] == pytest.approx(20, abs=2)


def reader(**fields):
    return QueueReader(instance="EAST", database="Store", queue="Inbox", **fields)


def test_a_reader_answers_and_ends_what_others_have_begun(west):
    west.do(TrafficBegun(name="app", plan=TrafficPlan(readers=(reader(reply_type="Receipt", ends=True),))))
    handle = west.begin()
    west.order(handle)
    west.pass_seconds(2.0)
    kinds = [kind for (kind,) in west.rows("WEST", "dbo.Inbox", "message_type_name", database="Shop")]
    assert kinds == ["Receipt", "http://schemas.microsoft.com/SQL/ServiceBroker/EndDialog"]
    assert west.rows("EAST", "dbo.Inbox", "status", database="Store") == []


def test_a_poison_message_switches_the_queue_off_again_and_again_until_it_is_taken_out(west):
    west.do(TrafficBegun(name="app", plan=TrafficPlan(readers=(reader(fails_on="poison"),))))
    poisoned = west.begin()
    west.order(poisoned, b"poison")
    west.order(west.begin(), b"good")
    west.pass_seconds(20.0)
    is_on = lambda: west.sandbox.catalog("EAST").databases["Store"].queues["dbo.Inbox"].is_enabled  # noqa: E731
    assert not is_on()
    west.do(DefinitionsChanged(instance="EAST", changes=(QUEUE_ON,)))
    west.pass_seconds(20.0)
    assert not is_on(), "the message is still there"
    west.do(TrafficEnded(name="app"))
    west.do(DefinitionsChanged(instance="EAST", changes=(QUEUE_ON,)))
    (taken,) = west.receive().replies
    assert [row.message_body for row in taken.messages][:1] == [b"poison"]
    west.do(TrafficBegun(name="app", plan=TrafficPlan(readers=(reader(fails_on="poison"),))))
    west.pass_seconds(20.0)
    assert is_on()
    assert west.rows("EAST", "dbo.Inbox", "status", database="Store") == []


def test_activation_that_is_off_leaves_messages_where_they_are(west):
    def activation(*, is_enabled: bool) -> DefinitionsChanged:
        patch = ActivationPatch(
            procedure_name="dbo.Read", max_queue_readers=1, execute_as="SELF", is_enabled=is_enabled
        )
        change = QueueAltered(database="Store", name="dbo.Inbox", activation=patch)
        return DefinitionsChanged(instance="EAST", changes=(change,))

    assert west.do(activation(is_enabled=False)).refusal is None
    west.do(TrafficBegun(name="test", plan=PLAN))
    west.pass_seconds(10.0)
    assert figures(west).received == 0
    west.do(activation(is_enabled=True))
    west.pass_seconds(10.0)
    assert figures(west).waiting <= 2


def test_traffic_beyond_its_bounds_is_refused_with_its_number(west):
    for plan in (
        TrafficPlan(rate=0.0),
        TrafficPlan(rate=1e9),
        TrafficPlan(reply_ratio=2.0),
        TrafficPlan(pairs=(PAIR,) * 51),
        TrafficPlan(dialogs_max=0),
        TrafficPlan(rate=float("nan")),
    ):
        assert west.do(TrafficBegun(name="test", plan=plan)).refusal.number == 15021
    nobody = TrafficPlan(readers=(QueueReader(instance="EAST", database="Store", queue="Nothing"),))
    assert west.do(TrafficBegun(name="test", plan=nobody)).refusal.number == 15151
    assert west.sandbox.traffic() == {}
