"""Every checker finds what it is for in a made-up history, and nothing in a sound one."""

from uuid import UUID

import msgspec
import pytest

from engine.core.catalog.database import DatabaseState
from engine.core.exchange.changes import (
    AppendQueue,
    AppendTransmission,
    DropEndpoint,
    PutCatalog,
    PutEndpoint,
    TrimTransmission,
)
from engine.core.exchange.commands import ApplyCatalog, EndConversation, Receive, Send
from engine.core.exchange.replies import ConversationEnded, MessageSent, MessagesReceived, Refusal
from engine.core.vocabulary.messages import (
    Acknowledgement,
    DialogMessage,
    DialogTarget,
    ForwardedMessage,
    MessageKind,
    TcpAddress,
)
from engine.core.vocabulary.rows import (
    ConversationEndpoint,
    ConversationState,
    QueueRow,
    QueueRowStatus,
    TransmissionRow,
)
from engine.sim.checkers.bounds import Bounds
from engine.sim.checkers.catalogue import CHECKERS
from engine.sim.checkers.conservation import Conservation
from engine.sim.checkers.dialogs import ExactlyOnceInOrder
from engine.sim.checkers.durability import Durability
from engine.sim.checkers.hops import Hops
from engine.sim.checkers.mirrors import MirrorRule
from engine.sim.checkers.outcome import Amplification, Convergence, Health, Replies
from engine.sim.checkers.pinning import Pinning
from engine.sim.entropy import Dice, SeededEntropy
from engine.sim.history import Arrived, Committed, Died, Issued, Measured, Remained, Replied, RepliedAgain, Transmitted
from engine.sim.scenario import catalog_of
from engine.sim.workload.bodies import Letter, write
from tests.engine.sim.worlds import CONVERSATION, HANDLE, HERE, OTHER_HANDLE, THERE, judge, pair

ASKS, ANSWERS = ("PARIS", "Ventes", HANDLE), ("LYON", "Stock", OTHER_HANDLE)
LYON = TcpAddress("lyon", 4022)
CATALOGS = {spec.name: catalog_of(spec, SeededEntropy(Dice(1, "test"))) for spec in pair().instances}


def committed(instance, *changes):
    return Committed(at=1.0, instance=instance, changes=changes, events=())


def worlds_begin():
    return [committed(name, PutCatalog(catalog=catalog)) for name, catalog in CATALOGS.items()]


def endpoint(side, *, is_initiator, far=None, **fields):
    row = {
        "conversation_handle": side[2],
        "conversation_id": CONVERSATION,
        "is_initiator": is_initiator,
        "conversation_group_id": UUID(int=99),
        "service": "Client",
        "contract": "DEFAULT",
        "state": ConversationState.CONVERSING,
        "far_service": "Entrepôt",
        "far_broker_instance": far,
        "lifetime": 1e12,
        **fields,
    }
    return committed(side[0], PutEndpoint(database=side[1], endpoint=ConversationEndpoint(**row)))


def stored(number, body=b"x", kind=MessageKind.USER, side=ASKS):
    row = TransmissionRow(
        conversation_handle=side[2],
        message_sequence_number=number,
        kind=kind,
        message_type_name="DEFAULT",
        message_body=body,
        enqueue_time=1.0,
    )
    return committed(side[0], AppendTransmission(database=side[1], row=row))


def trimmed(through, side=ASKS):
    return committed(side[0], TrimTransmission(database=side[1], conversation_handle=side[2], through=through))


def queue_row(number, body=b"x", *, order=None, status=QueueRowStatus.READY, side=ANSWERS, message_type="DEFAULT"):
    return QueueRow(
        queuing_order=number if order is None else order,
        status=status,
        priority=5,
        conversation_group_id=UUID(int=98),
        conversation_handle=side[2],
        message_sequence_number=number,
        service_name="Entrepôt",
        service_contract_name="DEFAULT",
        message_type_name=message_type,
        message_body=body,
        message_enqueue_time=1.0,
    )


def delivered(number, body=b"x", side=ANSWERS, **fields):
    row = queue_row(number, body, side=side, **fields)
    return committed(side[0], AppendQueue(database=side[1], queue="dbo.Entrepôt", row=row))


def transit(kind=MessageKind.USER, number=0, *, hops=16, consumed=0.0, source=HERE, target=None, **fields):
    message = DialogMessage(
        conversation_id=CONVERSATION,
        from_initiator=source == HERE,
        source=DialogTarget("Client", source),
        target=DialogTarget("Entrepôt", target),
        kind=kind,
        sequence=number,
        contract="DEFAULT",
        expires_at=1e12,
        **fields,
    )
    return ForwardedMessage(message=message, hops_remaining=hops, time_to_live=60.0, time_consumed=consumed)


def sent(instance="PARIS", **fields):
    return Transmitted(at=2.0, instance=instance, address=LYON, message=transit(**fields))


def came(instance, **fields):
    return Arrived(at=2.0, instance=instance, message=transit(**fields))


# ── exactly once, in order ───────────────────────────────────────────────────────────────────────────────────────────
def said(number, side=ASKS, position=None):
    send = Send(
        command_id=UUID(int=100 + number),
        database=side[1],
        conversation_handle=side[2],
        body=write(Letter(side[2], number, ()), 60),
    )
    reply = MessageSent(message_sequence_number=number if position is None else position)
    return [
        Issued(at=1.0, instance=side[0], command=send),
        Replied(at=1.0, instance=side[0], command=send, reply=reply),
    ]


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


BOTH_ENDS = [endpoint(ASKS, is_initiator=True), endpoint(ANSWERS, is_initiator=False, far=HERE)]
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


# ── bounds, and the run as a whole ───────────────────────────────────────────────────────────────────────────────────
def measured(**fields):
    usual = {"conversations": 0, "agenda": 0, "forwarding_bytes": 0, "forwarding_bytes_max": 10, "destinations": 2}
    return Measured(at=1.0, instance="PARIS", **{**usual, **fields})


@pytest.mark.parametrize(
    ("happens", "words"),
    [
        ([delivered(3, order=1), delivered(3, order=2)], "in the queue 2 times"),
        ([delivered(at, order=at, status=QueueRowStatus.DISABLED) for at in range(520)], "early messages"),
        ([*(stored(at) for at in range(258)), sent(number=257)], "258 messages"),
        ([measured(conversations=3)], "3 conversations in memory, 2 on disk"),
        ([measured(agenda=400)], "400 deadlines"),
        ([measured(forwarding_bytes=11)], "11 bytes wait"),
        ([measured(destinations=3)], "3 destinations"),
    ],
)
def test_bounds_finds(happens, words):
    both_here = [BOTH_ENDS[0], endpoint(("PARIS", "Ventes", OTHER_HANDLE), is_initiator=False, far=HERE)]
    findings = judge(Bounds, *worlds_begin(), *both_here, BOTH_ENDS[1], *happens)
    assert any(words in finding for finding in findings), findings


def test_bounds_are_kept_by_a_full_window_and_a_measured_idle_instance():
    assert (
        judge(Bounds, *worlds_begin(), *BOTH_ENDS, *(stored(at) for at in range(256)), sent(number=255), measured())
        == []
    )


def test_bounds_finds_rows_that_belong_to_no_conversation():
    assert "belong to no conversation" in judge(Bounds, *worlds_begin(), delivered(0))[0]


def test_amplification_judges_from_fifty_messages_on():
    many = [stored(at) for at in range(60)]
    scenario = pair(amplification_max=2.0)
    assert judge(Amplification, *worlds_begin(), *many, *([sent()] * 120), scenario=scenario) == []
    [finding] = judge(Amplification, *worlds_begin(), *many, *([sent()] * 121), scenario=scenario)
    assert "121 transmissions for 60 messages" in finding
    assert judge(Amplification, *worlds_begin(), *many[:40], *([sent()] * 500), scenario=scenario) == []


def test_whatever_remains_is_found_and_so_is_an_exception_of_the_engine_but_no_planned_death():
    assert judge(Convergence, Remained(at=1.0, instance="", text="a message")) == ["a message"]
    assert judge(Health, Died(at=1.0, instance="PARIS", reason="KeyError", is_engine_fault=True)) == ["KeyError"]
    assert judge(Health, Died(at=1.0, instance="PARIS", reason="killed")) == []


def test_replies_finds_two_answers_to_one_command_and_refusals_without_a_reason():
    send = said(0)[1]
    again = RepliedAgain(at=2.0, instance="PARIS", command=send.command, reply=send.reply)
    other = RepliedAgain(at=2.0, instance="PARIS", command=send.command, reply=MessageSent(message_sequence_number=1))
    assert judge(Replies, send, again) == []
    assert "in two ways" in judge(Replies, send, other)[0]
    refused = Refusal(number=8429, text="over")
    assert judge(Replies, msgspec.structs.replace(send, reply=refused)) == []
    change = ApplyCatalog(command_id=UUID(int=1), base=0, revision=1, changes=())
    assert "8429" in judge(Replies, Replied(at=1.0, instance="PARIS", command=change, reply=refused))[0]


def test_every_checker_has_a_name_of_its_own():
    assert len({checker.name for checker in CHECKERS}) == len(CHECKERS) == 11
