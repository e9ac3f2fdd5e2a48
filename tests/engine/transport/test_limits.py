"""Who tries to make a listener keep more than it may: each bound is passed by hand, over real sockets.

LYON listens. PARIS is a neighbour that keeps to the rules; strangers do not.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable
from uuid import uuid4

import pytest

from engine.core.link.codec import CHECKSUM, HEADER, LAYOUT_VERSION, MAGIC, FrameReader
from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.frames import Frame, Goodbye, Refuse
from engine.core.link.handshake import OPEN_TERMS, LinkIdentity, LoginAudit
from engine.core.link.negotiation import OPEN_POLICY
from engine.core.link.states import LinkRole
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.core.vocabulary.limits import (
    ACCEPTED_LINKS_MAX,
    FRAME_BYTES_MAX,
    HANDSHAKE_FRAME_BYTES_MAX,
    LINK_BUFFER_BYTES_MAX,
    LINK_LINGER_SECONDS,
    LINK_UNACKNOWLEDGED_SECONDS,
    LINK_UNSENT_BYTES_FULL,
    LOGINS_PENDING_MAX,
)
from engine.core.vocabulary.messages import LinkState, TcpAddress
from engine.core.vocabulary.moment import Duration
from engine.core.vocabulary.settings import LinkSettings
from engine.transport import endpoint
from tests.support.hand_clock import HandTime, LoopClock, until
from tests.support.proving_instances import ProvingInstance
from tests.support.thoroughness import share

BODY_OF_A_MEBIBYTE = bytes(1024 * 1024)
HELLO_KIND, FRAGMENTS_KIND = 1, 4


def header(kind: int, length: int) -> bytes:
    """How a frame begins that is to become so long."""
    return HEADER.pack(MAGIC, LAYOUT_VERSION, kind, length) + CHECKSUM.pack(0)


class Stranger:
    """A socket, and what was said to it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def last_words(self) -> list[Frame]:
        """Everything that it is told in clear until the connection is closed."""
        frames = FrameReader()
        heard: list[Frame] = []
        while data := await asyncio.wait_for(self.reader.read(65536), LINK_LINGER_SECONDS * 2):
            heard += frames.feed(data)
        return heard

    async def log_in(self, name: str) -> None:
        """As an instance without any certificate."""
        clock = LoopClock()
        identity = LinkIdentity(estate=EstateName("demo"), instance=InstanceName(name), arbitration_id=uuid4())
        connection = AdjacentBrokerConnection(
            LinkRole.DIALLING, identity, LinkSettings(), clock.now(), terms=OPEN_TERMS
        )
        connection.opened(clock.now())
        while connection.state is LinkState.CONNECTED:
            self.writer.write(connection.data_to_send())
            connection.receive_data(await self.reader.read(65536), clock.now())
        assert connection.state is LinkState.LOGGED_IN


class Network:
    def __init__(self) -> None:
        self.places: dict[TcpAddress, tuple[str, int]] = {}
        self.paris, self.lyon = self.instance("PARIS"), self.instance("LYON")
        self._strangers: list[Stranger] = []

    def instance(self, name: str, **settings: float) -> ProvingInstance:
        return ProvingInstance(
            name, self.places, LinkSettings(**{each: Duration(value) for each, value in settings.items()})
        )

    async def begin(self) -> None:
        self.paris.trusts(self.lyon)
        self.lyon.trusts(self.paris)
        await self.lyon.listen()

    async def stranger(self) -> Stranger:
        stranger = Stranger(*await asyncio.open_connection(*self.places[self.lyon.address]))
        self._strangers.append(stranger)
        return stranger

    async def connect_paris(self) -> None:
        self.paris.dialer.dial(self.lyon.address)
        await until(self.paris.is_connected, "PARIS is logged in")

    def close(self) -> None:
        self.paris.close()
        self.lyon.close()
        for stranger in self._strangers:
            stranger.writer.transport.abort()


@pytest.fixture
async def network() -> AsyncIterator[Network]:
    network = Network()
    yield network
    network.close()


async def test_17809_of_those_who_say_nothing_the_oldest_go_and_a_neighbour_gets_in(network: Network):
    await network.begin()
    strangers = [await network.stranger() for _ in range(LOGINS_PENDING_MAX)]
    await until(lambda: network.lyon.endpoint.accepted == LOGINS_PENDING_MAX, "all are there")
    await network.connect_paris()
    more = [await network.stranger() for _ in range(9)]
    # One went for PARIS, which has logged in, and one for each of those that came later but the first.
    for stranger in strangers[:9]:
        [word] = await stranger.last_words()
        assert isinstance(word, Refuse)
        assert (word.number, str(LOGINS_PENDING_MAX) in word.text) == (17809, True)
    assert network.lyon.endpoint.accepted == LOGINS_PENDING_MAX + 1
    network.paris.send(network.lyon, range(3))
    await until(lambda: network.lyon.sequences() == [0, 1, 2], "messages of PARIS")
    told = {(login.number, login.subclass) for login in network.lyon.logins}
    assert told == {(None, LoginAudit.LOGIN_SUCCESS), (17809, LoginAudit.PROTOCOL_ERROR)}
    assert not any(stranger.reader.at_eof() for stranger in (*strangers[9:], *more))


@pytest.mark.parametrize("links_max", share([ACCEPTED_LINKS_MAX // 16, ACCEPTED_LINKS_MAX], 1))
async def test_17809_one_more_neighbour_than_may_be_connected_is_told_so_and_gets_in_when_one_has_gone(
    network: Network, links_max: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(endpoint, "ACCEPTED_LINKS_MAX", links_max)
    network.paris.policy = network.lyon.policy = OPEN_POLICY
    await network.begin()
    for number in range(links_max):
        await (await network.stranger()).log_in(f"neighbour {number}")
    assert network.lyon.endpoint.accepted == links_max
    network.paris.dialer.dial(network.lyon.address)
    await until(network.paris.is_closed, "PARIS has an answer")
    assert (network.paris.changes[-1].error, "17809: " in network.paris.changes[-1].detail) == (9755, True)
    assert network.lyon.endpoint.accepted == links_max
    network._strangers[0].writer.transport.abort()
    await until(lambda: network.lyon.endpoint.accepted < links_max, "one has gone")
    network.paris.dialer.hang_up(network.lyon.address)
    await network.connect_paris()


@pytest.mark.parametrize("drips", [False, True], ids=["silent", "a byte now and then"])
async def test_28031_a_login_that_takes_too_long_is_told_so_however_it_takes_its_time(network: Network, drips: bool):
    await network.begin()
    time = HandTime()
    stranger = await network.stranger()
    await until(lambda: network.lyon.endpoint.accepted == 1, "the stranger is there")
    for byte in header(HELLO_KIND, 60_000)[: int(LinkSettings().handshake_seconds)]:
        assert network.lyon.logins == []
        if drips:
            stranger.writer.write(bytes([byte]))
        await time.advance(1)
    [word] = await stranger.last_words()
    assert isinstance(word, Refuse)
    assert word.number == 28031
    [login] = network.lyon.logins
    assert (login.number, login.subclass) == (28031, LoginAudit.PROTOCOL_ERROR)


async def test_28040_a_stranger_that_announces_a_large_frame_is_refused_before_it_comes(network: Network):
    await network.begin()
    fits, too_long = await network.stranger(), await network.stranger()
    fits.writer.write(header(HELLO_KIND, HANDSHAKE_FRAME_BYTES_MAX))
    too_long.writer.write(header(HELLO_KIND, HANDSHAKE_FRAME_BYTES_MAX + 1))
    [word] = await too_long.last_words()
    assert isinstance(word, Goodbye)
    assert word.number == 28040
    assert [link.connection.state for link in network.lyon.switchboard.links()] == [LinkState.CONNECTED]


@pytest.mark.parametrize(("length", "is_refused"), [(FRAME_BYTES_MAX, False), (FRAME_BYTES_MAX + 1, True)])
async def test_28040_a_neighbour_that_announces_too_large_a_frame_is_refused_before_it_comes(
    network: Network, length: int, is_refused: bool
):
    await network.begin()
    await network.connect_paris()
    [paris] = network.paris.switchboard.links()
    paris.connection._wire._output.append(header(FRAGMENTS_KIND, length))
    paris._settle()
    if is_refused:
        await until(network.paris.is_closed, "PARIS is told")
        assert "28040" in network.paris.changes[-1].detail
    [*lyon] = network.lyon.switchboard.links()
    assert len(lyon) == (0 if is_refused else 1)


async def stuck(network: Network) -> Callable[[], int]:
    """PARIS has sent more than LYON, which does not read, will ever take; answers what PARIS keeps, in bytes."""
    await network.begin()
    await network.connect_paris()
    [lyon] = network.lyon.switchboard.links()
    [paris] = network.paris.switchboard.links()
    lyon.hold_receiving(is_held=True)
    transport = paris._transport
    assert transport is not None
    for sequence in range(3 * LINK_BUFFER_BYTES_MAX // len(BODY_OF_A_MEBIBYTE)):
        network.paris.send(network.lyon, [sequence], BODY_OF_A_MEBIBYTE)
        await asyncio.sleep(0)
    return lambda: transport.get_write_buffer_size() + paris.connection.sending.bytes


async def test_what_a_neighbour_does_not_read_is_kept_up_to_a_bound_under_tls_too(network: Network):
    kept = await stuck(network)
    largest = LINK_BUFFER_BYTES_MAX + LINK_UNSENT_BYTES_FULL + 3 * len(BODY_OF_A_MEBIBYTE)
    assert LINK_BUFFER_BYTES_MAX < kept() < largest
    assert network.paris.returned != []
    [lyon] = network.lyon.switchboard.links()
    lyon.hold_receiving(is_held=False)
    await until(lambda: kept() == 0, "LYON has read on")
    refused = [each.message.sequence for returned in network.paris.returned for each in returned.messages]
    await until(lambda: len(network.lyon.heard) + len(refused) == 48, "nothing else is missing")
    assert sorted([*network.lyon.sequences(), *refused]) == list(range(48))
    assert network.lyon.sequences() == sorted(network.lyon.sequences())


async def test_9759_a_neighbour_that_never_reads_is_given_up_and_its_bytes_with_it(network: Network):
    """Closing waits for the last bytes to leave, and these never do."""
    time = HandTime()
    kept = await stuck(network)
    await time.advance(LinkSettings().idle_seconds - 1)
    assert not network.paris.is_closed()
    await time.advance(1)
    await until(network.paris.is_closed, "PARIS gives it up")
    assert network.paris.changes[-1].error == 9759
    assert kept() > 0
    await time.advance(LINK_LINGER_SECONDS)
    await until(lambda: kept() == 0, "nothing is kept for it")


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="this system cannot be told")
async def test_both_ends_notice_a_machine_that_is_gone_without_a_word(network: Network):
    await network.begin()
    await network.connect_paris()
    for instance in (network.paris, network.lyon):
        [link] = instance.switchboard.links()
        assert link._transport is not None
        connected = link._transport.get_extra_info("socket")
        assert connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == LINK_UNACKNOWLEDGED_SECONDS * 1000


async def test_a_connection_whose_write_has_failed_gives_back_what_it_has_not_written(network: Network):
    await network.begin()
    await network.connect_paris()
    [paris] = network.paris.switchboard.links()
    assert paris._transport is not None
    with socket.socket(fileno=os.dup(paris._transport.get_extra_info("socket").fileno())) as same:
        same.shutdown(socket.SHUT_WR)
    network.paris.send(network.lyon, range(10), BODY_OF_A_MEBIBYTE)
    await until(network.paris.is_closed, "the write has failed")
    given_back = [each.message.sequence for returned in network.paris.returned for each in returned.messages]
    assert given_back == list(range(1, 10))
    assert network.lyon.heard == []
