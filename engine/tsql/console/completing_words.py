"""Words of T-SQL in their places, for completion."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final


class Objects(Enum):
    """What kind of names may stand somewhere."""

    DATABASE = auto()
    TABLE = auto()
    """Views, queues and table variables."""
    QUEUE = auto()
    SERVICE = auto()
    SERVICE_TEXT = auto()
    """A service of any database, as a text."""
    CONTRACT = auto()
    MESSAGE_TYPE = auto()
    ROUTE = auto()


OBJECTS_AFTER: Final[dict[tuple[str, ...], Objects]] = {
    ("USE",): Objects.DATABASE,
    ("ALTER", "DATABASE"): Objects.DATABASE,
    ("DROP", "DATABASE"): Objects.DATABASE,
    ("BACKUP", "DATABASE"): Objects.DATABASE,
    ("RESTORE", "DATABASE"): Objects.DATABASE,
    ("FROM", "SERVICE"): Objects.SERVICE,
    ("TO", "SERVICE"): Objects.SERVICE_TEXT,
    ("ALTER", "SERVICE"): Objects.SERVICE,
    ("DROP", "SERVICE"): Objects.SERVICE,
    ("SERVICE", ":", ":"): Objects.SERVICE,
    ("ON", "CONTRACT"): Objects.CONTRACT,
    ("ADD", "CONTRACT"): Objects.CONTRACT,
    ("DROP", "CONTRACT"): Objects.CONTRACT,
    ("ALTER", "MESSAGE", "TYPE"): Objects.MESSAGE_TYPE,
    ("DROP", "MESSAGE", "TYPE"): Objects.MESSAGE_TYPE,
    ("MESSAGE", "TYPE"): Objects.MESSAGE_TYPE,
    ("ON", "QUEUE"): Objects.QUEUE,
    ("ALTER", "QUEUE"): Objects.QUEUE,
    ("DROP", "QUEUE"): Objects.QUEUE,
    ("ALTER", "ROUTE"): Objects.ROUTE,
    ("DROP", "ROUTE"): Objects.ROUTE,
    ("FROM",): Objects.TABLE,
    ("JOIN",): Objects.TABLE,
}
"""Words, in capitals, and the names that may follow them."""

AFTER: Final[dict[tuple[str, ...], tuple[str, ...]]] = {
    ("SENT", "BY"): ("INITIATOR", "TARGET", "ANY"),
    ("ENCRYPTION", "="): ("ON", "OFF"),
    ("BEGIN",): ("DIALOG", "CONVERSATION TIMER", "TRANSACTION", "TRY", "CATCH"),
    ("SEND",): ("ON CONVERSATION",),
    ("GET",): ("CONVERSATION GROUP",),
    ("MOVE",): ("CONVERSATION",),
    ("END",): ("CONVERSATION", "TRY", "CATCH"),
    ("WAITFOR",): ("(RECEIVE", "(GET CONVERSATION GROUP", "DELAY"),
    ("CREATE",): (
        *("BROKER PRIORITY", "CERTIFICATE", "CONTRACT", "DATABASE", "ENDPOINT", "EVENT NOTIFICATION", "MASTER KEY"),
        *("MESSAGE TYPE", "QUEUE", "REMOTE SERVICE BINDING", "ROUTE", "SERVICE", "USER"),
    ),
    ("ALTER",): (
        *("AUTHORIZATION", "BROKER PRIORITY", "CERTIFICATE", "DATABASE", "ENDPOINT", "MESSAGE TYPE", "QUEUE"),
        *("REMOTE SERVICE BINDING", "ROUTE", "SERVICE"),
    ),
    ("DROP",): (
        *("BROKER PRIORITY", "CERTIFICATE", "CONTRACT", "DATABASE", "ENDPOINT", "EVENT NOTIFICATION", "MESSAGE TYPE"),
        *("QUEUE", "REMOTE SERVICE BINDING", "ROUTE", "SERVICE", "USER"),
    ),
    ("SET",): (
        *("ENABLE_BROKER", "DISABLE_BROKER", "NEW_BROKER", "ERROR_BROKER_CONVERSATIONS", "HONOR_BROKER_PRIORITY ON"),
        *("TRUSTWORTHY ON",),
        *("NOCOUNT ON", "XACT_ABORT ON"),
    ),
}
"""Words, in capitals, and the keywords that may follow them."""

STATEMENTS: Final = (
    *(
        "ALTER",
        "BACKUP DATABASE",
        "BEGIN",
        "BEGIN CONVERSATION TIMER",
        "BEGIN DIALOG",
        "BEGIN TRANSACTION",
        "BEGIN TRY",
    ),
    *("BREAK", "COMMIT", "CONTINUE", "CREATE", "DECLARE", "DROP", "ELSE", "END", "END CONVERSATION", "EXECUTE"),
    *("GET CONVERSATION GROUP", "GO", "GRANT", "IF", "INSERT INTO", "MOVE CONVERSATION", "PRINT", "RAISERROR"),
    *("RECEIVE", "RESTORE DATABASE", "RETURN", "ROLLBACK", "SELECT", "SEND ON CONVERSATION", "SET", "THROW", "UPDATE"),
    *("USE", "WAITFOR", "WHILE", "WITH"),
)

CLAUSES: Final = (
    *("AND", "AS", "ASC", "BETWEEN", "CASE", "CROSS JOIN", "DESC", "DISTINCT", "ELSE", "END", "EXISTS", "FROM"),
    *("FULL JOIN", "GROUP BY", "HAVING", "IN", "INNER JOIN", "INTO", "IS", "JOIN", "LEFT JOIN", "LIKE", "NOT", "NULL"),
    *("MESSAGE TYPE", "ON", "ON CONTRACT", "OR", "ORDER BY", "OVER", "PARTITION BY", "RIGHT JOIN", "THEN", "TIMEOUT"),
    *("TO SERVICE", "TOP", "UNION", "VALUES", "WHEN", "WHERE", "WITH", "WITH CLEANUP", "WITH ERROR ="),
)
