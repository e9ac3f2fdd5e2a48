"""DDL that somebody types into a T-SQL console: a revision of the estate, and the wait until the instance has it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from brokerweb.accounts.models import User
from brokerweb.topology.models import Instance
from brokerweb.topology.selectors.places import InstancePlace
from brokerweb.topology.services.publish import publish_over, publish_soon
from brokerweb.topology.services.revision import Proposal, change_decide
from brokerweb.topology.summaries import saying
from engine import api as engine

APPLIED_SECONDS: Final = 30.0
"""How long an instance may take; where the engine is in another process, it looks for changes every few seconds."""
LOOK_SECONDS: Final = 0.05


def definitions_type(
    place: InstancePlace,
    changes: Sequence[engine.CatalogChange],
    *,
    user: User | None,
    is_given_up: Callable[[], bool] = lambda: False,
    session: engine.EngineSession | None = None,
) -> int:
    """Decide on changes and wait until the instance has them, or nobody wants to wait; answers the revision.

    `session` is a connection to the instance, which then takes them from this process at once.

    Raises the engine's `BrokerError` for changes that it refuses, `EngineUnavailable` where the instance does not get
    them in time: they are wanted all the same, and reach it when it can be reached.
    """
    proposal = Proposal(changes, saying("type", instance=place.instance))
    revision = change_decide(place, lambda _catalog: proposal, user=user, expected_revision=None)
    if session is None:
        publish_soon()
    else:
        publish_over(session, place)
    rows = Instance.objects.filter(estate__name=place.estate, name=place.instance)
    until = time.monotonic() + APPLIED_SECONDS
    while True:
        applied, error = rows.values_list("applied_revision", "apply_error").get()
        if applied >= revision:
            return revision
        if error or is_given_up() or time.monotonic() > until:
            raise engine.EngineUnavailable(error or f"Instance {place.instance} does not have revision {revision} yet.")
        time.sleep(LOOK_SECONDS)
