"""Changes of objects as they are kept in the log of decisions: names as spelled, values in the engine's JSON form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from io import StringIO
from itertools import chain, islice
from typing import Any

import msgspec

from brokerweb.topology.changes import PIECE_LENGTH
from brokerweb.topology.names import fold
from engine import api as engine


class InstanceObject(msgspec.Struct, frozen=True):
    """One object of an instance, before and after a decision."""

    instance: str
    key: engine.revisions.ObjectKey
    before: engine.revisions.CatalogObject | None
    after: engine.revisions.CatalogObject | None
    is_rebased: bool = False
    base: engine.revisions.CatalogObject | None = None
    """With `is_rebased`: what was live when somebody decided about a conflict; the draft stands on it from then on."""

    @property
    def shown(self) -> engine.revisions.CatalogObject | None:
        """The object whose names say what it is about."""
        return self.after or self.before or self.base


def effect_of(before: object, after: object) -> str:
    """What becomes of an object: it is added, changed or removed."""
    if before is None:
        return "add"
    return "remove" if after is None else "change"


class KeptObjects(msgspec.Struct, frozen=True):
    """Objects in the form in which a row of the log keeps them."""

    text: str = "[]"
    """A JSON list."""
    touched: str = ""
    """A line for each object, to be searched for `name_in_touched` and `instance_in_touched`."""
    count: int = 0

    @property
    def columns(self) -> dict[str, Any]:
        """The same as fields of a row; the count is not among those of a part."""
        return {"objects_changed": self.text, "touched": self.touched}


_decoder = msgspec.json.Decoder(list[dict[str, msgspec.Raw]])


def objects_in_pieces(objects: Iterable[InstanceObject]) -> Iterator[KeptObjects]:
    """Objects as the log keeps them, at most `PIECE_LENGTH` in a piece, made one by one; at least one piece."""
    left = iter(objects)
    yield objects_kept(islice(left, PIECE_LENGTH))
    for first in left:
        yield objects_kept(islice(chain([first], left), PIECE_LENGTH))


def objects_kept(objects: Iterable[InstanceObject]) -> KeptObjects:
    """Objects as the log keeps them; one that is nowhere says nothing and is left out."""
    text = bytearray(b"[")
    touched = StringIO()
    count = 0
    for each in objects:
        shown = each.shown
        if shown is not None:
            # Written on in place: pieces in a list, and then joined, would take three times the memory of the text.
            text += (b"," if count else b"") + _encoded(each, shown)
            names = (fold(each.instance), fold(shown.database or ""), shown.kind.value, fold(shown.name))
            touched.write("\n\t" + "\t".join(names) + "\t")
            count += 1
    text += b"]"
    if count:
        touched.write("\n")
    return KeptObjects(text.decode(), touched.getvalue(), count)


def _encoded(each: InstanceObject, shown: engine.revisions.CatalogObject) -> bytes:
    kept = {
        "instance": each.instance,
        "database": shown.database,
        "kind": shown.kind,
        "name": shown.name,
        "before": msgspec.Raw(engine.revisions.value_to_json(each.before)),
        "after": msgspec.Raw(engine.revisions.value_to_json(each.after)),
    }
    if each.is_rebased:
        kept["base"] = msgspec.Raw(engine.revisions.value_to_json(each.base))
    return msgspec.json.encode(kept)


def objects_from(text: str, limit: int | None = None) -> Iterator[InstanceObject]:
    """Objects as they were before `objects_kept`; with `limit` the first so many."""
    return (_decoded(kept) for kept in _decoder.decode(text)[:limit])


def _decoded(kept: Mapping[str, msgspec.Raw]) -> InstanceObject:
    instance, database, name, kind = (msgspec.json.decode(kept[field]) for field in _NAMES)
    kind = engine.revisions.ObjectKind(kind)
    before, after, base = (
        engine.revisions.value_from_json(kind, database, name, bytes(kept.get(side, _NOTHING))) for side in _SIDES
    )
    key = engine.revisions.object_key(database, kind, name)
    return InstanceObject(instance, key, before, after, "base" in kept, base)


_NAMES = ("instance", "database", "name", "kind")
_SIDES = ("before", "after", "base")
_NOTHING = msgspec.Raw(b"null")


def turned_round(objects: KeptObjects) -> KeptObjects:
    """The same objects the other way round: what was after comes before."""
    turned = [{**kept, "before": kept["after"], "after": kept["before"]} for kept in _decoder.decode(objects.text)]
    return KeptObjects(msgspec.json.encode(turned).decode(), objects.touched, len(turned))


def name_in_touched(name: str) -> str:
    """What `touched` holds if an object of that name is in it: a name alone ends its line."""
    return f"\t{fold(name)}\t\n"


def instance_in_touched(name: str) -> str:
    """What `touched` holds if an object of that instance is in it."""
    return f"\n\t{fold(name)}\t"
