"""The words that tell where a statement begins and what kind it is.

A script of a real server is mostly about other things; these lists are what it takes to step over them safely.
"""

from __future__ import annotations

from enum import Enum, auto
from itertools import count
from typing import Final

from engine.tsql.spelling import misspelled
from engine.tsql.tokens import TokenKind, Tokens


def words(text: str) -> frozenset[str]:
    """Words in upper case, as a set."""
    return frozenset(text.split())


RESERVED: Final = words("""
    ADD ALL ALTER AND ANY AS AUTHORIZATION BACKUP BEGIN BY CASE CLOSE COLLATE COLUMN COMMIT CONSTRAINT CREATE CURRENT
    CURSOR DATABASE DBCC DEALLOCATE DECLARE DEFAULT DELETE DENY DISTINCT DROP ELSE END EXEC EXECUTE EXISTS EXTERNAL
    FETCH FOR FROM FUNCTION GOTO GRANT GROUP HAVING IF IN INDEX INSERT INTO IS KEY LIKE MERGE NOT NULL OF OFF ON OPEN
    OPTION OR ORDER PRIMARY PRINT PROC PROCEDURE RAISERROR READ RECONFIGURE REFERENCES RESTORE RETURN REVERT REVOKE
    ROLLBACK RULE SAVE SCHEMA SELECT SET SHUTDOWN STATISTICS TABLE THEN TO TOP TRAN TRANSACTION TRIGGER TRUNCATE
    UNION UNIQUE UPDATE USE USER VALUES VIEW WAITFOR WHEN WHERE WHILE WITH
""")
"""Words that are no names unless they stand in brackets or double quotes."""

STARTERS: Final = words("""
    ADD ALTER BACKUP BEGIN BREAK BULK CHECKPOINT CLOSE COMMIT CONTINUE CREATE DBCC DEALLOCATE DECLARE DELETE DENY
    DISABLE DROP ELSE ENABLE END EXEC EXECUTE FETCH GET GOTO GRANT IF INSERT KILL MERGE MOVE OPEN PRINT RAISERROR
    READTEXT RECEIVE RECONFIGURE RESTORE RETURN REVERT REVOKE ROLLBACK SAVE SELECT SEND SET SETUSER SHUTDOWN THROW
    TRUNCATE UPDATE UPDATETEXT USE WAITFOR WHILE WITH WRITETEXT
""")
"""Words that begin a statement."""

_PROCEDURAL = words("FUNCTION PROC PROCEDURE TRIGGER VIEW")
"""Objects whose definition runs to the end of the batch."""

_OURS = words("""
    AUTHORIZATION CERTIFICATE CONTRACT DATABASE ENDPOINT LOGIN MASTER MESSAGE QUEUE REMOTE ROUTE SERVICE USER
""")
"""Objects this importer understands."""

_OTHERS = words("""
    AGGREGATE APPLICATION ASSEMBLY ASYMMETRIC AVAILABILITY BROKER CLUSTERED COLUMN COLUMNSTORE
    CONSTRAINT CREDENTIAL CRYPTOGRAPHIC DEFAULT EVENT EXTERNAL FULLTEXT INDEX MEMBER NONCLUSTERED OR
    PARTITION PERIOD PRIMARY RESOURCE ROLE RULE SCHEMA SEARCH SECURITY SELECTIVE SENSITIVITY SEQUENCE SERVER
    SIGNATURE SPATIAL STATISTICS SYMMETRIC SYNONYM TABLE TYPE UNIQUE WORKLOAD XML
""")
"""What else CREATE, ALTER and DROP may be followed by."""

BROKER_OPTIONS: Final = words(
    "ENABLE_BROKER DISABLE_BROKER NEW_BROKER ERROR_BROKER_CONVERSATIONS HONOR_BROKER_PRIORITY"
)
_OTHER_PAYLOADS = words("SOAP TSQL")
_DATABASE_PARTS = words("AUDIT ENCRYPTION SCOPED")
_STATES = words("OFFLINE ONLINE READ_ONLY READ_WRITE SINGLE_USER MULTI_USER")
_RECEIVED = words("""
    STATUS PRIORITY QUEUING_ORDER CONVERSATION_GROUP_ID CONVERSATION_HANDLE MESSAGE_SEQUENCE_NUMBER SERVICE_NAME
    SERVICE_ID SERVICE_CONTRACT_NAME SERVICE_CONTRACT_ID MESSAGE_TYPE_NAME MESSAGE_TYPE_ID VALIDATION MESSAGE_BODY
    CAST CONVERT
""")
"""Columns of a queue, and functions they stand in."""
MODELLED_OPTIONS: Final = BROKER_OPTIONS | _STATES | {"TRUSTWORTHY"}
"""Options of databases that are modelled."""
_TRANSACTION_WORDS = words("TRAN TRANSACTION DISTRIBUTED DIALOG CONVERSATION ATOMIC")


STATEMENT_ENDS: Final = (TokenKind.SEPARATOR, TokenKind.COMMAND, TokenKind.LOST, TokenKind.END)


class Head(Enum):
    """What kind of statement begins here."""

    OURS = auto()
    """One the grammar knows."""
    CONVERSATION = auto()
    """One that works on conversations."""
    OTHER = auto()
    """One that says nothing about the network."""
    PROCEDURAL = auto()
    """As OTHER, and it runs to the end of the batch."""
    NONSENSE = auto()
    """None of T-SQL."""


def head_at(tokens: Tokens, index: int) -> Head:
    """The kind of the statement that begins at `index`. Beyond its end is END, so looking ahead is safe."""
    first = tokens[index]
    if first.is_word("USE"):
        return Head.OURS
    if first.is_word("GRANT", "DENY", "REVOKE"):
        is_ours = _lets_connect(tokens, index) or _lets_send_or_receive(tokens, index)
        return Head.OURS if is_ours else Head.OTHER
    if first.is_word("BACKUP"):
        return Head.OURS if tokens[index + 1].is_word("CERTIFICATE") else Head.OTHER
    if not first.is_word("CREATE", "ALTER", "DROP"):
        if _is_about_conversations(tokens, index):
            return Head.CONVERSATION
        return Head.OTHER if first.is_word(*STARTERS) else Head.NONSENSE
    kind = tokens[index + 1]
    if kind.is_word("OR") and tokens[index + 2].is_word("ALTER"):
        kind = tokens[index + 3]
    if kind.is_word(*_PROCEDURAL):
        return Head.OTHER if first.is_word("DROP") else Head.PROCEDURAL
    if kind.is_word("BROKER"):
        return Head.OURS
    if kind.is_word("EVENT"):
        return Head.OURS if _is_about_a_queue(tokens, index) else Head.OTHER
    if kind.is_word(*_OURS):
        return Head.OURS if _is_about_the_broker(tokens, index) else Head.OTHER
    return Head.OTHER if kind.is_word(*_OTHERS) else Head.NONSENSE


def _is_about_the_broker(tokens: Tokens, index: int) -> bool:
    """Databases and endpoints have statements of their own that are not ours."""
    verb, kind, name, then = (tokens[index + offset] for offset in range(4))
    if kind.is_word("SERVICE"):
        return not (name.is_word("MASTER") and then.is_word("KEY"))
    if kind.is_word("MASTER", "REMOTE", "USER", "LOGIN", "AUTHORIZATION"):
        return _is_about_keys(tokens, index)
    if kind.is_word("ENDPOINT"):
        return verb.is_word("DROP") or _payload_of(tokens, index) not in _OTHER_PAYLOADS
    if not kind.is_word("DATABASE"):
        return True
    if name.is_word(*_DATABASE_PARTS) and then.is_word("SPECIFICATION", "KEY", "CREDENTIAL", "CONFIGURATION"):
        return False
    if not verb.is_word("ALTER"):
        return True
    if not then.is_word("SET"):
        # SET was forgotten, or it is another statement.
        return then.is_word(*BROKER_OPTIONS)
    option, after = tokens[index + 4], tokens[index + 5]
    is_partner = option.is_word("PARTNER") and (after.is_mark("=") or after.is_word("OFF"))
    return is_partner or _sets_the_broker(tokens, index + 4)


def _sets_the_broker(tokens: Tokens, index: int) -> bool:
    """Whether one of the options from `index` on is about the broker or takes a database out of reach."""
    depth, is_first = 0, True
    for position in count(index):
        token = tokens[position]
        if token.is_mark(";") or token.kind in STATEMENT_ENDS:
            return False
        if depth == 0 and not is_first and token.is_word(*STARTERS) and not token.is_word("WITH"):
            return False
        is_option = is_first and depth == 0 and token.kind is TokenKind.WORD
        if is_option and (token.value in MODELLED_OPTIONS or misspelled(token.value, BROKER_OPTIONS) is not None):
            return True
        depth += token.is_mark("(") - token.is_mark(")")
        is_first = token.is_mark(",")
    raise AssertionError("the last token of a script ends every statement")


def _is_about_keys(tokens: Tokens, index: int) -> bool:
    """Master keys, users and logins made and dropped, bindings, owners of services; the rest is about other things."""
    verb, kind, first, second, third = (tokens[index + offset] for offset in range(5))
    if kind.is_word("MASTER"):
        return first.is_word("KEY")
    if kind.is_word("REMOTE"):
        return not first.is_word("TABLE")
    if kind.is_word("USER", "LOGIN"):
        return not verb.is_word("ALTER")
    return verb.is_word("ALTER") and first.is_word("ON") and second.is_word("SERVICE") and third.is_mark(":")


def _lets_connect(tokens: Tokens, index: int) -> bool:
    """Whether a permission is CONNECT on an endpoint; REVOKE GRANT OPTION FOR takes only the right to grant."""
    permission, preposition, kind, colon = (tokens[index + offset] for offset in range(1, 5))
    return (
        permission.is_word("CONNECT") and preposition.is_word("ON") and kind.is_word("ENDPOINT") and colon.is_mark(":")
    )


def _lets_send_or_receive(tokens: Tokens, index: int) -> bool:
    """Whether SEND on a service or RECEIVE on a queue is among the permissions, which stand between verb and ON."""
    permissions = []
    for position in count(index + 1):
        token = tokens[position]
        if token.kind is not TokenKind.WORD and not token.is_mark(","):
            return False
        if token.is_word("TO", "FROM"):
            return False
        if token.is_word("ON"):
            is_service = tokens[position + 1].is_word("SERVICE") and tokens[position + 2].is_mark(":")
            return ("SEND" if is_service else "RECEIVE") in permissions and "FOR" not in permissions
        permissions.append(token.value)
    return False


def _is_about_a_queue(tokens: Tokens, index: int) -> bool:
    """Whether an event notification is one of a queue, or for an event of queues: the others tell of definitions."""
    if not tokens[index + 2].is_word("NOTIFICATION"):
        # An event session, or NOTIFICATION misspelled.
        return not tokens[index + 2].is_word("SESSION")
    is_elsewhere = False
    for position in count(index + 3):
        token = tokens[position]
        if token.is_word("ON"):
            is_elsewhere = not tokens[position + 1].is_word("QUEUE")
            if not is_elsewhere:
                return True
        if is_elsewhere and token.is_word("QUEUE_ACTIVATION", "BROKER_QUEUE_DISABLED"):
            return True
        if token.is_mark(";") or token.is_word(*STARTERS) or token.kind in (TokenKind.SEPARATOR, TokenKind.END):
            break
    # Without ON it is no statement about anything else: the grammar says what is missing.
    return not is_elsewhere


def _payload_of(tokens: Tokens, index: int) -> str | None:
    """The word after FOR in a statement about an endpoint; None when the statement has no FOR."""
    for position in count(index):
        token = tokens[position]
        if token.is_mark(";") or token.kind in (TokenKind.SEPARATOR, TokenKind.END):
            return None
        if position > index and token.is_word("CREATE", "ALTER", "DROP", "USE"):
            return None
        if token.is_word("FOR"):
            return tokens[position + 1].value
    return None


def _is_about_conversations(tokens: Tokens, index: int) -> bool:
    """Whether the statement that begins here is one of tsql.md 9, perhaps a broken one."""
    first, second = tokens[index], tokens[index + 1]
    if first.is_word("SEND", "RECEIVE", "GET", "MOVE"):
        return True
    if first.is_word("WAITFOR"):
        return second.is_mark("(") or second.is_word("RECEIVE", "GET")
    if first.is_word("BEGIN"):
        return second.is_word("DIALOG", "CONVERSATION")
    return first.is_word("END") and second.is_word("CONVERSATION")


def is_receiving(tokens: Tokens, index: int) -> bool:
    """Whether what stands at `index` is as behind RECEIVE, and as nowhere else."""
    token, after = tokens[index], tokens[index + 1]
    if token.is_mark("*"):
        return after.is_word("FROM") or after.is_mark(",")
    return token.is_word("TOP") or token.value in _RECEIVED or (token.kind is TokenKind.VARIABLE and after.is_mark("="))


def may_begin(tokens: Tokens, index: int) -> bool:
    """Whether a word that begins statements may begin one here, where another one is not certainly over.

    Columns are called `send` and `get` as well, RESTORE has a clause MOVE and ALTER TABLE one ADD, and RECEIVE stands
    among permissions.
    """
    first, second = tokens[index], tokens[index + 1]
    if first.is_word("ADD"):
        return second.is_word("SIGNATURE", "COUNTER", "SENSITIVITY")
    if first.is_word("SEND"):
        return second.is_word("ON") and tokens[index + 2].is_word("CONVERSATION")
    if first.is_word("GET", "MOVE"):
        return second.is_word("CONVERSATION")
    if first.is_word("RECEIVE"):
        return is_receiving(tokens, index + 1)
    return True


def breaks_off(tokens: Tokens, index: int) -> bool:
    """Whether a word stands at `index` that ends the statement before it, wherever on its line."""
    token, after = tokens[index], tokens[index + 1]
    if token.is_word("IF"):
        # DROP TABLE IF EXISTS name, but IF EXISTS (…).
        return not after.is_word("EXISTS") or tokens[index + 2].is_mark("(")
    if token.is_word("ROLLBACK"):
        return not after.is_word("IMMEDIATE", "AFTER")
    return token.is_word("BEGIN", "COMMIT", "ELSE", "END", "WHILE")


def begins_query(tokens: Tokens, index: int) -> bool:
    """Whether WITH at `index` names a query, WITH name AS (…) or WITH name (…) AS; otherwise it lists options."""
    if not tokens[index].is_word("WITH"):
        return False
    position = index + 2
    if tokens[position].is_mark("(") and tokens[position + 1].kind in (TokenKind.WORD, TokenKind.QUOTED_NAME):
        position += 2
        while tokens[position].is_mark(",") and tokens[position + 1].kind in (TokenKind.WORD, TokenKind.QUOTED_NAME):
            position += 2
        if not tokens[position].is_mark(")"):
            return False
        position += 1
    return tokens[position].is_word("AS")


def opens_block(tokens: Tokens, index: int) -> bool:
    """Whether BEGIN at `index` opens a block rather than a transaction or a dialog."""
    return not tokens[index + 1].is_word(*_TRANSACTION_WORDS)


def closes_block(tokens: Tokens, index: int) -> bool:
    """Whether END at `index` closes a block rather than ends a conversation."""
    return not tokens[index + 1].is_word("CONVERSATION")
