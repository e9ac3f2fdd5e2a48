"""What a run is worth: shares, costs, collateral by name, modes."""

import re

import pytest

from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.training.grading import grade
from engine.training.modes import MODE_RULES, Mode
from engine.training.scenario import Statements, Wait
from engine.training.words import LANGUAGES, sentences_in
from tests.support.training_files import shipped
from tests.support.training_world import TrainingWorld


@pytest.fixture
def solved() -> TrainingWorld:
    world = TrainingWorld(shipped("first-route"))
    world.take(shipped("first-route").solution)
    return world


def statements(instance: str, database: str, sql: str) -> Statements:
    return Statements(instance=InstanceName(instance), database=DatabaseName(database), sql=sql)


def test_part_of_it_earns_part_of_the_points():
    """Right after the route was made a new order would arrive; what has waited is not there yet."""
    scenario = shipped("first-route")
    world = TrainingWorld(scenario)
    world.take([step for step in scenario.solution if not isinstance(step, Wait)])
    grading = grade(scenario, world)
    assert [(task.is_done, task.points) for task in grading.tasks] == [(True, 60), (False, 0)]
    assert grading.score == 60
    assert not grading.is_complete


def test_another_solution_is_as_good():
    world = TrainingWorld(shipped("first-route"))
    world.take([statements("PARIS", "Ventes", "CREATE ROUTE Tout WITH ADDRESS = N'TCP://lyon.exemple.fr:4022';")])
    world.wait(120)
    assert grade(shipped("first-route"), world).score == 100


def test_hints_cost_what_they_say(solved: TrainingWorld):
    scenario = shipped("first-route")
    assert grade(scenario, solved, hints_taken={1}).score == 95
    assert grade(scenario, solved, hints_taken={1, 2, 3}).score == 65
    assert grade(scenario, solved, hints_taken={1, 2}, mode=Mode.LEARN).score == 100
    assert grade(scenario, solved, hints_taken={1}).is_complete


def test_who_gives_up_has_nothing(solved: TrainingWorld):
    grading = grade(shipped("first-route"), solved, has_given_up=True)
    assert grading.score == 0
    assert grading.tasks[0].is_done


def test_what_broke_on_the_way_is_named(solved: TrainingWorld):
    solved.take([statements("PARIS", "Ventes", "DROP ROUTE [Facturation sur place];")])
    grading = grade(shipped("first-route"), solved)
    (broken,) = grading.collateral
    assert broken.flow.to_service == "//exemple.fr/Facturation/Factures"
    assert broken.number == 9750
    for language in LANGUAGES:
        assert "//exemple.fr/Facturation/Factures" in broken.text.of(language)
        assert re.search(r"\b1\b", grading.sentence.of(language).rpartition(":")[2])
        assert broken.text.of(language), "which one it is stands beside the sentence"
    assert grading.score == 90
    assert not grading.is_complete
    assert all(task.is_done for task in grading.tasks)


def test_several_flows_that_one_thing_has_broken_are_charged_once():
    scenario = shipped("conversation-leak")
    world = TrainingWorld(scenario)
    world.take(scenario.solution)
    world.take([statements("LYON", "master", "DROP ENDPOINT [Point de courtage];")])
    one = grade(scenario, world)
    assert len(one.collateral) > 1, "all that goes to Lyon"
    assert len({each.cause for each in one.collateral}) == 1
    assert one.collateral_cost == scenario.collateral_cost
    assert "one cause" in one.sentence.en
    world.take([statements("PARIS", "Ventes", "ALTER QUEUE dbo.[Accusés] WITH STATUS = OFF;")])
    world.take([statements("PARIS", "Ventes", "DROP SERVICE [//exemple.fr/Ventes/Abonnements];")])
    more = grade(scenario, world)
    assert more.collateral_cost == 2 * scenario.collateral_cost
    for language in LANGUAGES:
        assert "2" in more.sentence.of(language)


def test_what_a_task_has_charged_is_not_charged_again():
    """The inventory is asked for by a task; that nobody in the house reaches it is told there alone."""
    scenario = shipped("hardened-msdb")
    world = TrainingWorld(scenario)
    world.take(scenario.solution)
    world.take([statements("LYON", "Entrepôt", "DROP SERVICE [//exemple.fr/Entrepôt/Inventaire];")])
    grading = grade(scenario, world)
    assert not grading.collateral
    assert not grading.is_complete
    assert not grading.tasks[0].is_done


def test_a_conversation_that_arrives_elsewhere_says_where():
    scenario = shipped("first-route")
    world = TrainingWorld(scenario)
    world.take(scenario.wrong_turns[1].steps)
    arrive, backlog = grade(scenario, world).tasks
    assert arrive.points == backlog.points == 0
    for task in (arrive, backlog):
        told = " ".join(check.found.en for check in task.checks)
        assert "in PARIS/Facturation instead of LYON/Entrepôt" in told


def test_without_what_it_needs_a_task_earns_nothing_and_says_what():
    scenario = shipped("conversation-leak")
    world = TrainingWorld(scenario)
    world.take(scenario.wrong_turns[3].steps)
    _, queue = grade(scenario, world).tasks
    assert [check.holds for check in queue.checks] == [True, False, True, True, True]
    assert queue.points == 0
    assert "state = DI" in queue.sentence.en


def test_a_queue_that_is_switched_off_is_collateral(solved: TrainingWorld):
    solved.take([statements("PARIS", "Facturation", "ALTER QUEUE dbo.[Factures] WITH STATUS = OFF;")])
    (broken,) = grade(shipped("first-route"), solved).collateral
    assert broken.flow.to_service == "//exemple.fr/Facturation/Factures"


def test_a_service_that_is_gone_is_collateral(solved: TrainingWorld):
    solved.take([statements("PARIS", "Ventes", "DROP SERVICE [//exemple.fr/Ventes/Guichet];")])
    grading = grade(shipped("first-route"), solved)
    assert [each.number for each in grading.collateral] == [None]
    assert not any(task.is_done for task in grading.tasks[:1])


def test_grading_leaves_the_world_as_it_is(solved: TrainingWorld):
    scenario = shipped("first-route")
    before = solved.seconds, {name: catalog.revision for name, catalog in solved.catalogs().items()}
    assert grade(scenario, solved) == grade(scenario, solved)
    assert before == (solved.seconds, {name: catalog.revision for name, catalog in solved.catalogs().items()})


def test_modes():
    learn, practise, exam = (MODE_RULES[mode] for mode in Mode)
    assert learn.has_solution
    assert not learn.counts
    assert practise.hints_cost
    assert practise.counts
    assert exam.has_time_limit
    assert not any([exam.has_hints, exam.has_live_checks, exam.has_solution, exam.may_stop_clock])


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_sentences_have_the_same_parameters(language: str):
    english, other = sentences_in("en"), sentences_in(language)
    assert english.keys() == other.keys()
    for name, text in english.items():
        names = {part.split("}")[0] for part in text.split("{")[1:]}
        assert names == {part.split("}")[0] for part in other[name].split("{")[1:]}, name
