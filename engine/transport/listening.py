"""`start_listening` and `stop_listening`: both ends of a listening socket that may be stopped at any moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def start_listening(
    receive: Callable[[], asyncio.BaseProtocol], host: str, is_wanted: Callable[[], bool]
) -> asyncio.Server | None:
    """Listen on a port that the system chooses; None when the owner was stopped meanwhile. `OSError`.

    Both steps give the loop to others, and the owner cannot stop a server that it does not have yet. Therefore
    `is_wanted` is asked after each step.
    """
    server = await asyncio.get_running_loop().create_server(receive, host, 0, start_serving=False)
    if is_wanted():
        await server.start_serving()
    if is_wanted():
        return server
    stop_listening(server)
    return None


def port_of(server: asyncio.Server) -> int:
    """The port that the system has chosen for a server that listens."""
    return int(server.sockets[0].getsockname()[1])


def stop_listening(server: asyncio.Server) -> None:
    """Accept no connection any more, and close the socket as soon as the last ones accepted have their transports.

    Closed at once, asyncio's server neither serves nor closes a connection that it has accepted in this very turn of
    the loop: its caller would wait for an answer until its own patience ends. Connections that still come are the
    owner's to turn away. Called on the loop of the server.
    """
    loop = server.get_loop()
    for listening in server.sockets:
        loop.remove_reader(listening.fileno())
    # Behind the first steps of all connections that were accepted before.
    loop.call_soon(server.close)
