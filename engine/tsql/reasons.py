"""Why a statement that was recognised changes nothing of what is defined; the reason names it (tsql.md 9 to 12)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from engine.tsql.files import broker_option_in
from engine.tsql.tokens import Token, TokenKind

NOT_ABOUT_THE_NETWORK: Final = "Says nothing about the network."
NO_AVAILABILITY_GROUPS: Final = (
    "Availability groups are not modelled yet: each replica counts as a database of its own."
)
_RUNNING: Final = "{statement} works on conversations: an import reads what is defined and runs nothing."
_STARTS: Final = {
    ("BEGIN", "DIALOG"): "BEGIN DIALOG",
    ("BEGIN", "CONVERSATION"): "BEGIN CONVERSATION TIMER",
    ("SEND", "ON"): "SEND",
    ("GET", "CONVERSATION"): "GET CONVERSATION GROUP",
    ("MOVE", "CONVERSATION"): "MOVE CONVERSATION",
    ("END", "CONVERSATION"): "END CONVERSATION",
}
_WAITED_FOR: Final = {"RECEIVE": "RECEIVE", "GET": "GET CONVERSATION GROUP"}
_FAILOVERS: Final = ("FAILOVER", "FORCE_SERVICE_ALLOW_DATA_LOSS")


def reason_of(tokens: Sequence[Token]) -> str:
    """Why the statement of these tokens is stepped over."""
    first, second, third = (tokens[min(number, len(tokens) - 1)] for number in range(3))
    if (statement := _running(tokens, first, second, third)) is not None:
        return _RUNNING.format(statement=statement)
    if first.is_word("GRANT", "DENY", "REVOKE"):
        return "This permission is not modelled: of those on broker objects only CONNECT, SEND and RECEIVE are."
    if first.is_word("RESTORE") and second.is_word("DATABASE"):
        if (option := broker_option_in(tokens)) is not None:
            return f"RESTORE DATABASE WITH {option} is left out: an import changes no running database."
        return "RESTORE DATABASE is left out: an import changes no running database."
    if _is_about_an_availability_group(tokens, second, third):
        return NO_AVAILABILITY_GROUPS
    if not first.is_word("CREATE", "ALTER", "DROP"):
        return NOT_ABOUT_THE_NETWORK
    if second.is_word("EVENT") and third.is_word("NOTIFICATION"):
        return "This EVENT NOTIFICATION is one of a database or server: only those of queues are modelled."
    if second.is_word("AUTHORIZATION"):
        return "This AUTHORIZATION is left out: of owners only those of services are modelled."
    if second.is_word("DATABASE"):
        return _of_mirroring(tokens)
    return NOT_ABOUT_THE_NETWORK


def _is_about_an_availability_group(tokens: Sequence[Token], second: Token, third: Token) -> bool:
    """CREATE, ALTER and DROP of a group, of its listener by way of it, and ALTER DATABASE … SET HADR."""
    if not tokens[0].is_word("CREATE", "ALTER", "DROP"):
        return False
    if second.is_word("AVAILABILITY"):
        return third.is_word("GROUP")
    is_set = any(word.is_word("SET") and after.is_word("HADR") for word, after in pairwise(tokens))
    return second.is_word("DATABASE") and is_set


def _running(tokens: Sequence[Token], first: Token, second: Token, third: Token) -> str | None:
    """What a statement that works on conversations is called; None for all others."""
    if first.kind is not TokenKind.WORD:
        return None
    if first.value == "RECEIVE":
        return "RECEIVE"
    if first.value == "WAITFOR" and second.is_mark("("):
        return _WAITED_FOR.get(third.value)
    if first.is_word("SELECT", "SET", "IF", "PRINT") and any(
        each.is_word("GET_TRANSMISSION_STATUS") for each in tokens
    ):
        return "GET_TRANSMISSION_STATUS"
    return _STARTS.get((first.value, second.value))


def _of_mirroring(tokens: Sequence[Token]) -> str:
    pairs = list(pairwise(tokens))
    if any(word.is_word("MODIFY") and after.is_word("NAME") for word, after in pairs):
        return "The database keeps its name here: renaming one is not modelled."
    if any(word.is_word("PARTNER") and after.is_word(*_FAILOVERS) for word, after in pairs):
        return "FAILOVER is left out: roles belong to the running databases."
    if any(word.is_word("SET") and after.is_word("WITNESS", "PARTNER") for word, after in pairs):
        return "The witness of a mirrored pair, and how safely it works, is not modelled."
    return NOT_ABOUT_THE_NETWORK
