"""Consoles on instances of a simulated world: real servers, real links, virtual time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from engine.core.catalog.backup import DatabaseBackup
from engine.core.catalog.changes import CatalogChange, EndpointCreated
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Endpoint, EndpointState
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.exchange.commands import ApplyCatalog, Command
from engine.core.exchange.replies import Refusal, Reply
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import CatalogRevision, CommandId, DatabaseName
from engine.core.vocabulary.keys import KeySmith
from engine.core.vocabulary.moment import UtcTime
from engine.sim.estate_world import EstateWorld
from engine.sim.server import Server
from engine.tsql.console.outputs import ConsoleOutput, Failed, Printed, ResultSet, RowsAffected
from engine.tsql.console.session import ConsoleSession
from engine.tsql.console.target import TargetUnavailable
from engine.tsql.server_files import ServerFiles
from tests.support.numbered_entropy import NumberedEntropy

NOW = UtcTime(1_780_000_000.0)
"""When the worlds of tests begin: 2026-05-28T20:26:40Z."""
STEP_SECONDS = 0.05


class Shelf:
    """Backups by name."""

    def __init__(self) -> None:
        self._kept: dict[str, DatabaseBackup] = {}

    def put(self, file: str, backup: DatabaseBackup) -> None:
        self._kept[file] = backup

    def get(self, file: str) -> DatabaseBackup | None:
        return self._kept.get(file)


class SimulatedTarget:
    """One server of a world, as a console needs it; time passes while it waits."""

    def __init__(self, world: EstateWorld, server: Server, new_uuid: Callable[[], UUID]) -> None:
        self._world = world
        self._server = server
        self.new_uuid = new_uuid
        self.backups: Shelf | None = Shelf()
        self.smith: KeySmith | None = None
        self.files: ServerFiles | None = None

    def ensure_runs(self) -> None:
        if not self._server.is_alive:
            raise TargetUnavailable

    def execute(self, commands: Sequence[Command]) -> list[Reply]:
        return [self._execute(command) for command in commands]

    def _execute(self, command: Command) -> Reply:
        heard: list[Reply | None] = []
        self._server.execute(command, heard.append)
        while not heard:
            self._world.run(STEP_SECONDS)
        if heard[0] is None:
            raise TargetUnavailable
        return heard[0]

    def catalog(self) -> InstanceCatalog:
        return self._server.instance.catalog

    def change(self, changes: Sequence[CatalogChange]) -> None:
        base = self.catalog().revision
        command = ApplyCatalog(
            command_id=CommandId(self.new_uuid()),
            base=base,
            revision=CatalogRevision(base + 1),
            changes=tuple(changes),
        )
        reply = self._execute(command)
        if isinstance(reply, Refusal):
            raise LocalProtocolError(reply.number, **reply.parameters)

    def fail_over(self, database: DatabaseName, *, is_forced: bool) -> None:
        raise LocalProtocolError(1416, database=database)

    def system_view(self, query: SystemViewQuery) -> SystemViewRows:
        return self._server.instance.system_view(query)

    def now(self) -> UtcTime:
        return self._server.clock.now().utc

    def pause(self, seconds: float) -> None:
        self._world.run(seconds)


class Consoles:
    """A world of empty instances with endpoints on port 4022 of hosts of their own names, and consoles on them."""

    def __init__(self, *names: str, seed: int = 1) -> None:
        self.entropy = NumberedEntropy()
        catalogs = {name: self._catalog(name) for name in names or ("HERE",)}
        self.world = EstateWorld(catalogs, at=NOW, seed=seed)

    def _catalog(self, name: str) -> InstanceCatalog:
        endpoint = Endpoint("Broker", 4022, EndpointState.STARTED)
        return apply_changes(new_instance(name, self.entropy), [EndpointCreated(endpoint=endpoint)])

    def target(self, name: str = "HERE") -> SimulatedTarget:
        return SimulatedTarget(self.world, self.world.servers[name], self.entropy.new_uuid)

    def open(self, name: str = "HERE", database: str = "master") -> Typing:
        return Typing(ConsoleSession(self.target(name), database))


class Typing:
    """Somebody who types into a session."""

    def __init__(self, session: ConsoleSession) -> None:
        self.session = session

    def run(self, script: str) -> list[ConsoleOutput]:
        """Everything a script answers."""
        return list(self.session.run(script))

    def do(self, script: str) -> list[ConsoleOutput]:
        """As `run`, for a script in which nothing may fail."""
        outputs = self.run(script)
        assert [each for each in outputs if isinstance(each, Failed)] == []
        return outputs

    def rows(self, script: str) -> list[tuple[Any, ...]]:
        """The rows of the only result set."""
        (found,) = [each for each in self.do(script) if isinstance(each, ResultSet)]
        return list(found.rows)

    def value(self, expression: str) -> Any:
        """What an expression comes to."""
        ((found,),) = self.rows(f"SELECT {expression}")
        return found

    def failure(self, script: str) -> Failed:
        """The only error of a script."""
        (found,) = [each for each in self.run(script) if isinstance(each, Failed)]
        return found

    def said(self, script: str) -> list[str]:
        """What a script prints."""
        return [each.text for each in self.do(script) if isinstance(each, Printed)]

    def counted(self, script: str) -> list[int]:
        """How many rows the statements of a script tell."""
        return [each.count for each in self.do(script) if isinstance(each, RowsAffected)]
