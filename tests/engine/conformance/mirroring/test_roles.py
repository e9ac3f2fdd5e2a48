"""An operator gives a mirrored database its role; what the copy may do (mirroring.md 3, 5)."""

import pytest

from engine.core.catalog.changes import DatabaseStateSet, PartnerSet
from engine.core.catalog.database import DatabaseState
from engine.core.exchange.commands import (
    BeginDialog,
    BeginTransaction,
    CommitTransaction,
    EndConversation,
    Receive,
    RollbackTransaction,
    Send,
    SetMirroringRole,
)
from engine.core.exchange.events import (
    ConversationStateChanged,
    DatabaseMirroringStateChanged,
    MessageUndeliverable,
    QueueDisabled,
)
from engine.core.exchange.replies import MirroringRoleSet, Refusal
from engine.core.vocabulary.mirrors import MirroringRole, MirrorState
from engine.core.vocabulary.rows import ConversationState
from tests.support.mirrored import SERVICE, MirroredWorld, bodies, step_down, take_over

PRINCIPAL, MIRROR = MirroringRole
COPY, ALONE = DatabaseState.MIRROR, PartnerSet(database="Stock", partner_address=None)


def test_a_role_is_taken_told_and_stored():
    world = MirroredWorld()
    assert take_over(world.berlin) == MirroringRoleSet(role=PRINCIPAL)
    (told,) = world.berlin.told(DatabaseMirroringStateChanged)
    assert (told.database, told.role) == ("Stock", PRINCIPAL)
    assert world.berlin.store.load().catalog.databases["Stock"].state is DatabaseState.ONLINE


def test_a_role_that_it_has_already_changes_nothing():
    world = MirroredWorld()
    assert take_over(world.lyon) == MirroringRoleSet(role=PRINCIPAL)
    assert step_down(world.berlin) == MirroringRoleSet(role=MIRROR)
    for node in (world.lyon, world.berlin):
        assert node.told(DatabaseMirroringStateChanged) == []


def test_a_role_survives_a_restart_of_the_partner():
    world = MirroredWorld()
    step_down(world.lyon)
    take_over(world.berlin)
    for node in (world.lyon, world.berlin):
        node.kill()
        node.start()
    world.say()
    world.run(2)
    assert world.route.state is MirrorState.KNOWN_M
    assert bodies(world.berlin) == [b"bonjour"]


def test_the_broker_is_on_and_the_id_the_same_after_a_failover():
    world = MirroredWorld()
    before = world.lyon.instance.catalog.databases["Stock"]
    step_down(world.lyon)
    take_over(world.berlin)
    after = world.berlin.instance.catalog.databases["Stock"]
    assert after.is_broker_enabled
    assert after.broker_instance == before.broker_instance


def test_the_revision_of_the_catalog_stays_so_that_the_next_definition_finds_its_base():
    world = MirroredWorld()
    revision = world.berlin.instance.catalog.revision
    take_over(world.berlin)
    assert world.berlin.instance.catalog.revision == revision
    assert not isinstance(world.berlin.define(ALONE), Refusal)


REFUSED = {
    "no such database": ("Nowhere", [], 911),
    "a system database": ("msdb", [], 153),
    "the other system database": ("master", [], 153),
    "not mirrored": ("Stock", [ALONE], 1416),
    "off-line": ("Stock", [DatabaseStateSet(database="Stock", state=DatabaseState.OFFLINE)], 1455),
    "read-only": ("Stock", [DatabaseStateSet(database="Stock", state=DatabaseState.READ_ONLY)], 1455),
    "single-user": ("Stock", [DatabaseStateSet(database="Stock", state=DatabaseState.SINGLE_USER)], 1455),
}


@pytest.mark.parametrize("role", MirroringRole)
@pytest.mark.parametrize(("database", "changes", "number"), REFUSED.values(), ids=REFUSED.keys())
def test_a_role_that_cannot_be_taken_is_refused_by_its_number_and_changes_nothing(role, database, changes, number):
    lyon = MirroredWorld().lyon
    lyon.define(*changes)
    before, told = lyon.store.load().catalog, len(lyon.events)
    reply = lyon.do(SetMirroringRole, database=database, role=role)
    assert isinstance(reply, Refusal)
    assert reply.number == number
    assert "{" not in reply.text + reply.why + reply.cure
    assert lyon.store.load().catalog == before
    assert len(lyon.events) == told


def test_a_copy_whose_partner_is_gone_can_still_take_over():
    """Forced service: there is nobody left to ask."""
    world = MirroredWorld()
    world.berlin.define(ALONE)
    assert take_over(world.berlin) == MirroringRoleSet(role=PRINCIPAL)


# ── the copy ──
CLOSED = {DatabaseState.OFFLINE: 942, DatabaseState.MIRROR: 954, DatabaseState.READ_ONLY: 3906}


@pytest.mark.parametrize(("state", "number"), CLOSED.items(), ids=str)
def test_commands_to_a_database_that_is_not_open_for_them_are_refused(state, number):
    world = MirroredWorld()
    handle = world.lyon.begin("Stock", SERVICE, "Client")
    world.lyon.define(DatabaseStateSet(database="Stock", state=state))
    before = world.lyon.view("Stock")
    replies = [
        world.lyon.do(BeginDialog, database="Stock", from_service=SERVICE, to_service="Client"),
        world.lyon.do(Send, database="Stock", conversation_handle=handle, body=b"x"),
        world.lyon.do(Receive, database="Stock", queue=f"dbo.{SERVICE}"),
        world.lyon.do(EndConversation, database="Stock", conversation_handle=handle),
    ]
    assert [reply.number for reply in replies] == [number] * 4
    assert world.lyon.view("Stock") == before


def test_nothing_leaves_a_database_from_the_moment_it_is_the_copy():
    world = MirroredWorld()
    handle = world.lyon.begin("Stock", SERVICE, "Client")
    world.cut(world.lyon, "paris")
    world.lyon.say("Stock", handle, "held back")
    step_down(world.lyon)
    world.mend(world.lyon, "paris")
    world.run(300)
    assert world.lyon.sent == []
    assert world.lyon.statuses("Stock") == {28018}
    take_over(world.lyon)
    world.run(30)
    assert world.lyon.view("Stock").transmission_queue_total == 0


def test_retries_of_what_was_on_its_way_end_with_the_role():
    world = MirroredWorld()
    handle = world.lyon.begin("Stock", SERVICE, "Client")
    world.lyon.say("Stock", handle, "a")
    world.run(1)
    world.paris.kill()
    world.lyon.say("Stock", handle, "b")
    step_down(world.lyon)
    world.lyon.sent.clear()
    world.paris.start()
    world.run(300)
    assert world.lyon.sent == []


def test_a_lifetime_that_ends_on_the_copy_is_raised_by_the_principal_alone():
    """identity.md 2: it keeps ticking, the error comes when the broker runs again."""
    world = MirroredWorld()
    world.lyon.begin("Stock", SERVICE, "Client", lifetime_seconds=60)
    step_down(world.lyon)
    world.lyon.events.clear()
    world.run(3600)
    assert world.lyon.told(ConversationStateChanged) == []
    take_over(world.lyon)
    world.run(1)
    assert [event.state for event in world.lyon.told(ConversationStateChanged)] == [ConversationState.ERROR]


def test_the_copy_is_no_candidate_for_delivery_inside_its_instance():
    world = MirroredWorld(principal="BERLIN")
    lyon = world.lyon
    lyon.define(*world.database("Voisin", ["Voisin"]))
    dialog = lyon.begin("Voisin", "Voisin", SERVICE)
    lyon.say("Voisin", dialog, "x")
    world.run(5)
    assert lyon.view("Voisin").transmission_queue_total == 1
    assert lyon.view("Stock").conversation_endpoints_total == 0
    assert lyon.told(MessageUndeliverable) == []


def test_a_mirrored_database_may_be_the_initiator_and_answers_find_its_principal():
    """mirroring.md 5: the rule is the same whether the mirrored service is initiator or target."""
    world = MirroredWorld()
    dialog = world.lyon.begin("Stock", SERVICE, "Client")
    world.lyon.say("Stock", dialog, "question")
    world.run(2)
    (asked,) = world.paris.receive("Ventes", "Client")
    world.paris.say("Ventes", asked.conversation_handle, "answer")
    world.run(2)
    assert [row.message_body for row in world.lyon.receive("Stock", SERVICE)] == [b"answer"]
    assert world.receivers == {"lyon"}


def fail(lyon, times):
    """Transactions that receive and are rolled back."""
    for _ in range(times):
        transaction = lyon.do(BeginTransaction).transaction
        lyon.do(Receive, database="Stock", queue=SERVICE, transaction=transaction)
        lyon.do(RollbackTransaction, transaction=transaction)


def test_a_transaction_of_the_old_principal_is_rolled_back_with_its_role():
    """Committed on what is a copy by now, its work would be lost though its caller heard that it was done."""
    world = MirroredWorld()
    world.settle("once")
    transaction = world.lyon.do(BeginTransaction).transaction
    taken = world.lyon.do(Receive, database="Stock", queue=SERVICE, transaction=transaction).messages
    assert [row.message_body for row in taken] == [b"once"]
    step_down(world.lyon)
    assert world.lyon.do(CommitTransaction, transaction=transaction).number == 3902
    take_over(world.lyon)
    assert bodies(world.lyon) == [b"once"]


def test_a_change_of_roles_is_no_rollback_of_a_reader_and_breaks_the_row():
    """protocol.md 14: five in a row. What the change of roles rolls back was not the fault of any message."""
    world = MirroredWorld()
    world.settle("poison")
    fail(world.lyon, 4)
    open_reader = world.lyon.do(BeginTransaction).transaction
    world.lyon.do(Receive, database="Stock", queue=SERVICE, transaction=open_reader)
    step_down(world.lyon)
    take_over(world.lyon)
    assert world.lyon.told(QueueDisabled) == []
    fail(world.lyon, 4)
    assert world.lyon.told(QueueDisabled) == []
    fail(world.lyon, 1)
    assert [event.rollbacks for event in world.lyon.told(QueueDisabled)] == [5]
