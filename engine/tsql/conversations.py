"""Statements that work on conversations: read with all their options, though an import runs none (tsql.md 9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.tsql.following import Cursor, Missing
from engine.tsql.tokens import TokenKind, Tokens

_VARIABLE, _NAME, _TEXT, _NUMBER = TokenKind.VARIABLE, TokenKind.QUOTED_NAME, TokenKind.STRING, TokenKind.INTEGER
_DIALOG_OPTIONS: Final = ("RELATED_CONVERSATION", "RELATED_CONVERSATION_GROUP", "LIFETIME", "ENCRYPTION")
_LOCKED: Final = ("CONVERSATION_HANDLE", "CONVERSATION_GROUP_ID")


def end_of_conversation_statement(tokens: Tokens, index: int) -> int:
    """The token after the statement that begins at `index`; raises `Missing` where it is none."""
    cursor = Cursor(tokens, index)
    verb = cursor.need_word(*_VERBS)
    _VERBS[verb](cursor)
    return cursor.index


def _begin(cursor: Cursor) -> None:
    if cursor.need_word("DIALOG", "CONVERSATION") == "CONVERSATION":
        _timer(cursor)
        return
    cursor.word("CONVERSATION")
    cursor.need(_VARIABLE)
    cursor.need_word("FROM")
    cursor.need_word("SERVICE")
    cursor.need(_NAME, _VARIABLE, _TEXT)
    cursor.need_word("TO")
    cursor.need_word("SERVICE")
    cursor.need(_TEXT, _VARIABLE)
    if cursor.mark(","):
        cursor.need(_TEXT, _VARIABLE)
    if cursor.word("ON"):
        cursor.need_word("CONTRACT")
        cursor.need(_NAME, _VARIABLE)
    if cursor.options():
        _dialog_option(cursor)
        while cursor.mark(",") or cursor.token.is_word(*_DIALOG_OPTIONS):
            _dialog_option(cursor)


def _dialog_option(cursor: Cursor) -> None:
    option = cursor.need_word(*_DIALOG_OPTIONS)
    cursor.need_mark("=")
    if option == "ENCRYPTION":
        cursor.need_word("ON", "OFF")
    else:
        cursor.need_expression(*_DIALOG_OPTIONS)


def _timer(cursor: Cursor) -> None:
    cursor.need_word("TIMER")
    cursor.need_group()
    cursor.need_word("TIMEOUT")
    cursor.need_mark("=")
    cursor.need_expression()


def _send(cursor: Cursor) -> None:
    cursor.need_word("ON")
    cursor.need_word("CONVERSATION")
    if cursor.token.is_mark("("):
        cursor.need_group()
    else:
        cursor.need(_VARIABLE, _TEXT)
    if cursor.word("MESSAGE"):
        cursor.need_word("TYPE")
        cursor.need(_NAME, _VARIABLE)
    if cursor.token.is_mark("("):
        cursor.need_group()


def _receive(cursor: Cursor) -> None:
    if cursor.word("TOP"):
        if cursor.token.is_mark("("):
            cursor.need_group()
        else:
            cursor.need(_NUMBER, _VARIABLE)
    if cursor.token.is_word("FROM"):
        raise Missing(cursor.index, "a column")
    cursor.need_expression("FROM", is_list=True)
    cursor.need_word("FROM")
    cursor.need_name()
    if cursor.word("INTO"):
        cursor.need(_VARIABLE)
    if cursor.word("WHERE"):
        cursor.need_word(*_LOCKED)
        cursor.need_mark("=")
        cursor.need_expression()


def _get(cursor: Cursor) -> None:
    cursor.need_word("CONVERSATION")
    cursor.need_word("GROUP")
    cursor.need(_VARIABLE)
    cursor.need_word("FROM")
    cursor.need_name()


def _wait(cursor: Cursor) -> None:
    cursor.need_mark("(")
    if cursor.need_word("RECEIVE", "GET") == "RECEIVE":
        _receive(cursor)
    else:
        _get(cursor)
    cursor.need_mark(")")
    if cursor.mark(",") or cursor.token.is_word("TIMEOUT"):
        cursor.need_word("TIMEOUT")
        cursor.need_expression()


def _move(cursor: Cursor) -> None:
    cursor.need_word("CONVERSATION")
    cursor.need(_VARIABLE, _TEXT)
    cursor.need_word("TO")
    cursor.need(_VARIABLE, _TEXT)


def _end(cursor: Cursor) -> None:
    cursor.need_word("CONVERSATION")
    cursor.need(_VARIABLE, _TEXT)
    if not cursor.options():
        return
    if cursor.need_word("ERROR", "CLEANUP") == "ERROR":
        cursor.need_mark("=")
        cursor.need_expression("DESCRIPTION")
        cursor.need_word("DESCRIPTION")
        cursor.need_mark("=")
        cursor.need_expression()


_VERBS: Final[dict[str, Callable[[Cursor], None]]] = {
    "BEGIN": _begin,
    "SEND": _send,
    "RECEIVE": _receive,
    "GET": _get,
    "WAITFOR": _wait,
    "MOVE": _move,
    "END": _end,
}
