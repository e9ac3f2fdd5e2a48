"""Columns of many rows as PostgreSQL arrays in their binary form: one statement takes any number of rows.

psycopg makes such arrays out of lists, value by value in Python; a commit has thousands of values of known types, and
packing a whole column at once takes a third of the time (ADR 17).

PostgreSQL's texts hold every character but NUL. A NUL is written as a backslash and 0, a backslash as two, so that
nothing is lost.
"""

from __future__ import annotations

import re
import struct
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from types import NoneType
from typing import Any, Final, Self, get_args
from uuid import UUID

from psycopg import Connection
from psycopg.abc import Buffer
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format

from engine.core.vocabulary.dialog_security import DialogSecurity

_ABSENT: Final = b"\xff\xff\xff\xff"
_HEAD: Final = struct.Struct("!iiIii").pack
_SIZE: Final = struct.Struct("!i").pack
_INTEGER: Final = struct.Struct("!iq").pack
_REAL: Final = struct.Struct("!id").pack
_TRUTH: Final = struct.Struct("!i?").pack


class PackedArray(bytes):
    """An array as PostgreSQL reads it: one dimension, elements of one type, some of them perhaps NULL."""

    element: int
    """Number (oid) of the type of the elements."""
    array: int
    """Number (oid) of the array's type."""

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        """All values in their order; `struct.error`, `UnicodeError` for one that no column holds."""
        head = _HEAD(1, 1, cls.element, len(values), 1)
        return bytes.__new__(cls, b"".join((head, *cls._elements(values))))

    @classmethod
    @abstractmethod
    def _elements(cls, values: Sequence[Any]) -> Iterable[bytes]:
        """Each value behind its size."""


class Binaries(PackedArray):
    """Opaque bytes."""

    element, array = 17, 1001

    @classmethod
    def _elements(cls, values: Sequence[bytes | None]) -> Iterable[bytes]:
        for value in values:
            if value is None:
                yield _ABSENT
            else:
                yield _SIZE(len(value))
                yield value


class Texts(PackedArray):
    """Texts of any characters."""

    element, array = 25, 1009

    @classmethod
    def _elements(cls, values: Sequence[str | None]) -> Iterable[bytes]:
        return Binaries._elements([None if value is None else storable(value).encode() for value in values])


def _sixteen(value: UUID | bytes | None) -> bytes | None:
    return value.bytes if isinstance(value, UUID) else value


class Uuids(PackedArray):
    """Identifiers, sixteen bytes each; those of a record that are never missing are bytes already."""

    element, array = 2950, 2951

    @classmethod
    def _elements(cls, values: Sequence[UUID | bytes | None]) -> Iterable[bytes]:
        return Binaries._elements([_sixteen(value) for value in values])


class Integers(PackedArray):
    """Whole numbers of 64 bits."""

    element, array = 20, 1016

    @classmethod
    def _elements(cls, values: Sequence[int | None]) -> Iterable[bytes]:
        return [_ABSENT if value is None else _INTEGER(8, value) for value in values]


class Reals(PackedArray):
    """Times and other reals."""

    element, array = 701, 1022

    @classmethod
    def _elements(cls, values: Sequence[float | None]) -> Iterable[bytes]:
        return [_ABSENT if value is None else _REAL(8, value) for value in values]


class Truths(PackedArray):
    """Truth values."""

    element, array = 16, 1000

    @classmethod
    def _elements(cls, values: Sequence[bool | None]) -> Iterable[bytes]:
        return [_ABSENT if value is None else _TRUTH(1, value) for value in values]


_KINDS: Final[tuple[tuple[type, type[PackedArray]], ...]] = (
    (bool, Truths),
    (str, Texts),
    (int, Integers),
    (float, Reals),
    (UUID, Uuids),
    (bytes, Binaries),
    (DialogSecurity, Binaries),
)


def array_of(kind: Any) -> type[PackedArray]:
    """The array that holds values of a field's type, or of it and None; `TypeError` where no column does."""
    named = next((each for each in get_args(kind) if each is not NoneType), kind)
    plain = getattr(named, "__supertype__", named)
    for base, array in _KINDS:
        if issubclass(plain, base):
            return array
    raise TypeError(f"no column holds a {plain.__name__}")


def storable(text: str) -> str:
    """A text as a column holds it."""
    if "\\" in text or "\0" in text:
        return text.replace("\\", "\\\\").replace("\0", "\\0")
    return text


_ESCAPES: Final = re.compile(r"\\([\\0])")


class _TextLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> str:
        text = str(data, "utf-8")
        return _ESCAPES.sub(lambda found: "\0" if found[1] == "0" else "\\", text) if "\\" in text else text


class _UuidLoader(Loader):
    """Sixteen bytes: the rows' decoder makes the identifier."""

    format = Format.BINARY

    def load(self, data: Buffer) -> bytes:
        return bytes(data)


class _PackedDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: PackedArray) -> Buffer:
        return obj


def teach(connection: Connection[Any]) -> None:
    """Let a connection write packed arrays, and read what they hold."""
    for array in (Binaries, Texts, Uuids, Integers, Reals, Truths):
        dumper = type(f"_{array.__name__}Dumper", (_PackedDumper,), {"oid": array.array})
        connection.adapters.register_dumper(array, dumper)
    connection.adapters.register_loader(Texts.element, _TextLoader)
    connection.adapters.register_loader(Uuids.element, _UuidLoader)
