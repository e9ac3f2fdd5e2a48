"""`Walker`: a place in one batch, where pieces of the script are cut out as they will be read again, line by line."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from engine.tsql.console.dialect import parsed
from engine.tsql.console.failing import SYNTAX_ERROR, TOO_MANY_PARTS, StatementFailed, failed
from engine.tsql.console.program import Expression
from engine.tsql.console.server_names import no_type
from engine.tsql.console.statement_end import StatementEnd, is_label
from engine.tsql.console.types import SqlType, sql_type
from engine.tsql.following import Cursor, Missing
from engine.tsql.showing import blamed
from engine.tsql.showing import text_of as shown_token
from engine.tsql.tokens import Token, TokenKind, Tokens
from engine.tsql.words import RESERVED

NOTHING_INSTEAD: Final[Mapping[int, Token]] = MappingProxyType({})
"""Every token as it stands."""
TOKENS_MAX: Final = 20_000
"""Of one statement. Its tree takes a thousand times as much memory as its text."""


class Walker(Cursor):
    """Steps through one batch; knows which variables have been declared so far."""

    def __init__(self, tokens: Tokens, index: int, declared: Iterable[str] = ()) -> None:
        super().__init__(tokens, index)
        self.declared: Final = set(declared)
        """Variables by their names in small letters."""

    @property
    def ahead(self) -> Token:
        """The token after this one."""
        return self._tokens[self.index + 1]

    def at(self, offset: int) -> Token:
        """A token further on; beyond the end it is the last."""
        return self._tokens[self.index + offset]

    @property
    def is_at_end(self) -> bool:
        """Whether the statement ends here for certain; a label ends the one before it."""
        return super().is_at_end or self.is_label(self.index)

    def is_label(self, index: int) -> bool:
        """Whether a label is at a token: `name:`, and not `KIND::name`."""
        return is_label(self._tokens, index)

    @property
    def tokens(self) -> Tokens:
        """All tokens of the script."""
        return self._tokens

    def piece(
        self,
        start: int,
        end: int | None = None,
        without: Container[int] = (),
        instead: Mapping[int, Token] = NOTHING_INSTEAD,
    ) -> Expression:
        """What stands from one token up to another, or up to here, `without` some, others `instead`. Errors: 137."""
        standing = self._tokens.between(start, self.index if end is None else end)
        found = [instead.get(index, token) for index, token in enumerate(standing, start) if index not in without]
        if len(found) > TOKENS_MAX:
            raise failed(TOO_MANY_PARTS, at=found[0].line, limit=TOKENS_MAX)
        for token in found:
            if token.kind is TokenKind.VARIABLE:
                self.check(token)
        return Expression(_rebuilt(found), found[0].line if found else self.token.line)

    def check(self, token: Token) -> None:
        """A variable has to be declared before it is used (137)."""
        name = token.text.lower()
        if not name.startswith("@@") and name not in self.declared:
            raise failed(137, at=token.line, name=token.text)

    def expression(self, *before: str) -> Expression:
        """An expression; it ends where a clause, `before`, or a statement begins."""
        start = self.index
        self.need_expression(*before)
        return self.checked(self.piece(start))

    def checked(self, found: Expression) -> Expression:
        """An expression that can be read. Errors: 102."""
        check_syntax(found.as_select())
        return found

    def condition(self) -> Expression:
        """A condition; it ends where a statement begins."""
        start = self.index
        self.need_expression()
        found = self.piece(start)
        check_syntax(found.as_condition())
        return found

    def group(self) -> list[Expression]:
        """Expressions in parentheses, parted by commas."""
        self.need_mark("(")
        found = [self.expression()]
        while self.mark(","):
            found.append(self.expression())
        self.need_mark(")")
        return found

    def argument(self) -> Expression:
        """An argument of EXECUTE: a constant, a signed one too, a variable, NULL, or a bare word, which is a text."""
        start, token = self.index, self.token
        self.index += token.is_mark("-") or token.is_mark("+")
        token = self.token
        if token.kind is TokenKind.QUOTED_NAME or (token.kind is TokenKind.WORD and token.value not in RESERVED):
            return Expression(_literal(self.name()), token.line)
        if not self.word("NULL"):
            self.need(TokenKind.STRING, TokenKind.VARIABLE, TokenKind.INTEGER, TokenKind.BINARY)
        if token.kind is TokenKind.INTEGER and self.mark("."):
            # A number with a point comes in three pieces, or in two.
            self.index += self.token.kind is TokenKind.INTEGER
        return self.piece(start)

    def name(self) -> str:
        """One name, bare or in brackets."""
        token = self.token
        self.need(TokenKind.QUOTED_NAME)
        return token.text if token.kind is TokenKind.WORD else token.value

    def names(self) -> tuple[str, ...]:
        """A name with what may stand before it; a part that is left out is empty."""
        parts = [self.name()]
        while self.mark("."):
            while self.mark("."):
                parts.append("")
            parts.append(self.name())
        return tuple(parts)

    def named(self) -> Expression:
        """A name of a service, contract or message type as an expression, or a variable that holds one."""
        start = self.index
        if self.token.kind is TokenKind.VARIABLE:
            self.index += 1
            return self.piece(start)
        line = self.token.line
        text = self.token.value if self.token.kind is TokenKind.STRING else None
        if text is None:
            text = ".".join(self.names())
        else:
            self.index += 1
        return Expression(_literal(text), line)

    def variable(self) -> str:
        """The name of a variable that has been declared, in small letters."""
        token = self.token
        self.need(TokenKind.VARIABLE)
        self.check(token)
        return token.text.lower()

    def type_here(self, default_length: int = 1) -> SqlType:
        """A type. Errors: 243, 40517."""
        token = self.token
        words = ".".join(self.names())
        if self.mark("("):
            sizes = []
            while not self.token.is_mark(")"):
                if self.is_at_end:
                    raise Missing(self.index, "')'")
                sizes.append(self.token.text)
                self.index += 1
            self.index += 1
            words += f"({''.join(sizes)})"
        found = sql_type(words, default_length)
        if found is None:
            raise no_type(words, token.line)
        return found

    def end_of_statement(self) -> int:
        """Where the statement that begins here ends: at a semicolon, the end of the batch, or another statement."""
        return StatementEnd(self._tokens, self.index).find()


def check_syntax(text: Expression) -> None:
    """A mistake is told before anything of its batch has run (102); what names mean is seen when it runs."""
    parsed(text.text, text.line)


def _literal(text: str) -> str:
    return "N'" + text.replace("'", "''") + "'"


def _rebuilt(tokens: Sequence[Token]) -> str:
    """The text of tokens, each on its line; what touched still touches, and comments are gone."""
    pieces: list[str] = []
    line = tokens[0].line if tokens else 1
    end = 0
    for token in tokens:
        if token.line > line:
            pieces.append("\n" * (token.line - line))
        elif pieces and token.column > end:
            pieces.append(" ")
        line = token.line
        text = token.text
        if token.kind is TokenKind.QUOTED_NAME and text.startswith('"'):
            text = "[" + token.value.replace("]", "]]") + "]"
        elif token.kind is TokenKind.BINARY and token.text.lower() == "0x":
            # sqlglot knows no binary constant without digits.
            text = "CAST('' AS varbinary(1))"
        pieces.append(text)
        breaks = token.text.count("\n")
        line += breaks
        end = token.column + len(token.text) if breaks == 0 else len(token.text) - token.text.rindex("\n")
    return "".join(pieces)


def missing(error: Missing, tokens: Tokens) -> StatementFailed:
    """What must stand at a token and does not, as an error of the script."""
    token, expected = blamed(tokens, error.index, error.expected)
    return failed(SYNTAX_ERROR, at=token.line, found=shown_token(token), expected=expected)
