"""A connection tells when it has room again."""

from engine.core.vocabulary.limits import LINK_ROOM_BYTES
from engine.core.vocabulary.messages import (
    LinkHasRoom,
)
from tests.engine.transport.network_pair import BODY_OF_A_MEBIBYTE, LYON, Network, send
from tests.support.hand_clock import turns


async def test_room_is_told_once_when_most_is_sent_and_not_before(network: Network):
    await network.logged_in()
    [lyon] = network.lyon._links
    lyon.hold_receiving(is_held=True)
    total = LINK_ROOM_BYTES // len(BODY_OF_A_MEBIBYTE)
    # More than half of the room, whatever the buffers of the operating system hold.
    send(network, range(2 * total - 1), BODY_OF_A_MEBIBYTE)
    network.paris.tell_room(LYON)
    await turns()
    assert network.rooms == []
    lyon.hold_receiving(is_held=False)
    await network.until(lambda: len(network.at_lyon) == 2 * total - 1)
    assert network.rooms == [LinkHasRoom(LYON)]
    network.paris.tell_room(LYON)
    await turns()
    assert network.rooms == [LinkHasRoom(LYON)] * 2, "an empty one says so at once"


async def test_no_room_is_told_of_a_connection_that_has_closed(network: Network):
    network.paris.tell_room(LYON)
    await network.logged_in()
    [lyon] = network.lyon._links
    lyon.hold_receiving(is_held=True)
    send(network, range(2 * LINK_ROOM_BYTES // len(BODY_OF_A_MEBIBYTE) - 1), BODY_OF_A_MEBIBYTE)
    network.paris.tell_room(LYON)
    await turns()
    network.lyon.stop()
    await network.closure()
    network.paris.tell_room(LYON)
    await turns()
    assert network.rooms == []
