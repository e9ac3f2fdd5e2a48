"""Flows of an estate as people and traffic know them: losses that somebody meant, and flows that were really seen."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from brokerweb.topology.models.change_sets import ChangeSet
from brokerweb.topology.models.estates import Estate

DIGEST_LENGTH = 64
"""Of a flow's key, in hexadecimal digits: the names in the key are longer than an index of PostgreSQL takes."""


class IntendedLoss(models.Model):
    """A flow that a change set loses, and somebody has said that it is meant. Gone once the flow is not lost."""

    change_set = models.ForeignKey(ChangeSet, on_delete=models.CASCADE, related_name="intended_losses")
    digest = models.CharField(max_length=DIGEST_LENGTH)
    question = models.JSONField()
    """The flow in the engine's JSON form."""
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    author_name = models.CharField(max_length=150, blank=True)
    """What the author was called then; it stays when he is gone."""
    intended_at = models.DateTimeField()

    class Meta:
        ordering = ("change_set", "intended_at")
        constraints = (models.UniqueConstraint(fields=("change_set", "digest"), name="intended_loss_unique"),)

    def __str__(self) -> str:
        return f"{self.change_set}: {self.digest}"


class ObservedFlow(models.Model):
    """A flow that a conversation of a running instance has shown: sender, service, and the broker id that answered."""

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="observed_flows")
    digest = models.CharField(max_length=DIGEST_LENGTH)
    question = models.JSONField()
    """The flow in the engine's JSON form."""
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()

    class Meta:
        ordering = ("estate", "digest")
        constraints = (models.UniqueConstraint(fields=("estate", "digest"), name="observed_flow_unique"),)

    def __str__(self) -> str:
        return f"{self.estate}: {self.digest}"
