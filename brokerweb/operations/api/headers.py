"""Headers that operations of running instances have in common."""

from __future__ import annotations

from ninja import Header

IdempotencyKey = Header(None, alias="Idempotency-Key")
"""A UUID of the client's: the same request, sent again, is carried out once."""
