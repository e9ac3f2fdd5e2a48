"""Nothing is earned for nothing, and no right repair is worth less than the reference (`training_plays`)."""

import pytest

from engine.training.grading import grade
from engine.training.words import LANGUAGES
from engine.whatif.faults import Fault
from tests.support.each import for_each
from tests.support.thoroughness import THOROUGH
from tests.support.training_files import FILES, shipped
from tests.support.training_plays import PLAYS, Play
from tests.support.training_world import TrainingWorld

LONG_SECONDS = 1200.0
"""Longer than any solution waits."""


def each_worth() -> list[Play]:
    """One play for each score of each scenario, the last one described; all plays in `make test-all`."""
    return list(PLAYS) if THOROUGH else list({(play.scenario, play.score): play for play in PLAYS}.values())


def played(play: Play) -> TrainingWorld:
    world = TrainingWorld(shipped(play.scenario))
    for step in play.steps:
        if isinstance(step, Fault):
            world.strike(step)
        else:
            world.take([step])
    return world


@for_each("play", each_worth())
def test_what_it_is_worth(play: Play):
    grading = grade(shipped(play.scenario), played(play))
    told = "\n".join(f"{task.points:g} {task.sentence.en}" for task in grading.tasks)
    assert grading.score == play.score, told
    assert grading.is_complete == (play.score == 100), told
    for task in grading.tasks:
        assert all(check.found.of(language) for check in task.checks for language in LANGUAGES)


@pytest.mark.parametrize("name", [file.stem for file in FILES])
def test_time_alone_earns_nothing(name: str):
    world = TrainingWorld(shipped(name))
    for _ in range(4):
        world.wait(LONG_SECONDS / 4)
        grading = grade(shipped(name), world)
        assert grading.achieved == 0, [task.sentence.en for task in grading.tasks]
        assert not grading.collateral


def test_every_scenario_has_been_tried_by_a_cheat_and_mended_in_another_way():
    for file in FILES:
        scores = [play.score for play in PLAYS if play.scenario == file.stem]
        assert 0 in scores, file.stem
        assert 100 in scores, file.stem
