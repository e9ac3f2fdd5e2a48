"""What tasks tell while one works, and what they keep to themselves."""

import pytest

from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.training.grading import grade
from engine.training.modes import MODE_RULES, Mode
from engine.training.scenario import Statements
from engine.training.words import LANGUAGES, Texts
from tests.support.training_files import shipped
from tests.support.training_world import TrainingWorld


def on(instance: str, database: str, sql: str) -> Statements:
    return Statements(instance=InstanceName(instance), database=DatabaseName(database), sql=sql)


def everything(text: Texts | None) -> str:
    assert text is not None
    return " ".join(text.of(language) for language in LANGUAGES)


def test_only_who_learns_is_told_causes_while_working():
    assert {mode for mode, rules in MODE_RULES.items() if rules.tells_causes} == {Mode.LEARN}


@pytest.mark.parametrize(
    ("scenario", "given_away"),
    [("first-route", ["9750", "route"]), ("silent-queue", ["is_receive_enabled", "SELECT"])],
)
def test_what_is_seen_gives_away_no_cause(scenario: str, given_away: list[str]):
    grading = grade(shipped(scenario), TrainingWorld(shipped(scenario)))
    told = " ".join(everything(task.sentence) for task in grading.tasks)
    told += " ".join(everything(check.found) for task in grading.tasks for check in task.checks)
    seen = " ".join(everything(task.seen) for task in grading.tasks)
    seen += " ".join(everything(check.seen or check.found) for task in grading.tasks for check in task.checks)
    for word in given_away:
        assert word in told
        assert word not in seen


def test_a_check_under_suppositions_says_what_it_supposes():
    grading = grade(shipped("mirror-failover"), TrainingWorld(shipped("mirror-failover")))
    found = grading.tasks[0].checks[0].found
    assert "BERLIN" in found.en.partition(":")[0] + found.en
    for language, word in {"en": "supposed:", "fr": "à supposer", "de": "angenommen"}.items():
        assert word in found.of(language)


def test_what_was_to_stay_says_so():
    grading = grade(shipped("mirror-failover"), TrainingWorld(shipped("mirror-failover")))
    kept = [check for check in grading.tasks[0].checks if check.is_kept]
    assert kept
    assert all(check.found.en.startswith("To stay as it was: ") for check in kept)


def test_a_pair_that_is_none_any_more_does_not_survive_its_next_failover():
    """SET PARTNER OFF after the solution: with nobody to fail over to, nothing is proven by its failover."""
    scenario = shipped("mirror-failover")
    world = TrainingWorld(scenario)
    world.take(scenario.solution)
    assert grade(scenario, world).score == 100
    world.take([on("LYON", "master", "ALTER DATABASE Buchhaltung SET PARTNER OFF;")])
    grading = grade(scenario, world)
    task = next(task for task in grading.tasks if task.id == "after-next-failover")
    assert not task.is_done
    assert task.points < task.points_max
    assert "LYON/Buchhaltung has no partner any more" in everything(task.sentence)
    assert not grading.is_complete
