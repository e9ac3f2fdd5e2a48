"""`grade`: what a run of a scenario is worth at this moment, task by task, with a sentence for each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

import msgspec

from engine.training.collateral import BrokenFlow, broken_flows, causes_of
from engine.training.judging import CheckResult, Judge
from engine.training.modes import MODE_RULES, Mode
from engine.training.scenario import Scenario, Task, flows_of
from engine.training.words import Texts, everywhere, said
from engine.training.world import GradedWorld
from engine.whatif.telling import FlowQuestion

FULL: Final = 100
"""Per cent."""


class TaskGrade(msgspec.Struct, frozen=True, kw_only=True):
    """One task."""

    id: str
    title: Texts
    points: float
    """What was earned; `points_max` where everything holds."""
    points_max: int
    is_done: bool
    sentence: Texts
    checks: tuple[CheckResult, ...]
    seen: Texts | None = None
    """The sentence without what a trainee is to find out; None in gradings of before there was one."""


class Grading(msgspec.Struct, frozen=True, kw_only=True):
    """The whole. All figures but points are per cent."""

    tasks: tuple[TaskGrade, ...]
    collateral: tuple[BrokenFlow, ...]
    achieved: float
    """Points earned of all points."""
    collateral_cost: float
    hints_cost: float
    score: int
    """Achieved without costs, at least 0, rounded down: 100 is for everything alone."""
    is_complete: bool
    """Every task is done and nothing else is broken; hints do not matter for it."""
    sentence: Texts


def grade(
    scenario: Scenario,
    world: GradedWorld,
    *,
    hints_taken: Collection[int] = (),
    mode: Mode = Mode.PRACTISE,
    has_given_up: bool = False,
) -> Grading:
    """The world as it is, judged; it stays as it is. `hints_taken` are levels, the first is 1.

    Whoever has given up has seen the solution: the tasks are judged, the score is 0.
    """
    judge = Judge(world)
    tasks = tuple(_graded(task, tuple(map(judge.result, task.checks))) for task in scenario.tasks)
    collateral = broken_flows(scenario, world, told=_told_of(scenario, tasks))
    achieved = FULL * sum(task.points for task in tasks) / scenario.points
    hints_cost = _hints_cost(scenario, hints_taken) if MODE_RULES[mode].hints_cost else 0
    collateral_cost = min(scenario.collateral_cost * causes_of(collateral), FULL)
    # A cent of rounding is no reason to be below 100.
    score = 0 if has_given_up else max(int(achieved - hints_cost - collateral_cost + 1e-9), 0)
    done = sum(task.is_done for task in tasks)
    return Grading(
        tasks=tasks,
        collateral=collateral,
        achieved=achieved,
        collateral_cost=collateral_cost,
        hints_cost=hints_cost,
        score=score,
        is_complete=done == len(tasks) and not collateral,
        sentence=_summary(tasks, collateral),
    )


def _hints_cost(scenario: Scenario, taken: Collection[int]) -> int:
    return sum(hint.cost for level, hint in enumerate(scenario.hints, start=1) if level in set(taken))


def _told_of(scenario: Scenario, tasks: Sequence[TaskGrade]) -> frozenset[FlowQuestion]:
    """Flows that a task has found not to be as they should: what is charged there is not charged again."""
    return frozenset(
        flow
        for task, graded in zip(scenario.tasks, tasks, strict=True)
        for check, result in zip(task.checks, graded.checks, strict=True)
        if not result.holds
        for flow in flows_of(check)
    )


def _graded(task: Task, results: Sequence[CheckResult]) -> TaskGrade:
    """The share of its goals that is reached, less what was to be kept and was not; nothing without what it needs."""
    goals = [each for each in results if not each.is_kept and not each.is_needed]
    kept = [each for each in results if each.is_kept]
    needed = [each for each in results if each.is_needed]
    reached = sum(each.holds for each in goals) if all(each.holds for each in needed) else 0
    share = reached / len(goals)
    if kept:
        share *= sum(each.holds for each in kept) / len(kept)
    is_done = all(each.holds for each in results)
    return TaskGrade(
        id=task.id,
        title=task.title,
        points=task.points if is_done else task.points * share,
        points_max=task.points,
        is_done=is_done,
        sentence=_sentence(goals, kept, needed, reached, _found),
        seen=_sentence(goals, kept, needed, reached, _seen),
        checks=tuple(results),
    )


def _found(check: CheckResult) -> Texts:
    return check.found


def _seen(check: CheckResult) -> Texts:
    return check.seen or check.found


def _sentence(
    goals: Sequence[CheckResult],
    kept: Sequence[CheckResult],
    needed: Sequence[CheckResult],
    reached: int,
    told: Callable[[CheckResult], Texts],
) -> Texts:
    """Done; or the first thing that is not reached, needed ones first, else the first that was to stay and has not."""
    spoilt = [each for each in kept if not each.holds]
    missing = [each for each in (*needed, *goals) if not each.holds]
    if not spoilt and not missing:
        return everywhere(lambda language: said(language, "task_done", found=told(goals[0]).of(language)))
    name = "task_spoilt" if spoilt and not missing else "task_partly" if reached else "task_open"
    first = (missing or spoilt)[0]
    return everywhere(
        lambda language: said(language, name, reached=reached, goals=len(goals), found=told(first).of(language))
    )


def _summary(tasks: Sequence[TaskGrade], collateral: Sequence[BrokenFlow]) -> Texts:
    done = sum(task.is_done for task in tasks)

    def say(language: str) -> str:
        text = said(language, "summary", done=done, tasks=len(tasks))
        if collateral:
            causes = causes_of(collateral)
            name = "summary_broken" if causes == 1 else "summary_causes"
            text += " " + said(language, name, count=len(collateral), causes=causes)
        return text

    return everywhere(say)
