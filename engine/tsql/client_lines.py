"""Lines that belong to the client, not to the server: :CONNECT, :r, :on error and their kin (sqlcmd)."""

from __future__ import annotations

import re
from typing import Final

_CONNECT: Final = re.compile(r':CONNECT\s++(?:"(?P<quoted>[^"]++)"|(?P<bare>\S++)).*+', re.IGNORECASE)
_SERVER: Final = re.compile(r"(?:(?:tcp|np|lpc|admin):)?(?P<name>[^,]++)(?:,\s*+\d++)?", re.IGNORECASE)
_FILE: Final = re.compile(r":r\s++(?P<name>.++)", re.IGNORECASE)


def connected_to(line: str) -> str | None:
    """What :CONNECT names, as it stands there; None for every other line."""
    found = _CONNECT.fullmatch(line)
    return None if found is None else found["quoted"] or found["bare"]


def server_in(target: str) -> str | None:
    """The name of a server without protocol and port; None where there is none."""
    found = _SERVER.fullmatch(target)
    return None if found is None else found["name"]


def included_by(line: str) -> str | None:
    """The file that :r has put in; None for every other line."""
    found = _FILE.fullmatch(line)
    return None if found is None else found["name"].strip('" ')
