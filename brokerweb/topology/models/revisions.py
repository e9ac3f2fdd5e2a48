"""The history of the wanted topology: immutable, numbered per estate."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from brokerweb.common.json_field import LargeJSONField
from brokerweb.topology.models.estates import Estate


class TopologyRevision(models.Model):
    """One decided change of an estate: who, when, what, per instance. An instance can be rebuilt from them."""

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField()
    summary = models.CharField(max_length=400)
    said = models.JSONField(null=True)
    """The sentence as `brokerweb.common.sayings` says it in every language; None for a person's own and old ones."""
    changes = LargeJSONField()
    """Instance name → list of catalog changes in order, in the engine's own JSON form; the first of them."""
    part_count = models.PositiveIntegerField(default=0)
    """Rows of `parts` that hold the rest: an import may have tens of megabytes."""

    class Meta:
        ordering = ("estate", "-number")
        constraints = (models.UniqueConstraint(fields=("estate", "number"), name="revision_number_unique"),)

    def __str__(self) -> str:
        return f"{self.estate} {self.number}: {self.summary}"


class RevisionPart(models.Model):
    """Further changes of a large revision, in the form in which the revision has the first ones."""

    revision = models.ForeignKey(TopologyRevision, on_delete=models.CASCADE, related_name="parts")
    position = models.PositiveIntegerField()
    """Counts from 1."""
    changes = LargeJSONField()

    class Meta:
        ordering = ("revision", "position")
        constraints = (models.UniqueConstraint(fields=("revision", "position"), name="revision_part_unique"),)

    def __str__(self) -> str:
        return f"{self.revision}, part {self.position}"
