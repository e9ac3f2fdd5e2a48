"""Whatever a trainee does to an estate, it can be graded, and what was harmed is told."""

import pytest

from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.training.grading import Grading, grade
from engine.training.scenario import Statements
from engine.training.words import LANGUAGES
from tests.support.training_files import FILES, shipped
from tests.support.training_world import TrainingWorld

HARM = [
    ("PARIS", "master", "DROP DATABASE Ventes;"),
    ("PARIS", "Ventes", "DROP SERVICE [//exemple.fr/Ventes/Guichet];"),
    ("PARIS", "Ventes", "ALTER QUEUE dbo.[Réponses] WITH STATUS = OFF;"),
    ("PARIS", "master", "ALTER DATABASE Ventes SET DISABLE_BROKER WITH ROLLBACK IMMEDIATE;"),
    ("PARIS", "master", "ALTER DATABASE Ventes SET OFFLINE;"),
    ("LYON", "master", "DROP DATABASE [Entrepôt];"),
    ("LYON", "Entrepôt", "DROP SERVICE [//exemple.fr/Commandes/Réception]; DROP QUEUE dbo.[Commandes reçues];"),
    ("LYON", "master", "DROP ENDPOINT [Point de courtage];"),
    ("LYON", "msdb", "DROP ROUTE AutoCreatedLocal;"),
    ("LYON", "Entrepôt", "DROP ROUTE [Retour au guichet];"),
]


def told_in_every_language(grading: Grading) -> None:
    for task in grading.tasks:
        assert all(task.sentence.of(language) for language in LANGUAGES)
        assert all(check.found.of(language) for check in task.checks for language in LANGUAGES)
    for each in grading.collateral:
        assert len({each.text.of(language) for language in LANGUAGES}) == len(LANGUAGES)


@pytest.mark.parametrize(("instance", "database", "sql"), HARM)
def test_harm_that_is_done_to_a_solved_scenario(instance: str, database: str, sql: str):
    scenario = shipped("first-route")
    world = TrainingWorld(scenario)
    world.take(scenario.solution)
    world.take([Statements(instance=InstanceName(instance), database=DatabaseName(database), sql=sql)])
    grading = grade(scenario, world)
    told_in_every_language(grading)
    assert not grading.is_complete
    assert grading.score < 100


@pytest.mark.parametrize("name", [file.stem for file in FILES])
def test_what_was_found_is_told_in_every_language(name: str):
    told_in_every_language(grade(shipped(name), TrainingWorld(shipped(name))))
