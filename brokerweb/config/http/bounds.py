"""How much a client may send, and how long it may take, before and after it is known who it is."""

from __future__ import annotations

import re
from typing import Final

from django.conf import settings

from brokerweb.common.api.body_bounds import json_bytes_max

STRANGER_BODY_BYTES_MAX: Final = 64 * 1024
"""Body of a request without a session or token: room for every form that a stranger fills in."""
MULTIPART_BYTES_MAX: Final = 64 * 1024
"""What a form adds to the file in it."""
BODIES_BYTES_MIN: Final = 128 * 1024 * 1024
"""Bodies that are held in memory at once, of all requests together."""
UPLOAD: Final = re.compile(rb"/api/v1/estates/[^/?]+/lake/traces(?:/removal)?(?:\?.*)?")
"""Addresses of operations that take a file. A test compares them with the API."""

HEADER_SECONDS_MAX: Final = 20.0
"""From the first byte of a request, or the connection, to the end of its headers."""
BODY_SECONDS_MAX: Final = 30.0
"""For a body, and a second more for each `BODY_BYTES_A_SECOND_MIN` of it that have arrived."""
BODY_BYTES_A_SECOND_MIN: Final = 4096
CLOSE_SECONDS_MAX: Final = 10.0
"""For a client's answer when its websocket is closed. A connection that is cut sooner takes the reason with it, and the
page of a slow browser would try again for ever (code 1006)."""
MESSAGE_BYTES_MAX: Final = 4_500_000
"""Of a person's websocket: a script for the console of 1,100,000 characters, in UTF-8. A stranger has
`STRANGER_BODY_BYTES_MAX`."""
STRANGER_FRAMES_A_SECOND_MAX: Final = 20
FRAMES_A_SECOND_MAX: Final = 500
"""Frames of a websocket, control frames among them, on the average, and one more for each that it is sent."""
BURST_SECONDS: Final = 4.0
"""Frames of so many seconds may come at once."""
FRAGMENTS_MAX: Final = 64
"""Frames of one message, behind the first."""
UNREAD_BYTES_MAX: Final = 16_000_000
"""What is still sent to a client that does not read its websocket."""
UNREAD_BYTES_ALL_MAX: Final = 256 * 1024 * 1024
"""What is kept for all clients that do not read, of a whole server."""
READ_SECONDS_MAX: Final = 30.0
"""For an answer to be read, and a second more for each `READ_BYTES_A_SECOND_MIN` of it."""
READ_BYTES_A_SECOND_MIN: Final = 16 * 1024
MESSAGES_WAITING_MAX: Final = 8
"""Messages of one websocket that wait to be taken; then no more is read of it."""
READ_AGAIN_SECONDS: Final = 0.02
"""How often it is looked whether they were taken."""
LINGER_SECONDS_MAX: Final = 2.0
"""How long a client that was refused may go on sending: a connection that is cut at once takes the answer with it."""
LINGER_BYTES_MAX: Final = 4 * 1024 * 1024


def body_bytes_max(address: bytes) -> int:
    """The largest body that somebody with a session or token may send to `address`, which may have a query."""
    if UPLOAD.fullmatch(address):
        return int(settings.ENVIRONMENT.trace_bytes) + MULTIPART_BYTES_MAX
    return json_bytes_max(address.decode("latin1"))


def bodies_bytes_max() -> int:
    """What all bodies together may hold: room for the largest one twice."""
    return max(BODIES_BYTES_MIN, 2 * (int(settings.ENVIRONMENT.trace_bytes) + MULTIPART_BYTES_MAX))
