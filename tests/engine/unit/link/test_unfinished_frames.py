"""A frame that has begun ends in time: what a false length promises would be waited for as long as bytes come."""

from uuid import UUID

import pytest

from engine.core.link.codec import HEADER, encode
from engine.core.link.frames import Fragments, RoleClaim
from engine.core.vocabulary.identifiers import BrokerInstanceId
from engine.core.vocabulary.messages import LinkState
from tests.support.link_pair import SETTINGS, Pair, at
from tests.support.wire_messages import message

DATABASE = BrokerInstanceId(UUID(int=7))
CLAIM = encode(RoleClaim(broker_instance=DATABASE, is_principal=True))
BOUND = SETTINGS.frame_seconds


def with_false_length(frame: bytes) -> bytes:
    """One byte of the header is another one, as it came in `secured` 704757: 20 KiB more than there are."""
    length = HEADER.size - 2
    return frame[:length] + bytes([frame[length] ^ 0x4F]) + frame[length + 1 :]


def ends(pair: Pair):
    return {"PARIS": (pair.paris, pair.lyon), "LYON": (pair.lyon, pair.paris)}


@pytest.mark.parametrize("name", ["PARIS", "LYON"])
def test_a_false_length_ends_the_connection_though_both_sides_go_on_talking(name: str):
    own, peer = ends(Pair().open())[name]
    assert own.receive_data(with_false_length(CLAIM), at(10)) == []
    for seconds in range(25, 100, 15):
        own.ask_role(DATABASE, at(seconds))
        own.receive_data(CLAIM, at(seconds))
        own.handle_timer(at(seconds))
        assert own.state is LinkState.LOGGED_IN
    own.data_to_send()
    assert own.wake_at() == 10 + BOUND
    own.handle_timer(at(10 + BOUND))
    assert own.state is LinkState.CLOSED
    assert own.closure is not None
    assert (own.closure.number, own.closure.reason) == (9755, 9755)
    assert own.closure.detail == "a frame that began 90 seconds ago is not complete"
    peer.receive_data(own.data_to_send(), at(10 + BOUND))
    assert peer.closure is not None
    assert peer.closure.number == 9755, "it was told why"
    assert "a frame that began 90 seconds ago is not complete" in peer.closure.detail
    assert own.wake_at() is None


def test_a_large_frame_may_come_slowly():
    """1 MiB at 12 KiB/s, the slowest way for it."""
    pair = Pair().open()
    whole = encode(Fragments(messages=(message(0, b"x" * 1024 * 1024),)))
    step = 12 * 1024
    arrived = []
    for second, start in enumerate(range(0, len(whole), step)):
        arrived += pair.lyon.receive_data(whole[start : start + step], at(1 + second))
        pair.lyon.handle_timer(at(1 + second))
    assert len(arrived) == 1
    assert pair.lyon.state is LinkState.LOGGED_IN
    pair.lyon.handle_timer(at(1 + BOUND + 1))
    assert pair.lyon.state is LinkState.LOGGED_IN, "nothing is amid a frame"


def test_each_frame_has_the_whole_time_however_they_are_cut():
    pair = Pair().open()
    two = CLAIM + CLAIM
    pair.lyon.receive_data(two[:-20], at(1))
    pair.lyon.receive_data(two[-20:] + CLAIM[:5], at(80))
    pair.lyon.handle_timer(at(1 + BOUND))
    assert pair.lyon.state is LinkState.LOGGED_IN, "the frame that began after a second was complete in time"
    pair.lyon.receive_data(CLAIM[5:9], at(160))
    pair.lyon.handle_timer(at(80 + BOUND))
    assert pair.lyon.state is LinkState.CLOSED, "that of the eightieth second was not"


def test_while_we_do_not_read_no_frame_is_late():
    pair = Pair().open()
    pair.lyon.receive_data(CLAIM[:5], at(1))
    pair.lyon.hold_receiving(at(2), is_held=True)
    pair.lyon.handle_timer(at(150))
    assert pair.lyon.state is LinkState.LOGGED_IN
    pair.lyon.hold_receiving(at(160), is_held=False)
    pair.lyon.ask_role(DATABASE, at(200))
    pair.lyon.handle_timer(at(160 + BOUND - 1))
    assert pair.lyon.state is LinkState.LOGGED_IN
    pair.lyon.handle_timer(at(160 + BOUND))
    assert pair.lyon.state is LinkState.CLOSED


def test_a_stranger_has_no_more_time_than_for_the_handshake():
    pair = Pair()
    pair.lyon.opened(at(0))
    pair.lyon.receive_data(CLAIM[:5], at(1))
    assert pair.lyon.wake_at() == SETTINGS.handshake_seconds
