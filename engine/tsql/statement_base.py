"""What every statement has: its place, the condition it stands under, names as they are written."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Place(msgspec.Struct, frozen=True, gc=False):
    """A place in a script; lines and columns count from 1."""

    line: int
    column: int


class Guard(StrEnum):
    """A condition in front of a statement: IF EXISTS (…) or IF NOT EXISTS (…)."""

    EXISTS = "exists"
    NOT_EXISTS = "not exists"


class ObjectName(msgspec.Struct, frozen=True, gc=False):
    """A name as written, part by part; an empty part is one left out, as in `database..queue`."""

    parts: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join(self.parts)


class Clause(msgspec.Struct, frozen=True, gc=False):
    """The value of a clause and where it stands."""

    value: str
    place: Place


class Statement(msgspec.Struct, frozen=True, kw_only=True, tag_field="statement"):
    """Common base: where the statement begins, and the condition it stands under."""

    place: Place
    guard: Guard | None = None
