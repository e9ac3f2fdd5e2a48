"""Whatever a trainee types and breaks, grading answers, and never with more than everything."""

from collections.abc import Iterator

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from engine.core.vocabulary.identifiers import DatabaseName
from engine.training.grading import grade
from engine.training.playing import StepFailed
from engine.training.scenario import Scenario, Statements, Step, Wait
from engine.whatif.failures import single_failures
from engine.whatif.faults import Fault
from tests.support.thoroughness import examples
from tests.support.training_files import FILES, shipped
from tests.support.training_world import TrainingWorld


def statements_of(scenario: Scenario) -> Iterator[Step]:
    """What may be dropped, switched off and made anew in an estate, one by one."""
    for instance in scenario.catalogs.values():
        yield Wait(seconds=30)

        def at(database: str, sql: str, name: str = instance.name) -> Statements:
            return Statements(instance=name, database=DatabaseName(database), sql=sql)

        if instance.endpoint is not None:
            yield at("master", f"ALTER ENDPOINT [{instance.endpoint.name}] STATE = STOPPED;")
            yield at("master", f"DROP ENDPOINT [{instance.endpoint.name}];")
        for database in instance.databases.values():
            for change in ("SET NEW_BROKER", "SET DISABLE_BROKER", "SET ENABLE_BROKER", "SET OFFLINE"):
                yield at("master", f"ALTER DATABASE [{database.name}] {change};")
            yield at("master", f"DROP DATABASE [{database.name}];")
            yield at(database.name, "CREATE ROUTE [Alles] WITH ADDRESS = N'LOCAL';")
            for route in database.routes:
                yield at(database.name, f"DROP ROUTE [{route}];")
                yield at(database.name, f"ALTER ROUTE [{route}] WITH ADDRESS = N'TCP://nirgends:4022';")
            for service in database.services.values():
                queue = service.queue.partition(".")[2]
                yield at(database.name, f"DROP SERVICE [{service.name}];")
                yield at(database.name, f"ALTER QUEUE dbo.[{queue}] WITH STATUS = OFF;")
                yield at(database.name, f"RECEIVE TOP (5) * FROM dbo.[{queue}];")


def faults_of(scenario: Scenario) -> list[Fault]:
    return list(single_failures(scenario.catalogs))


@examples(40, suppress_health_check=[HealthCheck.data_too_large])
@given(st.data())
def test_anything_can_be_graded(data: st.DataObject):
    scenario = shipped(data.draw(st.sampled_from([file.stem for file in FILES])))
    world = TrainingWorld(scenario)
    steps, faults = list(statements_of(scenario)), faults_of(scenario)
    for _ in range(data.draw(st.integers(0, 6))):
        done = data.draw(st.sampled_from([*steps, *faults]))
        if isinstance(done, Fault):
            world.strike(done)
            continue
        try:
            world.take([done])
        except StepFailed:
            continue
    grading = grade(scenario, world)
    assert 0 <= grading.score <= 100
    for task in grading.tasks:
        assert 0 <= task.points <= task.points_max
        assert task.is_done is (task.points == task.points_max)
    assert len({each.key for each in grading.collateral}) == len(grading.collateral)
    if grading.is_complete:
        assert grading.score == 100
