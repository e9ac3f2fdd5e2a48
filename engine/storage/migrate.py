"""Brings the file of an instance to the version this program knows, one transaction for each step."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from engine.storage.errors import StoreFailed
from engine.storage.schema import APPLICATION_ID, VERSIONS


def migrate(connection: apsw.Connection, versions: Sequence[str] = VERSIONS) -> None:
    """Apply what is missing; harmless when nothing is.

    Raises `StoreFailed` for a file that another program or a later version of this one has written.
    """
    found = int(connection.pragma("user_version"))
    owner = int(connection.pragma("application_id"))
    is_empty = connection.execute("SELECT count(*) FROM sqlite_schema").get == 0
    if owner != APPLICATION_ID and not is_empty:
        raise StoreFailed("the file is not the store of an instance")
    if found > len(versions):
        raise StoreFailed(f"the file has version {found}, this program knows {len(versions)}: install a newer one")
    for version in range(found, len(versions)):
        with connection:
            connection.execute(versions[version])
            connection.pragma("application_id", APPLICATION_ID)
            connection.pragma("user_version", version + 1)
