"""What goes wrong around an instance rather than in it."""

from __future__ import annotations

import re
from typing import Final

from engine.storage.errors import StoreFenced

_NUMBER: Final = re.compile(r": (\d{3,5}): ")


class EngineUnavailable(Exception):
    """An instance could not be asked: nobody hosts it, it has failed, or the way to it is broken.

    The text is a sentence for a person. A command may have been carried out nevertheless; sending it again with the
    same `command_id` is safe and tells.
    """

    @property
    def number(self) -> int | None:
        """Of the reason, where the text names one: what travels between processes is the text."""
        found = _NUMBER.search(str(self))
        return None if found is None else int(found[1])


class ServiceKeyUnusable(EngineUnavailable):
    """The service key cannot be had: a setting or a file that holds none."""


class SandboxRestoring(EngineUnavailable):
    """A sandbox is being made anew from its log, and takes longer than one who asks may wait; ask again.

    Each time somebody asks it comes further, by as much as one may take.
    """

    def __init__(self, sandbox: str, percent: int) -> None:
        super().__init__(f"Sandbox {sandbox} is being restored from its log: {percent} per cent.")
        self.percent = percent


class SandboxClosed(Exception):
    """The log of a sandbox takes no more: whoever keeps it says that it is over. It can be looked at."""

    def __init__(self, sandbox: str) -> None:
        super().__init__(f"Nothing is done in sandbox {sandbox} any more.")


class ReaderNotExpected(EngineUnavailable):
    """An instance hears no more from a reader: it has ended, another task runs it, or the instance was loaded anew."""


def reason_of(error: Exception) -> str:
    """Why an instance cannot be opened, as a sentence without its end."""
    if isinstance(error, StoreFenced):
        return (
            f"{error}. The book of leases is older than the stores: restore the dashboard's database and the stores "
            "from the same moment"
        )
    return str(error) or type(error).__name__
