"""Permissions on objects of the broker that are not modelled, read with all their clauses (tsql.md 12)."""

from __future__ import annotations

from typing import Final

from engine.tsql.following import Cursor, Missing
from engine.tsql.tokens import TokenKind, Tokens

_NAME: Final = TokenKind.QUOTED_NAME
_OF_BROKER: Final = ("SEND", "RECEIVE")
_OWNERSHIP: Final = frozenset({"CONTROL", "TAKE", "ALTER", "VIEW", "ALL"})
_SECURABLES: Final = {
    "SERVICE": _OWNERSHIP | {"SEND"},
    "ROUTE": _OWNERSHIP,
    "CONTRACT": _OWNERSHIP | {"REFERENCES"},
    "MESSAGE TYPE": _OWNERSHIP | {"REFERENCES"},
    "REMOTE SERVICE BINDING": _OWNERSHIP,
    "ENDPOINT": _OWNERSHIP | {"CONNECT"},
}
"""Classes of securables, and the first words of the permissions that there are on each."""
_CLASS_WORDS_MAX: Final = 3


def end_of_permission(tokens: Tokens, index: int) -> int | None:
    """The token after GRANT, DENY or REVOKE on an object of the broker; None for every other statement.

    Raises `Missing` where such a statement breaks off or says what there is not.
    """
    if not tokens[index].is_word("GRANT", "DENY", "REVOKE"):
        return None
    cursor = Cursor(tokens, index + 1)
    if cursor.word("GRANT"):
        cursor.need_word("OPTION")
        cursor.need_word("FOR")
    permissions: list[int] = [cursor.index]
    while not cursor.is_at_end and not cursor.token.is_word("ON", "TO", "FROM"):
        if cursor.mark(","):
            permissions.append(cursor.index)
        elif cursor.index > permissions[-1] and tokens[permissions[-1]].is_word(*_OF_BROKER):
            break
        else:
            cursor.index += 1
    is_ours = any(tokens[each].is_word(*_OF_BROKER) for each in permissions)
    securable = _securable(tokens, cursor.index + 1) if cursor.token.is_word("ON") else None
    if not is_ours and securable is None:
        return None
    if not cursor.word("ON"):
        raise Missing(cursor.index, "ON", "','")
    if securable is not None:
        _check(tokens, permissions, securable)
        cursor.index += len(securable.split()) + 2
    elif tokens[cursor.index + 1].is_mark(":"):
        cursor.need_word("OBJECT" if any(tokens[each].is_word("RECEIVE") for each in permissions) else "SERVICE")
        cursor.need_mark(":")
        cursor.need_mark(":")
    cursor.need_name()
    _grantees(cursor)
    return cursor.index


def _securable(tokens: Tokens, index: int) -> str | None:
    """The class that stands before `::` at `index`, if it is one of the broker's."""
    for count in range(1, _CLASS_WORDS_MAX + 1):
        words = " ".join(tokens[index + offset].value for offset in range(count))
        if words in _SECURABLES and tokens[index + count].is_mark(":") and tokens[index + count + 1].is_mark(":"):
            return words
    return None


def _check(tokens: Tokens, permissions: list[int], securable: str) -> None:
    known = _SECURABLES[securable]
    wrong = next((each for each in permissions if not tokens[each].is_word(*known)), None)
    if wrong is not None:
        raise Missing(wrong, *(_SPELLED_OUT.get(word, word) for word in sorted(known)))


_SPELLED_OUT: Final = {"TAKE": "TAKE OWNERSHIP", "VIEW": "VIEW DEFINITION"}


def _grantees(cursor: Cursor) -> None:
    cursor.need_word("FROM", "TO")
    cursor.need(_NAME)
    while cursor.mark(","):
        cursor.need(_NAME)
    if cursor.options():
        cursor.need_word("GRANT")
        cursor.need_word("OPTION")
    cursor.word("CASCADE")
    if cursor.word("AS"):
        cursor.need(_NAME)
