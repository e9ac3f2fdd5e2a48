"""Whoever connects while a listener stops is turned away, not left waiting."""

import asyncio
import socket

import pytest

from engine.transport.listening import stop_listening
from tests.engine.transport.network_pair import Network
from tests.support.waiting import SECONDS_MAX

TURNS = range(5)
"""Of the loop, between the connecting and the stop: one of them lies between the accepting and the first step."""


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
