"""Reasons why a backup is not taken or not restored: a number of the vendor's for such a case, and a sentence."""

from __future__ import annotations

from typing import Final

from brokerweb.common.full_disk import full_disk
from brokerweb.config.env import UNUSABLE_VALUE, Environment

IN_USE: Final = 3101
DEVICE_UNUSABLE: Final = 3201
WRITE_FAILED: Final = 3202
NO_BACKUP: Final = 3242
DAMAGED: Final = 3189
OTHER_DEPLOYMENT: Final = 3154
NEWER: Final = 3169
NOT_COMPLETED: Final = 3041


class BackupRefused(Exception):
    """Nothing was written, or nothing was changed."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(text)
        self.number = number


def refuse_servers(environment: Environment) -> None:
    """Raise `BackupRefused` where a database server keeps data: this program cannot hold it at the same moment."""
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
            f"{' and '.join(named)}: these data are in a database server, and a backup of the data folder alone would "
            "not fit to them. Stop all processes, then use pg_dump for the databases and copy the data folder; restore "
            "both together (docs/operations/backup.md).",
        )


def reason_of(error: OSError, place: object) -> str:
    """One sentence about an error of the disk; `place` is where it happened, if the error does not say."""
    full = full_disk(error)
    return f"{error.filename or place}: {error.strerror or error}." if full is None else full.detail
