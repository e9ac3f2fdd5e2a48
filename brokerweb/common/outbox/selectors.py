"""How far the outbox is behind."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Max, Min
from django.utils import timezone

from brokerweb.common.outbox.models import OutboxMessage


@dataclass(frozen=True)
class OutboxState:
    """What instances have not taken yet."""

    waiting: int
    oldest_seconds: float
    """Age of the oldest; 0 when nothing waits."""
    attempts_max: int
    """Of the message that was tried most often."""


def outbox_state() -> OutboxState:
    """One question to the database, however much waits."""
    found = OutboxMessage.objects.aggregate(waiting=Count("id"), oldest=Min("created_at"), attempts=Max("attempts"))
    oldest = found["oldest"]
    age = 0.0 if oldest is None else max((timezone.now() - oldest).total_seconds(), 0.0)
    return OutboxState(waiting=found["waiting"], oldest_seconds=age, attempts_max=found["attempts"] or 0)
