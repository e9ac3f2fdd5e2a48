"""The outbox's rules: order per instance, one deliverer at a time, patience that grows.

Not responsible for what delivering means: the caller hands in a function that does it and says when it failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.db.models import Min, Q
from django.utils import timezone

from brokerweb.common.outbox.deliveries import Deliveries
from brokerweb.common.outbox.models import OutboxMessage, OutboxPart

CLAIM_SECONDS = 60
"""Longer than one delivery may take, so that a second deliverer steps in only for a dead one."""
RETRY_SECONDS = (1, 2, 5, 10, 30)
"""Waits after failed attempts; the last one repeats."""


class DeliveryFailed(Exception):
    """The delivery did not happen; the text says why, for a person. It will be tried again."""


def outbox_append(
    *,
    estate_name: str,
    instance_name: str,
    base_revision: int,
    revision: int,
    changes: Iterable[msgspec.Raw | list[Any]],
) -> OutboxMessage:
    """A new message, due at once; `changes` are JSON lists that follow on one another, each a row.

    Call it inside the transaction that decided the changes.
    """
    now = timezone.now()
    pieces = iter(changes)
    message = OutboxMessage.objects.create(
        estate_name=estate_name,
        instance_name=instance_name,
        base_revision=base_revision,
        revision=revision,
        changes=next(pieces, []),
        created_at=now,
        next_attempt_at=now,
    )
    for position, piece in enumerate(pieces, start=1):
        OutboxPart.objects.create(message=message, position=position, changes=piece)
    return message


def outbox_changes(message: OutboxMessage) -> Iterator[Any]:
    """All changes of a message, in order, as they came out of JSON."""
    yield from message.changes
    for piece in message.parts.order_by("position").values_list("changes", flat=True).iterator(chunk_size=1):
        yield from piece


def outbox_drain(
    deliver: Callable[[OutboxMessage], None], deliveries: Deliveries, *, instance: tuple[str, str] | None = None
) -> int:
    """Deliver everything that is due, instance by instance in order; answers how many messages went out.

    `instance` is an estate and one of its instances: then only what is for that one.

    `deliver` raises `DeliveryFailed` for what shall be tried again; the instance's later messages wait meanwhile. What
    is due when `deliveries` end is left to the next process.
    """
    delivered = 0
    while True:
        with deliveries.one() as may_begin:
            message = _claim_next(timezone.now(), instance) if may_begin else None
            if message is None:
                return delivered
            delivered += _is_delivered(message, deliver)


def _is_delivered(message: OutboxMessage, deliver: Callable[[OutboxMessage], None]) -> bool:
    try:
        deliver(message)
    except DeliveryFailed as failure:
        _postpone(message, str(failure))
        return False
    except BaseException as error:
        # A fault of ours: keep the message, let the fault be seen, and do not spin on it.
        _postpone(message, f"{type(error).__name__}: {error}")
        raise
    message.delete()
    return True


def outbox_release_claims() -> int:
    """Take back what a process that is gone was delivering; answers how many messages that frees.

    For the start of the only deliverer: after a kill nothing else would touch those messages until their claims ran
    out. Should another deliverer live after all, a message goes out twice, which its revision makes harmless.
    """
    return OutboxMessage.objects.filter(claimed_until__isnull=False).update(claimed_until=None)


def _claim_next(now: datetime, instance: tuple[str, str] | None) -> OutboxMessage | None:
    """The oldest message of some instance, or of that one, that is due and that no other process is delivering."""
    heads = OutboxMessage.objects.values("estate_name", "instance_name").annotate(head=Min("id")).order_by("head")
    if instance is not None:
        heads = heads.filter(estate_name=instance[0], instance_name=instance[1])
    free = Q(claimed_until__isnull=True) | Q(claimed_until__lte=now)
    due = OutboxMessage.objects.filter(free, id__in=heads.values("head"), next_attempt_at__lte=now).defer("changes")
    for message in due:
        claimed = OutboxMessage.objects.filter(free, id=message.id).update(
            claimed_until=now + timedelta(seconds=CLAIM_SECONDS), attempts=message.attempts + 1
        )
        if claimed:
            message.attempts += 1
            return message
    return None


def _postpone(message: OutboxMessage, error: str) -> None:
    wait = RETRY_SECONDS[min(message.attempts, len(RETRY_SECONDS)) - 1]
    OutboxMessage.objects.filter(id=message.id).update(
        claimed_until=None, last_error=error, next_attempt_at=timezone.now() + timedelta(seconds=wait)
    )
