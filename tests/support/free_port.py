"""A port that stays free for a server that is stopped and started again."""

import socket
from random import SystemRandom

PORTS = range(10_000, 32_000)
"""Below those that Linux and macOS give to whoever calls somebody: an outgoing connection takes none of them away."""
TRIES = 100


def free_port() -> int:
    """A port of the loopback on which nobody listens."""
    for _ in range(TRIES):
        port = SystemRandom().choice(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError(f"of {TRIES} ports none was free")
