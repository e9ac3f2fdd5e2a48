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


class DecidedContent(models.Model):
    """What of a decision grows with its objects: the first of it stands in its row, the rest in `DecisionPart`s."""

    changes = LargeJSONField(default=dict)
    """Instance name → list of catalog changes as they were asked for, in the engine's own JSON form.

    Of a draft; those of a live decision stand in its revision.
    """
    inverse = LargeJSONField(default=dict)
    """Instance name → list of the catalog changes that lead back, None where the rules allow none."""
    objects_changed = models.TextField(default="[]")
    """Objects before and after: a JSON list in the form of `brokerweb.topology.object_changes`."""
    touched = models.TextField(blank=True)
    """The same objects as lines to search in: instance, database, kind and name, folded, with tabs around them."""

    class Meta:
        abstract = True


class Decision(DecidedContent):
    """One action of one person: all its objects, before and after, from where, and what came of it.

    A decision of a draft has a change set and no revision; the one that applies a draft has both.
    """

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="decisions")
    sequence = models.PositiveIntegerField()
    change_set = models.ForeignKey(ChangeSet, on_delete=models.CASCADE, null=True, blank=True, related_name="decisions")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    author_name = models.CharField(max_length=150, blank=True)
    """What the author was called then; it stays when he is gone."""
    decided_at = models.DateTimeField()
    origin = models.CharField(max_length=16, choices=[(kind.value, kind.value) for kind in OriginKind])
    client_address = models.CharField(max_length=64, blank=True)
    user_agent = models.CharField(max_length=400, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    summary = models.CharField(max_length=400)
    said = models.JSONField(null=True)
    """The sentence as `brokerweb.common.sayings` says it in every language; None for a person's own and old ones."""
    object_count = models.PositiveIntegerField(default=0)
    part_count = models.PositiveIntegerField(default=0)
    """Rows of `parts`; all columns of `DecidedContent` go on in them."""
    revision = models.PositiveIntegerField(null=True, blank=True)
    is_undone = models.BooleanField(default=False)
    digest = models.CharField(max_length=64, blank=True)
    """Of this decision and of all before it (`brokerweb.topology.audit_chain`)."""
    filled_digest = models.CharField(max_length=64, blank=True)
    """Of what became of a decision that was numbered before anybody knew; empty for all others."""

    class Meta:
        ordering = ("estate", "-sequence")
        constraints = (models.UniqueConstraint(fields=("estate", "sequence"), name="decision_sequence_unique"),)
        indexes = (models.Index(fields=("estate", "revision"), name="decision_of_revision"),)

    def __str__(self) -> str:
        return f"{self.estate} {self.sequence}: {self.summary}"


class DecisionPart(DecidedContent):
    """More of what a large decision holds; the hash of the decision covers it."""

    decision = models.ForeignKey(Decision, on_delete=models.CASCADE, related_name="parts")
    position = models.PositiveIntegerField()
    """Counts from 1."""

    class Meta:
        ordering = ("decision", "position")
        constraints = (models.UniqueConstraint(fields=("decision", "position"), name="decision_part_unique"),)

    def __str__(self) -> str:
        return f"{self.decision}, part {self.position}"
