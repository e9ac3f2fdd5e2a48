"""Every scenario that ships: not solved at the start, solved by its solution, not by what seems to do."""

import re

import pytest

from engine.training.grading import Grading, grade
from engine.training.scenario import Scenario
from engine.training.words import LANGUAGES, Texts
from tests.support.training_files import FILES, shipped
from tests.support.training_world import TrainingWorld

NAMES = [file.stem for file in FILES]
every = pytest.mark.parametrize("name", NAMES)


def told(grading: Grading) -> str:
    lines = [f"{task.points:g}/{task.points_max} {task.sentence.en}" for task in grading.tasks]
    return "\n".join([*lines, *(each.text.en for each in grading.collateral)])


@every
def test_at_the_start_nothing_is_earned(name: str):
    grading = grade(shipped(name), TrainingWorld(shipped(name)))
    assert grading.score == 0, told(grading)
    assert not grading.collateral, told(grading)
    assert not any(task.is_done for task in grading.tasks), told(grading)


@every
@pytest.mark.parametrize("seed", [7, 8])
def test_the_reference_solution_scores_everything(name: str, seed: int):
    scenario = shipped(name)
    world = TrainingWorld(scenario, seed=seed)
    world.take(scenario.solution)
    grading = grade(scenario, world)
    assert grading.is_complete, told(grading)
    assert grading.score == 100, told(grading)


@every
def test_wrong_turns_do_not(name: str):
    scenario = shipped(name)
    for turn in scenario.wrong_turns:
        world = TrainingWorld(scenario)
        world.take(turn.steps)
        grading = grade(scenario, world)
        assert not grading.is_complete, told(grading)
        assert grading.score < 100, told(grading)


@every
def test_every_text_is_another_one_in_each_language(name: str):
    scenario = shipped(name)
    for texts in texts_of(scenario):
        assert len({texts.of(language) for language in LANGUAGES}) == len(LANGUAGES), texts


@every
def test_french_has_spaces_that_do_not_break(name: str):
    for texts in texts_of(shipped(name)):
        assert not re.search(r" [:;?!»](\s|$)|« ", texts.fr), texts.fr


@every
def test_file_and_lessons(name: str):
    scenario = shipped(name)
    assert scenario.id == name
    assert scenario.points == 100
    costs = [hint.cost for hint in scenario.hints]
    assert costs == sorted(costs), "a later hint tells more"
    assert len(set(costs)) == len(costs), "each tells more than the last"
    assert all(hint.lesson for hint in scenario.hints)


def texts_of(scenario: Scenario) -> list[Texts]:
    return [
        scenario.title,
        scenario.brief,
        scenario.explanation,
        *(task.title for task in scenario.tasks),
        *(hint.text for hint in scenario.hints),
        *(turn.text for turn in scenario.wrong_turns),
    ]
