"""Sessions of the operator training, their logs, and the groups of trainers.

A session is a sandbox: its scenario and seed with the log of entries are its whole state (docs/training/sessions.md).
"""

from __future__ import annotations

from uuid import uuid4

from django.conf import settings
from django.db import models

from engine import api as engine

Mode = engine.training.Mode


class TrainingSession(models.Model):
    """One run of a scenario by one person."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    trainee = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="training_sessions")
    scenario = models.CharField(max_length=100)
    """The id of its file."""
    digest = models.CharField(max_length=64)
    """Of the file as it was: a run belongs to the scenario of then."""
    engine = models.CharField(max_length=64, default="", blank=True)
    """The version that began it, `engine.sandbox.engine_version()`; empty for a run of before this was kept."""
    seed = models.PositiveBigIntegerField()
    mode = models.CharField(max_length=16, choices=[(each.value, each.value) for each in Mode])
    begun_at = models.DateTimeField()
    ends_by = models.DateTimeField(null=True, blank=True)
    """When an examination is over at the latest."""
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_seconds = models.FloatField(null=True, blank=True)
    """By the time of the sandbox, when it ended; None before, and for a run of before this was kept."""
    touched_at = models.DateTimeField(null=True, blank=True)
    """When a line of its log was written last."""
    has_given_up = models.BooleanField(default=False)
    hints_taken = models.PositiveSmallIntegerField(default=0)
    """Levels of the ladder, from the first on."""
    best_score = models.PositiveSmallIntegerField(null=True, blank=True)
    """Per cent; None before the first check, and in a mode that counts nothing."""
    begun_sequence = models.PositiveIntegerField()
    """The last entry that the scenario itself has written: whatever follows is the trainee's."""
    final = models.TextField(blank=True)
    """The grading at the end, in the engine's JSON form."""
    kept_bytes = models.PositiveBigIntegerField(default=0)
    """Of its log and its scripts."""
    has_replay = models.BooleanField(default=True)
    """Whether log and scripts are there; those of runs that ended long ago make room for others."""

    class Meta:
        ordering = ("-begun_at",)
        constraints = (
            models.UniqueConstraint(
                fields=("trainee", "scenario"),
                condition=models.Q(ended_at__isnull=True),
                name="training_session_one_running",
            ),
        )

    def __str__(self) -> str:
        return f"{self.trainee} {self.scenario} {self.mode}"

    @property
    def sandbox(self) -> str:
        """The name under which the engine is asked about it."""
        return f"{engine.sandboxes.SANDBOX_PREFIX}{self.id.hex}"


class TrainingEntry(models.Model):
    """One line of the log of a session's sandbox. Never changed."""

    session = models.ForeignKey(TrainingSession, on_delete=models.CASCADE, related_name="entries")
    sequence = models.PositiveIntegerField()
    at_seconds = models.FloatField()
    """By the time of the sandbox."""
    action = models.TextField()
    """The engine's JSON as a text: a database that reads JSON would keep no U+0000 in it."""

    class Meta:
        ordering = ("session", "sequence")
        constraints = (
            models.UniqueConstraint(fields=("session", "sequence"), name="training_entry_unique_in_session"),
        )

    def __str__(self) -> str:
        return f"{self.session_id} {self.sequence}"


class TrainingScript(models.Model):
    """T-SQL as the trainee has written it: what a replay shows beside the log."""

    session = models.ForeignKey(TrainingSession, on_delete=models.CASCADE, related_name="scripts")
    after_sequence = models.PositiveIntegerField()
    """The last entry before it."""
    at_seconds = models.FloatField()
    instance = models.TextField()
    database = models.TextField()
    script = models.BinaryField()
    """UTF-8, with passwords hidden; a text of the database would keep no U+0000."""
    errors = models.JSONField(default=list)
    """Numbers of errors that it came to, in order."""

    class Meta:
        ordering = ("session", "pk")

    def __str__(self) -> str:
        return f"{self.session_id} after {self.after_sequence}"


class TrainingGroup(models.Model):
    """People whose progress a trainer follows."""

    name = models.CharField(max_length=100)
    trainer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="training_groups")
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="trained_in", blank=True)

    class Meta:
        ordering = ("name", "pk")
        constraints = (
            models.UniqueConstraint(fields=("trainer", "name"), name="training_group_name_unique_of_trainer"),
        )

    def __str__(self) -> str:
        return self.name
