"""Deeds: what is done to what runs, and is no definition, as the log of decisions keeps it.

A row of the log that tells of deeds has no objects. They stand beside its sentence, in `said`, and so under its hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Any, Final, Literal

import msgspec

from brokerweb.common.sayings import Saying
from brokerweb.topology.models import Decision
from brokerweb.topology.names import fold
from brokerweb.topology.object_changes import KeptObjects, effect_of

DEEDS: Final = "deeds"
Value = bool | int | str | None


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """What was done to one thing that runs: one field of it, before and after."""

    instance: str
    database: str
    kind: Literal["conversation", "queue", "database", "flow", "assertion"]
    name: str
    """Of a conversation its handle, of a flow its key."""
    field: str
    before: Value
    after: Value
    is_gone: bool = False
    """Whether it is not there any more."""
    is_new: bool = False
    """Whether it was not there before."""


def with_deeds(summary: Saying, deeds: Sequence[Deed]) -> Saying:
    """The sentence of a row of the log, and what it tells of."""
    return Saying(str(summary), {**summary.said, DEEDS: msgspec.to_builtins(deeds)})


def deeds_touched(deeds: Sequence[Deed]) -> KeptObjects:
    """No objects, but the lines by which the log is searched for what the deeds were done to."""
    lines = StringIO()
    for each in deeds:
        names = (fold(each.instance), fold(each.database), each.kind, fold(each.name))
        lines.write("\n\t" + "\t".join(names) + "\t")
    if deeds:
        lines.write("\n")
    return KeptObjects(touched=lines.getvalue(), count=len(deeds))


def deed_pictures(row: Decision) -> Iterator[dict[str, Any]]:
    """The deeds of a row of the log as the API tells objects."""
    for kept in (row.said or {}).get(DEEDS, ()):
        deed = msgspec.convert(kept, Deed)
        yield {
            "instance": deed.instance,
            "database": deed.database,
            "kind": deed.kind,
            "name": deed.name,
            "effect": effect_of(None if deed.is_new else True, None if deed.is_gone else True),
            "fields": [{"name": deed.field, "before": deed.before, "after": deed.after}],
        }
