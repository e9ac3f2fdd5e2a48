"""Whether the PostgreSQL server allows as many connections as the processes of an installation may open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.conf import settings
from django.core import checks
from django.db import connection

from brokerweb.topology.models import Instance

TOO_FEW: Final = 17809
"""Number of the vendor: the maximum number of user connections has been reached."""
POOLS: Final = 2
"""Processes that use their connections all at once: a web process, a worker."""
FEW: Final = 6
"""For leases two and for the list of stores one, for beat and a command one each, and one to spare."""
_ALLOWED: Final = """
SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
"""


def connections_needed() -> int:
    """Connections that a web process and a worker with all instances of today may open to the same server."""
    stores = 0 if settings.ENVIRONMENT.engine_store_url is None else Instance.objects.count()
    return POOLS * settings.ENVIRONMENT.database_connections + stores + FEW


def connection_shortage() -> str | None:
    """One sentence about a server that allows too few connections; None where it allows enough, or is none."""
    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        cursor.execute(_ALLOWED)
        [allowed] = cursor.fetchone()
    needed = connections_needed()
    if allowed >= needed:
        return None
    return (
        f"{TOO_FEW}: PostgreSQL allows {allowed} connections, and a web process and a worker may need {needed}. Raise "
        "max_connections of the server, or lower DATABASE_CONNECTIONS (docs/operations/configuration.md, Connections "
        "to PostgreSQL)."
    )


@checks.register(checks.Tags.database)
def check_connections(databases: Sequence[str] | None = None, **_options: Any) -> list[checks.CheckMessage]:
    """`manage.py check --database default` and `manage.py migrate` say it."""
    shortage = connection_shortage() if databases and connection.alias in databases else None
    return [] if shortage is None else [checks.Warning(shortage, id=f"brokerweb.W{TOO_FEW}")]
