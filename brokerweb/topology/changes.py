"""Catalog changes as they are kept in JSON columns: the engine's own tagged form, as plain lists and texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from engine import api as engine

PIECE_LENGTH: Final = 2_000
"""Changes, or objects, that a row holds; an import has a hundred thousand, and one value of all would take memory."""


def changes_to_json(changes: Sequence[engine.CatalogChange]) -> msgspec.Raw:
    """Changes as JSON, for a `LargeJSONField`."""
    return msgspec.Raw(engine.json_encoder.encode(changes))


def changes_in_pieces(changes: Sequence[engine.CatalogChange]) -> Iterator[msgspec.Raw]:
    """The same cut into lists of at most `PIECE_LENGTH`, made one by one; at least one list."""
    for begin in range(0, len(changes) or 1, PIECE_LENGTH):
        yield changes_to_json(changes[begin : begin + PIECE_LENGTH])


def changes_by_instance(
    changes: Iterable[tuple[str, Sequence[engine.CatalogChange] | None]],
) -> Iterator[Mapping[str, msgspec.Raw | None]]:
    """Instance name → changes as JSON, cut into mappings of at most `PIECE_LENGTH` changes; at least one mapping.

    Every instance is named, and None stays None.
    """
    piece: dict[str, msgspec.Raw | None] = {}
    room = PIECE_LENGTH
    for name, found in changes:
        begin = 0
        while found is not None and len(found) - begin > room:
            piece[name] = changes_to_json(found[begin : begin + room])
            yield piece
            begin += room
            piece, room = {}, PIECE_LENGTH
        piece[name] = None if found is None else changes_to_json(found[begin:])
        room -= 0 if found is None else len(found) - begin
    yield piece


def changes_from_json(stored: Iterable[Any]) -> tuple[engine.CatalogChange, ...]:
    """Changes as they were before they were JSON."""
    # One by one: of an import the JSON of all of them would be in memory beside the changes.
    return tuple(msgspec.convert(each, engine.CatalogChange) for each in stored)
