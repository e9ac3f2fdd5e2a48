"""Best scores: one's own, for the cards of the catalogue, and those of a trainer's group."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import msgspec
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import ObjectNotFound
from brokerweb.training.library import Scenario, scenarios
from brokerweb.training.models import TrainingGroup, TrainingSession
from brokerweb.training.selectors.sessions import is_late


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """What one person has made of one scenario."""

    scenario: Scenario
    runs: int = 0
    """Begun, in any mode."""
    best_score: int | None = None
    """Per cent, of the runs that count; None before there is one."""
    best_exam_score: int | None = None
    running: TrainingSession | None = None
    """None, too, when the scenario has changed since, or the time of an examination is over: nobody goes on with it."""
    last_at: datetime | None = None
    """When the newest run began."""


def progress_of(people: Collection[User]) -> dict[int, list[Progress]]:
    """By person, every scenario in the order of the catalogue; one question to the database."""
    rows: dict[tuple[int, str], list[TrainingSession]] = {}
    for row in TrainingSession.objects.filter(trainee__in=[each.pk for each in people]).defer("final"):
        rows.setdefault((row.trainee_id, row.scenario), []).append(row)
    return {
        person.pk: [_progress(scenario, rows.get((person.pk, scenario.id), [])) for scenario in scenarios().values()]
        for person in people
    }


def _progress(scenario: Scenario, rows: list[TrainingSession]) -> Progress:
    scores = [row.best_score for row in rows if row.best_score is not None]
    exams = [row.best_score for row in rows if row.best_score is not None and row.mode == "exam"]
    return Progress(
        scenario=scenario,
        runs=len(rows),
        best_score=max(scores, default=None),
        best_exam_score=max(exams, default=None),
        running=next((row for row in rows if _can_go_on(row, scenario)), None),
        last_at=max((row.begun_at for row in rows), default=None),
    )


def _can_go_on(row: TrainingSession, scenario: Scenario) -> bool:
    return row.ended_at is None and row.digest == scenario.digest and not is_late(row)


def groups_of(trainer: User) -> list[TrainingGroup]:
    """The groups of a trainer, by name, with their members."""
    return list(TrainingGroup.objects.filter(trainer=trainer).prefetch_related("members"))


def group_of(trainer: User, pk: int, *, locks: bool = False) -> TrainingGroup:
    """A group of this trainer. Raises `ObjectNotFound`, for somebody else's too."""
    groups = TrainingGroup.objects.select_for_update() if locks else TrainingGroup.objects.all()
    found = groups.filter(trainer=trainer, pk=pk).first()
    if found is None:
        raise ObjectNotFound(_("You have no group {name}.").format(name=pk), cure=_("Choose one of your groups."))
    return found
