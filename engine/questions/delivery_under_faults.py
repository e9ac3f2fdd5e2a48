"""What really becomes of a message in many simulated worlds; each row names the seed that replays it."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName, ServiceName
from engine.questions.matching import register
from engine.questions.table import CellKind, Column, EstateState, Table
from engine.sim.delivery import deliver
from engine.whatif.answering import spelled
from engine.whatif.telling import FlowQuestion

SEEDS_MAX: Final = 100
FIRST_SEED_MAX: Final = 2**31 - 1


class DeliveryUnderFaults(msgspec.Struct, frozen=True, kw_only=True):
    """One flow, in so many worlds."""

    instance: InstanceName
    database: DatabaseName
    service: ServiceName
    to_service: ServiceName
    broker_instance: BrokerInstanceId | None = None
    seeds: Annotated[int, msgspec.Meta(ge=1, le=SEEDS_MAX)] = 10
    first_seed: Annotated[int, msgspec.Meta(ge=0, le=FIRST_SEED_MAX)] = 1


COLUMNS = (
    Column("seed", CellKind.NUMBER),
    Column("sent", CellKind.YES_NO),
    Column("arrived"),
    Column("arrived_after", CellKind.SECONDS),
    Column("acknowledged_after", CellKind.SECONDS),
    Column("copies", CellKind.NUMBER),
    Column("status", CellKind.ERROR),
    Column("error", CellKind.ERROR),
)


def answer(asked: DeliveryUnderFaults, state: EstateState) -> Table:
    """One row for each seed. Seconds are virtual."""
    given = {catalog.name: catalog for catalog in state.catalogs.values()}
    fields = msgspec.structs.asdict(asked)
    flow = spelled(
        given, FlowQuestion(**{name: fields[name] for name in FlowQuestion.__struct_fields__ if name in fields})
    )
    rows = []
    for seed in range(asked.first_seed, asked.first_seed + asked.seeds):
        if state.watch is not None:
            state.watch()
        found = deliver(given, flow, at=state.at, seed=seed, faults=state.faults)
        arrived = ", ".join(f"{place.instance}/{place.database}" for place in found.arrived) or None
        times = (found.arrived_after, found.acknowledged_after)
        rows.append((seed, found.is_sent, arrived, *times, found.copies, found.status, found.error or found.refused))
    return Table(columns=COLUMNS, rows=tuple(rows), base=state.label)


REGISTRATION = register(
    "delivery_under_faults",
    "What becomes of a message in simulated worlds.",
    DeliveryUnderFaults,
    COLUMNS,
    answer,
    key=("seed",),
    parts=lambda asked: asked.seeds,
)
