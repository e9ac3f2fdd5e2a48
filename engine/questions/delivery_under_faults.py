"""What really becomes of a message in many simulated worlds; each row names the seed that replays it."""

from __future__ import annotations

import msgspec

from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName, ServiceName
from engine.questions.table import CellKind, Column, EstateState, Table, register
from engine.sim.delivery import deliver
from engine.whatif.answering import spelled
from engine.whatif.telling import FlowQuestion

SEEDS_MAX = 100


class DeliveryUnderFaults(msgspec.Struct, frozen=True, kw_only=True):
    """One flow, in so many worlds."""

    instance: InstanceName
    database: DatabaseName
    service: ServiceName
    to_service: ServiceName
    broker_instance: BrokerInstanceId | None = None
    seeds: int = 10
    """At most 100."""
    first_seed: int = 1


COLUMNS = (
    Column("seed", CellKind.NUMBER),
    Column("sent", CellKind.YES_NO),
    Column("arrived"),
    Column("arrived_after", CellKind.NUMBER),
    Column("acknowledged_after", CellKind.NUMBER),
    Column("copies", CellKind.NUMBER),
    Column("status", CellKind.NUMBER),
    Column("error", CellKind.NUMBER),
)


def answer(asked: DeliveryUnderFaults, state: EstateState) -> Table:
    """One row for each seed. Seconds are virtual."""
    given = {catalog.name: catalog for catalog in state.catalogs.values()}
    fields = msgspec.structs.asdict(asked)
    flow = spelled(given, FlowQuestion(**{name: fields[name] for name in FlowQuestion.__struct_fields__}))
    count = max(0, min(asked.seeds, SEEDS_MAX))
    rows = []
    for seed in range(asked.first_seed, asked.first_seed + count):
        found = deliver(given, flow, at=state.at, seed=seed, faults=state.faults)
        arrived = ", ".join(f"{place.instance}/{place.database}" for place in found.arrived) or None
        times = (found.arrived_after, found.acknowledged_after)
        rows.append((seed, found.is_sent, arrived, *times, found.copies, found.status, found.error))
    caps = (f"{asked.seeds - SEEDS_MAX} seeds beyond {SEEDS_MAX} were not run",) if asked.seeds > SEEDS_MAX else ()
    return Table(columns=COLUMNS, rows=tuple(rows), base=state.label, caps=caps)


REGISTRATION = register(
    "delivery_under_faults", "What becomes of a message in simulated worlds.", DeliveryUnderFaults, COLUMNS, answer
)
