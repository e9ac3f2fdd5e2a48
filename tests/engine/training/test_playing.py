"""A scenario in a sandbox: the same for everybody, graded without being touched."""

from uuid import UUID

import msgspec
import pytest

from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName
from engine.sandbox import Sandbox
from engine.training.grading import grade
from engine.training.playing import StepFailed, begin, spec_of
from engine.training.scenario import Statements
from engine.whatif.faults import Fault, FaultKind
from tests.support.training_files import FILES, shipped
from tests.support.training_world import TrainingWorld

LYON, ENTREPOT = InstanceName("LYON"), DatabaseName("Entrepôt")


@pytest.mark.parametrize("name", [file.stem for file in FILES])
def test_whoever_performs_the_prologue_again_has_the_same_sandbox(name: str):
    scenario = shipped(name)
    played = begin(scenario, seed=3)
    again = Sandbox(spec_of(scenario, seed=3))
    again.replay(played.entries)
    again.advance(played.beginning.seconds)
    assert again.sequence == played.sandbox.sequence
    for instance in played.sandbox.instances():
        assert again.view(instance, 1000) == played.sandbox.view(instance, 1000)
        assert again.catalog(instance) == played.sandbox.catalog(instance)


def test_a_sender_names_the_copy_of_the_service_that_the_scenario_names():
    broker = BrokerInstanceId(UUID(int=0xB0))
    scenario = shipped("first-route")
    sender = scenario.traffic.senders[0]
    named = msgspec.structs.replace(sender, flow=msgspec.structs.replace(sender.flow, broker_instance=broker))
    traffic = msgspec.structs.replace(scenario.traffic, senders=(named,))
    (planned,) = spec_of(msgspec.structs.replace(scenario, traffic=traffic), seed=1).traffic
    assert [pair.broker_instance for pair in planned.plan.pairs] == [broker]


def test_the_queue_has_been_switched_off_by_what_nobody_can_process():
    world = TrainingWorld(shipped("silent-queue"))
    queue = world.catalogs()[LYON].databases[ENTREPOT].queues["dbo.Commandes reçues"]
    assert not queue.is_enabled
    assert shipped("silent-queue").catalogs[LYON].databases[ENTREPOT].queues["dbo.Commandes reçues"].is_enabled
    assert not grade(shipped("silent-queue"), world).collateral, "it was off when the trainee came in"


def test_a_select_may_not_do_anything():
    world = TrainingWorld(shipped("silent-queue"))
    assert world.select(LYON, ENTREPOT, "SELECT * FROM dbo.[Commandes reçues]") == 1
    for sql in (
        "ALTER QUEUE dbo.[Commandes reçues] WITH STATUS = ON;",
        "RECEIVE TOP (1) * FROM dbo.[Suivi];",
        "CREATE QUEUE dbo.Neuve;",
    ):
        with pytest.raises(BrokerError) as caught:
            world.select(LYON, ENTREPOT, sql)
        assert caught.value.number == 3906
    with pytest.raises(BrokerError) as caught:
        world.select(LYON, ENTREPOT, "SELECT * FROM dbo.Nulle")
    assert caught.value.number == 208
    before = world.seconds
    assert world.select(LYON, ENTREPOT, "WAITFOR DELAY '00:00:05'; SELECT 1") is None
    assert world.seconds == before
    assert world.sandbox.sequence == len(world.played.entries)


def test_an_instance_that_is_down_answers_no_check():
    scenario = shipped("silent-queue")
    world = TrainingWorld(scenario)
    world.take(scenario.solution)
    fault = Fault(kind=FaultKind.INSTANCE, instance=LYON)
    world.strike(fault)
    assert world.select(LYON, ENTREPOT, "SELECT * FROM dbo.[Suivi]") is None
    grading = grade(scenario, world)
    done = {task.id for task in grading.tasks if task.is_done}
    assert done == {"orders-processed"}, "what Paris has been answered stays answered"
    assert grading.collateral, "whoever strikes a server down has broken what went there"
    world.mend(fault)
    world.wait(120)
    assert grade(scenario, world).is_complete


def test_what_the_scenario_breaks_by_itself_is_nobodys_fault():
    """Paris loses Berlin and the principal moves; a trainee who only looks on has harmed nothing."""
    scenario = shipped("mirror-failover")
    world = TrainingWorld(scenario)
    assert world.unseen_faults()
    assert not grade(scenario, world).collateral
    world.wait(1200)
    assert not world.unseen_faults()
    assert not grade(scenario, world).collateral


def test_a_failover_back_by_the_trainee_is_as_good():
    scenario = shipped("mirror-failover")
    world = TrainingWorld(scenario)
    world.take(scenario.solution)
    world.mend(Fault(kind=FaultKind.PARTNER, instance=InstanceName("BERLIN"), database=DatabaseName("Buchhaltung")))
    world.wait(180)
    grading = grade(scenario, world)
    assert grading.score == 100, [task.sentence.en for task in grading.tasks]


def test_another_way_to_get_the_poison_out():
    """Receiving it in a transaction of one's own, the queue on for that moment."""
    scenario = shipped("silent-queue")
    world = TrainingWorld(scenario)
    sql = """
        ALTER QUEUE dbo.[Commandes reçues] WITH STATUS = ON;
        DECLARE @h uniqueidentifier, @body varbinary(max);
        RECEIVE TOP (1) @h = conversation_handle, @body = message_body FROM dbo.[Commandes reçues];
        END CONVERSATION @h;
    """
    world.take([Statements(instance=LYON, database=ENTREPOT, sql=sql)])
    world.wait(90)
    assert grade(scenario, world).score == 100


def test_a_step_makes_keys_and_certificates_as_a_trainee_does():
    world = TrainingWorld(shipped("first-route"))
    sql = """
        CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Tr41ning!';
        CREATE CERTIFICATE Own WITH SUBJECT = 'own', EXPIRY_DATE = '2030-01-01';
    """
    world.take([Statements(instance=InstanceName("PARIS"), database=DatabaseName("Ventes"), sql=sql)])
    assert world.select(InstanceName("PARIS"), DatabaseName("Ventes"), "SELECT name FROM sys.certificates") == 1


def test_a_step_that_fails_says_why():
    world = TrainingWorld(shipped("first-route"))
    step = Statements(instance=InstanceName("PARIS"), database=DatabaseName("Ventes"), sql="DROP ROUTE [Nulle part];")
    with pytest.raises(StepFailed, match="line 1: 15151"):
        world.take([step])
