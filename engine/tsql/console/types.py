"""SQL types as declarations name them: `nvarchar(max)`, `uniqueidentifier`, `decimal(10, 2)`."""

from __future__ import annotations

from typing import Final

import msgspec

MAX: Final = -1
"""The length of `nvarchar(max)` and its kin."""

INTEGERS: Final = {"tinyint": (0, 255), "smallint": (-(2**15), 2**15 - 1), "int": (-(2**31), 2**31 - 1)}
INTEGERS["bigint"] = (-(2**63), 2**63 - 1)
TEXTS: Final = frozenset({"char", "varchar", "nchar", "nvarchar", "sysname", "text", "ntext"})
UNICODE: Final = frozenset({"nchar", "nvarchar", "sysname", "ntext", "xml"})
MOMENTS: Final = frozenset({"datetime", "datetime2", "smalldatetime", "date", "time", "datetimeoffset"})
COUNTED: Final = frozenset({"datetime", "smalldatetime"})
"""Moments that are numbers of days after 1900-01-01: they convert to numbers, and are added and subtracted."""
BINARIES: Final = frozenset({"binary", "varbinary", "image"})
EXACT: Final = frozenset({"decimal", "numeric", "money", "smallmoney"})
APPROXIMATE: Final = frozenset({"float", "real"})
_WITH_LENGTH: Final = frozenset({"char", "varchar", "nchar", "nvarchar", "binary", "varbinary"})
_SYNONYMS: Final = {"integer": "int", "dec": "decimal", "rowversion": "binary", "timestamp": "binary"}
KNOWN: Final = (
    frozenset(INTEGERS) | TEXTS | MOMENTS | BINARIES | EXACT | APPROXIMATE | {"bit", "uniqueidentifier", "xml"}
)
LENGTH_WHEN_CAST: Final = 30
"""Length of a text type without one in CAST and CONVERT; 1 where a variable is declared."""


class SqlType(msgspec.Struct, frozen=True):
    """A type: its base in small letters, its length or precision where it has one, its scale."""

    base: str
    length: int | None = None
    scale: int = 0

    def __str__(self) -> str:
        if self.length is None:
            return self.base
        if self.base in EXACT:
            return f"{self.base}({self.length},{self.scale})"
        return f"{self.base}({'max' if self.length == MAX else self.length})"

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers; a bit is one."""
        return self.base in INTEGERS or self.base in EXACT or self.base in APPROXIMATE or self.base == "bit"


INT, BIGINT, BIT, FLOAT = SqlType("int"), SqlType("bigint"), SqlType("bit"), SqlType("float")
NVARCHAR, VARCHAR, VARBINARY = SqlType("nvarchar", MAX), SqlType("varchar", MAX), SqlType("varbinary", MAX)
UNIQUEIDENTIFIER, DATETIME, DATETIME2 = SqlType("uniqueidentifier"), SqlType("datetime"), SqlType("datetime2")
XML, SYSNAME = SqlType("xml"), SqlType("sysname")


def sql_type(text: str, default_length: int = 1) -> SqlType | None:
    """The type that a declaration names; None for one that there is not here."""
    name, _, rest = text.strip().lower().partition("(")
    base = name.strip().strip("[]")
    base = _SYNONYMS.get(base.removeprefix("sys."), base.removeprefix("sys."))
    if base not in KNOWN:
        return None
    sizes = [size.strip() for size in rest.rstrip(") ").split(",")] if rest else []
    if any(size != "max" and not (size.isascii() and size.isdigit() and len(size) < 5) for size in sizes):
        return None
    numbers = [MAX if size == "max" else int(size) for size in sizes]
    if base in _WITH_LENGTH:
        return SqlType(base, numbers[0] if numbers else default_length)
    if base in ("decimal", "numeric"):
        return SqlType(base, numbers[0] if numbers else 18, numbers[1] if len(numbers) > 1 else 0)
    return SqlType(base)
