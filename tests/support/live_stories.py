"""Stories of tables that change, and one of each message: what Python says, and TypeScript is held to.

`python -m tests.support.live_stories` writes them to `tests/brokerweb/live_fixtures`; a test of each side reads them.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec

from brokerweb.live.protocol import (
    Code,
    Delta,
    Denied,
    Heartbeat,
    Mode,
    ModeMessage,
    Refused,
    Resync,
    ResyncReason,
    Subscribed,
    Welcome,
    encode,
    snapshot_of,
)
from brokerweb.live.tables import Column, Table, compare

FOLDER = Path(__file__).resolve().parents[1] / "brokerweb" / "live_fixtures"
STORIES = 12
STEPS = 25
COLUMNS = (Column("name", "sysname"), Column("count", "bigint"), Column("state", "char(2)", nullable=True))


def stories() -> dict[str, str]:
    """Name and text of every file."""
    found = {f"story-{number:02}.json": _text(_story(number)) for number in range(STORIES)}
    return found | {"messages.json": _text([json.loads(encode(message)) for message in messages()])}


def messages() -> list[Any]:
    """One of each message of the server."""
    table = Table(COLUMNS, {"a": ("Größe", 1, None)}, {"PARIS": {"total": 1}})
    after = Table(COLUMNS, {"b": ("né", 2, "CO"), "a": ("Größe", 3, None)}, {"LYON": {"missing": True}})
    return [
        Welcome(connection="c0ffee", server_time=1.5),
        Subscribed(1, "5f", resumes=False),
        snapshot_of("5f", 7, 2.0, {"PARIS": 12}, table),
        Delta("5f", 8, 7 + compare(table, after).count, 2.5, {"PARIS": 13}, compare(table, after)),
        Heartbeat(server_time=3.0, streams={"5f": 11}),
        Resync("5f", ResyncReason.CURSOR_TOO_OLD),
        Denied(2, Code.PARAMETERS, Code.PARAMETERS.reason, "Expected `int` >= 1"),
        ModeMessage(Mode.REDUCED, "slow"),
        Refused(Code.UNAUTHENTICATED, Code.UNAUTHENTICATED.reason),
    ]


def _story(number: int) -> dict[str, Any]:
    chance = random.Random(number)
    table = start = _table(chance, Table(COLUMNS))
    steps = []
    for _ in range(STEPS):
        after = _table(chance, table)
        ops = compare(table, after)
        steps.append({"ops": msgspec.to_builtins(ops), "count": ops.count, "after": _shown(after)})
        table = after
    return {"start": _shown(start), "steps": steps}


def _table(chance: random.Random, before: Table) -> Table:
    """A table that has something to do with the one before."""
    keys = [key for key in before.rows if chance.random() > 0.2]
    for _ in range(chance.randrange(4)):
        keys.insert(chance.randrange(len(keys) + 1), f"row {chance.randrange(40)}")
    if chance.random() < 0.2:
        chance.shuffle(keys)
    rows = {
        key: before.rows[key] if key in before.rows and chance.random() < 0.6 else _cells(chance)
        for key in dict.fromkeys(keys)
    }
    facts = {name: {"total": chance.randrange(3)} for name in ("PARIS", "LYON", "HUB") if chance.random() < 0.8}
    return Table(before.columns, rows, facts)


def _cells(chance: random.Random) -> tuple[Any, ...]:
    return (chance.choice(("Größe", "né", "", "中")), chance.randrange(5), chance.choice((None, "CO", "ER")))


def _shown(table: Table) -> dict[str, Any]:
    snapshot = snapshot_of("", 0, 0.0, {}, table)
    return {name: msgspec.to_builtins(getattr(snapshot, name)) for name in ("columns", "keys", "rows", "facts")}


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def main() -> None:
    """Write the files anew."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.json"):
        path.unlink()
    for name, text in stories().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
