"""What a backup or a detached file holds: the definitions of a database and its broker state (identity.md 4).

`msdb` routes, the endpoint and everything else of the instance stay behind.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.core.catalog.database import DatabaseCatalog
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import DatabaseRows


class DatabaseBackup(msgspec.Struct, frozen=True, kw_only=True):
    """One database as it was at one instant."""

    definition: DatabaseCatalog
    """With the broker id and the delivery switch as they were."""
    rows: DatabaseRows
    """Conversation endpoints, transmission queue and service queues."""
    taken_at: UtcTime


class AttachOption(StrEnum):
    """Options of RESTORE and FOR ATTACH; at most one may be given (identity.md 4)."""

    ENABLE_BROKER = "ENABLE_BROKER"
    ERROR_BROKER_CONVERSATIONS = "ERROR_BROKER_CONVERSATIONS"
    NEW_BROKER = "NEW_BROKER"
