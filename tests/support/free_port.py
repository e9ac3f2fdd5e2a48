"""A port that stays free for a server that is stopped and started again."""

import os
import socket
from collections.abc import Iterator
from itertools import cycle
from random import SystemRandom

PORTS = range(10_000, 32_000)
"""Below those that Linux and macOS give to outgoing connections: none of these takes one of them away."""
SHARE = 1_000
"""Ports of one process: processes that test side by side take them from different thousands."""


def _own_ports() -> Iterator[int]:
    """The ports of this process, each once before any comes again: a server that is stopped may want its own back."""
    process = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    share = PORTS[process * SHARE % len(PORTS) :][:SHARE]
    # Two runs of tests on one machine begin at different ones.
    begin = SystemRandom().randrange(SHARE)
    return cycle([*share[begin:], *share[:begin]])


_ports = _own_ports()


def free_port() -> int:
    """A port of the loopback on which nobody listens, and that was given to no other server of this run."""
    for _ in range(SHARE):
        port = next(_ports)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError(f"none of {SHARE} ports is free")
