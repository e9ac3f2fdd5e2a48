"""Faults: what a seed draws, that each kind strikes and is undone, and that in the end everything is healed."""

import pytest

from engine.core.catalog.objects import EndpointState
from engine.sim.entropy import Dice
from engine.sim.faults.catalogue import KINDS
from engine.sim.faults.kind import Fault, Struck
from engine.sim.faults.operators import MOVE_KINDS
from engine.sim.faults.plan import draw
from engine.sim.history import Died, Happened, Journal, Started
from engine.sim.ledger import Ledger
from engine.sim.scenario import InstanceSpec
from engine.sim.scenario_reading import standard_scenario
from engine.sim.simulation import Simulation
from tests.engine.sim.worlds import Recorder, mirrored_pair, pair
from tests.support.each import for_each

WORLD = standard_scenario()


def simulation(scenario, seed=1):
    recorder, journal, ledger = Recorder(), Journal(), Ledger(scenario)
    journal.tell([ledger, recorder])
    return Simulation(scenario, seed, ledger, journal), recorder


def test_a_seed_draws_the_same_plan_every_time_and_seeds_differ():
    plans = [draw(WORLD, Dice(seed, "faults")) for seed in (1, 1, 2)]
    assert plans[0] == plans[1]
    assert plans[0] != plans[2]


def test_seeds_enable_some_kinds_and_not_others_and_each_of_them_now_and_then():
    plans = [draw(WORLD, Dice(seed, "faults")) for seed in range(60)]
    on = [{*(fault.kind for fault in plan.faults), *plan.rates} for plan in plans]
    assert set.union(*on) == set(WORLD.faults)
    assert all(len(kinds) < len(WORLD.faults) for kinds in on)
    for plan in plans:
        assert [fault.at for fault in plan.faults] == sorted(fault.at for fault in plan.faults)
        assert all(fault.at + fault.lasts <= WORLD.faults_seconds + 1e-9 for fault in plan.faults)
        assert all(0 < rate <= WORLD.faults[name] for name, rate in plan.rates.items())


def test_without_a_subset_everything_that_is_named_is_on_at_its_rate():
    plan = draw(pair(faults={"crash": 30.0, "loss": 0.1}, faults_seconds=600.0), Dice(1, "faults"))
    assert plan.rates == {"loss": 0.1}
    assert {fault.kind for fault in plan.faults} == {"crash"}
    assert 200 < len(plan.faults) < 400


@for_each("name", KINDS)
def test_each_kind_strikes_in_a_run_and_the_run_is_sound_after_the_healing(name):
    """Struck over and over: what is not undone keeps the world from converging."""
    stranger = InstanceSpec(name="WIEN")
    further = {"faults": {name: 20.0}}
    scenario = (
        mirrored_pair(**further) if name in MOVE_KINDS else pair(instances=(*pair().instances, stranger), **further)
    )
    world, recorder = simulation(scenario)
    world.run()
    told = [entry.text for entry in recorder.of(Happened) if entry.is_strike]
    assert any(text.startswith(f"{name} strikes") for text in told)
    assert world.waits() == []
    for server in world.servers.values():
        assert server.is_alive
        assert not server.store.is_full
        assert server.turn_seconds == pytest.approx(0.001)
        assert server.instance.catalog.endpoint.state is EndpointState.STARTED
        assert all(each.is_broker_enabled for each in server.instance.catalog.databases.values() if each.services)
    deaths, starts = len(recorder.of(Died)), len(recorder.of(Started))
    assert starts == deaths + len(world.servers)


@pytest.mark.parametrize("name", ["partition", "one-way-partition", "slow-link", "link-break"])
def test_a_world_without_neighbours_has_no_path_to_trouble(name):
    assert KINDS[name].choose(pair(instances=pair().instances[:1]), Dice(1, "choose")) is None


def test_nobody_is_struck_who_is_held_by_another_fault_of_the_kind():
    world, _ = simulation(pair())
    struck = Struck(
        scenario=world.scenario,
        servers=world.servers,
        sites=world.sites,
        ledger=world.ledger,
        clerk=world._clerk,
        operators={},
        network=world._network,
        journal=world.journal,
    )
    subject = KINDS["crash"].choose(world.scenario, Dice(1, "choose"))
    fault = Fault(at=0.0, kind="crash", lasts=1.0, subject=subject)
    assert KINDS["crash"].strike(fault, struck) is not None
    assert KINDS["crash"].strike(fault, struck) is None, "a dead process is not killed again"
    assert KINDS["torn-commit"].strike(fault, struck) is None
