"""Conversations for the pipeline's figures: made of the possible flows of 1,000 databases, as Parquet, from a seed.

Some flows have a hundred times as many conversations as others; identifiers are random, as those of the lake are. The
second revision is the first one with what a week changes: routes that are gone, lead elsewhere or are new, a queue that
is off, a broker that is off, an endpoint that is stopped.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import EndpointState
from engine.pipeline.whatif.snapshots import write_snapshot
from engine.whatif.flows import possible_flows
from tests.benchmarks.whatif.estate import NOW, Estate, host, make_estate, tcp

FILE_ROWS = 1_000_000
CHANGED = 60
"""Databases that the second revision changes."""
NAMES = ("instance", "database", "service", "direction", "to_service", "broker_instance")
_DASHES = (8, 13, 18, 23)
_HEXADECIMAL = np.frombuffer(b"0123456789abcdef", np.uint8)


def write_all(folder: Path, rows: int) -> None:
    """`given`, conversations with names, and `snapshots`, two revisions; what is there already stays."""
    if (folder / "made").exists():
        return
    estate = make_estate()
    write_snapshot(folder / "snapshots", estate, revision=118, at=NOW)
    write_snapshot(folder / "snapshots", changed(estate), revision=121, at=NOW)
    flows = _flows(estate)
    generator = np.random.default_rng(8)
    weights = generator.pareto(1.2, len(flows)) + 0.05
    weights /= weights.sum()
    names = {name: pa.array([flow[at] for flow in flows], pa.string()) for at, name in enumerate(NAMES)}
    (folder / "given").mkdir(parents=True)
    for number, start in enumerate(range(0, rows, FILE_ROWS)):
        count = min(FILE_ROWS, rows - start)
        chosen = pa.array(generator.choice(len(flows), count, p=weights).astype(np.int32))
        columns = {name: pa.DictionaryArray.from_arrays(chosen, column) for name, column in names.items()}
        table = pa.table({"conversation_id": identifiers(generator, count), **columns})
        plain = table.cast(pa.schema([(name, pa.string()) for name in table.column_names]))
        pq.write_table(plain, folder / "given" / f"part-{number:04}.parquet", compression="zstd")
    (folder / "made").touch()


def identifiers(generator: np.random.Generator, count: int) -> pa.Array:
    """Random identifiers as text."""
    raw: npt.NDArray[np.uint8] = np.frombuffer(generator.bytes(16 * count), np.uint8).reshape(count, 16)
    digits = np.empty((count, 32), np.uint8)
    digits[:, 0::2], digits[:, 1::2] = _HEXADECIMAL[raw >> 4], _HEXADECIMAL[raw & 15]
    text = np.full((count, 36), ord("-"), np.uint8)
    text[:, [at for at in range(36) if at not in _DASHES]] = digits
    offsets = np.arange(0, 36 * count + 1, 36, dtype=np.int32)
    return pa.Array.from_buffers(pa.string(), count, [None, pa.py_buffer(offsets), pa.py_buffer(text.tobytes())])


def _flows(estate: Estate) -> list[tuple[str | None, ...]]:
    """Possible ones, one in ten as its answer goes, and some to services that nobody has."""
    chance = Random(8)
    found: list[tuple[str | None, ...]] = []
    brokers = {
        (catalog.name, each.name): each.broker_instance
        for catalog in estate.values()
        for each in catalog.databases.values()
    }
    for flow in possible_flows(estate):
        broker = None if flow.broker_instance is None else str(flow.broker_instance)
        found.append((flow.instance, flow.database, flow.service, "initiator", flow.to_service, broker))
        if chance.random() < 0.1:
            (instance, database), own = chance.choice(list(brokers.items())[:500])
            takers = [each.name for each in estate[instance].databases[database].services.values() if each.contracts]
            if takers:
                found.append((instance, database, takers[0], "target", flow.service, str(_home(brokers, flow) or own)))
        elif chance.random() < 0.02:
            unknown = f"//nowhere/{chance.randrange(50)}"
            found.append((flow.instance, flow.database, flow.service, "initiator", unknown, None))
    return list(dict.fromkeys(found))


def _home(brokers: dict[tuple[str, str], UUID], flow: Any) -> UUID | None:
    return brokers.get((flow.instance, flow.database))


def changed(estate: Estate) -> Estate:
    """The estate a week later."""
    chance = Random(9)
    found = dict(estate)
    homes = [(catalog.name, name) for catalog in estate.values() for name in catalog.databases if name.startswith("Db")]
    for number, (instance, name) in enumerate(chance.sample(homes, CHANGED)):
        catalog = found[instance]
        database = _changed(catalog.databases[name], chance, number)
        found[instance] = _with(catalog, database)
    last = found["SRV098"]
    assert last.endpoint is not None
    found["SRV098"] = msgspec.structs.replace(
        last, endpoint=msgspec.structs.replace(last.endpoint, state=EndpointState.STOPPED)
    )
    return found


def _with(catalog: InstanceCatalog, database: DatabaseCatalog) -> InstanceCatalog:
    return msgspec.structs.replace(catalog, databases={**catalog.databases, database.name: database})


def _changed(database: DatabaseCatalog, chance: Random, number: int) -> DatabaseCatalog:
    if number % 20 == 7:
        return msgspec.structs.replace(database, is_broker_enabled=not database.is_broker_enabled)
    if number % 20 == 13:
        queue = database.queues["dbo.Taking"]
        off = msgspec.structs.replace(queue, is_enabled=not queue.is_enabled)
        return msgspec.structs.replace(database, queues={**database.queues, queue.name: off})
    routes = dict(database.routes)
    named = [name for name, route in routes.items() if route.service_name is not None]
    for name in chance.sample(named, min(5, len(named))):
        if number % 2:
            del routes[name]
        else:
            routes[name] = msgspec.structs.replace(
                routes[name], address=tcp(host(chance.randrange(100))), mirror_address=None
            )
    return msgspec.structs.replace(database, routes=routes)
