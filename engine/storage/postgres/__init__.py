"""The state of an instance in a schema of a PostgreSQL database (ADR 17)."""

from engine.storage.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
