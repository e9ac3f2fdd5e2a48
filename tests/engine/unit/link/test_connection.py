"""One connection between two instances, both ends run against each other without a network."""

from itertools import product
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.link.codec import encode
from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.frames import (
    Arbitration,
    Fragments,
    Frame,
    Goodbye,
    Hello,
    Proof,
    Refuse,
    RoleClaim,
    RoleRequest,
    Validation,
    Welcome,
)
from engine.core.link.login import LoginState
from engine.core.link.states import TRANSITIONS, LinkInput, LinkRole, step
from engine.core.vocabulary.errors import LocalProtocolError, RemoteProtocolError
from engine.core.vocabulary.identifiers import BrokerInstanceId, InstanceName
from engine.core.vocabulary.limits import FRAME_BYTES_FULL, FRAME_MESSAGES_FULL, LINK_ROLES_MAX
from engine.core.vocabulary.messages import LinkState
from tests.support.each import for_each
from tests.support.link_pair import ESTATE, SETTINGS, Pair, at, identity
from tests.support.wire_messages import message, messages

ROLES_STATES_INPUTS = list(product(LinkRole, LinkState, LinkInput))


@for_each(("role", "state", "happened"), ROLES_STATES_INPUTS)
def test_every_state_and_input_is_either_in_the_table_or_somebody_s_breach(
    role: LinkRole, state: LinkState, happened: LinkInput
):
    expected = TRANSITIONS[role].get((state, happened))
    if expected is not None:
        assert step(role, state, happened) is expected
        return
    blame = RemoteProtocolError if happened.value.startswith("receive-") else LocalProtocolError
    with pytest.raises(blame) as caught:
        step(role, state, happened)
    assert caught.value.number == 28029


@pytest.mark.parametrize("asking", ["paris", "lyon"])
def test_the_role_of_a_database_is_asked_and_claimed_by_either_side(asking: str):
    pair, database = Pair().open(), BrokerInstanceId(UUID(int=7))
    one, other = (pair.paris, pair.lyon) if asking == "paris" else (pair.lyon, pair.paris)
    one.ask_role(database, at(1))
    other.receive_data(one.data_to_send(), at(1))
    assert other.roles_heard() == [RoleRequest(broker_instance=database)]
    assert other.roles_heard() == []
    other.claim_role(database, at(2), is_principal=False)
    one.receive_data(other.data_to_send(), at(2))
    assert one.roles_heard() == [RoleClaim(broker_instance=database, is_principal=False)]


def test_a_role_is_asked_and_claimed_after_the_login_only():
    paris = AdjacentBrokerConnection(LinkRole.DIALLING, identity("PARIS"), SETTINGS, at(0))
    for say in (paris.ask_role, lambda *each: paris.claim_role(*each, is_principal=True)):
        with pytest.raises(LocalProtocolError):
            say(BrokerInstanceId(UUID(int=7)), at(1))


@pytest.mark.parametrize("role", LinkRole)
def test_nothing_leads_out_of_closed(role: LinkRole):
    assert {after for (state, _), after in TRANSITIONS[role].items() if state is LinkState.CLOSED} == {LinkState.CLOSED}


@pytest.mark.parametrize(("role", "state"), list(product(LinkRole, LinkState)))
def test_closing_and_losing_are_possible_everywhere(role: LinkRole, state: LinkState):
    assert step(role, state, LinkInput.CLOSE) is LinkState.CLOSED
    assert step(role, state, LinkInput.LOST) is LinkState.CLOSED


FRAMES: list[Frame] = [
    Hello(protocol_version=1, estate=ESTATE, instance=InstanceName("X"), arbitration_id=UUID(int=1)),
    Welcome(instance=InstanceName("X"), arbitration_id=UUID(int=1)),
    Refuse(number=28027, text="no"),
    Fragments(messages=(message(),)),
    Goodbye(number=9760, text="idle"),
    Proof(),
    Validation(digest=b""),
    Arbitration(),
    RoleRequest(broker_instance=UUID(int=1)),
    RoleClaim(broker_instance=UUID(int=1), is_principal=True),
]


@given(st.sampled_from(LinkRole), st.lists(st.sampled_from(FRAMES), max_size=6))
def test_whatever_a_peer_says_in_whatever_order_ends_in_a_state_or_a_breach(role: LinkRole, said: list[Frame]):
    connection = AdjacentBrokerConnection(role, identity("LYON"), SETTINGS, at(0))
    connection.opened(at(0))
    for frame in said:
        try:
            connection.receive_data(encode(frame), at(1))
        except RemoteProtocolError:
            assert connection.state is LinkState.CLOSED
            assert connection.closure is not None
            assert connection.closure.number == 9757
    assert (connection.state is LinkState.CLOSED) == (connection.closure is not None)


def test_the_handshake_logs_both_sides_in_and_tells_them_each_other_s_name():
    pair = Pair().open()
    assert (pair.paris.state, pair.lyon.state) == (LinkState.LOGGED_IN, LinkState.LOGGED_IN)
    assert (pair.paris.peer, pair.lyon.peer) == ("LYON", "PARIS")


@given(st.lists(messages, max_size=15))
def test_messages_arrive_once_and_in_order(sent: list[object]):
    pair = Pair().open()
    pair.paris.send(sent, at(1))
    assert pair.run(at(1)).arrived == sent


def test_the_accepting_side_may_send_too():
    pair = Pair().open()
    pair.lyon.send([message(7)], at(1))
    assert pair.paris.receive_data(pair.lyon.data_to_send(), at(1)) == [message(7)]


def test_small_messages_share_frames_and_large_ones_do_not():
    pair = Pair().open()
    pair.paris.send([message(n) for n in range(FRAME_MESSAGES_FULL + 1)], at(1))
    assert pair.paris.data_to_send().count(b"SB\x01\x04") == 2
    pair.paris.send([message(n, bytes(FRAME_BYTES_FULL)) for n in range(3)], at(1))
    assert pair.paris.data_to_send().count(b"SB\x01\x04") == 3


def test_sending_before_the_login_is_our_own_mistake():
    connection = AdjacentBrokerConnection(LinkRole.DIALLING, identity("PARIS"), SETTINGS, at(0))
    with pytest.raises(LocalProtocolError):
        connection.send([message()], at(0))


def test_an_instance_of_another_estate_is_refused_with_28029():
    pair = Pair(accepting=identity("LYON", estate="elsewhere")).open()
    assert (pair.paris.state, pair.lyon.state) == (LinkState.CLOSED, LinkState.CLOSED)
    assert pair.paris.closure is not None
    assert pair.paris.closure.number == 9755
    assert "28029" in pair.paris.closure.detail
    assert "elsewhere" in pair.paris.closure.detail


def test_a_peer_of_another_protocol_version_is_refused_with_28027():
    lyon = AdjacentBrokerConnection(LinkRole.ACCEPTING, identity("LYON"), SETTINGS, at(0))
    lyon.opened(at(0))
    lyon.receive_data(
        encode(Hello(protocol_version=99, estate=ESTATE, instance=InstanceName("PARIS"), arbitration_id=UUID(int=1))),
        at(0),
    )
    assert lyon.state is LinkState.CLOSED
    assert lyon.closure is not None
    assert lyon.closure.number == 28027


def test_a_breach_closes_the_connection_and_tells_the_peer_why():
    pair = Pair().open()
    with pytest.raises(RemoteProtocolError):
        pair.lyon.receive_data(b"GET / HTTP/1.1\r\n", at(1))
    assert pair.lyon.state is LinkState.CLOSED
    pair.paris.receive_data(pair.lyon.data_to_send(), at(1))
    assert pair.paris.state is LinkState.CLOSED
    assert pair.paris.closure is not None
    assert (pair.paris.closure.number, pair.paris.closure.detail[:5]) == (9755, "28001")


def test_bytes_after_the_end_are_dropped():
    pair = Pair().open()
    pair.paris.send([message()], at(1))
    data = pair.paris.data_to_send()
    pair.lyon.close(9666, at(1))
    assert pair.lyon.receive_data(data, at(1)) == []


def test_an_idle_connection_is_closed_by_its_dialling_side_without_an_error():
    pair = Pair().open()
    assert pair.paris.wake_at() == 90
    assert pair.lyon.wake_at() == 180
    pair.paris.handle_timer(at(89.9))
    assert pair.paris.state is LinkState.LOGGED_IN
    pair.paris.handle_timer(at(90))
    pair.run(at(90))
    assert (pair.paris.state, pair.lyon.state) == (LinkState.CLOSED, LinkState.CLOSED)
    assert pair.paris.closure is not None
    assert pair.lyon.closure is not None
    assert (pair.paris.closure.number, pair.lyon.closure.number) == (None, None)


def test_traffic_postpones_the_idle_close():
    pair = Pair().open()
    pair.paris.send([message()], at(60))
    pair.run(at(60))
    assert (pair.paris.wake_at(), pair.lyon.wake_at()) == (150, 240)


def test_a_connect_that_takes_too_long_is_9754():
    connection = AdjacentBrokerConnection(LinkRole.DIALLING, identity("PARIS"), SETTINGS, at(0))
    connection.handle_timer(at(10))
    assert connection.closure is not None
    assert connection.closure.number == 9754


@pytest.mark.parametrize("role", LinkRole)
def test_a_handshake_without_an_answer_is_given_up(role: LinkRole):
    connection = AdjacentBrokerConnection(role, identity("PARIS"), SETTINGS, at(0))
    connection.opened(at(1))
    connection.handle_timer(at(11))
    assert connection.state is LinkState.CLOSED
    assert connection.closure is not None
    assert (connection.closure.number, connection.closure.detail[:5]) == (9755, "28031")
    assert connection.wake_at() is None


def test_the_first_reason_stays():
    pair = Pair().open()
    pair.paris.lost(9759, "Broken pipe")
    pair.paris.lost(9755, "Connection reset by peer")
    assert pair.paris.closure is not None
    assert (pair.paris.closure.number, pair.paris.closure.detail) == (9759, "Broken pipe")


# ── flow control ──
BODY = bytes(100_000)


def test_7_1_without_room_messages_wait_and_what_is_urgent_does_not():
    pair = Pair().open()
    pair.paris.send([message(0, BODY)], at(1))
    pair.paris.ask_role(BrokerInstanceId(UUID(int=9)), at(1))
    urgent = pair.paris.data_to_send(room=0)
    assert pair.paris.is_send_flow_controlled
    assert pair.lyon.receive_data(urgent, at(1)) == []
    assert len(pair.lyon.roles_heard()) == 1
    assert pair.lyon.receive_data(pair.paris.data_to_send(), at(1)) == [message(0, BODY)]
    assert not pair.paris.is_send_flow_controlled


def test_7_1_a_full_buffer_refuses_and_keeps_the_order_of_what_it_has_taken():
    pair = Pair().open()
    many = [message(number, BODY) for number in range(200)]
    refused = pair.paris.send(many, at(1))
    taken = len(many) - len(refused)
    assert 0 < taken < 200
    assert refused == many[taken:]
    assert pair.paris.send([message(999)], at(1)) == [message(999)]
    assert pair.run(at(1)).arrived == many[:taken]
    assert pair.paris.send([message(999)], at(1)) == []


def test_7_1_a_peer_that_reads_nothing_is_lost_not_idle():
    pair = Pair().open()
    pair.paris.send([message(0, BODY)], at(1))
    pair.paris.data_to_send(room=0)
    pair.paris.send([message(1)], at(80))
    pair.paris.handle_timer(at(91))
    assert pair.paris.closure is not None
    assert pair.paris.closure.number == 9759
    assert [each.message.sequence for each in pair.paris.unsent()] == [0, 1]
    assert pair.paris.unsent() == []


def test_7_1_a_peer_that_reads_slowly_is_kept():
    pair = Pair().open()
    pair.paris.send([message(number, BODY) for number in range(50)], at(1))
    pair.paris.data_to_send(room=1)
    pair.paris.sent(at(80))
    pair.paris.handle_timer(at(91))
    assert pair.paris.state is LinkState.LOGGED_IN


def test_7_1_while_we_do_not_read_the_peer_is_not_idle():
    pair = Pair().open()
    pair.lyon.hold_receiving(at(1), is_held=True)
    assert pair.lyon.is_receive_flow_controlled
    for seconds in (200, 400, 600):
        pair.lyon.handle_timer(at(seconds))
    assert pair.lyon.state is LinkState.LOGGED_IN
    pair.lyon.hold_receiving(at(700), is_held=False)
    pair.lyon.handle_timer(at(700 + 181))
    assert pair.lyon.state is LinkState.CLOSED


def test_what_is_not_sent_when_a_connection_closes_is_handed_back():
    pair = Pair().open()
    pair.paris.send([message(0)], at(1))
    assert pair.paris.unsent() == []
    pair.paris.lost(9755, "Connection reset by peer")
    assert pair.paris.unsent() == [message(0)]


def test_questions_and_claims_in_one_piece_are_bounded():
    pair = Pair().open()
    claim = encode(RoleClaim(broker_instance=BrokerInstanceId(UUID(int=9)), is_principal=True))
    with pytest.raises(RemoteProtocolError):
        pair.lyon.receive_data(claim * (LINK_ROLES_MAX + 1), at(1))
    assert pair.lyon.state is LinkState.CLOSED


# ── what it tells of itself ──
def test_the_facts_of_the_view_come_when_they_happen():
    pair = Pair()
    before = pair.paris.facts()
    assert (before.state, before.login_state, before.connect_time) == (LinkState.CONNECTING, LoginState.INITIAL, None)
    pair.open()
    pair.paris.send([message()], at(5))
    facts = pair.paris.facts()
    assert (facts.state, facts.login_state, facts.is_accept) == (LinkState.LOGGED_IN, LoginState.ONLINE, False)
    assert (facts.connect_time, facts.login_time, facts.last_activity_time) == (1_000_000, 1_000_000, 1_000_005)
    assert facts.peer is not None
    assert facts.peer.instance == "LYON"


def test_what_goes_over_it_is_counted_on_both_ends_alike():
    pair = Pair().open()
    before = pair.lyon.facts().traffic
    pair.paris.send([message(), message()], at(5))
    data = pair.paris.data_to_send()
    assert pair.paris.data_to_send() == b""
    pair.lyon.receive_data(data, at(5))
    sent, received = pair.paris.facts().traffic, pair.lyon.facts().traffic
    assert (sent.fragments_sent, received.fragments_received) == (2, 2)
    assert sent.bytes_sent == received.bytes_received == before.bytes_received + len(data)
    assert received.receives == before.receives + 1


def test_the_end_of_a_login_is_told_once():
    pair = Pair()
    assert pair.lyon.login_ended() is None
    pair.open()
    ended = pair.lyon.login_ended()
    assert ended is not None
    assert (ended.subclass, ended.is_accept, ended.peer, ended.number) == (1, True, "PARIS", None)
    assert pair.lyon.login_ended() is None


def test_bytes_that_are_no_frame_are_a_message_format_error_of_the_login():
    lyon = AdjacentBrokerConnection(LinkRole.ACCEPTING, identity("LYON"), SETTINGS, at(0))
    lyon.opened(at(0))
    with pytest.raises(RemoteProtocolError):
        lyon.receive_data(b"GET / HTTP/1.1", at(0))
    ended = lyon.login_ended()
    assert ended is not None
    assert (ended.subclass, ended.number, ended.login_state) == (3, 28001, "ERROR")


def test_a_frame_out_of_turn_is_a_protocol_error_of_the_login():
    lyon = AdjacentBrokerConnection(LinkRole.ACCEPTING, identity("LYON"), SETTINGS, at(0))
    lyon.opened(at(0))
    with pytest.raises(RemoteProtocolError):
        lyon.receive_data(encode(Fragments(messages=())), at(0))
    ended = lyon.login_ended()
    assert ended is not None
    assert (ended.subclass, ended.number) == (2, 28029)
