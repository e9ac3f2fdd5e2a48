"""`stop_listening`: the end of a listening socket, without anybody left in between."""

from __future__ import annotations

import asyncio


def stop_listening(server: asyncio.Server) -> None:
    """Accept nobody any more, and close the socket as soon as those who were just accepted have their transports.

    Closed at once, asyncio's server neither serves nor closes a connection that it has accepted in this very turn of
    the loop: whoever has opened it would wait for an answer until its own patience ends. Those who still come are the
    caller's to turn away. Called on the loop of the server.
    """
    loop = server.get_loop()
    for listening in server.sockets:
        loop.remove_reader(listening.fileno())
    # Behind the first steps of all connections that were accepted before.
    loop.call_soon(server.close)
