"""`SandboxWorld`: servers of a sandbox, their network and their time. Nothing goes wrong but what is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import no_such, spelling_in
from engine.core.exchange.commands import ApplyCatalog, Command
from engine.core.exchange.replies import Refusal, Reply
from engine.core.link.handshake import LoginTerms
from engine.core.link.negotiation import policy_of
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import CatalogRevision, CommandId, DatabaseName, InstanceName, QueueName
from engine.core.vocabulary.limits import DEFAULT_PORT
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.moment import Duration
from engine.core.vocabulary.settings import EngineSettings
from engine.sandbox.clock import LASTS_SECONDS_MAX
from engine.sandbox.network import SandboxNetwork
from engine.sandbox.server import InstanceDown, SandboxServer
from engine.sandbox.spec import SandboxSpec
from engine.sim.clock import EPOCH, Agenda, MachineClock
from engine.sim.entropy import Dice, SeededEntropy
from engine.sim.estate_world import CALM
from engine.sim.history import Journal
from engine.sim.link_security import SimulatedLinkSecurity
from engine.sim.server import World

EVENTS_KEPT: Final = 20_000
"""Events that each instance keeps to be read: some 5 MB."""

TRANSACTION_IDLE_SECONDS: Final = Duration(LASTS_SECONDS_MAX)
"""As long as a sandbox lasts: a minute of its time may be a tenth of a second for whoever types. A session that ends
rolls back what it has left open."""

OnDelivered = Callable[[InstanceName, DatabaseName, QueueName], None]


class SandboxWorld:
    """One world. Everything in it is a function of the spec, of what is done in it, and of when."""

    def __init__(self, spec: SandboxSpec, journal: Journal, on_delivered: OnDelivered) -> None:
        seed = spec.seed
        settings = msgspec.structs.replace(
            EngineSettings().at_pace(spec.pace), transaction_idle_seconds=TRANSACTION_IDLE_SECONDS
        )
        self.agenda: Final = Agenda(spec.happenings_max)
        self.network: Final = SandboxNetwork(self.agenda, Dice(seed, "network"))
        self.network.set_profiles(CALM, ())
        security = SimulatedLinkSecurity(Dice(seed, "handshakes"))
        world = World(
            network=self.network,
            journal=journal,
            entropy=SeededEntropy(Dice(seed, "entropy")),
            dice=Dice(seed, "servers"),
            settings=settings,
            on_delivered=on_delivered,
            terms=lambda catalog: LoginTerms(
                policy=policy_of(catalog.endpoint, settings.link.authentication), security=security
            ),
            events_kept=EVENTS_KEPT,
        )
        self._ids: Final = Dice(seed, "commands")
        self.servers: Final[dict[InstanceName, SandboxServer]] = {}
        self.network.servers = self.servers
        for catalog in spec.instances:
            clock = MachineClock(self.agenda, offset=spec.begins_at - EPOCH)
            self.servers[catalog.name] = SandboxServer(world, catalog, _address_of(catalog), clock)

    def server(self, name: InstanceName) -> SandboxServer:
        """The instance of that name in any letter case; `CatalogError` 15151."""
        spelled = spelling_in(self.servers, name)
        if spelled is None:
            raise no_such("instance", name, "the sandbox")
        return self.servers[spelled]

    def catalogs(self) -> dict[InstanceName, InstanceCatalog]:
        """What is defined now, everywhere."""
        return {name: server.catalog for name, server in self.servers.items()}

    def new_id(self) -> CommandId:
        """For a command of the sandbox itself."""
        return CommandId(self._ids.uuid())

    def ask(self, server: SandboxServer, command: Command) -> Reply | None:
        """Have one command carried out now; None when the instance does not run, or dies of it."""
        if not server.is_alive:
            return None
        (reply,), _ = server.execute_now([command])
        return reply

    def do(self, server: SandboxServer, command: Command) -> Reply:
        """Have one command carried out now. Raises `BrokerError` for a refusal, `InstanceDown`."""
        (reply,), _ = server.execute_now([command])
        if reply is None:
            raise InstanceDown(f"Instance {server.name} has gone down.")
        if isinstance(reply, Refusal):
            raise LocalProtocolError(reply.number, **reply.parameters)
        return reply

    def change(self, server: SandboxServer, changes: Sequence[CatalogChange]) -> None:
        """DDL, all or nothing, now. Errors as `do`."""
        base = server.instance.catalog.revision
        command = ApplyCatalog(
            command_id=self.new_id(), base=base, revision=CatalogRevision(base + 1), changes=tuple(changes)
        )
        self.do(server, command)


def _address_of(catalog: InstanceCatalog) -> TcpAddress:
    """Where a server is shown to be; nothing is found by it."""
    return TcpAddress(catalog.name.lower(), DEFAULT_PORT if catalog.endpoint is None else catalog.endpoint.port)
