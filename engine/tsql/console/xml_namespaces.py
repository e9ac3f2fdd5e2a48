"""WITH XMLNAMESPACES (…) in front of a statement, put as declarations in front of every path of its xml methods."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from engine.tsql.console.failing import OPTION_NOT_SUPPORTED, failed
from engine.tsql.console.pieces import Walker
from engine.tsql.following import Missing
from engine.tsql.tokens import Token, TokenKind

_METHODS: Final = ("VALUE", "EXIST", "QUERY", "NODES", "MODIFY")
_DEFAULT: Final = ("declare", "default", "element", "namespace")
_NAMED: Final = ("declare", "namespace")
"""How XQuery declares them, word by word."""
_PREFIX: Final = re.compile(r"[\w-]+")


class Spaces(msgspec.Struct, frozen=True):
    """What a clause comes to: the tokens to leave out of its statement, and those to put in the place of others."""

    without: set[int]
    instead: dict[int, Token]


def spaces_in(walker: Walker, start: int, end: int) -> Spaces:
    """The clause at `start`, nothing where another statement begins there. Errors: 102, 40517."""
    found = Spaces(set(), {})
    first = walker.tokens[start]
    if not first.is_word("WITH") or not walker.tokens[start + 1].is_word("XMLNAMESPACES"):
        return found
    reader = Walker(walker.tokens, start + 2)
    declarations = _declarations(reader)
    found.without.update(range(start, reader.index))
    if reader.mark(","):
        # Common table expressions follow: WITH is theirs.
        found.without.add(reader.index - 1)
        found.without.discard(start)
    for index in range(reader.index, end):
        if _is_path(walker, index):
            found.instead[index] = _declared(walker.tokens[index], declarations)
    return found


def _declarations(reader: Walker) -> str:
    reader.need_mark("(")
    found = [_declaration(reader)]
    while reader.mark(","):
        found.append(_declaration(reader))
    reader.need_mark(")")
    return "".join(found)


def _declaration(reader: Walker) -> str:
    is_default = reader.word("DEFAULT")
    token = reader.token
    reader.need(TokenKind.STRING)
    uri = _uri(token)
    if is_default:
        return " ".join((*_DEFAULT, f"{uri}; "))
    reader.need_word("AS")
    prefix = reader.name()
    if _PREFIX.fullmatch(prefix) is None:
        raise Missing(reader.index - 1, "a prefix")
    return " ".join((*_NAMED, f"{prefix}={uri}; "))


def _uri(token: Token) -> str:
    """The name in quotes that do not stand in it, as it is written inside of a text of T-SQL."""
    if '"' not in token.value:
        return '"' + token.value.replace("'", "''") + '"'
    if "'" not in token.value:
        return f"''{token.value}''"
    raise failed(OPTION_NOT_SUPPORTED, at=token.line, found="a namespace with both kinds of quotes")


def _is_path(walker: Walker, index: int) -> bool:
    dot, method, mark, path = (walker.tokens[index + offset] for offset in range(-3, 1))
    return path.kind is TokenKind.STRING and mark.is_mark("(") and method.is_word(*_METHODS) and dot.is_mark(".")


def _declared(path: Token, declarations: str) -> Token:
    """A path behind declarations; its place stays, so that lines do."""
    before, quote, after = path.text.partition("'")
    return msgspec.structs.replace(path, text=f"{before}{quote}{declarations}{after}")
