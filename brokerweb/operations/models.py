"""Backups of databases, kept beside the estate that they come from."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from brokerweb.topology.models import Estate


class Backup(models.Model):
    """One database as it was at one instant, with its conversations and messages (identity.md 4).

    What it says of itself stands beside the content, so that a list reads no content.
    """

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="backups")
    name = models.CharField(max_length=128)
    instance_name = models.CharField(max_length=128)
    database_name = models.CharField(max_length=128)
    broker_instance = models.UUIDField()
    is_broker_enabled = models.BooleanField()
    is_detached = models.BooleanField(default=False)
    """Whether the database was detached: it left the instance with this."""
    conversations = models.PositiveIntegerField()
    messages = models.PositiveIntegerField()
    """In its queues and its transmission queue."""
    taken_at = models.DateTimeField()
    taken_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    content = models.BinaryField()
    """The engine's `DatabaseBackup` as JSON; message bodies in it are as they were, keys are sealed."""
    content_bytes = models.PositiveBigIntegerField()

    class Meta:
        ordering = ("-taken_at", "-pk")
        constraints = (models.UniqueConstraint(fields=("estate", "name"), name="backup_name_unique_in_estate"),)

    def __str__(self) -> str:
        return f"{self.name} of {self.instance_name}.{self.database_name}"
