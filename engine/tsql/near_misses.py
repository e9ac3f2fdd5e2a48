"""Statements that were meant to be the broker's: RECIEVE, CREAT ROUTE. A server would call a procedure, or refuse."""

from __future__ import annotations

from typing import Final

from engine.tsql.spelling import misspelled
from engine.tsql.tokens import TokenKind, Tokens
from engine.tsql.words import RESERVED, STARTERS, is_receiving

_DEFINING: Final = ("CREATE", "ALTER", "DROP")
_KINDS: Final = (
    ("MESSAGE", "TYPE"),
    ("CONTRACT",),
    ("QUEUE",),
    ("SERVICE",),
    ("ROUTE",),
    ("ENDPOINT",),
    ("CERTIFICATE",),
    ("BROKER", "PRIORITY"),
    ("EVENT", "NOTIFICATION"),
    ("REMOTE", "SERVICE", "BINDING"),
)


def meant_at(tokens: Tokens, index: int) -> str | None:
    """The first word that a statement of the broker at `index` should have; None when none was meant."""
    first, second = tokens[index], tokens[index + 1]
    if first.kind is not TokenKind.WORD or first.value in STARTERS:
        return None
    if _is_kind(tokens, index + 1):
        return misspelled(first.value, _DEFINING)
    if second.is_word("ON") and _is_conversation(tokens, index + 2):
        return misspelled(first.value, ("SEND",))
    if second.is_word("DIALOG"):
        return misspelled(first.value, ("BEGIN",))
    if _is_conversation(tokens, index + 1):
        return misspelled(first.value, ("BEGIN", "MOVE"))
    if second.is_word("SEND", "RECEIVE") and tokens[index + 2].is_word("ON"):
        return misspelled(first.value, ("GRANT", "REVOKE", "DENY"))
    if is_receiving(tokens, index + 1):
        return misspelled(first.value, ("RECEIVE",))
    return None


def _is_kind(tokens: Tokens, index: int) -> bool:
    """Whether a kind of object stands there and the name of one behind it."""
    for words in _KINDS:
        if all(tokens[index + offset].is_word(word) for offset, word in enumerate(words)):
            name = tokens[index + len(words)]
            return name.kind is TokenKind.QUOTED_NAME or (name.kind is TokenKind.WORD and name.value not in RESERVED)
    return False


def _is_conversation(tokens: Tokens, index: int) -> bool:
    word = tokens[index]
    return word.kind is TokenKind.WORD and (
        word.value == "CONVERSATION" or misspelled(word.value, ("CONVERSATION",)) is not None
    )
