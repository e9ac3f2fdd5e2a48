"""The verdicts of all flows, found while somebody is still at work on the draft that will be compared with them."""

from __future__ import annotations

from threading import Lock, Thread

from django.conf import settings
from django.db import DatabaseError

from brokerweb.common.database import borrowed_connections
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.draft_flows import flows_prepare

_preparing = Lock()


def flows_prepare_soon(estate: Estate) -> None:
    """Begin it in a thread, unless one is at it; whoever asks meanwhile waits for the rest of it."""
    if settings.WARMS_UP and _preparing.acquire(blocking=False):
        Thread(target=_prepared, args=(estate.pk,), name="flows-prepare", daemon=True).start()


def _prepared(key: int) -> None:
    try:
        with borrowed_connections():
            estate = Estate.objects.filter(pk=key).first()
            if estate is not None:
                flows_prepare(estate)
    except DatabaseError:
        # Whoever asks for the flows will ask the database too, and say what is wrong.
        return
    finally:
        _preparing.release()
