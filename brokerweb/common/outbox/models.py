"""One table: what must reach an engine instance, in which order, and how the attempts went."""

from __future__ import annotations

from django.db import models

from brokerweb.common.json_field import LargeJSONField


class OutboxMessage(models.Model):
    """Catalog changes on their way to one instance; written in the transaction that decided them.

    Messages of one instance are delivered in the order of `revision`; a delivered message is deleted, since the
    history of changes is kept in the topology's revisions.
    """

    estate_name = models.CharField(max_length=64)
    instance_name = models.CharField(max_length=128)
    base_revision = models.PositiveIntegerField()
    revision = models.PositiveIntegerField()
    changes = LargeJSONField()
    """The first of them, or all; the rest stands in `parts`, so that an import is not one value of many megabytes."""
    attempts = models.PositiveIntegerField(default=0)
    next_attempt_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True, blank=True)
    """While one process delivers, others keep away; a claim outlives its process by this much at most."""
    last_error = models.TextField(blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=("estate_name", "instance_name", "revision"), name="outbox_one_message_per_revision"
            ),
        )

    def __str__(self) -> str:
        return f"{self.estate_name}/{self.instance_name} {self.base_revision} → {self.revision}"


class OutboxPart(models.Model):
    """Further changes of a large message, in their order; gone with it."""

    message = models.ForeignKey(OutboxMessage, on_delete=models.CASCADE, related_name="parts")
    position = models.PositiveIntegerField()
    """Counts from 1."""
    changes = LargeJSONField()

    class Meta:
        ordering = ("message", "position")
        constraints = (models.UniqueConstraint(fields=("message", "position"), name="outbox_part_unique"),)

    def __str__(self) -> str:
        return f"{self.message}, part {self.position}"
