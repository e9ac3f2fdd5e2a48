"""One command of a person to one thing that runs, and its row of the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from brokerweb.accounts.models import User
from brokerweb.common.sayings import Saying
from brokerweb.topology.deeds import Deed, Value
from brokerweb.topology.services.deeds import deeds_note
from engine import api as engine

R = TypeVar("R")
ENGINE_UNAVAILABLE = "engine-unavailable"
"""What the log has of a command that nobody has answered."""


def noted(
    estate: str,
    asked: Deed,
    ask: Callable[[], R],
    change: Callable[[R], tuple[Value, Value]],
    *,
    user: User | None,
    summary: Saying,
) -> R:
    """Do it and note it: what the field of the deed was and is, as `change` reads it off the reply.

    Where no answer comes nobody knows whether it was done, and the row says so. What is refused is not noted. Raises
    what `ask` raises.
    """
    try:
        reply = ask()
    except engine.EngineUnavailable:
        unknown = msgspec.structs.replace(asked, field="problem", before=None, after=ENGINE_UNAVAILABLE)
        deeds_note(estate, [unknown], user=user, summary=summary)
        raise
    before, after = change(reply)
    deeds_note(estate, [msgspec.structs.replace(asked, before=before, after=after)], user=user, summary=summary)
    return reply
