"""File descriptors of the process: as many as the system allows, and how many of them clients may take."""

from __future__ import annotations

import resource
from contextlib import suppress
from typing import Final

HTTP_CONNECTIONS_MAX: Final = 2000
HTTP_SHARE: Final = 3 / 8
"""Of all descriptors. The rest is for stores, links, sessions, and the databases of requests that are answered."""
REQUESTS_MAX: Final = 200
"""Requests that are answered at once; further ones wait in line. Each has a thread and a database connection."""
REQUEST_DESCRIPTORS: Final = 3
"""That a connection to SQLite takes: the database, its log, its index."""
REQUESTS_SHARE: Final = 1 / 4


def raise_descriptor_limit() -> None:
    """Lift the soft limit of this process and its children to the hard one."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # macOS refuses what it calls the limit.
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def descriptor_limit() -> int:
    """How many this process may have open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft != resource.RLIM_INFINITY else 1 << 20


def http_connections_max() -> int:
    """Connections of browsers and scripts, websockets included."""
    return min(HTTP_CONNECTIONS_MAX, int(descriptor_limit() * HTTP_SHARE))


def requests_max() -> int:
    """Requests that are answered at once."""
    return min(REQUESTS_MAX, int(descriptor_limit() * REQUESTS_SHARE / REQUEST_DESCRIPTORS))
