"""Drafts of an estate, and the log of everything that was ever decided about it, live or in a draft."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from brokerweb.common.json_field import LargeJSONField
from brokerweb.common.origin import OriginKind
from brokerweb.topology.models.estates import Estate


class ChangeSetState(models.TextChoices):
    """What has become of a draft."""

    OPEN = "open", "open"
    APPLIED = "applied", "applied"
    DISCARDED = "discarded", "discarded"


class ChangeSet(models.Model):
    """A draft on top of an estate. What it wants stands in its decisions; here is only where it stands."""

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="change_sets")
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=200, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    state = models.CharField(max_length=16, choices=ChangeSetState, default=ChangeSetState.OPEN)
    base_revision = models.PositiveIntegerField()
    """The revision of the estate that somebody has last looked at the draft against."""
    sequence = models.PositiveIntegerField(default=0)
    """Counts everything that happens to the draft; what an edit of it is checked against."""
    applied_revision = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ("estate", "-number")
        constraints = (models.UniqueConstraint(fields=("estate", "number"), name="change_set_number_unique"),)

    def __str__(self) -> str:
        return f"{self.estate} #{self.number}"

    @property
    def name(self) -> str:
        """What sentences call it."""
        return f"change set #{self.number}" + (f" ({self.title})" if self.title else "")


class Decision(models.Model):
    """One action of one person: all its objects, before and after, from where, and what came of it.

    A decision of a draft has a change set and no revision; the one that applies a draft has both.
    """

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="decisions")
    sequence = models.PositiveIntegerField()
    change_set = models.ForeignKey(ChangeSet, on_delete=models.CASCADE, null=True, blank=True, related_name="decisions")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField()
    origin = models.CharField(max_length=16, choices=[(kind.value, kind.value) for kind in OriginKind])
    client_address = models.CharField(max_length=64, blank=True)
    user_agent = models.CharField(max_length=400, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    summary = models.CharField(max_length=400)
    changes = LargeJSONField(default=dict)
    """Instance name → list of catalog changes as they were asked for, in the engine's own JSON form.

    Of a draft; those of a live decision stand in its revision.
    """
    inverse = LargeJSONField(default=dict)
    """Instance name → list of the catalog changes that lead back, None where the rules allow none."""
    objects_changed = models.TextField(default="[]")
    """Every object before and after: JSON in the form of `brokerweb.topology.object_changes`."""
    object_count = models.PositiveIntegerField(default=0)
    touched = models.TextField(blank=True)
    """The same objects as lines to search in: instance, database, kind and name, folded, with tabs around them."""
    revision = models.PositiveIntegerField(null=True, blank=True)
    is_undone = models.BooleanField(default=False)

    class Meta:
        ordering = ("estate", "-sequence")
        constraints = (models.UniqueConstraint(fields=("estate", "sequence"), name="decision_sequence_unique"),)
        indexes = (models.Index(fields=("estate", "revision"), name="decision_of_revision"),)

    def __str__(self) -> str:
        return f"{self.estate} {self.sequence}: {self.summary}"
