"""The largest JSON body of each operation. The server bounds a body by its address before it reads it."""

from __future__ import annotations

import re
from typing import Final

from django.conf import settings

BODY_BYTES: Final = 256 * 1024
"""Body of an operation that takes names, numbers and switches."""
VALUES_MAX: Final = 250_000
"""Values of one body, those in lists and objects included: each takes up to some hundred bytes once it is read."""
LARGE: Final = re.compile(
    r"/api/v1/(?:"
    r"imports"
    r"|training/sessions/[^/?]+/run"
    r"|estates/[^/?]+/(?:"
    r"changes"
    r"|objects/[^/?]+(?:/edits)?"
    r"|positions"
    r"|change-sets/[^/?]+/flows/intended"
    r"|assertions/file"
    r"|instances/[^/?]+/databases/[^/?]+/conversations/[^/?]+/messages"
    r"))(?:\?.*)?"
)
"""Addresses that take scripts, messages, or many objects at once. A test compares them with the API."""


def json_bytes_max(address: str) -> int:
    """The largest JSON body that `address` takes, in bytes; the address may have a query."""
    return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE) if LARGE.fullmatch(address) else BODY_BYTES
