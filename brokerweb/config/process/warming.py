"""What a server process does beside its first requests, so that nobody waits for it: code and catalogs are read.

The first answer of a cold process took a second: the modules behind the addresses, the words of proofs and the catalogs
of the estate were read for it. Estates with an open change set get the verdicts of all flows as well, which its pages
ask for.
"""

from __future__ import annotations

import logging
from threading import Thread
from typing import Final

from django.conf import settings
from django.db import DatabaseError
from django.urls import get_resolver
from django.utils import timezone

from brokerweb.common.database import borrowed_connections
from brokerweb.topology.models import ChangeSet, ChangeSetState, Estate
from brokerweb.topology.selectors.draft_flows import STATES_KEPT, flows_prepare
from brokerweb.topology.selectors.live_catalogs import live_catalogs
from engine import api as engine

logger = logging.getLogger(__name__)

ESTATES_READ: Final = 4
"""As many as `live_catalogs` keeps."""


def warm_up() -> None:
    """Begin it, in a thread of its own; nobody waits for it. Nothing happens where the settings say so."""
    if settings.WARMS_UP:
        Thread(target=_warmed, name="warm-up", daemon=True).start()


def _warmed() -> None:
    with borrowed_connections():
        try:
            read_what_is_asked_first()
        except DatabaseError:
            # Not migrated yet, or out of reach: requests will say so, and read what they need themselves.
            logger.info("What is asked first could not be read before it was asked for.", exc_info=True)
    # What was read stays: full collections of garbage, which stop every answer, leave it out from here on.
    engine.garbage.long_lived_begin()


def read_what_is_asked_first() -> None:
    """Modules, words, catalogs, and the verdicts that open change sets are compared with."""
    len(get_resolver().url_patterns)
    now = engine.UtcTime(timezone.now().timestamp())
    for estate in Estate.objects.order_by("-pk")[:ESTATES_READ]:
        catalogs = live_catalogs(estate)
        first = next(iter(engine.what_if.possible_flows(catalogs)), None)
        if first is not None:
            engine.what_if.ask(catalogs, first, at=now)
    drafted = ChangeSet.objects.filter(state=ChangeSetState.OPEN).values("estate")
    for estate in Estate.objects.filter(pk__in=drafted).order_by("-pk")[:STATES_KEPT]:
        flows_prepare(estate)
