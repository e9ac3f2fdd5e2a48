"""Why a backup is not taken or not put back: the vendor's number for such a case, and a sentence."""

from __future__ import annotations

from typing import Final

from brokerweb.config.env import UNUSABLE_VALUE, Environment

IN_USE: Final = 3101
DEVICE_UNUSABLE: Final = 3201
WRITE_FAILED: Final = 3202
NO_BACKUP: Final = 3242
DAMAGED: Final = 3189
OTHER_DEPLOYMENT: Final = 3154
NEWER: Final = 3169
NOT_COMPLETED: Final = 3041
IN_RESTORE: Final = 927


class BackupRefused(Exception):
    """Nothing was taken, or nothing was changed."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(text)
        self.number = number


def refuse_servers(environment: Environment) -> None:
    """What is in a database server is not in the data folder: it has backups of its own."""
    named = [
        name
        for name, value in (
            ("DATABASE_URL", environment.database_url),
            ("ENGINE_STORE_URL", environment.engine_store_url),
        )
        if value is not None
    ]
    if named:
        raise BackupRefused(
            UNUSABLE_VALUE,
            f"{' and '.join(named)} keep data outside of the data folder, and a backup of a part alone would be of no "
            "one moment. Stop all processes, then use pg_dump for the databases and copy the data folder; put both back "
            "together.",
        )
