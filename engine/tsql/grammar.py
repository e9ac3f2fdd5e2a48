"""The LALR table of the grammar of DDL, built once and then read from a file (tsql.md, grammar notation)."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

import lark
from lark import Lark
from lark.grammar import Rule
from lark.lexer import Lexer, TerminalDef

FILE_NAME: Final = "tsql-grammar.json"

_folders: Final[list[Path]] = []


class NoLexer(Lexer):
    """Takes the place of a lexer; tokens are fed one by one instead."""

    def __init__(self, conf: object) -> None:
        pass

    def lex(self, lexer_state: object, parser_state: object) -> Iterator[lark.Token]:
        """Nothing."""
        yield from ()


def keep_grammar_in(folder: Path) -> None:
    """Keep the table in a file of a folder from now on: building it takes most of a second, reading it little."""
    _folders[:] = [folder]


@cache
def grammar() -> Lark:
    """The parser of DDL."""
    source = resources.files("engine.tsql").joinpath("grammar.lark").read_text("utf-8")
    name = hashlib.sha256(f"{lark.__version__}\n{source}".encode()).hexdigest()
    for folder in _folders:
        # A table that is missing, old or damaged is built.
        with suppress(OSError, ValueError):
            return _read((folder / FILE_NAME).read_text("utf-8"), name)
    built = Lark(source, parser="lalr", lexer=NoLexer)
    for folder in _folders:
        with suppress(OSError):
            _write(folder / FILE_NAME, _text(built, name))
    return built


def _text(built: Lark, name: str) -> str:
    data, memo = built.memo_serialize([TerminalDef, Rule])
    data["options"]["lexer"] = data["parser"]["lexer_conf"]["lexer_type"] = None
    table = json.dumps({"data": data, "memo": memo}, separators=(",", ":"))
    return f"{_digest(name, table)}\n{table}"


def _digest(name: str, table: str) -> str:
    return hashlib.sha256(f"{name}\n{table}".encode()).hexdigest()


def _read(text: str, name: str) -> Lark:
    """The parser of a table. Raises `ValueError` for one of another grammar, and for one that is not as it was written.

    A table that is damaged could still be read, and find mistakes in good scripts.
    """
    digest, _, table_text = text.partition("\n")
    if digest != _digest(name, table_text):
        raise ValueError("the table is of another grammar, or damaged")
    stored = json.loads(table_text)
    data = stored["data"]
    data["options"]["lexer"] = data["parser"]["lexer_conf"]["lexer_type"] = NoLexer
    table = data["parser"]["parser"]
    table["tokens"] = _numbered(table["tokens"])
    table["states"] = {int(state): _numbered(actions) for state, actions in table["states"].items()}
    found: Lark = Lark._load_from_dict(data, _numbered(stored["memo"]))  # type: ignore[no-untyped-call]
    found.parse_interactive()
    return found


def _numbered(members: dict[str, Any]) -> dict[int, Any]:
    """JSON writes the numbers of states and symbols as texts."""
    return {int(key): value for key, value in members.items()}


def _write(path: Path, text: str) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_text(text, "utf-8")
    draft.replace(path)
