"""One table: the test traffic of each estate, what it is to do and who does it."""

from __future__ import annotations

from uuid import uuid4

from django.conf import settings
from django.db import models

from brokerweb.topology.models import Estate


class TrafficState(models.TextChoices):
    """What is wanted of it; `STOPPED` is what has become of it."""

    RUNNING = "running"
    STOPPING = "stopping"
    """Somebody wants it to end; nothing more is sent, and what is open is being ended."""
    STOPPED = "stopped"


class TrafficRun(models.Model):
    """The newest run of an estate. Nothing here is changed but by `brokerweb.traffic.services`.

    Whoever holds the lease generates, and writes what it did together with each renewal.
    """

    estate = models.OneToOneField(Estate, on_delete=models.CASCADE, related_name="traffic")
    run_id = models.UUIDField(default=uuid4)
    """Of this run; the groups of its conversations are made from it, so that whoever takes over finds them."""
    state = models.CharField(max_length=16, choices=TrafficState.choices)
    plan = models.JSONField()
    """`brokerweb.traffic.plan.TrafficPlan`."""
    figures = models.JSONField(null=True)
    """`brokerweb.traffic.figures.RunFigures`; None until somebody has generated."""
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="traffic_runs"
    )
    started_at = models.DateTimeField()
    stopped_at = models.DateTimeField(null=True, blank=True)
    holder = models.CharField(max_length=64, blank=True)
    """Who generates; empty while nobody does."""
    fence = models.PositiveIntegerField(default=0)
    """Number of the holder: every claim makes it one more, and whoever has an earlier one writes nothing."""
    expires_at = models.DateTimeField(null=True, blank=True)
    """When the holder has lost the run unless it renews; by the clock of the database."""
    heartbeat_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = (models.Index(fields=("state", "expires_at"), name="traffic_state_expires"),)

    def __str__(self) -> str:
        return f"{self.estate} {self.state}"
