"""Checkers of transactions, priorities, secrecy and identity find what they are for, and nothing in a sound history."""

from uuid import UUID

import msgspec
import pytest

from engine.core.catalog.revision import copy
from engine.core.exchange.changes import PutCatalog, PutCommandReply
from engine.core.exchange.commands import BeginDialog, BeginTransaction, CommitTransaction, Receive, RollbackTransaction
from engine.core.exchange.events import (
    DatabaseMirroringStateChanged,
    QueueDisabled,
    QueueSwitched,
    TransactionRolledBack,
)
from engine.core.exchange.replies import (
    DialogBegun,
    MessagesReceived,
    Refusal,
    TransactionBegun,
    TransactionEnded,
)
from engine.core.vocabulary.dialog_security import KeySuite, MessageSecurity, SecurityKind
from engine.core.vocabulary.mirrors import MirroringRole
from engine.sim.checkers.dialogs import ExactlyOnceInOrder
from engine.sim.checkers.identity import Identity
from engine.sim.checkers.poison import Poison
from engine.sim.checkers.priorities import Priorities
from engine.sim.checkers.replies import Replies
from engine.sim.checkers.rollbacks import Rollbacks
from engine.sim.checkers.secrecy import Secrecy
from engine.sim.checkers.send_order import SendPriorities
from engine.sim.history import Committed, Died, Issued, Replied, RepliedAgain
from engine.sim.workload.bodies import Letter, write
from tests.engine.sim.histories import (
    ANSWERS,
    ASKS,
    BOTH_ENDS,
    CATALOGS,
    came,
    committed,
    delivered,
    queue_row,
    said,
    sent,
    worlds_begin,
)
from tests.engine.sim.worlds import CONVERSATION, HANDLE, HERE, judge, pair

FIRST, SECOND = UUID(int=71), UUID(int=72)
QUEUE = "dbo.Entrepôt"


def letter(number, **fields):
    return queue_row(number, write(Letter(HANDLE, number, ()), 60), **fields)


def received(*rows, transaction=None, number=500):
    command = Receive(command_id=UUID(int=number), database="Stock", queue=QUEUE, transaction=transaction)
    return Replied(at=3.0, instance="LYON", command=command, reply=MessagesReceived(messages=rows))


def ended(transaction, *, committed=True, reply=None):
    kind = CommitTransaction if committed else RollbackTransaction
    command = kind(command_id=UUID(int=600), transaction=transaction)
    return Replied(at=4.0, instance="LYON", command=command, reply=reply or TransactionEnded(committed=committed))


def rolled_back(transaction, *events):
    told = TransactionRolledBack(at=4.0, transaction=transaction, has_timed_out=False)
    return Committed(at=4.0, instance="LYON", changes=(), events=(told, *events))


def test_what_was_rolled_back_comes_again_in_order():
    before = [received(letter(0), letter(1), transaction=FIRST), ended(FIRST, committed=False)]
    assert judge(Rollbacks, *before, received(letter(0), transaction=SECOND)) == []
    assert judge(Rollbacks, *before, received(letter(0), letter(1), letter(2))) == []
    assert "were rolled back" in judge(Rollbacks, *before, received(letter(1), transaction=SECOND))[0]
    assert "were rolled back" in judge(Rollbacks, *before, received(letter(1), letter(0)))[0]
    assert judge(Rollbacks, received(letter(0), transaction=FIRST), ended(FIRST), received(letter(1))) == []


def test_what_happens_in_a_transaction_counts_when_it_is_committed_only():
    begin = [*worlds_begin(), *BOTH_ENDS, *said(0), *said(1)]
    again = [received(letter(0), letter(1), transaction=FIRST), ended(FIRST, committed=False)]
    once = [received(letter(0), letter(1), transaction=SECOND), ended(SECOND)]
    assert judge(ExactlyOnceInOrder, *begin, *again, *once) == []
    assert "only 0 were received" in judge(ExactlyOnceInOrder, *begin, *again)[0]
    assert "came twice" in judge(ExactlyOnceInOrder, *begin, *once, *again[:1], ended(FIRST))[0]


def test_poison_is_five_rollbacks_in_a_row_and_no_fewer():
    def rollbacks(count, *events):
        names = [UUID(int=800 + at) for at in range(count)]
        last = names[-1]
        return [
            entry
            for name in names
            for entry in (
                received(letter(0), transaction=name),
                rolled_back(name, *(events if name == last else ())),
            )
        ]

    off = QueueDisabled(at=4.0, database="Stock", queue=QUEUE, rollbacks=5)
    assert judge(Poison, *rollbacks(5, off)) == []
    assert "still on after 5" in judge(Poison, *rollbacks(5))[0]
    assert "off after 4" in judge(Poison, *rollbacks(4, off))[0]
    commit = [received(letter(0), transaction=FIRST), ended(FIRST)]
    assert judge(Poison, *rollbacks(4), *commit, *rollbacks(4)) == []
    assert judge(Poison, *rollbacks(4), Died(at=5.0, instance="LYON", reason="killed"), *rollbacks(4)) == []
    switched = QueueSwitched(at=5.0, database="Stock", queue=QUEUE, is_enabled=True)
    here, elsewhere = (Committed(at=5.0, instance=name, changes=(), events=(switched,)) for name in ("LYON", "PARIS"))
    assert judge(Poison, *rollbacks(4), here, *rollbacks(4)) == []
    assert judge(Poison, *rollbacks(4), elsewhere, *rollbacks(1, off)) == [], "another queue of the same name"


def leaving(*levels):
    """Messages of endpoints of these priorities, in one moment."""
    source = CATALOGS["PARIS"].databases["Ventes"].broker_instance
    return [sent(source=source, number=number, priority=level) for number, level in enumerate(levels)]


def test_what_leaves_together_leaves_by_priority_and_nobody_is_passed_for_ever():
    """protocol.md 11: the eighth that goes past is the last before one of lower priority is elevated."""
    honoured = copy(CATALOGS["PARIS"])
    honoured.databases["Ventes"].is_priority_honoured = True
    begin = [*worlds_begin(), committed("PARIS", PutCatalog(catalog=honoured))]
    assert judge(SendPriorities, *begin, *leaving(9, 9, 5, 5, 1)) == []
    assert judge(SendPriorities, *begin, *leaving(*[9] * 8, 1, 9, 5)) == []
    assert judge(SendPriorities, *begin, *leaving(*[9] * 12)) == []
    assert "priority 5 left before one of 9" in judge(SendPriorities, *begin, *leaving(9, 5, 9))[0]
    assert "past which 7 had gone" in judge(SendPriorities, *begin, *leaving(*[9] * 7, 1, 9))[0]
    assert "9 messages of priority 9 in a row" in judge(SendPriorities, *begin, *leaving(*[9] * 9, 1))[0]
    assert judge(SendPriorities, *begin, *leaving(5), came("PARIS"), *leaving(9)) == [], "each its own turn"
    assert judge(SendPriorities, *worlds_begin(), *leaving(5, 9)) == [], "the database does not honour them"


def test_a_change_of_roles_begins_the_count_of_rollbacks_anew():
    """What it rolls back itself is no fault of a message (protocol.md 14)."""
    four = [
        entry
        for name in (UUID(int=800 + at) for at in range(4))
        for entry in (received(letter(0), transaction=name), rolled_back(name))
    ]
    mirror = DatabaseMirroringStateChanged(at=4.0, database="Stock", role=MirroringRole.MIRROR)
    moves = [received(letter(0), transaction=FIRST), rolled_back(FIRST, mirror)]
    assert judge(Poison, *four, *moves, *four) == []
    assert "still on after 5" in judge(Poison, *four, *moves[:1], rolled_back(FIRST))[0]


def test_a_transaction_may_be_gone_only_when_somebody_has_ended_it():
    begin = BeginTransaction(command_id=UUID(int=900))
    begun = [
        Issued(at=1.0, instance="LYON", command=begin),
        Replied(at=1.0, instance="LYON", command=begin, reply=TransactionBegun(transaction=FIRST)),
    ]
    gone = ended(FIRST, reply=Refusal(number=3902, text="no such transaction"))
    assert "3902" in judge(Replies, *begun, gone)[0]
    assert judge(Replies, *begun, Died(at=2.0, instance="LYON", reason="killed"), gone) == []
    assert judge(Replies, *begun, rolled_back(FIRST), gone) == []

    def moves(at, role):
        change = DatabaseMirroringStateChanged(at=at, database="Stock", role=role)
        return Committed(at=at, instance="LYON", changes=(), events=(change,))

    assert judge(Replies, *begun, moves(2.0, MirroringRole.PRINCIPAL), gone) == [], "it was begun at the old principal"
    assert "3902" in judge(Replies, *begun, moves(2.0, MirroringRole.MIRROR), gone)[0]
    assert "3902" in judge(Replies, moves(0.5, MirroringRole.PRINCIPAL), *begun, gone)[0]


@pytest.mark.parametrize("number", [3971, 911, 954, 9617])
def test_a_statement_may_be_answered_in_another_way_only_where_its_transaction_went_with_its_process(number):
    begin = BeginTransaction(command_id=UUID(int=900))
    statement = received(letter(0), transaction=FIRST)
    story = [
        Issued(at=1.0, instance="LYON", command=begin),
        Replied(at=1.0, instance="LYON", command=begin, reply=TransactionBegun(transaction=FIRST)),
        statement,
    ]
    refusal = Refusal(number=number, text="not here")
    again = RepliedAgain(at=4.0, instance="LYON", command=statement.command, reply=refusal)
    assert "in two ways" in judge(Replies, *story, again)[0]
    died = Died(at=3.0, instance="LYON", reason="killed")
    assert judge(Replies, *story, died, again) == []
    other = msgspec.structs.replace(again, reply=Refusal(number=8426, text="no such conversation"))
    assert "in two ways" in judge(Replies, *story, died, other)[0]


def test_the_best_message_is_given_first():
    urgent, usual = letter(0, order=1), letter(0, order=2, side=(*ANSWERS[:2], UUID(int=5)))
    urgent = msgspec.structs.replace(urgent, priority=9, conversation_group_id=UUID(int=55))
    there = [committed("LYON", *_appended(urgent)), committed("LYON", *_appended(usual))]
    answered = committed("LYON", _answer(UUID(int=500)))
    assert "priority 5 was given while one of 9" in judge(Priorities, *there, answered, received(usual))[0]
    assert judge(Priorities, *there, answered, received(urgent)) == []
    # What came in the same commit may have come after the reader had looked.
    together = committed("LYON", *_appended(urgent), _answer(UUID(int=500)))
    assert judge(Priorities, there[1], together, received(usual)) == []
    # What another transaction has locked is nobody else's.
    locked = [answered, received(urgent, transaction=FIRST), answered, received(usual)]
    assert judge(Priorities, *there, *locked) == []


def _appended(row):
    return [change for change in delivered(0).changes for change in [msgspec.structs.replace(change, row=row)]]


def _answer(command_id):
    return PutCommandReply(command_id=command_id, reply=MessagesReceived(messages=()), replied_at=1.0)


def test_what_a_secured_dialog_says_is_secured_and_not_in_clear():
    flow = msgspec.structs.replace(pair().flows[0], security=SecurityKind.FULL)
    scenario = pair(flows=(flow,))
    begin = BeginDialog(command_id=UUID(int=1), database="Ventes", from_service="Client", to_service="Entrepôt")
    reply = DialogBegun(conversation_handle=HANDLE, conversation_id=CONVERSATION, conversation_group_id=UUID(int=9))
    begun = [*worlds_begin(), BOTH_ENDS[0], Replied(at=1.0, instance="PARIS", command=begin, reply=reply)]
    security = MessageSecurity(suite=KeySuite.MD5, session_key_id=UUID(int=3), salt=b"", mic=b"")
    clear = write(Letter(HANDLE, 0, ()), 60)
    assert judge(Secrecy, *begun, sent(security=security, body=b"\x01\x02"), scenario=scenario) == []
    assert "in clear" in judge(Secrecy, *begun, sent(security=security, body=clear), scenario=scenario)[0]
    assert "without security" in judge(Secrecy, *begun, sent(body=b"\x01"), scenario=scenario)[0]
    assert judge(Secrecy, *begun, sent(instance="LYON", body=b"\x01"), scenario=scenario) == [], "it forwards"
    assert judge(Secrecy, *begun, sent(body=clear)) == [], "a dialog that is not to be secured"
    assert "secured not at all" in judge(Secrecy, *begun, BOTH_ENDS[1], scenario=scenario)[0]


def test_two_active_databases_of_one_instance_have_two_ids():
    original = CATALOGS["PARIS"].databases["Ventes"]
    twin = msgspec.structs.replace(original, name="Ventes copy")

    def catalog(copy):
        databases = {**CATALOGS["PARIS"].databases, copy.name: copy}
        return committed("PARIS", PutCatalog(catalog=msgspec.structs.replace(CATALOGS["PARIS"], databases=databases)))

    assert f"both active as {HERE}" in judge(Identity, catalog(twin))[0]
    asleep = msgspec.structs.replace(twin, is_broker_enabled=False)
    assert judge(Identity, catalog(asleep)) == []
    taken = delivered(0, side=("PARIS", "Ventes copy", ASKS[2]))
    assert "is a copy and has taken a message" in judge(Identity, catalog(asleep), taken)[0]
