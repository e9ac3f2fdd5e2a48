"""Checkers of what operators do find what they are for, and nothing in a sound history; so do the books behind them."""

from uuid import UUID

import msgspec
import pytest

from engine.core.catalog.changes import (
    BrokerConversationsErrored,
    BrokerRenewed,
    QueueAltered,
    ServiceAltered,
    ServiceDropped,
)
from engine.core.catalog.objects import DIALOG_TIMER_TYPE
from engine.core.catalog.revision import copy
from engine.core.exchange.changes import AppendQueue, DropEndpoint, PutCatalog, RemoveQueue, SetQueueRowGroup
from engine.core.exchange.commands import ApplyCatalog, BeginConversationTimer, EndConversation, Receive
from engine.core.exchange.replies import ConversationEnded, MessagesReceived
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.moment import NEVER_SET
from engine.core.vocabulary.rows import ConversationState
from engine.sim.breaks import BreakKind
from engine.sim.checkers.cleanups import Cleanups
from engine.sim.checkers.dialogs import ExactlyOnceInOrder
from engine.sim.checkers.endings import Endings
from engine.sim.checkers.groups import Groups
from engine.sim.checkers.timers import Timers
from engine.sim.history import Issued, Replied
from engine.sim.ledger import Ledger
from tests.engine.sim.histories import (
    ANSWERS,
    ASKS,
    BOTH_ENDS,
    CATALOGS,
    came,
    committed,
    delivered,
    endpoint,
    queue_row,
    stored,
    worlds_begin,
)
from tests.engine.sim.worlds import CONVERSATION, HERE, THERE, judge

CO, DI, DO, CD, ER = (
    ConversationState.CONVERSING,
    ConversationState.DISCONNECTED_INBOUND,
    ConversationState.DISCONNECTED_OUTBOUND,
    ConversationState.CLOSED,
    ConversationState.ERROR,
)
DROP = ServiceDropped(database="Stock", name="Client")
RENEW = BrokerRenewed(database="Stock", broker_instance=UUID(int=77))
ERRORS = BrokerConversationsErrored(database="Stock")
MOVE = ServiceAltered(database="Stock", name="Client", queue="dbo.other")
"""`endpoint` calls the service of either side Client."""


def asks(state=CO, **fields):
    return endpoint(ASKS, is_initiator=True, far=THERE, state=state, **fields)


def answers(state=CO, **fields):
    return endpoint(ANSWERS, is_initiator=False, far=HERE, state=state, **fields)


def ended(side, *, at=1.0, **fields):
    command = EndConversation(command_id=UUID(int=7), database=side[1], conversation_handle=side[2], **fields)
    return [
        Issued(at=at, instance=side[0], command=command),
        Replied(at=at, instance=side[0], command=command, reply=ConversationEnded(state=None)),
    ]


def cleaned(side):
    return ended(side, with_cleanup=True)


def dropped(side):
    return committed(side[0], DropEndpoint(database=side[1], conversation_handle=side[2]))


def ordered(change, *changes, instance="LYON", revision=1):
    """An operator's order, and the commit that obeys it."""
    command = ApplyCatalog(command_id=UUID(int=8), base=revision - 1, revision=revision, changes=(change,))
    catalog = copy(CATALOGS[instance])
    catalog.revision = revision
    return [
        Issued(at=1.0, instance=instance, command=command),
        committed(instance, *changes, PutCatalog(catalog=catalog)),
    ]


def change_of(entry):
    [change] = entry.changes
    return change


def books(*entries):
    ledger = Ledger()
    for entry in entries:
        ledger.observe(entry)
    return ledger


# ── breaks ───────────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("order", "effect", "kind"),
    [
        (DROP, dropped(ANSWERS), BreakKind.DROPPED),
        (RENEW, answers(ER), BreakKind.RENEWED),
        (RENEW, dropped(ANSWERS), BreakKind.RENEWED),
        (ERRORS, answers(ER), BreakKind.ERRORED),
    ],
)
def test_an_order_has_broken_off_what_its_commit_ends(order, effect, kind):
    ledger = books(*worlds_begin(), *BOTH_ENDS, *ordered(order, change_of(effect)))
    assert ledger.breaks.of == {ANSWERS: kind}
    assert ledger.breaks.conversations == {CONVERSATION}
    assert [each.kind for each in ledger.breaks.latest] == [kind]


@pytest.mark.parametrize(
    "entries",
    [
        # Another service, another database, a service that only moves, an order that is not obeyed yet.
        ordered(ServiceDropped(database="Stock", name="Other"), change_of(answers(ER))),
        ordered(msgspec.structs.replace(DROP, database="Other"), change_of(answers(ER))),
        ordered(MOVE, change_of(answers(ER))),
        ordered(QueueAltered(database="Stock", name="q", is_enabled=False), change_of(answers(ER))),
        [ordered(ERRORS)[0], answers(ER)],
        # The partner's clean-up, and an error of somebody whose clean-up was refused.
        [*cleaned(ASKS), dropped(ANSWERS)],
        [*cleaned(ANSWERS), answers(ER)],
    ],
)
def test_nothing_else_is_broken_off(entries):
    assert books(*worlds_begin(), *BOTH_ENDS, *entries).breaks.of == {}


def test_what_was_in_error_before_was_ended_by_something_else_until_it_is_gone():
    ledger = books(*worlds_begin(), asks(), answers(ER), *ordered(ERRORS, change_of(answers(ER))))
    assert ledger.breaks.of == {}
    for entry in ordered(DROP, change_of(dropped(ANSWERS)), revision=2):
        ledger.observe(entry)
    assert ledger.breaks.of == {ANSWERS: BreakKind.DROPPED}


def test_every_order_that_concerns_an_endpoint_is_known_and_the_first_that_ended_it():
    ledger = books(*worlds_begin(), asks(), answers(), *ordered(RENEW, change_of(answers(ER))))
    for entry in ordered(DROP, change_of(dropped(ANSWERS)), revision=2):
        ledger.observe(entry)
    assert ledger.breaks.of == {ANSWERS: BreakKind.RENEWED}
    assert ledger.breaks.orders[ANSWERS] == {BreakKind.RENEWED, BreakKind.DROPPED}
    assert ledger.breaks.gone == [ANSWERS]
    assert judge(ExactlyOnceInOrder, *worlds_begin(), asks(), answers(ER), *ordered(RENEW), error(-9719, ANSWERS)) == []


# ── endings ──────────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "entries",
    [
        [*ended(ANSWERS), answers(DO)],
        [came("LYON", kind=MessageKind.END_DIALOG), answers(DI), *ended(ANSWERS), answers(CD), dropped(ANSWERS)],
        [came("LYON", kind=MessageKind.ERROR), answers(ER)],
        [*cleaned(ANSWERS), dropped(ANSWERS)],
        ordered(DROP, change_of(dropped(ANSWERS))),
        ordered(RENEW, change_of(answers(ER))),
        ordered(ERRORS, change_of(answers(ER))),
    ],
)
def test_an_end_that_has_a_reason_is_no_finding(entries):
    assert judge(Endings, *worlds_begin(), *BOTH_ENDS, *entries) == []


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([answers(DI)], "is DISCONNECTED_INBOUND, which nothing explains"),
        ([answers(DO)], "is DISCONNECTED_OUTBOUND, which nothing explains"),
        ([answers(ER)], "is ERROR, which nothing explains"),
        ([answers(CD)], "is CLOSED, which nothing explains"),
        ([dropped(ANSWERS)], "is gone, which nothing explains"),
        # The other end's END, an EndDialog where an Error is told, an Error for the other side.
        ([*ended(ASKS), answers(DO)], "nothing explains"),
        ([came("LYON", kind=MessageKind.END_DIALOG), answers(ER)], "nothing explains"),
        ([came("PARIS", kind=MessageKind.ERROR, source=THERE), answers(ER)], "nothing explains"),
        (ordered(DROP), "is CONVERSING after DROP SERVICE"),
        (ordered(DROP, change_of(answers(ER))), "is ERROR after DROP SERVICE"),
        (ordered(RENEW), "is CONVERSING after NEW_BROKER"),
        (ordered(ERRORS, change_of(answers(DI))), "is DISCONNECTED_INBOUND after ERROR_BROKER_CONVERSATIONS"),
    ],
)
def test_an_end_without_a_reason_and_an_order_that_is_not_obeyed_are_found(entries, words):
    found = judge(Endings, *worlds_begin(), *BOTH_ENDS, *entries)
    assert any(words in text for text in found), found


# ── cleanups ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def read(*rows, asked_at, answered_at):
    command = Receive(command_id=UUID(int=9), database="Stock", queue="dbo.Entrepôt")
    return [
        Issued(at=asked_at, instance="LYON", command=command),
        Replied(at=answered_at, instance="LYON", command=command, reply=MessagesReceived(messages=rows)),
    ]


def gone(*orders):
    return committed("LYON", RemoveQueue(database="Stock", queue="dbo.Entrepôt", queuing_orders=orders))


def test_a_clean_up_that_takes_everything_is_no_finding():
    before = [*worlds_begin(), *BOTH_ENDS, delivered(0)]
    effect = (*gone(0).changes, *dropped(ANSWERS).changes)
    assert judge(Cleanups, *before, *cleaned(ANSWERS), committed("LYON", *effect)) == []
    assert judge(Cleanups, *before, *ordered(DROP, *effect)) == []
    # Whoever has asked before may have been served before.
    late = read(queue_row(0), asked_at=0.5, answered_at=3.0)
    assert judge(Cleanups, *before, *late[:1], *cleaned(ANSWERS), committed("LYON", *effect), *late[1:]) == []


def test_what_a_clean_up_leaves_behind_is_found():
    before = [*worlds_begin(), *BOTH_ENDS, delivered(0), stored(0, side=ANSWERS)]
    [found] = judge(Cleanups, *before, *cleaned(ANSWERS), dropped(ANSWERS))
    assert "no endpoint, 1 messages to receive and 1 to send" in found
    [found] = judge(Cleanups, *before, *ordered(DROP, change_of(dropped(ANSWERS))))
    assert "1 messages to receive" in found


def test_a_message_of_a_conversation_that_was_cleaned_up_is_found():
    before = [*worlds_begin(), *BOTH_ENDS, *cleaned(ANSWERS), dropped(ANSWERS)]
    [found] = judge(Cleanups, *before, *read(queue_row(0), asked_at=2.0, answered_at=3.0))
    assert "was received after its clean-up" in found


@pytest.mark.parametrize("order", [RENEW, ERRORS])
def test_a_message_that_an_endpoint_takes_after_it_was_broken_off_is_found(order):
    before = [*worlds_begin(), *BOTH_ENDS, delivered(0)]
    over = ordered(order, change_of(answers(ER)))
    # What was there stays to be read, also in another queue; the Error of the far side may still come.
    again = committed("LYON", *gone(0).changes, *delivered(0).changes)
    told = delivered(1, message_type="http://schemas.microsoft.com/SQL/ServiceBroker/Error")
    assert judge(Cleanups, *before, *over, again, told) == []
    assert "takes message 1" in judge(Cleanups, *before, *over, delivered(1))[0]


# ── timers ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def asked_for_timer(side=ANSWERS):
    command = BeginConversationTimer(
        command_id=UUID(int=10), database=side[1], conversation_handle=side[2], timeout_seconds=5
    )
    return Issued(at=1.0, instance=side[0], command=command)


def timer_row(order=50, at=100.0):
    row = queue_row(-1, None, order=order, message_type=DIALOG_TIMER_TYPE)
    return msgspec.structs.replace(row, message_enqueue_time=at)


def fired(*rows, state=CO, timer=NEVER_SET):
    changes = [AppendQueue(database="Stock", queue="dbo.Entrepôt", row=row) for row in rows]
    return committed("LYON", *changes, change_of(answers(state, dialog_timer=timer)))


SET = [asked_for_timer(), answers(dialog_timer=100.0)]


@pytest.mark.parametrize(
    "entries",
    [
        [*SET, fired(timer_row())],
        [*SET, fired(timer_row()), *read(timer_row(), asked_at=2.0, answered_at=3.0)],
        # Set anew before it fires; set anew with the firing; taken away by an end.
        [*SET, answers(dialog_timer=200.0), fired(timer_row(at=200.0))],
        [*SET, fired(timer_row(), timer=200.0)],
        [*SET, *ended(ANSWERS), answers(DO)],
        [*SET, *cleaned(ANSWERS), dropped(ANSWERS)],
        # The message moves to another queue.
        [*SET, fired(timer_row()), committed("LYON", *gone(50).changes, *fired(timer_row()).changes)],
    ],
)
def test_a_timer_that_fires_once_or_ends_with_its_conversation_is_no_finding(entries):
    assert judge(Timers, *worlds_begin(), *BOTH_ENDS, *entries) == []


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([answers(dialog_timer=100.0)], "runs that nobody has set"),
        ([*SET, answers()], "is gone and has not fired"),
        ([*SET, fired(timer_row(), timer_row(51))], "fired 2 times"),
        ([*SET, fired(timer_row()), fired(timer_row(51))], "fired 1 times, set or not"),
        ([*SET, fired(timer_row(), timer=100.0)], "has fired and still runs"),
        ([*SET, fired(timer_row(at=99.0))], "1.000 s too early"),
        ([*SET, *ended(ANSWERS), answers(DO, dialog_timer=100.0)], "goes on although the conversation has ended"),
        ([*SET, *ended(ANSWERS), fired(timer_row(), state=CD)], "goes on although the conversation has ended"),
        ([*SET, *read(timer_row(), asked_at=2.0, answered_at=3.0)], "received though no timer has fired"),
        (
            [*SET, fired(timer_row()), *read(timer_row(), timer_row(), asked_at=2.0, answered_at=3.0)],
            "was received twice",
        ),
    ],
)
def test_a_timer_that_is_lost_doubled_early_or_outlives_its_conversation_is_found(entries, words):
    found = judge(Timers, *worlds_begin(), *BOTH_ENDS, *entries)
    assert any(words in text for text in found), found


# ── groups ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_messages_that_stay_behind_in_another_group_are_found():
    group = UUID(int=55)
    moved = answers(conversation_group_id=group)
    rows = SetQueueRowGroup(database="Stock", queue="dbo.Entrepôt", queuing_orders=(0,), conversation_group_id=group)
    begun = [*worlds_begin(), answers(conversation_group_id=queue_row(0).conversation_group_id), delivered(0)]
    assert judge(Groups, *begun, committed("LYON", rows, *moved.changes)) == []
    assert "1 messages" in judge(Groups, *begun, moved)[0]
    assert "1 messages" in judge(Groups, *begun, committed("LYON", rows, *moved.changes), delivered(1))[0]


def test_a_group_of_two_services_is_found():
    other = ("LYON", "Stock", UUID(int=4))
    one, two = answers(), endpoint(other, is_initiator=False, far=HERE, service="Other")
    assert "are in one group" in judge(Groups, *worlds_begin(), one, two)[0]
    assert judge(Groups, *worlds_begin(), one, endpoint(other, is_initiator=False, far=HERE)) == []


# ── what remains ─────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_world_in_which_a_timer_runs_is_not_at_rest():
    assert list(books(*worlds_begin(), *BOTH_ENDS, *SET, fired(timer_row())).unfinished()) == [
        "message -1 in LYON.Stock.dbo.Entrepôt was not received"
    ]
    [text] = books(*worlds_begin(), *BOTH_ENDS, *SET).unfinished()
    assert "the timer of LYON.Stock" in text


def test_messages_to_a_broker_id_that_nobody_has_any_more_may_wait_and_others_may_not():
    begun = [*worlds_begin(), asks(), answers(), stored(1)]
    assert any("never acknowledged" in text for text in books(*begun).unfinished())
    catalog = copy(CATALOGS["LYON"])
    catalog.databases["Stock"].broker_instance = UUID(int=77)
    assert list(books(*begun, committed("LYON", PutCatalog(catalog=catalog))).unfinished()) == []


def test_messages_that_are_moved_to_another_group_are_in_it():
    group = UUID(int=55)
    moved = SetQueueRowGroup(database="Stock", queue="dbo.Entrepôt", queuing_orders=(0,), conversation_group_id=group)
    ledger = books(*worlds_begin(), *BOTH_ENDS, delivered(0), delivered(1), committed("LYON", moved))
    groups = [row.conversation_group_id for _, row in ledger.queues[ANSWERS[:2]].values()]
    assert groups == [group, queue_row(1).conversation_group_id]


# ── errors ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def error(code, side=ASKS):
    body = f"<Error><Code>{code}</Code></Error>".encode("utf-16")
    row = queue_row(-1, body, side=side, message_type="http://schemas.microsoft.com/SQL/ServiceBroker/Error")
    command = Receive(command_id=UUID(int=9), database=side[1], queue="dbo.Client")
    return Replied(at=3.0, instance=side[0], command=command, reply=MessagesReceived(messages=(row,)))


@pytest.mark.parametrize(
    ("entries", "code", "side"),
    [
        (ordered(DROP, change_of(dropped(ANSWERS))), -8470, ASKS),
        (ordered(DROP, change_of(dropped(ANSWERS))), -8462, ASKS),
        (ordered(RENEW, change_of(answers(ER))), -9719, ANSWERS),
        (ordered(ERRORS, change_of(answers(ER))), -9719, ANSWERS),
        (ordered(ERRORS, change_of(answers(ER))), -9720, ASKS),
        ([*cleaned(ANSWERS), dropped(ANSWERS)], -8462, ASKS),
    ],
)
def test_an_error_is_explained_by_the_order_that_it_tells_of_and_by_no_other(entries, code, side):
    begun = [*worlds_begin(), asks(), answers()]
    assert judge(ExactlyOnceInOrder, *begun, *entries, error(code, side)) == []
    assert "that nothing explains" in judge(ExactlyOnceInOrder, *begun, error(code, side))[0]
    assert "that nothing explains" in judge(ExactlyOnceInOrder, *begun, *entries, error(-8494, side))[0]
