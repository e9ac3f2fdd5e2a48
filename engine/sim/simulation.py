"""`Simulation`: one world, from one scenario and one seed; and `run`, which judges it.

Safety phase: applications work, faults strike. Then everything is healed. Liveness phase: what was promised must be
kept in bounded time. The same scenario and seed take the same course on every machine, entry by entry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.link.handshake import OPEN_TERMS, LoginTerms
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.settings import EngineSettings, LinkSettings
from engine.sim.asking import Clerk
from engine.sim.checkers.catalogue import make_checkers
from engine.sim.clock import Agenda, MachineClock
from engine.sim.counting import Counter
from engine.sim.entropy import Dice, SeededEntropy
from engine.sim.faults import intruding
from engine.sim.faults.kind import Struck
from engine.sim.faults.plan import FaultPlan, draw
from engine.sim.history import Begun, Healed, Journal, Observer, Remained, Rested
from engine.sim.intruder import PROVING
from engine.sim.ledger import Ledger
from engine.sim.link_security import SimulatedLinkSecurity
from engine.sim.measuring import measure
from engine.sim.nemesis import Nemesis
from engine.sim.network import LinkProfile, Network
from engine.sim.operating import Operator
from engine.sim.report import SeedReport
from engine.sim.scenario import Scenario, catalog_of, spare_queues
from engine.sim.securing import security_changes
from engine.sim.server import Server, World
from engine.sim.site import sites_of
from engine.sim.workload.applications import Workload

STEP_SECONDS: Final = 5.0
"""How often memory is measured, and in the liveness phase whether everything rests is looked at."""
QUIET_SECONDS: Final = 10.0
"""How long a world must rest before it is believed; more than a late copy of a message takes."""
UPTIME_SECONDS_MAX: Final = 1_000_000.0
"""Monotonic clocks of machines begin anywhere up to this."""
UTC_ERROR_SECONDS_MAX: Final = 30.0
REMAINS_TOLD: Final = 20
ROOMS: Final = (2_000, 50_000, LinkSettings().room_bytes)
"""Connections that are full with a few messages, now and then, and never."""

WAITING_BYTES_KEPT: Final = 4 * 1024
"""Few, so that what simulated instances send is left behind in their stores and read back."""

_WORLD: Final = InstanceName("")


class Simulation:
    """A world that can be let run up to any moment. The journal tells the ledger before any other observer."""

    def __init__(self, scenario: Scenario, seed: int, ledger: Ledger, journal: Journal) -> None:
        self.scenario: Final = scenario
        self.agenda: Final = Agenda(scenario.happenings_max)
        self.journal: Final = journal
        self.ledger: Final = ledger
        plan = draw(scenario, Dice(seed, "faults"))
        self._network = Network(self.agenda, Dice(seed, "network"))
        self._set_profiles(plan)
        self._clerk = Clerk(self.agenda, self.journal, Dice(seed, "clerk"))
        world = World(
            network=self._network,
            journal=self.journal,
            entropy=SeededEntropy(Dice(seed, "entropy")),
            dice=Dice(seed, "servers"),
            settings=_settings(scenario, Dice(seed, "settings")),
            on_delivered=lambda *queue: self.workload.delivered(*queue),
            terms=_terms(scenario, Dice(seed, "handshakes")),
        )
        self.servers: Final = self._make_servers(world, plan, Dice(seed, "clocks"))
        self.sites: Final = sites_of(scenario, self.servers)
        self.workload: Final = Workload(self.agenda, self._clerk, self.sites, scenario, Dice(seed, "workload"))
        struck = Struck(
            scenario=scenario,
            servers=self.servers,
            sites=self.sites,
            ledger=ledger,
            clerk=self._clerk,
            operators={name: Operator(self._clerk, server) for name, server in self.servers.items()},
            network=self._network,
            journal=self.journal,
        )
        self._nemesis = Nemesis(plan, struck, self._clerk, self.journal)
        self.journal.record(
            Begun(
                at=0.0,
                instance=_WORLD,
                scenario=scenario.name,
                seed=seed,
                flows=tuple(flow.name for flow in self.workload.flows),
                rates=plan.rates,
                faults=len(plan.faults),
            )
        )

    def run(self) -> None:
        """Both phases."""
        self.workload.begin()
        self._nemesis.begin()
        self.run_until(self.scenario.faults_seconds)
        self._nemesis.heal()
        self.workload.hurry()
        self.journal.record(Healed(at=self.agenda.seconds, instance=_WORLD))
        self._converge(self.agenda.seconds + self.scenario.converges_within_seconds)

    def run_until(self, seconds: float) -> None:
        """Let time pass up to `seconds` of true time, and measure memory now and then."""
        while self.agenda.seconds < seconds and not self.agenda.is_exhausted:
            self.agenda.run_until(min(self.agenda.seconds + STEP_SECONDS, seconds))
            for server in self.servers.values():
                if server.is_alive:
                    self.journal.record(measure(server, self.agenda.seconds))

    def waits(self) -> list[str]:
        """What is still to come or to be received, in words; the first of it."""
        found = [*self.ledger.unfinished()]
        if self.workload.planned:
            found.append(f"{self.workload.planned} messages are still to be sent by their plan")
        if self._clerk.outstanding_work:
            found.append(f"{self._clerk.outstanding_work} commands were never answered")
        return found

    def _converge(self, until: float) -> None:
        """Time passes until nothing has waited for a while: late copies of messages get the chance to do harm."""
        quiet_since: float | None = None
        while self.agenda.seconds < until and not self.agenda.is_exhausted:
            if self.waits():
                quiet_since = None
            elif quiet_since is None:
                quiet_since = self.agenda.seconds
            elif self.agenda.seconds - quiet_since >= QUIET_SECONDS:
                self.journal.record(Rested(at=quiet_since, instance=_WORLD))
                return
            self.run_until(min(self.agenda.seconds + STEP_SECONDS, until))
        for text in self.waits()[:REMAINS_TOLD] or ["the world never came to rest"]:
            self.journal.record(Remained(at=self.agenda.seconds, instance=_WORLD, text=text))

    def _set_profiles(self, plan: FaultPlan) -> None:
        """Paths as the scenario describes them, with the rates that the seed has drawn on top."""

        def with_rates(profile: LinkProfile) -> LinkProfile:
            return msgspec.structs.replace(
                profile,
                loss=max(profile.loss, plan.rate("loss")),
                duplication=max(profile.duplication, plan.rate("duplication")),
                reordering=max(profile.reordering, plan.rate("reordering")),
                corruption=max(profile.corruption, plan.rate("corruption")),
                tampering=max(profile.tampering, plan.rate("tampering")),
            )

        special = [
            (*ends, with_rates(link.profile))
            for link in self.scenario.links
            for ends in (link.between, link.between[::-1])
        ]
        self._network.set_profiles(with_rates(self.scenario.link), special)

    def _make_servers(self, world: World, plan: FaultPlan, dice: Dice) -> dict[InstanceName, Server]:
        servers: dict[InstanceName, Server] = {}
        for spec in self.scenario.instances:
            further = [*security_changes(self.scenario, spec.name), *spare_queues(self.scenario, spec)]
            catalog = catalog_of(spec, world.entropy, further)
            server = Server(world, catalog, spec.address, self._clock(plan, dice))
            servers[spec.name] = server
            self._network.hosts[spec.address] = server
        return servers

    def _clock(self, plan: FaultPlan, dice: Dice) -> MachineClock:
        drift = plan.rate("clock-drift")
        return MachineClock(
            self.agenda,
            rate=1.0 + dice.between(-drift, drift),
            offset=dice.between(-UTC_ERROR_SECONDS_MAX, UTC_ERROR_SECONDS_MAX),
            starts_at=dice.between(0.0, UPTIME_SECONDS_MAX),
        )


def _terms(scenario: Scenario, dice: Dice) -> Callable[[InstanceCatalog], LoginTerms]:
    """Instances prove themselves where somebody may come who is none of them; elsewhere it would only take time."""
    if not any(kind.name in scenario.faults for kind in intruding.KINDS):
        return lambda _: OPEN_TERMS
    terms = LoginTerms(policy=PROVING, security=SimulatedLinkSecurity(dice))
    return lambda _: terms


def _settings(scenario: Scenario, dice: Dice) -> EngineSettings:
    settings = EngineSettings()
    dialog = msgspec.structs.replace(
        settings.dialog, fragment_bytes=scenario.fragment_bytes, key_suite=dice.choose(scenario.key_suites)
    )
    link = msgspec.structs.replace(settings.link, room_bytes=dice.choose(ROOMS))
    return msgspec.structs.replace(settings, dialog=dialog, link=link, waiting_bytes_kept=WAITING_BYTES_KEPT)


def run(scenario: Scenario, seed: int, observers: Sequence[Observer] = (), *, is_hashed: bool = False) -> SeedReport:
    """Let one world run, and judge it. With `is_hashed` the report carries the hash of the journal.

    An exception of the simulator itself propagates; one of the engine is a finding.
    """
    ledger = Ledger(scenario)
    counter = Counter(ledger)
    checkers = make_checkers(scenario, ledger)
    journal = Journal(is_hashed=is_hashed)
    journal.tell([ledger, counter, *checkers, *observers])
    simulation = Simulation(scenario, seed, ledger, journal)
    simulation.run()
    for checker in checkers:
        checker.finish(simulation.agenda.seconds)
    findings = sorted((each for checker in checkers for each in checker.findings), key=lambda each: each.at)
    return SeedReport(
        seed=seed,
        valid=not findings,
        findings=tuple(findings),
        figures=counter.figures(simulation.journal.entries),
        journal_hash=simulation.journal.hash,
    )
