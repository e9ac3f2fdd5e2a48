"""Scenarios out of YAML: what is read, and that each fault is told with its line and its number."""

from pathlib import Path

import pytest

from engine.core.catalog.objects import BrokerPriority
from engine.core.vocabulary.dialog_security import KeySuite, SecurityKind
from engine.sim.faults.catalogue import KINDS, RATES
from engine.sim.scenario import Ending
from engine.sim.scenario_reading import read_scenario, shipped_scenario, shipped_scenarios, standard_scenario
from engine.sim.workload.catalogue import READERS
from tests.support.each import for_each

SOUND = """\
name: two
instances:
  PARIS:
    databases:
      Ventes:
        services: [Client]
        routes: [{name: out, service: Entrepôt, address: "TCP://lyon:4022"}]
  LYON:
    forwards: true
    databases:
      Stock: {services: [Entrepôt], broker: stock, mirror: true}
link: {latency_ms: 2.5, loss: 0.1}
links: [{between: [PARIS, LYON], kilobytes_per_second: 50}]
flows:
  - {name: talk, from: {instance: PARIS, database: Ventes, service: Client}, to: Entrepôt,
     messages: [2, 3], endings: [open]}
faults: {crash: 1.5, loss: 0.2}
amplification_max: 1.5
draws_subset: false
"""
RICH = (
    SOUND.replace(
        "mirror: true}", "honours_priority: true, priorities: [{name: first, remote: Client, level: 10}]}"
    ).replace("endings: [open]}", "endings: [open], security: anonymous}")
    + "fragment_bytes: 2048\nkey_suites: [md5]\nreaders: [transactions]\n"
)


def faults_of(text):
    scenario, faults = read_scenario("world.yaml", text)
    assert (scenario is None) == bool(faults)
    return [str(fault) for fault in faults]


def test_every_key_is_read():
    scenario, faults = read_scenario("world.yaml", SOUND)
    assert faults == []
    assert [instance.name for instance in scenario.instances] == ["PARIS", "LYON"]
    paris, lyon = scenario.instances
    assert lyon.forwards
    assert lyon.databases[0].is_mirror
    assert lyon.databases[0].broker_instance is not None
    assert [str(route.address) for _, route in paris.all_routes()] == ["TCP://lyon:4022"]
    assert scenario.link.latency_ms == 2.5
    assert scenario.links[0].profile.kilobytes_per_second == 50
    [flow] = scenario.flows
    assert (flow.messages, flow.endings, flow.dialogs) == ((2, 3), (Ending.OPEN,), (1, 4))
    assert scenario.faults == {"crash": 1.5, "loss": 0.2}
    assert (scenario.amplification_max, scenario.draws_subset, scenario.faults_seconds) == (1.5, False, 120.0)


def test_the_scenarios_name_every_fault_every_reader_and_every_ending():
    worlds = [shipped_scenario(name) for name in shipped_scenarios()]
    assert len(worlds) == 8
    assert {fault for world in worlds for fault in world.faults} == {*KINDS, *RATES}
    assert {reader for world in worlds for reader in world.readers} == set(READERS)
    assert {flow.security for world in worlds for flow in world.flows} == set(SecurityKind)
    scenario = standard_scenario()
    assert {ending for flow in scenario.flows for ending in flow.endings} == set(Ending)


@for_each(
    ("old", "new", "line", "words"),
    [
        ("amplification_max", "amplifcation_max", 18, "unknown key 'amplifcation_max'"),
        ("latency_ms", "latencyms", 12, "unknown key 'latencyms'"),
        ("crash: 1.5", "crahs: 1.5", 17, "unknown key 'crahs'"),
        ("loss: 0.2", "loss: 20", 17, "'loss' is a number from 0 to 1"),
        ("crash: 1.5", "crash: often", 17, "'crash' is a number"),
        ("crash: 1.5", "crash: .nan", 17, "'crash' is a number"),
        ("[2, 3]", "[3, 2]", 16, "'messages' is a range"),
        ("[2, 3]", "[0, 2]", 16, "from 1 to"),
        ("[2, 3]", "5", 16, "'messages' is a list"),
        ("endings: [open]", "endings: [never]", 16, "an ending is one of"),
        ("instance: PARIS", "instance: ROME", 15, "the instance of a flow is one of PARIS, LYON"),
        ("database: Ventes", "database: Stock", 15, "the database of a flow is one of Ventes"),
        ("service: Client}", "service: Server}", 15, "the service of a flow is one of Client"),
        ("between: [PARIS, LYON]", "between: [PARIS]", 13, "'between' names two instances"),
        ("between: [PARIS, LYON]", "between: [PARIS, ROME]", 13, "an end is one of PARIS, LYON"),
        ("draws_subset: false", "draws_subset: perhaps", 19, "true or false"),
        ('"TCP://lyon:4022"', '"TCP://lyon:99999"', 7, "9744"),
        ("  LYON:", "  Paris:", 8, "stands twice"),
        ("name: two", "name: [two]", 1, "is a text"),
        ("services: [Client]", "services: [Client, Client]", 3, "2714"),
    ],
)
def test_a_fault_is_told_with_its_line_and_its_number(old, new, line, words):
    assert old in SOUND
    told = faults_of(SOUND.replace(old, new, 1))
    found = [each for each in told if words in each]
    assert found, told
    assert found[0].startswith(f"world.yaml:{line}:")
    number = found[0].split(": ")[1]
    assert number.isdecimal(), found[0]


@pytest.mark.parametrize("text", ["", "- a list", "name: x", "a: [", "flows: []\nname: x\ninstances: {}", "name: ~"])
def test_what_is_no_scenario_is_refused_with_a_number(text):
    told = faults_of(text)
    assert told
    assert all(": 153: " in each for each in told)


def test_all_faults_are_told_at_once_and_by_line():
    told = faults_of(SOUND.replace("crash", "crahs").replace("[2, 3]", "[3, 2]").replace("latency_ms", "latencyms"))
    assert [int(each.split(":")[1]) for each in told] == [12, 16, 17]


def test_the_example_of_the_documentation_is_a_scenario():
    path = Path(__file__).parents[3] / "docs" / "examples" / "simulation-loss.yaml"
    scenario, faults = read_scenario(str(path), path.read_text(encoding="utf-8"))
    assert faults == []
    assert scenario.faults == {"loss": 0.05}


def test_keys_of_fragments_priorities_and_security_are_read():
    scenario, faults = read_scenario("world.yaml", RICH)
    assert faults == []
    assert (scenario.fragment_bytes, scenario.key_suites) == (2048, (KeySuite.MD5,))
    assert scenario.readers == ("transactions",)
    stock = scenario.instances[1].databases[0]
    assert stock.honours_priority
    assert stock.priorities == (BrokerPriority("first", remote_service="Client", level=10),)
    assert scenario.flows[0].security is SecurityKind.ANONYMOUS


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("level: 10", "level: 11", "'level' is a whole number from 1 to 10"),
        ("level: 10", "grade: 10", "unknown key 'grade'"),
        ("honours_priority: true", "honours_priority: sometimes", "true or false"),
        ("security: anonymous", "security: strict", "'security' is one of none, anonymous, full"),
        ("fragment_bytes: 2048", "fragment_bytes: 1", "'fragment_bytes' is a whole number from 1024"),
        ("key_suites: [md5]", "key_suites: [rot13]", "a suite is one of md5, aes-256-gcm"),
        ("readers: [transactions]", "readers: [nobody]", "a reader is one of autocommit, transactions, waitfor"),
        ("to: Entrepôt", "to: Nirgends", "the secured flow 'talk' leads to a service of one database"),
    ],
)
def test_a_fault_in_them_is_told_with_its_number(old, new, words):
    assert old in RICH
    told = faults_of(RICH.replace(old, new, 1))
    assert any(words in each and ": 153: " in each for each in told), told
