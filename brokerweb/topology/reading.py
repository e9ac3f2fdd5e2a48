"""Who reads first and who hears of it, as one JSON value in a database's row: nobody asks SQL for parts of it."""

from __future__ import annotations

from typing import Any

import msgspec

from engine import api as engine


class DatabaseReading(msgspec.Struct, frozen=True, kw_only=True):
    """Conversation priorities, whether sending goes by them, and event notifications of one database."""

    priorities: tuple[engine.BrokerPriority, ...] = ()
    is_priority_honoured: bool = False
    is_trustworthy: bool = False
    event_notifications: tuple[engine.EventNotification, ...] = ()


def reading_to_json(database: engine.DatabaseCatalog) -> Any:
    """The value as it is stored."""
    return msgspec.to_builtins(
        DatabaseReading(
            priorities=tuple(database.priorities.values()),
            is_priority_honoured=database.is_priority_honoured,
            is_trustworthy=database.is_trustworthy,
            event_notifications=tuple(database.event_notifications.values()),
        )
    )


def reading_from_json(stored: Any) -> DatabaseReading:
    """The value as it was stored; a database from before has none of it."""
    return msgspec.convert(stored, DatabaseReading)
