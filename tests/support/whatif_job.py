"""Conversations for the job `whatif`, drawn from a seed, and what the engine says of each by itself: the oracle.

The oracle knows neither Spark nor any code of the pipeline: dictionaries in, dictionaries out.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID, uuid5

import pyarrow as pa
import pyarrow.parquet as pq

from engine.core.catalog.names import spelling_in
from engine.pipeline.frame import JobFunction, run_job
from engine.pipeline.whatif.interning import ingest
from engine.pipeline.whatif.job import whatif
from engine.pipeline.whatif.snapshots import write_snapshot
from engine.whatif.answers import answer_from
from engine.whatif.evaluation import change_of
from engine.whatif.odds import odds_of
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion
from engine.whatif.verdict import FlowVerdicts
from engine.whatif.watching import WatchedSnapshot
from tests.support.drawn_estates import IDS, NOW, SERVICES, Drawing, Estate

ROOM = UUID(int=77)
GRAVITY = {"unchanged": 0, "gained": 1, "moved": 2, "lost": 3}
SCHEMA = pa.schema(
    [
        (name, pa.string())
        for name in (
            "conversation_id",
            "instance",
            "database",
            "service",
            "to_service",
            "broker_instance",
            "direction",
            "remark",
        )
    ]
)
Row = dict[str, Any]
STRANGE = ('O\'Brien "x" `y`', "Größe/東京", "ASK", "Stock ", "", "a,b\\c\nd")


def revisions_of(seed: int) -> list[tuple[int, float, Estate]]:
    """Two or three states of one estate: revision, instant, catalogs; the last one so much later that routes expire."""
    drawing = Drawing(seed)
    one = drawing.estate()
    two = drawing.changed(one)
    return [(7, NOW, one), (9, NOW, two), (12, NOW + 30, two)][: 2 + seed % 2]


def conversations_of(seed: int, estate: Estate, count: int) -> list[Row]:
    """Conversations of one state, some of them of nobody, with names as traffic has them."""
    chance = Random(seed)
    places = [
        (catalog.name, each.name, list(each.services))
        for catalog in estate.values()
        for each in catalog.databases.values()
        if each.services or chance.random() < 0.1
    ]
    return [_conversation(chance, seed, number, places) for number in range(count)]


def _conversation(chance: Random, seed: int, number: int, places: list[tuple[str, str, list[str]]]) -> Row:
    instance, database, services = chance.choice(places)
    row: Row = {
        "conversation_id": str(uuid5(ROOM, f"{seed} {number}")),
        "instance": instance,
        "database": database,
        "service": chance.choice(services or list(SERVICES)),
        "to_service": chance.choice(SERVICES),
        "broker_instance": chance.choice((None, None, *(str(each) for each in IDS))),
        "direction": chance.choice(("initiator", "initiator", "target", None)),
        "remark": "not read",
    }
    odd = chance.random()
    if odd < 0.15:
        name = chance.choice(("instance", "database", "service", "to_service", "broker_instance"))
        row[name] = chance.choice((*STRANGE, None))
    elif odd < 0.22:
        row["database"] = database.swapcase()
    elif odd < 0.25:
        row["service"] = row["service"].swapcase()
    elif odd < 0.3 and row["broker_instance"]:
        row["broker_instance"] = row["broker_instance"].upper()
    elif odd < 0.32:
        row["direction"] = chance.choice(("Target", "", "sideways"))
    elif odd < 0.4:
        # The two ends of a conversation, and an event that was told twice, share an identifier.
        row["conversation_id"] = str(uuid5(ROOM, f"{seed} {chance.randrange(number + 1)}"))
    return row


def write_conversations(folder: Path, rows: list[Row], files: int = 2) -> None:
    """As Parquet, in several files."""
    folder.mkdir(parents=True)
    for number in range(files):
        table = pa.Table.from_pylist(rows[number::files], schema=SCHEMA)
        pq.write_table(table, folder / f"part-{number}.parquet")


def run_both(
    session: Any, room: Path, rows: list[Row], revisions: list[tuple[int, float, Estate]], sample: int = 64
) -> Any:
    """`ingest` and `whatif` in a folder; answers the manifest of the second, whose tables are in `room/out`."""
    write_conversations(room / "given", rows)
    for revision, at, estate in revisions:
        write_snapshot(room / "snapshots", estate, revision=revision, at=at)
    run_job(session, "ingest", ingest, source=room / "given", target=room / "interned", parameters={})
    return run_whatif(session, room, sample)


def run_whatif(session: Any, room: Path, sample: int = 64, job: JobFunction = whatif) -> Any:
    """`whatif` alone, or a job in its place."""
    parameters = {"snapshots": str(room / "snapshots"), "sample": sample}
    return run_job(session, "whatif", job, source=room / "interned", target=room / "out", parameters=parameters)


def told(out: Path) -> list[Row]:
    """Every conversation that was written, with its flow and all verdicts of that, in one row."""
    tables = {name: pq.read_table(out / name).to_pylist() for name in ("conversations", "flows", "verdicts")}
    flows = {row["flow"]: {name: value for name, value in row.items() if name != "flow"} for row in tables["flows"]}
    verdicts: dict[int, dict[int, Row]] = {}
    for row in tables["verdicts"]:
        revision = row.pop("revision")
        assert revision not in verdicts.setdefault(row["flow"], {})
        verdicts[row.pop("flow")][revision] = row
    assert len(flows) == len(tables["flows"])
    assert verdicts.keys() == flows.keys()
    found = []
    for row in tables["conversations"]:
        flow = row.pop("flow")
        found.append({**row, **flows[flow], "verdicts": verdicts[flow]})
    return in_order(found)


def expected(rows: list[Row], revisions: list[tuple[int, float, Estate]]) -> list[Row]:
    """The same, by the engine, one conversation at a time."""
    flows = [tuple(_flow(row).items()) for row in rows]
    found = []
    for row, flow in zip(rows, flows, strict=True):
        verdicts = [verdict(row, estate, at) for _, at, estate in revisions]
        columns = [columns_of(each) for each in verdicts]
        for each, now in zip(columns[1:], verdicts[1:], strict=True):
            each["change"] = _change(verdicts[0], now)
        found.append(
            {
                "conversation_id": row["conversation_id"],
                "change": max(GRAVITY[each["change"]] for each in columns[1:]),
                **dict(flow),
                "conversations": flows.count(flow),
                "verdicts": {each[0]: column for each, column in zip(revisions, columns, strict=True)},
            }
        )
    return in_order(found)


def in_order(rows: Any) -> list[Row]:
    return sorted(rows, key=lambda row: repr(sorted(row.items(), key=lambda each: each[0])))


def _flow(row: Row) -> Row:
    names = ("instance", "database", "service", "direction", "to_service", "broker_instance")
    return {name: row[name] if name != "direction" or row[name] is not None else "initiator" for name in names}


def verdict(row: Row, estate: Estate, at: float) -> Any:
    """Verdict and odds; None where there is nobody to ask."""
    direction = "initiator" if row["direction"] is None else row["direction"]
    names = [row[name] for name in ("instance", "database", "service", "to_service")]
    if None in names or direction not in ("initiator", "target"):
        return None
    try:
        broker = None if row["broker_instance"] is None else UUID(row["broker_instance"])
    except ValueError:
        return None
    catalog = estate.get(row["instance"])
    database = None if catalog is None else spelling_in(catalog.databases, row["database"])
    if catalog is None or database is None or row["service"] not in catalog.databases[database].services:
        return None
    flow = FlowQuestion(
        instance=row["instance"],
        database=database,
        service=row["service"],
        to_service=row["to_service"],
        broker_instance=broker,
    )
    if direction == "target":
        return answer_from(Snapshot(estate, at=at), flow)
    return FlowVerdicts(WatchedSnapshot(estate, at=at)).of(flow), odds_of(Snapshot(estate, at=at), flow)


def _change(before: Any, now: Any) -> str:
    one, other = (None if each is None else each[0] for each in (before, now))
    return "unchanged" if one == other else str(change_of(one, other).value)


NOBODY = ("disposition", "works", "light", "number", "end_instance", "end_database", "route", "path")
SHARES = ("way_share", "arrives_share", "heard_share")


def columns_of(found: Any) -> Row:
    """As the table has them."""
    if found is None:
        return {**dict.fromkeys((*NOBODY, *SHARES)), "change": None}
    says, odds = found
    return {
        "disposition": says.disposition.value,
        "works": says.works,
        "light": says.light.value,
        "number": says.number,
        "end_instance": says.instance,
        "end_database": says.database,
        "route": says.path[0][2] if says.path else None,
        "path": [{"instance": hop[0], "database": hop[1], "route": hop[2]} for hop in says.path],
        "way_share": odds.way,
        "arrives_share": odds.arrives,
        "heard_share": odds.heard,
        "change": None,
    }
