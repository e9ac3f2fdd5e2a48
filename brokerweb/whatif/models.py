"""Answers that people of an estate count on, and how they fared each time they were run."""

from __future__ import annotations

from django.db import models

from brokerweb.common.json_field import LargeJSONField
from brokerweb.topology.models import Estate

NAME_LENGTH = 200
"""As in a file of assertions."""


class Trigger(models.TextChoices):
    """What made a run happen."""

    PERSON = "person"
    REVISION = "revision"
    """The estate had a new revision."""
    EXPIRY = "expiry"
    """A route had expired since the last run."""
    COMMAND = "command"


class AssertionRun(models.Model):
    """Assertions of an estate, put to what was wanted at one instant. The newest are kept."""

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="assertion_runs")
    revision = models.PositiveIntegerField()
    settled_count = models.PositiveIntegerField(default=0)
    """As that of the estate was: what a reserved revision became is known later than its number."""
    at = models.DateTimeField()
    trigger = models.CharField(max_length=16, choices=Trigger.choices)
    author_name = models.CharField(max_length=150, blank=True)
    """Who asked for it; empty where nobody was logged in."""
    passed = models.PositiveIntegerField()
    failed = models.PositiveIntegerField()
    disabled = models.PositiveIntegerField()
    """How many were not asked because they were disabled."""
    engine_version = models.CharField(max_length=32)

    class Meta:
        ordering = ("estate", "-pk")

    def __str__(self) -> str:
        return f"{self.estate} at {self.revision}: {self.failed} failed"


class Assertion(models.Model):
    """A question about an estate, what is supposed in it, and the answer that is expected."""

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="assertions")
    name = models.CharField(max_length=NAME_LENGTH)
    note = models.TextField(blank=True)
    tags = models.JSONField(default=list)
    is_enabled = models.BooleanField(default=True)
    version = models.PositiveIntegerField(default=1)
    """Counts changes; whoever changes it says which version was looked at."""
    question = models.JSONField()
    """The flow in the engine's JSON form."""
    faults = models.JSONField(default=list)
    """In the engine's JSON form."""
    at = models.DateTimeField(null=True, blank=True)
    """At which instant it is asked; None is the instant of the run."""
    expected = models.JSONField()
    """In the engine's JSON form."""
    created_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField()
    changed_by = models.CharField(max_length=150, blank=True)
    changed_at = models.DateTimeField()
    last_passed = models.BooleanField(null=True, blank=True)
    """How it fared when it was run last; None when what it says has not been run."""
    last_run = models.ForeignKey(AssertionRun, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ("estate", "name")
        constraints = (models.UniqueConstraint(fields=("estate", "name"), name="assertion_name_unique_in_estate"),)

    def __str__(self) -> str:
        return self.name


class AssertionVerdict(models.Model):
    """How one assertion fared in one run."""

    run = models.ForeignKey(AssertionRun, on_delete=models.CASCADE, related_name="verdicts")
    assertion = models.ForeignKey(Assertion, on_delete=models.CASCADE, related_name="verdicts")
    version = models.PositiveIntegerField()
    """Of the assertion, as it was asked."""
    passed = models.BooleanField()
    told = LargeJSONField()
    """The engine's result without the assertion, in its JSON form; worded anew for each reader."""

    class Meta:
        ordering = ("assertion", "-run")
        constraints = (models.UniqueConstraint(fields=("run", "assertion"), name="assertion_verdict_unique"),)

    def __str__(self) -> str:
        return f"{self.assertion}: {'passed' if self.passed else 'failed'}"
