"""A listener may be stopped at any moment: a caller is turned away, not left waiting, and nothing goes on listening."""

import asyncio
import socket

import pytest

from engine.transport.listening import start_listening, stop_listening
from tests.engine.transport.network_pair import Network
from tests.support.waiting import SECONDS_MAX

TURNS = range(5)
"""Of the loop, between the connecting and the stop: one of them lies between the accepting and the first step."""
STARTING_TURNS = range(1, 6)
"""Of the loop, between the first step of a start and the stop: some lie before the socket exists, some behind."""


async def is_turned_away(caller: socket.socket) -> bool:
    """Whether the connection ends by itself, with or without words."""
    caller.setblocking(False)
    try:
        async with asyncio.timeout(SECONDS_MAX):
            while await asyncio.get_running_loop().sock_recv(caller, 4096):
                pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize("turns", TURNS)
async def test_a_neighbour_that_comes_in_the_turn_of_the_stop_is_turned_away(network: Network, turns: int):
    port = await network.lyon.start()
    with socket.create_connection(("127.0.0.1", port)) as caller:
        for _ in range(turns):
            await asyncio.sleep(0)
        network.lyon.stop()
        assert await is_turned_away(caller)
    assert network.lyon.accepted == 0


@pytest.mark.parametrize("turns", TURNS)
async def test_everybody_accepted_meets_the_protocol_and_the_port_is_free_then(turns: int):
    met: list[asyncio.BaseTransport] = []

    class Meeting(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            met.append(transport)
            transport.close()

    server = await asyncio.get_running_loop().create_server(Meeting, "127.0.0.1", 0)
    address = server.sockets[0].getsockname()
    with socket.create_connection(address) as caller:
        for _ in range(turns):
            await asyncio.sleep(0)
        stop_listening(server)
        assert await is_turned_away(caller)
    assert not server.is_serving()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)


@pytest.mark.parametrize("turns", STARTING_TURNS)
async def test_an_endpoint_that_is_stopped_while_it_starts_does_not_listen(network: Network, turns: int):
    starting = asyncio.create_task(network.lyon.start())
    for _ in range(turns):
        await asyncio.sleep(0)
    was_ready = starting.done()
    network.lyon.stop()
    port = await starting
    assert (port is not None) == was_ready
    assert await network.lyon.start() is not None


@pytest.mark.parametrize("turns", STARTING_TURNS)
async def test_what_is_not_wanted_any_more_leaves_no_open_port(turns: int):
    places: list[tuple[str, int]] = []
    create_server, wanted = asyncio.get_running_loop().create_server, True

    async def keep(*arguments: object, **options: object) -> asyncio.Server:
        server = await create_server(*arguments, **options)
        places.extend(listening.getsockname() for listening in server.sockets)
        return server

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.get_running_loop(), "create_server", keep)
        starting = asyncio.create_task(start_listening(asyncio.Protocol, "127.0.0.1", lambda: wanted))
        for _ in range(turns):
            await asyncio.sleep(0)
        was_ready, wanted = starting.done(), False
        server = await starting
    assert (server is not None) == was_ready
    if server is not None:
        stop_listening(server)
    # The socket is closed in the turn behind the one that stopped it.
    await asyncio.sleep(0)
    [place] = places
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(place)
