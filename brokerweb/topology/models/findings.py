"""What is remembered about findings: since when they are there, and which of them somebody has put aside."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from brokerweb.topology.models.estates import Estate


class FindingSighting(models.Model):
    """A finding that the last look at the estate showed, and the first look that did without a break."""

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="finding_sightings")
    key = models.CharField(max_length=32)
    """The engine's key of the finding."""
    revision = models.PositiveIntegerField()
    seen_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("estate", "key"), name="finding_sighting_unique"),)

    def __str__(self) -> str:
        return f"{self.key} since {self.revision}"


class FindingSuppression(models.Model):
    """A finding that somebody has put aside, why, and until when. Expired ones count no more and are kept."""

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="finding_suppressions")
    key = models.CharField(max_length=32)
    code = models.CharField(max_length=16)
    text = models.TextField()
    """What the finding said, in English, for a suppression that outlives it."""
    reason = models.CharField(max_length=400)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    """None is until it is taken back."""

    class Meta:
        ordering = ("-created_at",)
        constraints = (models.UniqueConstraint(fields=("estate", "key"), name="finding_suppression_unique"),)

    def __str__(self) -> str:
        return f"{self.code}: {self.reason}"
