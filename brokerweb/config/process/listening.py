"""The port of the dashboard: the one that was asked for, or the next free one."""

from __future__ import annotations

import errno
import socket

PORTS_TRIED = 100
PORT_MAX = 65_535


PORT_TAKEN, NO_ADDRESS = 26023, 26024


class NoPort(Exception):
    """No address to listen on; the number and the text say why."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(text)
        self.number = number


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that already listens on `host`, at `port` or the next port that is free; 0 is any free port.

    It is handed to the server as it is: nobody can take the port between the choice and the use.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in range(port, min(port + PORTS_TRIED, PORT_MAX + 1)):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
            listener.listen(128)
        except OSError as error:
            listener.close()
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                continue
            raise _no_address(host, error.strerror or str(error)) from error
        except UnicodeError as error:
            listener.close()
            raise _no_address(host, "it is no host name") from error
        else:
            return listener
    raise NoPort(
        PORT_TAKEN, f"None of the {PORTS_TRIED} ports from {port} on is free on {host}. Name another with --port."
    )


def _no_address(host: str, reason: str) -> NoPort:
    return NoPort(
        NO_ADDRESS,
        f"{host} is no address to listen on: {reason}. "
        "Name one of this machine with --host, or leave it out for 127.0.0.1.",
    )
