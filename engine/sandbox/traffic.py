"""`TrafficBook`: the test traffic of a sandbox by its names, and what of the world's events concerns it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from engine.core.catalog.names import no_such
from engine.core.exchange.changes import PutEndpoint
from engine.core.exchange.events import BrokerEvent, CatalogApplied, MessageDelivered, QueueSwitched
from engine.core.exchange.silent_events import InstanceStarted
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, QueueName
from engine.sandbox.figures import PairFigures
from engine.sandbox.pair import PairTraffic
from engine.sandbox.places import QueuePlace, place_of_queue, place_of_service
from engine.sandbox.reader import ReaderLoop
from engine.sandbox.server import SandboxServer
from engine.sandbox.spec import TrafficPlan, check_plan
from engine.sandbox.world import SandboxWorld
from engine.sim.entropy import Dice
from engine.sim.history import Committed, Entry, Kinds

_MAY_GO_ON: Final = (CatalogApplied, InstanceStarted, QueueSwitched)
"""After these a queue may be readable that was not."""


class _Run:
    """One plan that is carried out."""

    def __init__(self, world: SandboxWorld, plan: TrafficPlan, seed: int, name: str) -> None:
        self.readers: Final = [
            ReaderLoop(world, reader, _place(world, reader.instance, reader.database, reader.queue), plan.size)
            for reader in plan.readers
        ]
        others = frozenset(reader.place for reader in self.readers)
        self.pairs: Final = [
            PairTraffic(world, pair, plan, Dice(seed, f"traffic/{name}/{number}"), others)
            for number, pair in enumerate(plan.pairs)
        ]

    def end(self) -> None:
        """From here on nothing is sent and nothing read."""
        for pair in self.pairs:
            pair.is_over = True
        for reader in self.readers:
            reader.is_over = True


class TrafficBook:
    """Observes the journal for where conversations arrive, and is told of events by the servers."""

    watches: ClassVar[Kinds] = (Committed,)

    def __init__(self, world: SandboxWorld, seed: int) -> None:
        self._world = world
        self._seed = seed
        self._runs: dict[str, _Run] = {}
        self._begun = 0
        for server in world.servers.values():
            server.on_events = self.told

    def begin(self, name: str, plan: TrafficPlan) -> None:
        """Traffic in the place of earlier traffic of that name.

        `BadSandbox` for what is beyond the bounds, `CatalogError` 15151 for instances and queues to read that are not
        there. Services that are not there are refused when they are used.
        """
        check_plan(plan)
        for pair in plan.pairs:
            self._world.server(pair.from_instance)
        self._begun += 1
        run = _Run(self._world, plan, self._seed, f"{name}/{self._begun}")
        self.end(name)
        self._runs[name] = run

    def end(self, name: str) -> None:
        """It sends and reads no more; harmless when there is none."""
        run = self._runs.pop(name, None)
        if run is not None:
            run.end()

    def figures(self) -> dict[str, tuple[PairFigures, ...]]:
        """What each has come to."""
        return {name: tuple(pair.count.figures() for pair in run.pairs) for name, run in self._runs.items()}

    # ── what is told ─────────────────────────────────────────────────────────────────────────────────────────────
    def observe(self, entry: Entry) -> None:
        """Something was committed: conversations of ours may have come somewhere."""
        if not isinstance(entry, Committed) or not self._runs:
            return
        for change in entry.changes:
            if isinstance(change, PutEndpoint) and not change.endpoint.is_initiator:
                for pair in self._pairs():
                    if pair.knows(change.endpoint.conversation_id):
                        self._found(pair, entry.instance, change)

    def told(self, server: SandboxServer, events: Sequence[BrokerEvent]) -> None:
        """Events of one instance, committed."""
        for event in events:
            if isinstance(event, MessageDelivered):
                for pair in self._pairs():
                    pair.delivered(server.name, event.conversation_handle)
                self._look(QueuePlace(server.name, event.database, event.queue))
            elif isinstance(event, _MAY_GO_ON):
                for pair in self._pairs():
                    pair.may_go_on(server.name)
                self._look(QueuePlace(server.name, DatabaseName(""), QueueName("")))

    def _found(self, pair: PairTraffic, instance: InstanceName, change: PutEndpoint) -> None:
        endpoint = change.endpoint
        catalog = self._world.servers[instance].catalog
        place = place_of_service(catalog, change.database, endpoint.service)
        if place is not None:
            pair.target_found(place, endpoint.conversation_id, endpoint.conversation_handle)

    def _look(self, place: QueuePlace) -> None:
        for run in self._runs.values():
            for reader in run.readers:
                if reader.place.instance == place.instance and place.queue in ("", reader.place.queue):
                    reader.look()

    def _pairs(self) -> Iterator[PairTraffic]:
        for run in self._runs.values():
            yield from run.pairs


def _place(world: SandboxWorld, instance: InstanceName, database: DatabaseName, queue: QueueName) -> QueuePlace:
    found = place_of_queue(world.server(instance).catalog, database, queue)
    if found is None:
        raise no_such("queue", queue, database)
    return found
