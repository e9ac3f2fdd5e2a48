"""`NO_ENTRIES`: an ordered dictionary that nothing can be put into, to stand for those that are not there yet.

It has a room that is never compiled: machine code of mypyc cannot derive from a dictionary (ADR 15).
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final


class _NoEntries(OrderedDict[int, None]):
    def __setitem__(self, key: int, value: None) -> None:
        raise AssertionError(f"{key} belongs into a dictionary of its own")


NO_ENTRIES: Final[OrderedDict[int, None]] = _NoEntries()
"""Empty whatever happens; reading, clearing and taking out are harmless."""
