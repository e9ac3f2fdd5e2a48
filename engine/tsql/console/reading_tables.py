"""Reading the columns of a table variable, with all that is said of them."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.tsql.console.failing import failed
from engine.tsql.console.pieces import Walker
from engine.tsql.console.program import Expression, TableColumn
from engine.tsql.console.scopes import collation_named
from engine.tsql.console.types import INTEGERS, TEXTS
from engine.tsql.following import Missing
from engine.tsql.tokens import TokenKind

_KEYS: Final = ("PRIMARY", "UNIQUE")


class Beyond(Exception):
    """Something that T-SQL has and the console does not do; it is refused rather than stepped over."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


def table_columns(walker: Walker) -> tuple[tuple[TableColumn, ...], tuple[tuple[str, ...], ...]]:
    """The columns in parentheses, and those of each PRIMARY KEY and UNIQUE. Errors: 102, 243, 1911."""
    walker.need_mark("(")
    columns: list[TableColumn] = []
    keys: list[tuple[str, ...]] = []
    primary: list[str] = []
    while True:
        if walker.token.is_word("INDEX", "CHECK", "CONSTRAINT"):
            raise Beyond(walker.token.value)
        if walker.token.is_word(*_KEYS):
            is_primary = _key(walker)
            keys.append(_names(walker))
            primary += keys[-1] if is_primary else ()
        else:
            columns.append(_column(walker, keys))
        if not walker.mark(","):
            break
    walker.need_mark(")")
    return _with_keys(columns, keys, primary, walker), tuple(keys)


def _with_keys(
    columns: list[TableColumn], keys: list[tuple[str, ...]], primary: list[str], walker: Walker
) -> tuple[TableColumn, ...]:
    known = {column.name.casefold() for column in columns}
    named = {name.casefold(): name for key in keys for name in key}
    for folded, name in named.items():
        if folded not in known:
            raise failed(1911, at=walker.token.line, column=name)
    counted = [column for column in columns if column.identity is not None]
    if len(counted) > 1 or any(column.default is not None for column in counted):
        # The vendor refuses them as well: one column is numbered, and has no other value.
        raise Beyond("IDENTITY")
    required = {name.casefold() for name in primary}
    return tuple(
        msgspec.structs.replace(
            column,
            is_key=column.name.casefold() in named,
            is_required=column.is_required or column.name.casefold() in required,
        )
        for column in columns
    )


def _key(walker: Walker) -> bool:
    """PRIMARY KEY or UNIQUE; which it is."""
    is_primary = walker.need_word(*_KEYS) == "PRIMARY"
    if is_primary:
        walker.need_word("KEY")
    walker.word("CLUSTERED", "NONCLUSTERED")
    return is_primary


def _names(walker: Walker) -> tuple[str, ...]:
    walker.need_mark("(")
    names = []
    while True:
        names.append(walker.name())
        walker.word("ASC", "DESC")
        if not walker.mark(","):
            break
    walker.need_mark(")")
    if walker.token.kind is TokenKind.WORD:
        raise Beyond(walker.token.text)
    return tuple(names)


def _column(walker: Walker, keys: list[tuple[str, ...]]) -> TableColumn:
    name = walker.name()
    if walker.token.is_word("AS"):
        raise Beyond(f"{name} AS")
    found = TableColumn(name=name, type=walker.type_here())
    while not (walker.token.is_mark(",") or walker.token.is_mark(")")):
        found = _ruled(walker, found, keys)
    return found


def _ruled(walker: Walker, column: TableColumn, keys: list[tuple[str, ...]]) -> TableColumn:
    """A column with one thing more that is said of it."""
    replace = msgspec.structs.replace
    if walker.token.kind is not TokenKind.WORD:
        raise Missing(walker.index, "')'")
    if walker.token.is_word(*_KEYS):
        keys.append((column.name,))
        return replace(column, is_required=_key(walker) or column.is_required)
    match walker.token.value:
        case "NULL":
            walker.index += 1
            return column
        case "NOT":
            walker.index += 1
            walker.need_word("NULL")
            return replace(column, is_required=True)
        case "DEFAULT":
            walker.index += 1
            return replace(column, default=_default(walker))
        case "IDENTITY" if column.type.base in INTEGERS:
            walker.index += 1
            return replace(column, identity=_seed(walker), is_required=True)
        case "COLLATE" if column.type.base in TEXTS:
            walker.index += 1
            return replace(column, collation=collation_named(walker.name()))
    raise Beyond(walker.token.text)


def _seed(walker: Walker) -> tuple[int, int]:
    if not walker.mark("("):
        return 1, 1
    first = _whole(walker)
    walker.need_mark(",")
    step = _whole(walker)
    walker.need_mark(")")
    if step == 0:
        raise Beyond("IDENTITY")
    return first, step


def _whole(walker: Walker) -> int:
    sign = -1 if walker.mark("-") else 1
    text = walker.token.text
    walker.need(TokenKind.INTEGER)
    return sign * int(text[:19])


def _default(walker: Walker) -> Expression:
    """A value, a call or something in parentheses: what follows it says more of the column."""
    start = walker.index
    while walker.mark("-", "+"):
        pass
    if not walker.token.is_mark("("):
        walker.index += 1
        if walker.mark("."):
            walker.need(TokenKind.INTEGER)
    depth = 0
    while walker.token.is_mark("(") or depth > 0:
        if walker.is_at_end:
            raise Missing(walker.index, "')'")
        depth += walker.token.is_mark("(") - walker.token.is_mark(")")
        walker.index += 1
    found = walker.piece(start)
    walker.checked(found)
    return found
