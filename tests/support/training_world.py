"""A sandbox of a scenario made of simulated servers: `GradedWorld`, with the scenario's traffic and faults.

Statements are those of definitions, carried out as an import of a script is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.revision import copy
from engine.core.exchange.commands import (
    ApplyCatalog,
    BeginDialog,
    EndConversation,
    Receive,
    Send,
)
from engine.core.exchange.replies import CatalogRevised, DialogBegun, MessagesReceived, Reply
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.vocabulary.identifiers import (
    CatalogRevision,
    CommandId,
    DatabaseName,
    InstanceName,
    QueueName,
    ServiceName,
)
from engine.core.vocabulary.moment import UtcTime
from engine.sim.entropy import Dice, SeededEntropy
from engine.sim.estate_faults import strike
from engine.sim.estate_world import EstateWorld
from engine.sim.network import Network
from engine.training.manifest import Manifest
from engine.training.scenario import Scenario, Statements, Step, Wait
from engine.training.world import Beginning, Shipment
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.whatif.faults import Fault, FaultKind, Faults
from engine.whatif.speech import BODY
from engine.whatif.telling import FlowQuestion

POLL_SECONDS = 2.0


class TrainingWorld:
    """A scenario at the moment at which its trainee comes in."""

    def __init__(self, scenario: Scenario, *, seed: int = 7) -> None:
        self.scenario = scenario
        self.manifest = Manifest()
        self._estate = EstateWorld(scenario.catalogs, at=scenario.begins_at, seed=seed, observers=[self.manifest])
        self._dice = Dice(seed, "training world")
        self._entropy = SeededEntropy(Dice(seed, "training statements"))
        self._struck: set[Fault] = set()
        agenda = self._estate.agenda
        for each in scenario.faults:
            agenda.at(each.begins_at_seconds, lambda each=each: self._strike(each.fault))
            if each.ends_at_seconds is not None:
                agenda.at(each.ends_at_seconds, lambda each=each: self._mend(each.fault))
        for sender in scenario.traffic.senders:
            agenda.at(scenario.traffic.begins_at_seconds, lambda flow=sender.flow: self._begin(flow))
            agenda.after(POLL_SECONDS, lambda flow=sender.flow: self._poll(flow))
        self.take(scenario.prologue)
        self.beginning = Beginning(self.seconds, {name: copy(each) for name, each in self.catalogs().items()})

    # ── what a grader asks ───────────────────────────────────────────────────────────────────────────────────────
    @property
    def seconds(self) -> float:
        return self._estate.agenda.seconds

    def now(self) -> UtcTime:
        return UtcTime(self.scenario.begins_at + self.seconds)

    def catalogs(self) -> Mapping[InstanceName, InstanceCatalog]:
        return {name: server.instance.catalog for name, server in self._estate.servers.items()}

    def unseen_faults(self) -> tuple[Fault, ...]:
        return tuple(each for each in self._struck if each.kind in (FaultKind.INSTANCE, FaultKind.LINK))

    def system_view(self, instance: InstanceName, query: SystemViewQuery) -> SystemViewRows | None:
        server = self._estate.servers[instance]
        return server.instance.system_view(query) if server.is_alive else None

    def shipments(self, flow: FlowQuestion) -> Sequence[Shipment]:
        return self.manifest.shipments(flow)

    # ── what a trainee does ──────────────────────────────────────────────────────────────────────────────────────
    def take(self, steps: Iterable[Step]) -> None:
        """The steps of a solution, or of another way."""
        for step in steps:
            match step:
                case Wait(seconds=seconds):
                    self.wait(seconds)
                case Statements():
                    self._run(step)

    def wait(self, seconds: float) -> None:
        self._estate.agenda.run_until(self.seconds + seconds)

    def _run(self, step: Statements) -> None:
        plan = plan_import(
            [parse_script(step.sql, "step")],
            self.catalogs(),
            default_instance=step.instance,
            now=self.now(),
            entropy=self._entropy,
            beginnings={"step": (step.instance, step.database)},
        )
        assert not plan.problems, plan.problems
        for name, changes in plan.changes.items():
            server = self._estate.servers[name]
            base = server.instance.catalog.revision
            replies: list[Reply | None] = []
            server.execute(
                ApplyCatalog(command_id=self._new_id(), base=base, revision=CatalogRevision(base + 1), changes=changes),
                replies.append,
            )
            self._estate.run(5.0, lambda replies=replies: bool(replies))
            assert isinstance(replies[0], CatalogRevised), replies

    def _new_id(self) -> CommandId:
        return CommandId(self._dice.uuid())

    # ── faults and programs ──────────────────────────────────────────────────────────────────────────────────────
    def _strike(self, fault: Fault) -> None:
        servers = self._estate.servers
        catalogs = {name: server.instance.catalog for name, server in servers.items()}
        strike(servers, self._network, Faults(catalogs, [fault]), self._new_id)
        self._struck.add(fault)

    def _mend(self, fault: Fault) -> None:
        """Of links alone."""
        if fault.kind is FaultKind.LINK and fault.other is not None:
            for ends in ((fault.instance, fault.other), (fault.other, fault.instance)):
                self._network.path(*ends).mend()
            self._struck.remove(fault)

    @property
    def _network(self) -> Network:
        return next(iter(self._estate.servers.values()))._world.network

    def _begin(self, flow: FlowQuestion) -> None:
        self._estate.agenda.after(self.scenario.traffic.every_seconds, lambda: self._begin(flow))
        server = self._estate.servers[flow.instance]

        def begun(reply: Reply | None) -> None:
            if isinstance(reply, DialogBegun):
                server.execute(
                    Send(
                        command_id=self._new_id(),
                        database=flow.database,
                        conversation_handle=reply.conversation_handle,
                        message_type=flow.message_type,
                        body=BODY,
                    ),
                    lambda sent: None,
                )

        server.execute(
            BeginDialog(
                command_id=self._new_id(),
                database=flow.database,
                from_service=flow.service,
                to_service=flow.to_service,
                to_broker_instance=flow.broker_instance,
                contract=flow.contract,
            ),
            begun,
        )

    def _poll(self, flow: FlowQuestion) -> None:
        """Whoever is sent to takes what has come and ends; the sender ends what the other has ended."""
        self._estate.agenda.after(POLL_SECONDS, lambda: self._poll(flow))
        for instance, database, queue in self._queues_of(flow.to_service):
            self._end_all(instance, database, queue)
        home = self._estate.servers[flow.instance].instance.catalog.databases[flow.database]
        if flow.service in home.services:
            self._end_all(flow.instance, flow.database, home.services[flow.service].queue)

    def _queues_of(self, service: ServiceName) -> list[tuple[InstanceName, DatabaseName, QueueName]]:
        return [
            (name, database.name, database.services[service].queue)
            for name, server in self._estate.servers.items()
            for database in server.instance.catalog.databases.values()
            if service in database.services
        ]

    def _end_all(self, instance: InstanceName, database: DatabaseName, queue: QueueName) -> None:
        server = self._estate.servers[instance]

        def received(reply: Reply | None) -> None:
            rows = reply.messages if isinstance(reply, MessagesReceived) else ()
            for handle in dict.fromkeys(row.conversation_handle for row in rows):
                server.execute(
                    EndConversation(command_id=self._new_id(), database=database, conversation_handle=handle),
                    lambda ended: None,
                )

        command = Receive(command_id=self._new_id(), database=database, queue=queue, top=100, many_groups=True)
        server.execute(command, received)
