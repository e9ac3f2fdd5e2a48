"""Completion from the model: what may stand at a place of a script that somebody is writing.

Keywords of DDL come from the grammar itself, names from the catalog of the target, columns from its views, variables
from the batch. Nothing is run, and a script that is not finished is the normal case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from engine.core.catalog.database import DatabaseCatalog
from engine.core.exchange.system_views import SystemViewQuery
from engine.core.system_views.query import SYSTEM_VIEWS
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import DatabaseName
from engine.tsql.console.aggregates import AGGREGATES
from engine.tsql.console.completing_words import (
    AFTER,
    CLAUSES,
    OBJECTS_AFTER,
    STATEMENTS,
    Objects,
)
from engine.tsql.console.functions import SCALARS
from engine.tsql.console.pieces import Walker
from engine.tsql.console.receiving import COLUMNS
from engine.tsql.console.session_functions import GLOBALS, SESSION_FUNCTIONS
from engine.tsql.console.target import ConsoleTarget, TargetUnavailable, database_named
from engine.tsql.console.types import KNOWN
from engine.tsql.sentence import Sentence
from engine.tsql.tokens import Token, TokenKind, Tokens
from engine.tsql.words import RESERVED, Head, closes_block, head_at, opens_block

ITEMS_MAX: Final = 200
SCRIPT_LENGTH_MAX: Final = 200_000
"""Characters before the place that are looked at; what is further up has no say."""


class ItemKind(StrEnum):
    """What a completion is."""

    KEYWORD = "keyword"
    VIEW = "view"
    QUEUE = "queue"
    SERVICE = "service"
    CONTRACT = "contract"
    MESSAGE_TYPE = "message type"
    ROUTE = "route"
    DATABASE = "database"
    COLUMN = "column"
    VARIABLE = "variable"
    FUNCTION = "function"
    TYPE = "type"


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that may stand there."""

    label: str
    """What it is called."""
    insert: str
    """What is written for it, in brackets or quotes where it needs them."""
    kind: ItemKind
    detail: str = ""
    """The type of a column or variable; empty for everything else."""


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """Items, and the piece of the script in whose place one of them comes: from `start` up to `end`."""

    start: int
    end: int
    items: tuple[Item, ...]


def complete(script: str, position: int, target: ConsoleTarget, database: str = "master") -> Completion:
    """What may stand at `position`, an offset in `script`, where a session is in `database` at its beginning.

    Never fails: an instance that does not answer has no names to offer.
    """
    position = min(max(position, 0), len(script))
    before = script[max(position - SCRIPT_LENGTH_MAX, 0) : position]
    try:
        return _Completer(before, script, position, target, database).completion()
    except (BrokerError, TargetUnavailable, RecursionError):
        return Completion(start=position, end=position, items=())


class _Completer:
    """One question."""

    def __init__(self, before: str, script: str, position: int, target: ConsoleTarget, database: str) -> None:
        self._target = target
        self._position = position
        self._script = script
        self._tokens = Tokens(before.encode("utf-8", "replace").decode())
        self._all = self._everything()
        self._typed = self._partial(before)
        self._length = len(self._all) - (1 if self._typed else 0)
        """Tokens before the piece that is being written."""
        self._batch = self._batch_start()
        self._database = self._current_database(database)

    def _everything(self) -> list[Token]:
        found: list[Token] = []
        while (token := self._tokens[len(found)]).kind is not TokenKind.END:
            found.append(token)
        return found

    def _partial(self, before: str) -> str:
        """The piece that is being written; empty where a new one would begin."""
        if not self._all or not before or before[-1].isspace():
            last = self._all[-1] if self._all else None
            return last.text if last is not None and last.kind is TokenKind.LOST else ""
        last = self._all[-1]
        if last.kind in (TokenKind.WORD, TokenKind.VARIABLE, TokenKind.LOST) and before.endswith(last.text):
            return last.text
        return ""

    def _batch_start(self) -> int:
        ends = (TokenKind.SEPARATOR, TokenKind.COMMAND)
        return next((n + 1 for n in range(self._length - 1, -1, -1) if self._all[n].kind in ends), 0)

    def _current_database(self, database: str) -> DatabaseCatalog | None:
        """Where USE has gone before the place."""
        catalog = self._target.catalog()
        name = database
        for number in range(self._length - 1):
            if self._all[number].is_word("USE"):
                after = self._all[number + 1]
                name = after.text if after.kind is TokenKind.WORD else after.value
        found = database_named(catalog, name)
        return None if found is None else catalog.databases[found]

    # ── what there is ────────────────────────────────────────────────────────────────────────────────────────────
    def completion(self) -> Completion:
        """The items that begin as the piece does, each once."""
        typed = self._typed.lstrip("['\"").casefold()
        found: dict[tuple[str, ItemKind], Item] = {}
        for item in self._items():
            if item.label.casefold().startswith(typed) or (typed and f".{typed}" in item.label.casefold()):
                found.setdefault((item.label, item.kind), item)
            if len(found) >= ITEMS_MAX:
                break
        start = self._position - len(self._typed)
        return Completion(start=start, end=self._end(), items=tuple(found.values()))

    def _end(self) -> int:
        """Where the word ends in the midst of which the place is."""
        end = self._position
        while self._typed and end < len(self._script) and (self._script[end].isalnum() or self._script[end] == "_"):
            end += 1
        return end

    def _items(self) -> Iterator[Item]:
        if self._typed.startswith("@"):
            yield from self._variables()
            return
        words = self._words_before()
        if words[-1:] == ("AS",) or (words[-1:] and words[-1].startswith("@") and self._is_declaring()):
            yield from (Item(label=each, insert=each, kind=ItemKind.TYPE) for each in sorted(KNOWN))
            return
        if words[-1:] == (".",):
            yield from self._behind_dot()
            return
        if words[-1:] == ("FROM",) and self._is_dialog():
            yield from _keywords(("SERVICE",))
            return
        for ending, objects in OBJECTS_AFTER.items():
            if words[-len(ending) :] == ending:
                yield from self._objects(objects)
                return
        for ending, keywords in AFTER.items():
            if words[-len(ending) :] == ending:
                yield from _keywords(keywords)
                # A block may begin or be over here as well.
                yield from _keywords(STATEMENTS if ending in (("BEGIN",), ("END",)) else ())
                return
        start = self._statement_start()
        if start >= self._length:
            yield from _keywords(STATEMENTS)
        elif head_at(self._tokens, start) is Head.OURS:
            yield from self._grammar(start)
        else:
            yield from self._expression(start)

    def _words_before(self) -> tuple[str, ...]:
        return tuple(token.value for token in self._all[max(self._length - 4, self._batch) : self._length])

    def _is_dialog(self) -> bool:
        start = self._statement_start()
        return self._tokens[start].is_word("BEGIN") and self._tokens[start + 1].is_word("DIALOG")

    def _is_declaring(self) -> bool:
        return any(token.is_word("DECLARE") for token in self._all[self._statement_start() : self._length])

    def _statement_start(self) -> int:
        walker = Walker(self._tokens, self._batch)
        while walker.index < self._length:
            token = walker.token
            opens = token.is_word("BEGIN") and opens_block(self._tokens, walker.index)
            ends = token.is_word("END") and closes_block(self._tokens, walker.index)
            if token.is_mark(";") or token.is_word("ELSE", "TRY", "CATCH") or opens or ends:
                walker.index += 1
                continue
            end = walker.end_of_statement()
            if end >= self._length:
                return walker.index
            walker.index = end
        return self._length

    def _grammar(self, start: int) -> Iterator[Item]:
        """The keywords that the grammar of DDL has for this place."""
        sentence = Sentence()
        for token in self._all[start : self._length]:
            if not sentence.take(token):
                return
        yield from _keywords(sorted(sentence.keywords()))

    # ── names ────────────────────────────────────────────────────────────────────────────────────────────────────
    def _variables(self) -> Iterator[Item]:
        for number in range(self._batch, self._length - 1):
            token, after = self._all[number], self._all[number + 1]
            before = self._all[number - 1]
            is_declared = before.is_word("DECLARE") or before.is_mark(",")
            if token.kind is TokenKind.VARIABLE and is_declared and after.kind is TokenKind.WORD:
                kind = self._all[min(number + 2, self._length - 1)] if after.is_word("AS") else after
                yield Item(label=token.text, insert=token.text, kind=ItemKind.VARIABLE, detail=kind.text.lower())
        for name, declared in GLOBALS.items():
            yield Item(label=f"@@{name}", insert=f"@@{name}", kind=ItemKind.VARIABLE, detail=str(declared))

    def _objects(self, objects: Objects) -> Iterator[Item]:
        catalog, database = self._target.catalog(), self._database
        if objects is Objects.DATABASE:
            yield from (_named(name, ItemKind.DATABASE) for name in catalog.databases)
        elif database is None:
            return
        elif objects is Objects.TABLE:
            yield from self._tables(database)
        elif objects is Objects.SERVICE_TEXT:
            services = (name for each in catalog.databases.values() for name in each.services)
            yield from (Item(label=each, insert=_text(each), kind=ItemKind.SERVICE) for each in services)
        else:
            kind, names = _OBJECTS[objects], _names(objects, database)
            yield from (_named(name, kind) for name in names)

    def _tables(self, database: DatabaseCatalog) -> Iterator[Item]:
        yield from (_named(name, ItemKind.QUEUE) for name in _names(Objects.QUEUE, database))
        yield from (Item(label=view.name, insert=view.name, kind=ItemKind.VIEW) for view in SYSTEM_VIEWS)
        yield from (each for each in self._variables() if each.detail == "table")

    def _behind_dot(self) -> Iterator[Item]:
        owner = self._all[self._length - 2].value if self._length > 1 else ""
        if owner.casefold() == "sys":
            for view in SYSTEM_VIEWS:
                name = view.name.removeprefix("sys.")
                yield Item(label=name, insert=name, kind=ItemKind.VIEW)
            return
        if owner.casefold() == "dbo" and self._database is not None:
            yield from (_named(name, ItemKind.QUEUE) for name in _names(Objects.QUEUE, self._database))
            return
        for alias, table in self._sources():
            if alias.casefold() == owner.casefold():
                yield from self._columns(table)

    def _sources(self) -> Iterator[tuple[str, str]]:
        """Aliases and tables of the statement, also of what stands behind the place."""
        whole = Tokens(self._script.encode("utf-8", "replace").decode())
        index = self._statement_start()
        while not (whole[index].is_mark(";") or whole[index].kind in (TokenKind.SEPARATOR, TokenKind.END)):
            is_listed = whole[index].is_word("FROM", "JOIN") or (whole[index].is_mark(",") and index > self._length)
            index += 1
            if not is_listed or whole[index].kind not in _NAME_KINDS:
                continue
            parts = [whole[index].text if whole[index].kind is TokenKind.WORD else whole[index].value]
            while whole[index + 1].is_mark("."):
                index += 2
                parts.append(whole[index].text if whole[index].kind is TokenKind.WORD else whole[index].value)
            alias = whole[index + 2] if whole[index + 1].is_word("AS") else whole[index + 1]
            is_alias = alias.kind in _NAME_KINDS and alias.value not in RESERVED and alias.value not in CLAUSES
            yield alias.text.strip("[]") if is_alias else parts[-1], ".".join(parts)

    def _columns(self, table: str) -> Iterator[Item]:
        if self._database is None:
            return
        try:
            query = SystemViewQuery(view=table, database=DatabaseName(self._database.name), rows_max=1)
            columns = self._target.system_view(query).columns
        except BrokerError:
            return
        for each in columns:
            yield Item(label=each.name, insert=each.name, kind=ItemKind.COLUMN, detail=each.type)

    def _expression(self, start: int) -> Iterator[Item]:
        is_receiving = any(token.is_word("RECEIVE") for token in self._all[start : self._length])
        if is_receiving:
            for output in COLUMNS:
                yield Item(label=output.name, insert=output.name, kind=ItemKind.COLUMN, detail=str(output.type))
        else:
            for _, table in self._sources():
                yield from self._columns(table)
        yield from self._variables()
        for name in sorted({*SCALARS, *SESSION_FUNCTIONS, *AGGREGATES, "CAST", "CONVERT", "ISNULL", "COALESCE", "IIF"}):
            yield Item(label=name, insert=f"{name}(", kind=ItemKind.FUNCTION)
        yield from _keywords(CLAUSES)


_NAME_KINDS: Final = (TokenKind.WORD, TokenKind.QUOTED_NAME, TokenKind.VARIABLE)
_OBJECTS: Final = {
    Objects.QUEUE: ItemKind.QUEUE,
    Objects.SERVICE: ItemKind.SERVICE,
    Objects.CONTRACT: ItemKind.CONTRACT,
    Objects.MESSAGE_TYPE: ItemKind.MESSAGE_TYPE,
    Objects.ROUTE: ItemKind.ROUTE,
}


def _names(objects: Objects, database: DatabaseCatalog) -> Sequence[str]:
    match objects:
        case Objects.QUEUE:
            return [name.removeprefix("dbo.") for name in database.queues]
        case Objects.SERVICE:
            return list(database.services)
        case Objects.CONTRACT:
            return ["DEFAULT", *database.contracts]
        case Objects.MESSAGE_TYPE:
            return ["DEFAULT", *database.message_types]
        case _:
            return list(database.routes)


def _keywords(words: Iterable[str]) -> Iterator[Item]:
    return (Item(label=word, insert=word, kind=ItemKind.KEYWORD) for word in words)


def _named(name: str, kind: ItemKind) -> Item:
    is_bare = name.isidentifier() and name.isascii() and name.upper() not in RESERVED
    return Item(label=name, insert=name if is_bare else "[" + name.replace("]", "]]") + "]", kind=kind)


def _text(name: str) -> str:
    return "N'" + name.replace("'", "''") + "'"
