"""What is known of the lake of each estate, and every run of a job that somebody has asked for."""

from __future__ import annotations

from uuid import uuid4

from django.conf import settings
from django.db import models

from brokerweb.common.json_field import LargeJSONField
from brokerweb.jobs.models import Job
from brokerweb.topology.models import Estate


class EstateLake(models.Model):
    """What the lake has of an estate, as whoever wrote to it last has found it. Written by `services.exporting`."""

    estate = models.OneToOneField(Estate, on_delete=models.CASCADE, related_name="lake")
    events = models.PositiveBigIntegerField(default=0)
    files = models.PositiveBigIntegerField(default=0)
    bytes = models.PositiveBigIntegerField(default=0)
    first_at = models.DateTimeField(null=True, blank=True)
    last_at = models.DateTimeField(null=True, blank=True)
    exported_at = models.DateTimeField(null=True, blank=True)
    """When its instances were last asked for events."""
    hours = LargeJSONField(default=list)
    """`[hour as 2026-11-26T09, events, bytes, files]` of each hour that has any, ascending, in UTC."""

    def __str__(self) -> str:
        return f"{self.estate}: {self.events} events"


class LakeInstance(models.Model):
    """How far the events of one instance are in the lake."""

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="lake_instances")
    instance = models.CharField(max_length=256)
    events = models.PositiveBigIntegerField(default=0)
    last_number = models.PositiveBigIntegerField(default=0)
    lost = models.PositiveBigIntegerField(default=0)
    """Events that the instance had trimmed before they were exported."""
    exported_at = models.DateTimeField(null=True, blank=True)
    """When it last answered."""
    problem = models.JSONField(null=True, blank=True)
    """Why it could not be exported last time: code, detail, why, cure; None when it could."""

    class Meta:
        ordering = ("instance",)
        constraints = (models.UniqueConstraint(fields=("estate", "instance"), name="pipeline_lake_instance"),)

    def __str__(self) -> str:
        return f"{self.estate} {self.instance}: {self.last_number}"


class SparkWorker(models.Model):
    """One row: when a worker that has the extra `spark` was last heard of."""

    heard_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"heard at {self.heard_at}"


class PipelineRun(models.Model):
    """One run of a job over the lake: what was asked, and what came of it. Its tables are files in its folder."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="pipeline_runs")
    job = models.CharField(max_length=16)
    """`delivery`, `audit`, `paths` or `whatif`."""
    question = models.JSONField()
    """`brokerweb.pipeline.questions.RunQuestion`."""
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="pipeline_runs"
    )
    created_at = models.DateTimeField()
    work = models.OneToOneField(Job, null=True, on_delete=models.SET_NULL, related_name="pipeline_run")
    """The job of the worker: how far it is, and how it ended."""
    engine_version = models.CharField(max_length=32, blank=True)
    revisions = models.JSONField(default=list)
    """Of a what-if those that were compared, of others those that instances reached meanwhile."""
    rows_in = models.JSONField(default=dict)
    """By the name of what was read."""
    tables = models.JSONField(default=dict)
    """As the manifest has them, by name; empty until the run is done."""
    notes = models.JSONField(default=dict)
    bytes = models.PositiveBigIntegerField(null=True, blank=True)
    """Of its files; None until it is done."""
    events = models.PositiveBigIntegerField(null=True, blank=True)
    """How many events it is about; of a what-if an earlier one may have read them (`LAKE_READ_AT` of its notes)."""
    seconds = models.FloatField(null=True, blank=True)
    """How long it took."""

    class Meta:
        ordering = ("-created_at",)
        indexes = (models.Index(fields=("estate", "-created_at"), name="pipeline_run_newest"),)

    def __str__(self) -> str:
        return f"{self.job} {self.id}"
