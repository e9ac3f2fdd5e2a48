"""A row of the log as its hash chain holds it."""

from __future__ import annotations

from brokerweb.topology.audit_chain import Link
from brokerweb.topology.models import Decision


def link_of(row: Decision, content: str) -> Link:
    """What the chain holds of a row of the log; `content` is the hash of what was decided, or `RESERVED`."""
    return Link(
        estate=row.estate.name,
        sequence=row.sequence,
        change_set=None if row.change_set is None else row.change_set.number,
        author=row.author_name,
        decided_at=row.decided_at,
        origin=row.origin,
        client_address=row.client_address,
        user_agent=row.user_agent,
        request_id=row.request_id,
        revision=row.revision,
        content=content,
    )
