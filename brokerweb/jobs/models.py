"""One table: every job, from being asked for until somebody deletes it."""

from __future__ import annotations

from uuid import uuid4

from django.conf import settings
from django.db import models


class JobState(models.TextChoices):
    """Where a job is; `CANCELLED`, `FAILED` and `DONE` are ends."""

    QUEUED = "queued"
    RUNNING = "running"
    CANCELLING = "cancelling"
    """Somebody wants it to end; it does at the next place where it can."""
    CANCELLED = "cancelled"
    FAILED = "failed"
    DONE = "done"


OVER = (JobState.CANCELLED, JobState.FAILED, JobState.DONE)


class Job(models.Model):
    """A piece of work for a worker. Nothing here is changed but by `brokerweb.jobs.services`."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    kind = models.CharField(max_length=64)
    """Which work; by it the function that does it is found (`brokerweb.jobs.kinds`)."""
    title = models.CharField(max_length=200)
    """What it is about, for people, in English."""
    said = models.JSONField(null=True)
    """The title as `brokerweb.common.sayings` says it in every language; None for old jobs."""
    language = models.CharField(max_length=8, default="en")
    """That of whoever asked for it: what the work refuses is said in it."""
    state = models.CharField(max_length=16, choices=JobState.choices, default=JobState.QUEUED)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="jobs")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    """When the worker was last heard of."""
    stage = models.CharField(max_length=64, blank=True)
    """What it is doing, in a word of its kind."""
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)
    """Of the stage; 0 when nobody knows."""
    arguments = models.TextField(blank=True)
    """JSON; empty once the job is over."""
    result = models.TextField(blank=True)
    """JSON; empty until it is done."""
    problem = models.JSONField(null=True, blank=True)
    """Why it failed: code, detail, why, cure, and the parameters of an error of the engine."""

    class Meta:
        ordering = ("-created_at",)
        indexes = (models.Index(fields=("state", "heartbeat_at"), name="jobs_state_heartbeat"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.id} {self.state}"
