"""Which columns a name may mean: the tables of a SELECT, and those of the SELECTs around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from sqlglot import exp

from engine.tsql.console.failing import failed
from engine.tsql.console.program import TableColumn
from engine.tsql.console.types import TEXTS, SqlType

CASELESS, EXACT_TEXT, GUID_TEXT = "CASELESS", "RTRIM", "NOCASE"
"""Collations: letter case does not count, every character does, digits of identifiers; blanks at the end never."""

_TRAVELLING: Final = frozenset(
    {
        *("service_name", "to_service_name", "from_service_name", "far_service", "remote_service_name"),
        *("service_contract_name", "message_type_name"),
    }
)
"""Columns with names of services, contracts and message types, which are compared character by character."""
_NAMED: Final = frozenset({"sys.services", "sys.service_contracts", "sys.service_message_types"})


class Output(NamedTuple):
    """A column that a table or a SELECT has."""

    name: str
    type: SqlType
    collation: str | None = None
    rules: TableColumn | None = None
    """What a column of a table variable was declared as."""

    @property
    def is_counted(self) -> bool:
        """Whether it is an IDENTITY."""
        return self.rules is not None and self.rules.identity is not None


class TableUse:
    """One table that a statement names, and what of it the statement needs."""

    def __init__(self, stored_name: str, parts: tuple[str, str] | None, columns: Sequence[Output]) -> None:
        self.stored_name: Final = stored_name
        """Its name among the tables in memory."""
        self.parts: Final = parts
        """Database, and view or queue; None for a table variable, whose rows are there already."""
        self.columns: Final = tuple(columns)
        self.used: Final[dict[str, None]] = {}
        """Names of the columns that are needed."""
        self.equals: Final[list[tuple[str, exp.Expr]]] = []
        """Columns of identifiers that have to equal something that is no column."""
        self.rows_max: int | None = None
        """As many rows are enough; None for all."""


class Source(NamedTuple):
    """What stands in a FROM clause."""

    alias: str
    columns: tuple[Output, ...]
    use: TableUse | None = None
    """None for a derived table."""


class Scope:
    """The sources of one SELECT."""

    def __init__(self, parent: Scope | None = None) -> None:
        self.parent: Final = parent
        self.sources: Final[list[Source]] = []

    def add(self, source: Source, line: int) -> None:
        """One more; 1013 for a second one of the same name."""
        if any(each.alias.casefold() == source.alias.casefold() for each in self.sources):
            raise failed(1013, at=line, name=source.alias)
        self.sources.append(source)

    def find(self, column: exp.Column, default_line: int) -> tuple[Source, Output, Scope]:
        """What a name means, here or in a SELECT around. Errors: 207, 209, 4104."""
        name, qualifier = column.name, column.table
        line = line_of(column, default_line)
        scope: Scope | None = self
        knows_qualifier = not qualifier
        while scope is not None:
            found = list(scope._matches(name, qualifier))
            if len(found) > 1:
                raise failed(209, at=line, column=name)
            if found:
                return (*found[0], scope)
            knows_qualifier = knows_qualifier or scope._has(qualifier)
            scope = scope.parent
        if not knows_qualifier:
            raise failed(4104, at=line, name=f"{qualifier}.{name}")
        raise failed(207, at=line, name=self._spoken(qualifier), column=name)

    def _has(self, alias: str) -> bool:
        return any(each.alias.casefold() == alias.casefold() for each in self.sources)

    def _matches(self, name: str, qualifier: str) -> Iterator[tuple[Source, Output]]:
        for source in self.sources:
            if qualifier and source.alias.casefold() != qualifier.casefold():
                continue
            for output in source.columns:
                if output.name.casefold() == name.casefold():
                    yield source, output

    def _spoken(self, qualifier: str) -> str:
        if qualifier:
            return qualifier
        return ", ".join(source.alias for source in self.sources) or "The statement"


def line_of(node: exp.Expr, default: int) -> int:
    """The line of the first name in a piece of a statement, counted from the statement's own."""
    for each in node.walk():
        line = each.meta.get("line") if each._meta else None
        if isinstance(line, int):
            return default + line - 1
    return default


def collation_of(view: str, name: str, declared: SqlType) -> str | None:
    """How the texts of a column of a system view or queue are compared; None where it has none."""
    if declared.base == "uniqueidentifier":
        return GUID_TEXT
    if declared.base not in TEXTS:
        return None
    is_exact = name in _TRAVELLING or (name == "name" and view in _NAMED)
    return EXACT_TEXT if is_exact else CASELESS


def collation_named(name: str) -> str:
    """What COLLATE of a name means here: whether letter case counts."""
    return EXACT_TEXT if "_BIN" in name.upper() or "_CS" in name.upper() else CASELESS


def affinity_of(declared: SqlType) -> str:
    """The declaration under which values of a type are kept as they are."""
    if declared.base in ("float", "real", "decimal", "numeric", "money", "smallmoney"):
        return "REAL"
    if declared.is_number:
        return "INTEGER"
    return "BLOB" if declared.base in ("binary", "varbinary", "image") else "TEXT"
