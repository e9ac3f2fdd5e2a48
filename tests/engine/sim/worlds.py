"""Small worlds for tests of the simulator's parts."""

from __future__ import annotations

from uuid import UUID

import msgspec

from engine.core.catalog.route import NetworkAddress, Route
from engine.core.vocabulary.messages import TcpAddress
from engine.sim.clock import Agenda
from engine.sim.entropy import Dice
from engine.sim.history import Entry, Journal
from engine.sim.ledger import Ledger
from engine.sim.network import LinkProfile, Network
from engine.sim.scenario import DatabaseSpec, Ending, Flow, InstanceSpec, Scenario

HANDLE, OTHER_HANDLE, CONVERSATION = UUID(int=1), UUID(int=2), UUID(int=3)
HERE, THERE = UUID(int=10), UUID(int=20)


def route(service: str, host: str, **fields: object) -> Route:
    return Route(
        name=f"to {service}",
        service_name=service,
        address=_address(host),
        **fields,
    )


def _address(host: str) -> NetworkAddress:
    return NetworkAddress(f"TCP://{host}:4022", TcpAddress(host, 4022))


def pair(**fields: object) -> Scenario:
    """PARIS asks, LYON answers; nothing goes wrong unless `fields` says so."""
    paris = DatabaseSpec(name="Ventes", services=("Client",), routes=(route("Entrepôt", "lyon"),), broker_instance=HERE)
    lyon = DatabaseSpec(name="Stock", services=("Entrepôt",), routes=(route("Client", "paris"),), broker_instance=THERE)
    flow = Flow(
        name="talk",
        instance="PARIS",
        database="Ventes",
        service="Client",
        to_service="Entrepôt",
        dialogs=(2, 2),
        messages=(10, 20),
        replies=0.5,
        endings=(Ending.INITIATOR, Ending.TARGET),
    )
    scenario = {
        "name": "pair",
        "instances": (
            InstanceSpec(name="PARIS", databases=(paris,)),
            InstanceSpec(name="LYON", databases=(lyon,)),
        ),
        "flows": (flow,),
        "draws_subset": False,
        "faults_seconds": 60.0,
        **fields,
    }
    return Scenario(**scenario)


def mirrored_pair(**fields: object) -> Scenario:
    """As `pair`, but LYON's database has a mirror copy at WIEN, and PARIS a mirrored route."""
    paris, lyon = pair().instances
    there = route("Entrepôt", "lyon", broker_instance=THERE, mirror_address=_address("wien"))
    ventes = msgspec.structs.replace(paris.databases[0], routes=(there,))
    copy = msgspec.structs.replace(lyon.databases[0], is_mirror=True)
    instances = (
        msgspec.structs.replace(paris, databases=(ventes,)),
        lyon,
        InstanceSpec(name="WIEN", databases=(copy,)),
    )
    return pair(instances=instances, **fields)


def network(profile: LinkProfile | None = None) -> Network:
    made = Network(Agenda(1_000_000), Dice(1, "network"))
    made.set_profiles(profile or LinkProfile(), [])
    return made


class Recorder:
    """Keeps every entry."""

    watches = ()

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def observe(self, entry: Entry) -> None:
        self.entries.append(entry)

    def of(self, kind: type) -> list[Entry]:
        return [entry for entry in self.entries if isinstance(entry, kind)]


def judge(checker_class: type, *entries: Entry, scenario: Scenario | None = None) -> list[str]:
    """What one checker says of a made-up history."""
    ledger = Ledger()
    checker = checker_class(scenario or pair(), ledger)
    journal = Journal()
    journal.tell([ledger, checker])
    for entry in entries:
        journal.record(entry)
    checker.finish(999.0)
    return [finding.text for finding in checker.findings]
