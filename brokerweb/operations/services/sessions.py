"""Transactions of the console: what several statements have in common until they count (protocol.md 10)."""

from __future__ import annotations

from uuid import UUID

from brokerweb.operations.services.commands import command_id, reply_to
from brokerweb.topology.selectors.places import InstancePlace
from engine import api as engine


def transaction_begin(place: InstancePlace, key: UUID | None) -> UUID:
    """BEGIN TRANSACTION; answers what statements name it by. Raises `EngineRefused` (1204), `EngineUnavailable`."""
    command = engine.commands.BeginTransaction(command_id=command_id(key))
    return reply_to(place, command, engine.replies.TransactionBegun).transaction


def transaction_end(place: InstancePlace, key: UUID | None, *, transaction: UUID, commits: bool) -> bool:
    """COMMIT or ROLLBACK TRANSACTION; answers whether it was committed. Raises `EngineRefused` (3902, 3903)."""
    kind = engine.commands.CommitTransaction if commits else engine.commands.RollbackTransaction
    command = kind(command_id=command_id(key), transaction=engine.TransactionId(transaction))
    return reply_to(place, command, engine.replies.TransactionEnded).committed
