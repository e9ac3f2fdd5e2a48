"""Checkers of dialogs, disks and routes find what they are for in a made-up history, and nothing in a sound one."""

from uuid import UUID

import msgspec
import pytest

from engine.core.catalog.database import DatabaseState
from engine.core.catalog.revision import copy
from engine.core.exchange.changes import (
    DropDatabaseRows,
    PutCatalog,
)
from engine.core.exchange.commands import EndConversation, Receive
from engine.core.exchange.replies import ConversationEnded, MessagesReceived
from engine.core.vocabulary.messages import (
    Acknowledgement,
    MessageKind,
)
from engine.core.vocabulary.rows import (
    ConversationState,
)
from engine.sim.checkers.conservation import Conservation
from engine.sim.checkers.dialogs import ExactlyOnceInOrder
from engine.sim.checkers.durability import Durability
from engine.sim.checkers.hops import Hops
from engine.sim.checkers.mirrors import MirrorRule
from engine.sim.checkers.pinning import Pinning
from engine.sim.history import Issued, Replied
from engine.sim.workload.bodies import Letter, write
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
    restored,
    said,
    sent,
    stored,
    trimmed,
    worlds_begin,
)
from tests.engine.sim.worlds import HANDLE, HERE, THERE, judge


# ── exactly once, in order ───────────────────────────────────────────────────────────────────────────────────────────
def read(*rows, side=ANSWERS):
    receive = Receive(command_id=UUID(int=500), database=side[1], queue="dbo.Entrepôt", top=10)
    return Replied(at=2.0, instance=side[0], command=receive, reply=MessagesReceived(messages=rows))


def letter(number, sender=HANDLE, **fields):
    return queue_row(number, write(Letter(sender, number, ()), 60), **fields)


def ended(side, code=None):
    end = EndConversation(
        command_id=UUID(int=600),
        database=side[1],
        conversation_handle=side[2],
        error_code=code,
        error_description=code and "x",
    )
    reply = ConversationEnded(state=None)
    return [Issued(at=3.0, instance=side[0], command=end), Replied(at=3.0, instance=side[0], command=end, reply=reply)]


END_DIALOG = queue_row(2, None, message_type="http://schemas.microsoft.com/SQL/ServiceBroker/EndDialog")


def error(code):
    body = b"\xff\xfe" + f"<Error><Code>{code}</Code></Error>".encode("utf-16-le")
    return queue_row(-1, body, message_type="http://schemas.microsoft.com/SQL/ServiceBroker/Error")


def test_a_dialog_whose_messages_all_arrive_in_order_is_sound():
    history = [
        *BOTH_ENDS,
        *said(0),
        *said(1),
        read(letter(0), letter(1)),
        *ended(ASKS),
        read(END_DIALOG),
        *ended(ANSWERS),
    ]
    assert judge(ExactlyOnceInOrder, *history) == []


@pytest.mark.parametrize(
    ("happens", "words"),
    [
        ([read(letter(0))], "only 1 were received"),
        ([read(letter(1))], "message 1 came where 0 was due"),
        ([read(letter(0), letter(1), letter(0))], "message 0 came twice"),
        ([read(letter(0), letter(1)), read(queue_row(2, b"who?"))], "a body came that nobody has written"),
        ([read(letter(0), letter(1), letter(2))], "message 2 is not what was sent"),
        ([read(letter(0), letter(1), letter(2, UUID(int=77)))], "messages came of two senders"),
        ([read(letter(0), END_DIALOG)], "the end came after 1 of 2 messages"),
        ([read(letter(0), letter(1), END_DIALOG, END_DIALOG)], "the end came twice"),
        ([read(letter(0), letter(1), error(-8462))], "an error -8462 that nothing explains"),
        ([read(letter(0), letter(1), error(4711))], "an error 4711 that nothing explains"),
        ([read(letter(0), letter(1)), *ended(ASKS)], "the other side was never told"),
        ([said(2, position=5)[1]], "SEND 2 was given the number 5"),
    ],
)
def test_exactly_once_in_order_finds(happens, words):
    findings = judge(ExactlyOnceInOrder, *BOTH_ENDS, *said(0), *said(1), *happens)
    assert any(words in finding for finding in findings), findings


def test_a_conversation_that_begins_anew_in_the_same_database_is_found():
    twin = ("LYON", "Stock", UUID(int=44))
    both = [read(letter(0)), read(letter(0, side=twin), side=twin)]
    findings = judge(ExactlyOnceInOrder, *BOTH_ENDS, endpoint(twin, is_initiator=False, far=HERE), *said(0), *both)
    assert any("in 2 conversations" in finding for finding in findings)


def test_a_message_0_that_comes_after_the_error_behind_it_opens_an_endpoint_that_nobody_tells():
    late = msgspec.structs.replace(BOTH_ENDS[1], at=5.0)
    assert judge(ExactlyOnceInOrder, BOTH_ENDS[0], *said(0), *ended(ASKS, 4711), late, read(letter(0))) == []


@pytest.mark.parametrize(
    "excuse", [ended(ANSWERS), [*ended(ANSWERS, 4711), *ended(ASKS)], [*ended(ASKS, 4711), read(error(4711))]]
)
def test_what_the_protocol_discards_is_not_lost(excuse):
    findings = judge(ExactlyOnceInOrder, *BOTH_ENDS, *said(0), *said(1), read(letter(0)), *excuse)
    assert not [finding for finding in findings if "received" in finding]


# ── conservation, durability ─────────────────────────────────────────────────────────────────────────────────────────
def test_a_message_may_leave_its_queue_when_the_other_disk_holds_it():
    assert judge(Conservation, *BOTH_ENDS, stored(0), delivered(0), trimmed(0)) == []


@pytest.mark.parametrize("through", [0, 1, 7])
def test_conservation_finds_a_message_that_is_nowhere(through):
    [finding] = judge(Conservation, *BOTH_ENDS, stored(0), trimmed(through))
    assert "is nowhere else" in finding


def test_conservation_finds_another_body_and_a_row_without_conversation():
    assert "has another body" in judge(Conservation, *BOTH_ENDS, stored(0, b"a"), delivered(0, b"b"))[0]
    assert "which is unknown" in judge(Conservation, delivered(0))[0]


def test_a_side_that_reads_nothing_any_more_lets_the_other_forget():
    closed = endpoint(ANSWERS, is_initiator=False, far=HERE, state=ConversationState.CLOSED)
    assert judge(Conservation, *BOTH_ENDS, stored(0), closed, trimmed(0)) == []


def test_an_error_throws_away_what_a_side_that_has_ended_still_had_to_say():
    """Row 18, the fire-and-forget trap; without an error the same is a loss."""
    half = endpoint(ASKS, is_initiator=True, state=ConversationState.DISCONNECTED_OUTBOUND)
    refused = came("PARIS", source=THERE, kind=MessageKind.ERROR, number=None)
    assert judge(Conservation, *BOTH_ENDS, stored(0), half, refused, trimmed(0)) == []
    assert judge(Conservation, *BOTH_ENDS, stored(0), half, trimmed(0)) != []


def test_what_is_on_disk_may_leave():
    acknowledgement = Acknowledgement(0, 0, THERE)
    answering = endpoint(ANSWERS, is_initiator=False, far=HERE, receive_sequence=1)
    receipt = sent("LYON", source=THERE, kind=MessageKind.ACKNOWLEDGEMENT, number=None, acknowledgement=acknowledgement)
    assert judge(Durability, *worlds_begin(), *BOTH_ENDS, stored(0), sent(), answering, receipt) == []


def test_durability_finds_what_leaves_too_early():
    acknowledgement = Acknowledgement(0, 0, THERE)
    receipt = sent("LYON", source=THERE, kind=MessageKind.ACKNOWLEDGEMENT, number=None, acknowledgement=acknowledgement)
    assert "left before it was committed" in judge(Durability, *worlds_begin(), *BOTH_ENDS, sent())[0]
    assert "which is not committed" in judge(Durability, *worlds_begin(), *BOTH_ENDS, receipt)[0]


# ── pinning, hops, mirrors ───────────────────────────────────────────────────────────────────────────────────────────
PINNED = endpoint(ASKS, is_initiator=True, far=THERE)


def test_pinning_lets_a_conversation_be_pinned_once():
    later = committed("PARIS")
    assert judge(Pinning, *worlds_begin(), *BOTH_ENDS, sent(), PINNED, sent(), later, sent(target=THERE)) == []


@pytest.mark.parametrize(
    ("happens", "words"),
    [
        ([PINNED, endpoint(ASKS, is_initiator=True, far=HERE)], "and now is to"),
        ([PINNED, committed("PARIS"), sent()], "and has addressed None"),
        ([PINNED, sent(target=HERE)], "and has addressed"),
        ([sent(first_acknowledged=True)], "is pinned to nobody"),
        ([endpoint(ASKS, is_initiator=True, send_sequence=1)], "message 0"),
        ([endpoint(ANSWERS, is_initiator=False)], "does not know its initiator"),
    ],
)
def test_pinning_finds(happens, words):
    findings = judge(Pinning, *worlds_begin(), BOTH_ENDS[0], *happens)
    assert any(words in finding for finding in findings), findings


def test_what_was_sent_in_one_commit_with_a_restore_knows_the_pin_from_before():
    before = [*worlds_begin(), BOTH_ENDS[0], PINNED, *restored(ASKS)]
    late = sent(target=THERE, first_acknowledged=True)
    assert judge(Pinning, *before, late) == []
    for astray in ([committed("PARIS"), late], [sent(target=HERE, first_acknowledged=True)]):
        assert "is pinned to nobody" in judge(Pinning, *before, *astray)[0]
    with_unpinned = [*worlds_begin(), BOTH_ENDS[0], *restored(ASKS), sent(first_acknowledged=True)]
    assert "is pinned to nobody" in judge(Pinning, *with_unpinned)[0]


def test_what_was_sent_in_one_commit_with_the_detach_of_its_database_is_not_passed_on():
    here = CATALOGS["PARIS"].databases["Ventes"].broker_instance
    gone = copy(CATALOGS["PARIS"])
    del gone.databases["Ventes"]
    detached = committed("PARIS", DropDatabaseRows(database="Ventes"), PutCatalog(catalog=gone))
    assert judge(Hops, *worlds_begin(), detached, sent(source=here)) == []
    later = committed("PARIS")
    assert "that never came" in judge(Hops, *worlds_begin(), detached, later, sent(source=here))[0]


def test_hops_lets_a_message_go_on_one_hop_poorer_and_older():
    there = came("LYON", hops=16, consumed=1.0)
    assert judge(Hops, *worlds_begin(), sent(), there, sent("LYON", hops=15, consumed=1.5)) == []


@pytest.mark.parametrize(
    ("happens", "words"),
    [
        ([sent("LYON", hops=15)], "that never came"),
        ([came("LYON", hops=16), sent("LYON", hops=16)], "it came with [16]"),
        ([came("LYON", hops=16, consumed=3.0), sent("LYON", hops=15, consumed=2.0)], "became younger"),
        ([sent(hops=17)], "left with 17 hops"),
        ([sent(consumed=61.0)], "after 61.0 s"),
    ],
)
def test_hops_finds(happens, words):
    assert any(words in finding for finding in judge(Hops, *worlds_begin(), *happens))


def test_a_mirror_copy_that_takes_a_message_is_found():
    mirror = msgspec.convert(msgspec.to_builtins(CATALOGS["LYON"]), type(CATALOGS["LYON"]))
    mirror.databases["Stock"].state = DatabaseState.MIRROR
    put = committed("LYON", PutCatalog(catalog=mirror))
    assert judge(MirrorRule, *worlds_begin(), delivered(0)) == []
    assert "has taken a message" in judge(MirrorRule, put, delivered(0))[0]


def test_a_message_over_a_mirrored_route_to_a_partner_that_never_was_principal_is_found():
    mirror = msgspec.convert(msgspec.to_builtins(CATALOGS["LYON"]), type(CATALOGS["LYON"]))
    mirror.databases["Stock"].state = DatabaseState.MIRROR
    paris = msgspec.convert(msgspec.to_builtins(CATALOGS["PARIS"]), type(CATALOGS["PARIS"]))
    routes = paris.databases["Ventes"].routes
    name = "to Entrepôt"
    routes[name] = msgspec.structs.replace(routes[name], broker_instance=THERE, mirror_address=routes[name].address)
    world = [committed("PARIS", PutCatalog(catalog=paris)), committed("LYON", PutCatalog(catalog=mirror))]
    assert "never was the principal" in judge(MirrorRule, *world, sent(target=THERE))[0]
    assert judge(MirrorRule, *worlds_begin(), *world, sent(target=THERE)) == [], "it was the principal once"
