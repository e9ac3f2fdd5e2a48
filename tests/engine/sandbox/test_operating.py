"""What a person does in a sandbox, and what comes of it: statements, waits, faults, failovers, backups, time."""

import pytest

from engine.core.catalog.changes import EndpointAltered, QueueAltered, RouteCreated, RouteDropped
from engine.core.catalog.database import DatabaseState
from engine.core.exchange.commands import AttachDatabase, BackupDatabase, BeginDialog
from engine.core.exchange.events import ForwardedMessageSent, MessageDelivered
from engine.core.exchange.replies import DatabaseAttached, MessageSent, MessagesReceived, Refusal
from engine.core.vocabulary.errors import CatalogError
from engine.sandbox.actions import BackupKept, DefinitionsChanged, FaultBegun, FaultEnded, WaitGivenUp
from engine.sandbox.sandbox import Sandbox
from engine.sandbox.server import InstanceDown
from engine.sandbox.spec import BadSandbox
from engine.whatif.faults import Fault, FaultKind
from tests.engine.sandbox.worlds import Driven, spec
from tests.support.diagnosed_estates import NOW, changed, new_instance, route, sound_estate
from tests.support.numbered_entropy import NumberedEntropy

EAST_DOWN = Fault(kind=FaultKind.INSTANCE, instance="EAST")
CUT = Fault(kind=FaultKind.LINK, instance="WEST", other="EAST")
STOPPED = Fault(kind=FaultKind.ENDPOINT, instance="EAST")
OFFLINE = Fault(kind=FaultKind.DATABASE, instance="EAST", database="Store")
QUEUE_OFF = Fault(kind=FaultKind.QUEUE, instance="EAST", database="Store", queue="dbo.Inbox")
FAILED_OVER = Fault(kind=FaultKind.PARTNER, instance="EAST", database="Store")


@pytest.fixture
def west() -> Driven:
    """Two instances and one that looks on."""
    return Driven(spec(estate=sound_estate()))


@pytest.fixture
def pair() -> Driven:
    """With Store mirrored at NORTH; Shop has its broker id in the route."""
    return Driven(spec())


def received(driven: Driven, instance: str = "EAST") -> list[bytes | None]:
    (reply,) = driven.receive(instance).replies
    assert isinstance(reply, MessagesReceived), reply
    return [row.message_body for row in reply.messages]


def statuses(driven: Driven) -> list[str]:
    return [text for (text,) in driven.rows("WEST", "sys.transmission_queue", "transmission_status", database="Shop")]


def test_statements_are_carried_out_while_time_stands_still_and_messages_need_time(west):
    handle = west.begin()
    (reply,) = west.order(handle).replies
    assert reply == MessageSent(message_sequence_number=0)
    assert west.sandbox.seconds == 0.0
    assert received(west) == []
    west.pass_seconds(1.0)
    assert received(west) == [b"3 apples"]
    assert statuses(west) == []


def test_a_wait_is_answered_when_the_message_has_come(west):
    waiting = west.receive(waitfor_milliseconds=-1)
    (command_id,) = waiting.waiting
    assert waiting.replies == (None,)
    west.order(west.begin())
    assert west.sandbox.reply("EAST", command_id) is None
    west.pass_seconds(1.0)
    reply = west.sandbox.reply("EAST", command_id)
    assert [row.message_body for row in reply.messages] == [b"3 apples"]


def test_a_wait_ends_with_its_time_and_not_before(west):
    (command_id,) = west.receive(waitfor_milliseconds=5_000).waiting
    west.pass_seconds(4.9)
    assert west.sandbox.reply("EAST", command_id) is None
    west.pass_seconds(0.2)
    assert west.sandbox.reply("EAST", command_id) == MessagesReceived(messages=())


def test_a_wait_that_is_given_up_is_answered_at_once(west):
    (command_id,) = west.receive(waitfor_milliseconds=-1).waiting
    west.do(WaitGivenUp(instance="EAST", command_id=command_id))
    assert west.sandbox.reply("EAST", command_id) == MessagesReceived(messages=())


def test_a_wait_at_an_instance_that_goes_down_is_never_answered(west):
    (command_id,) = west.receive(waitfor_milliseconds=-1).waiting
    west.do(FaultBegun(fault=EAST_DOWN))
    with pytest.raises(InstanceDown):
        west.sandbox.reply("EAST", command_id)


def test_what_is_refused_is_told_and_is_in_the_log(west):
    outcome = west.do(DefinitionsChanged(instance="WEST", changes=(RouteDropped(database="Shop", name="Nobody"),)))
    assert outcome.refusal.number == 15151
    assert west.do(DefinitionsChanged(instance="SOUTH", changes=())).refusal.number == 15151
    (reply,) = west.give(
        "WEST", BeginDialog(command_id=west.new_id(), database="Shop", from_service="No", to_service="Stock")
    ).replies
    assert isinstance(reply, Refusal)
    assert west.sandbox.sequence == len(west.log) == 3


# ── faults ───────────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("fault", [EAST_DOWN, CUT, STOPPED, OFFLINE, QUEUE_OFF])
def test_a_fault_keeps_messages_away_and_when_it_is_mended_they_arrive(west, fault):
    west.do(FaultBegun(fault=fault))
    assert west.sandbox.faults() == (fault,)
    west.order(west.begin())
    west.pass_seconds(30.0)
    # A queue that is off does not keep the message at its sender: it waits beside the queue.
    assert len(statuses(west)) == (fault is not QUEUE_OFF)
    assert fault is EAST_DOWN or west.rows("EAST", "dbo.Inbox", "status", database="Store") == []
    west.do(FaultEnded(fault=fault))
    assert west.sandbox.faults() == ()
    west.pass_seconds(200.0)
    assert received(west) == [b"3 apples"]
    assert statuses(west) == []


def test_an_instance_that_is_down_answers_nobody(west):
    west.do(FaultBegun(fault=EAST_DOWN))
    assert west.receive().unavailable == "Instance EAST is down."
    assert not west.sandbox.runs("EAST")
    assert "Store" in west.sandbox.catalog("EAST").databases
    for ask in (
        lambda: west.sandbox.view("EAST", 10),
        lambda: west.sandbox.pictures("EAST", []),
        lambda: west.sandbox.events_after("EAST", 0, 1),
    ):
        with pytest.raises(InstanceDown):
            ask()


def test_a_fault_that_somebody_has_repaired_is_over(west):
    west.do(FaultBegun(fault=QUEUE_OFF))
    on = QueueAltered(database="Store", name="dbo.Inbox", is_enabled=True)
    west.do(DefinitionsChanged(instance="EAST", changes=(on,)))
    assert west.sandbox.faults() == ()
    west.do(FaultBegun(fault=QUEUE_OFF))
    assert west.sandbox.faults() == (QUEUE_OFF,)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (CUT, Fault(kind=FaultKind.LINK, instance="EAST", other="WEST")),
        (OFFLINE, Fault(kind=FaultKind.DATABASE, instance="EAST", database="STORE")),
        (QUEUE_OFF, Fault(kind=FaultKind.QUEUE, instance="EAST", database="Store", queue="dbo.INBOX")),
    ],
)
@pytest.mark.parametrize("is_first_mended", [True, False])
def test_what_two_names_break_is_mended_with_the_last_of_them(west, one, other, is_first_mended):
    mended, left = (one, other) if is_first_mended else (other, one)
    for fault in (one, other):
        west.do(FaultBegun(fault=fault))
    west.do(FaultEnded(fault=mended))
    west.order(west.begin())
    west.pass_seconds(100.0)
    assert west.sandbox.faults() == (left,)
    if left.kind is FaultKind.LINK:
        assert statuses(west), "nothing in a catalog tells of it; the message is still on its way"
    west.do(FaultEnded(fault=left))
    west.pass_seconds(100.0)
    assert received(west) == [b"3 apples"]


def test_one_fault_can_strike_while_another_is_there(west):
    west.do(FaultBegun(fault=EAST_DOWN))
    assert "down" in west.do(FaultBegun(fault=STOPPED)).unavailable
    west.do(FaultBegun(fault=CUT))
    west.do(FaultBegun(fault=CUT))
    west.do(FaultEnded(fault=CUT))
    assert west.sandbox.faults() == (EAST_DOWN,)


def test_a_fault_of_what_is_not_there_is_refused(west):
    nobody = Fault(kind=FaultKind.DATABASE, instance="EAST", database="Cellar")
    assert west.do(FaultBegun(fault=nobody)).refusal.number == 15151
    alone = Fault(kind=FaultKind.PARTNER, instance="WEST", database="Shop")
    assert west.do(FaultBegun(fault=alone)).refusal.number == 1416


def states(driven: Driven) -> list[DatabaseState]:
    return [driven.sandbox.catalog(name).databases["Store"].state for name in ("EAST", "NORTH")]


@pytest.mark.parametrize("is_east_down", [False, True])
def test_after_a_failover_the_messages_are_at_the_other_partner(pair, is_east_down):
    west = pair
    handle = west.begin_named()
    west.order(handle, b"before")
    west.pass_seconds(5.0)
    if is_east_down:
        west.do(FaultBegun(fault=EAST_DOWN))
    west.do(FaultBegun(fault=FAILED_OVER))
    assert states(west) == [DatabaseState.MIRROR, DatabaseState.ONLINE]
    west.order(handle, b"after")
    west.pass_seconds(200.0)
    assert received(west, "NORTH") == [b"before", b"after"]
    west.do(FaultEnded(fault=EAST_DOWN))
    west.do(FaultEnded(fault=FAILED_OVER))
    assert states(west) == [DatabaseState.ONLINE, DatabaseState.MIRROR]
    west.order(handle, b"again")
    west.pass_seconds(200.0)
    assert received(west, "EAST") == [b"again"]


def test_nothing_fails_over_to_an_instance_that_is_down(pair):
    pair.do(FaultBegun(fault=Fault(kind=FaultKind.INSTANCE, instance="NORTH")))
    assert "NORTH is down" in pair.do(FaultBegun(fault=FAILED_OVER)).unavailable
    assert states(pair) == [DatabaseState.ONLINE, DatabaseState.MIRROR]


# ── backups ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_backup_is_kept_and_attached_elsewhere_with_what_was_in_it(west):
    west.order(west.begin())
    west.pass_seconds(1.0)
    backup = west.ask("EAST", BackupDatabase(command_id=west.new_id(), database="Store")).backup
    west.do(BackupKept(file=r"\\files\Store.bak", backup=backup))
    kept = west.sandbox.backup(r"\\FILES\store.bak")
    assert kept == backup
    assert west.sandbox.backup("other.bak") is None
    revision = west.sandbox.catalog("NORTH").revision
    attached = AttachDatabase(
        command_id=west.new_id(), base=revision, revision=revision + 1, database="Copy", backup=kept
    )
    assert isinstance(west.ask("NORTH", attached), DatabaseAttached)
    assert [row[0] for row in west.rows("NORTH", "dbo.Inbox", "message_body", database="Copy")] == [b"3 apples"]


# ── what it is made of ───────────────────────────────────────────────────────────────────────────────────────────────
def test_the_machines_begin_at_the_time_of_the_spec(west):
    west.pass_seconds(90.0)
    west.order(west.begin())
    ((began,),) = west.rows("WEST", "sys.transmission_queue", "enqueue_time", database="Shop")
    assert began == pytest.approx(NOW + 90.0)
    assert west.sandbox.utc == NOW + 90.0


def test_a_forwarder_has_told_what_it_passed_on_when_it_has_arrived():
    """WEST ─▶ NORTH ─▶ EAST."""
    estate = changed(
        changed(
            sound_estate(),
            "NORTH",
            EndpointAltered(name="Broker", is_message_forwarding_enabled=True),
            RouteCreated(database="msdb", route=route("On", "Stock", "east")),
        ),
        "WEST",
        RouteDropped(database="Shop", name="There"),
        RouteCreated(database="Shop", route=route("There", "Stock", "north")),
    )
    west = Driven(spec(estate=estate))
    west.order(west.begin())
    assert not told(west, "NORTH", ForwardedMessageSent)
    while not told(west, "EAST", MessageDelivered):
        assert west.sandbox.advance_to_change(west.sandbox.seconds + 10.0)
    assert told(west, "NORTH", ForwardedMessageSent)


def told(driven: Driven, instance: str, kind: type) -> list[object]:
    return [event for _, event in driven.sandbox.events_after(instance, 0, 1_000) if isinstance(event, kind)]


def test_a_change_that_can_be_seen_is_jumped_to(west):
    west.pass_seconds(5.0)
    assert not west.sandbox.advance_to_change(100.0)
    assert west.sandbox.seconds == 100.0
    west.order(west.begin())
    before = west.sandbox.seconds
    assert west.sandbox.advance_to_change(before + 60.0)
    assert before < west.sandbox.seconds < before + 1.0


def test_bad_descriptions_are_refused():
    east = sound_estate()["EAST"]
    for fields in (
        {"instances": ()},
        {"instances": (east, new_instance("east", NumberedEntropy()))},
        {"pace": 0.5},
    ):
        with pytest.raises(BadSandbox):
            Sandbox(spec(**fields))


def test_an_instance_that_is_not_there_is_named(west):
    with pytest.raises(CatalogError) as caught:
        west.sandbox.view("SOUTH", 1)
    assert caught.value.number == 15151
    assert west.sandbox.catalog("east").name == "EAST"
