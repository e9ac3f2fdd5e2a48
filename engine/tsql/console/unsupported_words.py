"""Names of statements that the console does not carry out, as its refusals show them."""

from __future__ import annotations

from typing import Final

from engine.tsql.console.pieces import Walker
from engine.tsql.tokens import TokenKind

_DEFINING: Final = ("CREATE", "ALTER", "DROP")
_PERMITTING: Final = ("GRANT", "DENY", "REVOKE")
_WORDS_MAX: Final = 6
_KINDS: Final = tuple(
    tuple(kind.split())
    for kind in (
        "APPLICATION ROLE",
        "ASYMMETRIC KEY",
        "AVAILABILITY GROUP",
        "CLUSTERED COLUMNSTORE INDEX",
        "CLUSTERED INDEX",
        "COLUMN ENCRYPTION KEY",
        "COLUMN MASTER KEY",
        "COLUMNSTORE INDEX",
        "CRYPTOGRAPHIC PROVIDER",
        "DATABASE AUDIT SPECIFICATION",
        "DATABASE ENCRYPTION KEY",
        "DATABASE SCOPED CONFIGURATION",
        "DATABASE SCOPED CREDENTIAL",
        "EVENT NOTIFICATION",
        "EVENT SESSION",
        "EXTERNAL DATA SOURCE",
        "EXTERNAL FILE FORMAT",
        "EXTERNAL LIBRARY",
        "EXTERNAL RESOURCE POOL",
        "EXTERNAL TABLE",
        "FULLTEXT CATALOG",
        "FULLTEXT INDEX",
        "FULLTEXT STOPLIST",
        "NONCLUSTERED COLUMNSTORE INDEX",
        "NONCLUSTERED INDEX",
        "PARTITION FUNCTION",
        "PARTITION SCHEME",
        "PRIMARY XML INDEX",
        "RESOURCE GOVERNOR",
        "RESOURCE POOL",
        "SEARCH PROPERTY LIST",
        "SECURITY POLICY",
        "SELECTIVE XML INDEX",
        "SERVER AUDIT SPECIFICATION",
        "SERVER AUDIT",
        "SERVER CONFIGURATION",
        "SERVER ROLE",
        "SERVICE MASTER KEY",
        "SPATIAL INDEX",
        "SYMMETRIC KEY",
        "UNIQUE CLUSTERED INDEX",
        "UNIQUE INDEX",
        "UNIQUE NONCLUSTERED INDEX",
        "WORKLOAD GROUP",
        "XML INDEX",
        "XML SCHEMA COLLECTION",
    )
)
"""Kinds of objects of several words; a longer one comes before its own beginning."""


def words_of(walker: Walker) -> str:
    """The statement that begins here by its verb and its kind: CREATE OR ALTER PROCEDURE, GRANT VIEW DEFINITION."""
    first = walker.token
    if first.is_word(*_PERMITTING):
        return _joined(walker, _permission_end(walker))
    if not first.is_word(*_DEFINING):
        return first.text.upper()
    start = 3 if walker.at(1).is_word("OR") and walker.at(2).is_word("ALTER") else 1
    words = _joined(walker, start + next((len(kind) for kind in _KINDS if _is_at(walker, start, kind)), 1))
    return words + (_clause_of(walker) if words == "ALTER DATABASE" else "")


def _is_at(walker: Walker, start: int, kind: tuple[str, ...]) -> bool:
    return all(walker.at(start + offset).is_word(word) for offset, word in enumerate(kind))


def _permission_end(walker: Walker) -> int:
    """How many words belong to the first permission of GRANT, DENY or REVOKE."""
    end = 1
    while end < _WORDS_MAX and walker.at(end).kind is TokenKind.WORD and not walker.at(end).is_word("ON", "TO", "FROM"):
        end += 1
    return end


def _joined(walker: Walker, count: int) -> str:
    return " ".join(walker.at(offset).text.upper() for offset in range(count))


def _clause_of(walker: Walker) -> str:
    """What an ALTER DATABASE does, where it is not done here: other ALTER DATABASE are."""
    verb, option, how = (walker.at(offset) for offset in (3, 4, 5))
    if not verb.is_word("SET"):
        return f" … {verb.text.upper()}" if verb.kind is TokenKind.WORD else ""
    words = [verb, option, how] if option.is_word("PARTNER") else [verb, option]
    return " … " + " ".join(each.text.upper() for each in words if each.kind is TokenKind.WORD)
