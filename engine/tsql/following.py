"""Following a statement word by word where the grammar does not: expressions may stand in it (tsql.md 9 and 12)."""

from __future__ import annotations

from engine.tsql.tokens import Token, TokenKind, Tokens
from engine.tsql.words import RESERVED, STARTERS, STATEMENT_ENDS, begins_query

_NO_EXPRESSION = ("=", ",", ")", ".")


class Missing(Exception):
    """What must stand at a token and does not."""

    def __init__(self, index: int, *expected: str) -> None:
        super().__init__(*expected)
        self.index = index
        *first, last = expected
        self.expected = f"{', '.join(first)} or {last}" if first else last


class Cursor:
    """A place among the tokens; whatever is `need`ed and not there raises `Missing`."""

    def __init__(self, tokens: Tokens, index: int) -> None:
        self._tokens = tokens
        self.index = index

    @property
    def token(self) -> Token:
        """What stands here."""
        return self._tokens[self.index]

    @property
    def is_at_end(self) -> bool:
        """Whether the statement ends here for certain."""
        return self.token.is_mark(";") or self.token.kind in STATEMENT_ENDS

    def word(self, *words: str) -> bool:
        """Step over one of the words, if it stands here."""
        if is_here := self.token.is_word(*words):
            self.index += 1
        return is_here

    def mark(self, *marks: str) -> bool:
        """Step over one of the marks, if it stands here."""
        if is_here := any(self.token.is_mark(mark) for mark in marks):
            self.index += 1
        return is_here

    def options(self) -> bool:
        """Step over a WITH that lists options; one that names a query begins another statement."""
        return not begins_query(self._tokens, self.index) and self.word("WITH")

    def need_word(self, *words: str) -> str:
        """One of the words; which it is."""
        found = self.token
        if not self.word(*words):
            raise Missing(self.index, *words)
        return found.value

    def need_mark(self, mark: str) -> None:
        """A mark."""
        if not self.mark(mark):
            raise Missing(self.index, f"'{mark}'")

    def need(self, *kinds: TokenKind) -> None:
        """A token of one of the kinds; a name is a bare word that is not reserved as well."""
        token = self.token
        is_name = TokenKind.QUOTED_NAME in kinds and token.kind is TokenKind.WORD and token.value not in RESERVED
        if token.kind not in kinds and not is_name:
            raise Missing(self.index, *(_SPOKEN[kind] for kind in kinds))
        self.index += 1

    def need_name(self) -> None:
        """A name with what may stand before it: `database.schema.name`."""
        self.need(TokenKind.QUOTED_NAME)
        while self.mark("."):
            while self.mark("."):
                pass
            self.need(TokenKind.QUOTED_NAME)

    def need_group(self) -> None:
        """Something in parentheses, whatever it is."""
        self.need_mark("(")
        if self.token.is_mark(")"):
            raise Missing(self.index, "an expression")
        self.need_expression(is_list=True)
        self.need_mark(")")

    def need_expression(self, *before: str, is_list: bool = False) -> None:
        """An expression, or with `is_list` several; it ends where another clause, `before`, or a statement begins."""
        start, depth, cases = self.index, 0, 0
        if any(self.token.is_mark(mark) for mark in _NO_EXPRESSION):
            raise Missing(start, "an expression")
        while not self.is_at_end:
            token = self.token
            if depth == 0 and (token.is_mark(")") or (token.is_mark(",") and not is_list)):
                break
            if depth == cases == 0 and token.is_word(*before):
                break
            if token.is_word("CASE"):
                cases += 1
            elif cases > 0 and token.is_word("END"):
                cases -= 1
            elif depth == cases == 0 and token.is_word(*STARTERS) and not (is_list and token.is_word("SELECT")):
                break
            depth += token.is_mark("(") - token.is_mark(")")
            self.index += 1
        if self.index == start:
            raise Missing(start, "an expression")


_SPOKEN = {
    TokenKind.QUOTED_NAME: "a name",
    TokenKind.STRING: "a text in quotes",
    TokenKind.VARIABLE: "a variable",
    TokenKind.INTEGER: "a whole number",
    TokenKind.BINARY: "bytes",
}
