"""Databases that come out of files, by RESTORE or FOR ATTACH, and what becomes of their broker (tsql.md 10)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import msgspec

from engine.tsql.following import Missing
from engine.tsql.spelling import misspelled
from engine.tsql.statements import AnyStatement, CreateDatabase
from engine.tsql.tokens import Token, TokenKind, Tokens

_OPTIONS: Final = ("ENABLE_BROKER", "ERROR_BROKER_CONVERSATIONS", "NEW_BROKER")


def check_broker_options(tokens: Tokens, start: int, end: int) -> None:
    """Refuse an option that is nearly one of the broker's, and a second one; raises `Missing`."""
    is_listed, given = False, None
    for index in range(start, end):
        token = tokens[index]
        is_listed = is_listed or token.is_word("WITH")
        if not is_listed or token.kind is not TokenKind.WORD:
            continue
        if (meant := misspelled(token.value, _OPTIONS)) is not None:
            raise Missing(index, meant)
        if token.is_word(*_OPTIONS):
            if given is not None:
                raise Missing(index, f"{given} alone")
            given = token.value


def broker_option_in(tokens: Sequence[Token]) -> str | None:
    """The option that says what becomes of the broker; None where there is none."""
    return next((token.value for token in tokens if token.is_word(*_OPTIONS)), None)


def with_tail(statement: AnyStatement, tail: Sequence[Token]) -> AnyStatement:
    """CREATE DATABASE with what is known of the rest of it; every other statement as it is."""
    if not isinstance(statement, CreateDatabase):
        return statement
    is_attached = any(word.is_word("FOR") and after.is_word("ATTACH") for word, after in pairwise(tail))
    return msgspec.structs.replace(statement, has_options=True, is_attached=is_attached)
