"""Where a statement ends that the grammar does not read: T-SQL needs no semicolons (tsql.md 12).

A word that begins statements ends the one before it, unless it belongs to that one: SET to UPDATE, SELECT to INSERT,
DROP to ALTER TABLE, EXECUTE to GRANT. What belongs to which statement is said here and nowhere else.
"""

from __future__ import annotations

from typing import Final

from engine.tsql.tokens import Token, TokenKind, Tokens
from engine.tsql.words import RESERVED, STARTERS, begins_query, may_begin, words

BATCH_ENDS: Final = (TokenKind.SEPARATOR, TokenKind.COMMAND, TokenKind.END)

_PERMISSIONS: Final = ("GRANT", "DENY", "REVOKE")
_CHANGES: Final = ("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE")
_QUERY_GOES_ON: Final = ("UNION", "EXCEPT", "INTERSECT", "FOR")
"""Words before a SELECT, or before the UPDATE of a cursor, that belong to the statement before them."""
_ALTERATIONS: Final = words(
    """
    ADD ALTER CHECK CLEAR DENY DISABLE DROP ENABLE FAILOVER GRANT JOIN MERGE MODIFY MOVE NOCHECK PAUSE REBUILD
    RECONFIGURE REGENERATE REMOVE REORGANIZE RESTART RESUME SET SPLIT START STOP SWITCH TRANSFER
    """
)
"""What ALTER does to an object: the first of these words behind its name is of the statement."""
_LISTED: Final = ("EVENT", "TARGET")
"""Behind ADD and DROP: parts of an event session, listed without commas."""


class StatementEnd:
    """Reads from the first word of a statement to its end."""

    def __init__(self, tokens: Tokens, start: int) -> None:
        self._tokens = tokens
        self._start = start
        self._owned = self._words_of(tokens[start], start)
        """Words that belong to the statement once; the first that comes uses all of them up."""
        self._is_permission = tokens[start].is_word(*_PERMISSIONS)
        self.taken: Final[list[str]] = []
        """Words of other statements that belong to this one, as EXEC to INSERT."""

    def find(self) -> int:
        """The token behind the statement: a semicolon, the end of the batch, or the first word of another one."""
        index, depth, cases = self._start + 1, 0, 0
        while True:
            token = self._tokens[index]
            if token.is_mark(";") or token.kind in BATCH_ENDS or is_label(self._tokens, index):
                return index
            depth += token.is_mark("(") - token.is_mark(")")
            if depth < 0:
                return index
            if token.is_word("CASE"):
                cases += 1
            elif cases > 0 and token.is_word("END"):
                cases -= 1
            elif depth == 0 and cases == 0 and not self._takes(index):
                return index
            index += 1

    def _takes(self, index: int) -> bool:
        """Whether a token outside of parentheses belongs to the statement."""
        token, before = self._tokens[index], self._tokens[index - 1]
        if self._is_permission:
            # Permissions are named as statements are; their list ends at the grantees.
            self._is_permission = not token.is_word("TO", "FROM")
            return True
        if token.kind is not TokenKind.WORD:
            return True
        if token.value in self._owned and not (token.is_word("WITH") and not begins_query(self._tokens, index)):
            self._use(token, index)
            return True
        if token.is_word("VALUES") and "SELECT" in self._owned:
            self._owned = frozenset()
        elif token.is_word("WITH", "TO") and self._tokens[self._start].is_word("ALTER"):
            is_checked = self._tokens[index + 1].is_word("CHECK", "NOCHECK")
            self._owned = self._owned if is_checked else frozenset()
        return not token.is_word(*STARTERS) or _is_name(before) or self._goes_on(index, before)

    def _use(self, token: Token, index: int) -> None:
        """A word that was the statement's own has come: what may follow it is of the statement, too."""
        is_verb = self._tokens[self._start].is_word("WITH") and not self.taken
        self._owned = self._words_of(token, index) if is_verb else frozenset()
        self.taken.append(token.value)

    def _words_of(self, first: Token, index: int) -> frozenset[str]:
        second = self._tokens[index + 1]
        if first.is_word("INSERT"):
            return frozenset(("SELECT", "WITH", "EXEC", "EXECUTE"))
        if first.is_word("UPDATE") and not second.is_word("STATISTICS"):
            return frozenset(("SET",))
        if first.is_word("WITH"):
            return frozenset(_CHANGES)
        return _ALTERATIONS if first.is_word("ALTER") else frozenset()

    def _goes_on(self, index: int, before: Token) -> bool:
        """Whether a word that begins statements is inside of one."""
        token, after, third = (self._tokens[index + offset] for offset in range(3))
        match token.value:
            case "SELECT" | "UPDATE":
                is_whole = before.is_word("ALL") and self._tokens[index - 2].is_word(*_QUERY_GOES_ON)
                return is_whole or before.is_word(*_QUERY_GOES_ON)
            case "INSERT":
                return before.is_word("BULK")
            case "WITH":
                return not begins_query(self._tokens, index)
            case "FETCH":
                return after.is_word("NEXT", "FIRST") and not third.is_word("FROM")
            case "IF":
                return after.is_word("EXISTS") and not third.is_mark("(")
            case "ROLLBACK":
                return before.is_word("WITH")
            case "ADD" | "DROP" if after.is_word(*_LISTED) and not third.is_word("NOTIFICATION", "SESSION"):
                return True
            case "ADD" | "SEND" | "GET" | "MOVE" | "RECEIVE":
                return not may_begin(self._tokens, index)
            case "MERGE" if after.is_word("JOIN"):
                return True
            case "OPEN" | "CLOSE" | "ENABLE" | "DISABLE" | "REVERT" | "MERGE" | "DROP":
                return before.is_mark(",")
            case _:
                return False


def is_label(tokens: Tokens, index: int) -> bool:
    """Whether a label is at a token: `name:`, and not `KIND::name`."""
    token, mark, after = (tokens[index + offset] for offset in range(3))
    is_name = token.kind is TokenKind.WORD and token.value not in RESERVED
    return is_name and mark.is_mark(":") and not after.is_mark(":")


def _is_name(before: Token) -> bool:
    """Whether what follows a token is a name, whatever word it is."""
    return before.is_mark(".") or before.is_word("AS")
