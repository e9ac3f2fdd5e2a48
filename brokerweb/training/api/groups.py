"""Groups of a trainer, and what their members have made of the scenarios."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router, Status

from brokerweb.accounts.api import training
from brokerweb.common.languages import asked_language
from brokerweb.training.api.pictures import run_picture
from brokerweb.training.api.requests import GroupGiven
from brokerweb.training.api.schemas import (
    GroupOut,
    GroupProgressOut,
    GroupsOut,
    MemberOut,
    MemberScenarioOut,
    ScenarioTitleOut,
)
from brokerweb.training.library import scenarios
from brokerweb.training.models import TrainingGroup
from brokerweb.training.selectors.progress import Progress, group_of, groups_of, progress_of
from brokerweb.training.services.groups import group_create, group_delete, group_update
from brokerweb.training.services.sessions import late_runs_end

router = Router(tags=["training"], auth=training)

GROUPS = "/training/groups"
GROUP = GROUPS + "/{int:group}"
FULL = 100


@router.get(GROUPS, response={200: GroupsOut}, operation_id="training_groups_list")
def training_groups_list(request: HttpRequest) -> GroupsOut:
    """The asker's groups."""
    return GroupsOut(groups=[_group(each) for each in groups_of(request.auth)])


@router.post(GROUPS, response={201: GroupOut}, operation_id="training_group_create")
def training_group_create(request: HttpRequest, body: GroupGiven) -> Status:
    """A group of people whose progress one wants to follow."""
    return Status(201, _group(group_create(request.auth, body.name, body.members)))


@router.put(GROUP, response={200: GroupOut}, operation_id="training_group_update")
def training_group_update(request: HttpRequest, group: int, body: GroupGiven) -> GroupOut:
    """Another name and other members."""
    return _group(group_update(request.auth, group, body.name, body.members))


@router.delete(GROUP, response={204: None}, operation_id="training_group_delete")
def training_group_delete(request: HttpRequest, group: int) -> Status:
    """Follow a group no more; what its members have done stays."""
    group_delete(request.auth, group)
    return Status(204, None)


@router.get(GROUP + "/progress", response={200: GroupProgressOut}, operation_id="training_group_progress")
def training_group_progress(request: HttpRequest, group: int) -> GroupProgressOut:
    """What each member has made of each scenario."""
    found = group_of(request.auth, group)
    people = list(found.members.order_by("username"))
    late_runs_end(people)
    progress = progress_of(people)
    language = asked_language()
    return GroupProgressOut(
        group=_group(found),
        scenarios=[ScenarioTitleOut(id=each.id, title=each.title.of(language)) for each in scenarios().values()],
        members=[
            MemberOut(
                username=person.username,
                scenarios=[_scenario(each) for each in progress[person.pk]],
                completed=sum(each.best_score == FULL for each in progress[person.pk]),
            )
            for person in people
        ],
    )


def _group(group: TrainingGroup) -> GroupOut:
    return GroupOut(id=group.pk, name=group.name, members=sorted(each.username for each in group.members.all()))


def _scenario(progress: Progress) -> MemberScenarioOut:
    return MemberScenarioOut(
        scenario=progress.scenario.id,
        runs=progress.runs,
        best_score=progress.best_score,
        best_exam_score=progress.best_exam_score,
        running=None if progress.running is None else run_picture(progress.running),
        last_at=progress.last_at,
    )
