"""A script as tokens, with the lines that belong to the client taken apart (GO, :CONNECT and their kin).

Comments are no tokens, but those of the form `-- word: value` are kept as hints: they say what T-SQL has no words
for, such as the broker id of a database that comes from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from types import MappingProxyType

import msgspec

from engine.tsql.spending import spend
from engine.tsql.variables import Substituted


class TokenKind(Enum):
    """What a token is, before anybody knows whether a word is a keyword or a name."""

    WORD = auto()
    QUOTED_NAME = auto()
    STRING = auto()
    INTEGER = auto()
    BINARY = auto()
    """0x and hexadecimal digits."""
    PUNCTUATION = auto()
    VARIABLE = auto()
    TEMPLATE = auto()
    """A parameter of a template of Management Studio, `<name, type, value>`, bare or in quotes or brackets."""
    SEPARATOR = auto()
    """GO: the end of a batch."""
    COMMAND = auto()
    """A line for the client: it begins with a colon, or with two exclamation marks."""
    LOST = auto()
    """The rest of a line after a quote or bracket that is never closed."""
    END = auto()


class Token(msgspec.Struct, frozen=True, gc=False):
    """A piece of the script. `value` is what it means: names and texts without their quotes, words in upper case."""

    kind: TokenKind
    text: str
    value: str
    line: int
    column: int

    def is_word(self, *words: str) -> bool:
        """Whether this is one of `words`, which are given in upper case."""
        return self.kind is TokenKind.WORD and self.value in words

    def is_mark(self, mark: str) -> bool:
        """Whether this is the punctuation mark `mark`."""
        return self.kind is TokenKind.PUNCTUATION and self.value == mark


class Unclosed(msgspec.Struct, frozen=True):
    """A quote, bracket or comment that never ends: where it begins, and what would end it."""

    text: str
    expected: str
    line: int
    column: int


class Hint(msgspec.Struct, frozen=True):
    """A comment of the form `-- word: value`."""

    word: str
    value: str
    line: int
    column: int
    is_alone: bool = True
    """Whether nothing stands before it in its line."""


# A doubled quote or bracket never closes, whatever else there is to find: the quantifiers give nothing back. Nor do
# the others, and none looks through text again that another one has looked through: a script may be hostile.
_PIECE = re.compile(
    r"""
    (?P<blank>[^\S\n]*+\n|[^\S\n]++)
  | (?P<comment>--[^\n]*)
  | (?P<block>/\*)
  | (?P<string>N?'[^']*+(?:''[^']*+)*+')
  | (?P<bracket>\[[^\]]*+(?:\]\][^\]]*+)*+\])
  | (?P<quoted>"[^"]*+(?:""[^"]*+)*+")
  | (?P<variable>@[\w@\#$]*|\$\([^()$\n]*+\))
  | (?P<word>[^\W\d][\w@\#$]*|\#[\w@\#$]*)
  | (?P<binary>0x[0-9a-f]*)
  | (?P<integer>\d+)
  | (?P<mark>.)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_TYPE = (
    r"(?:sysname|n?(?:var)?char|n?text|(?:big|small|tiny)?int|bit|uniqueidentifier|(?:var)?binary|xml|date(?:time2?)?"
    r"|decimal|numeric|float|real|money)\b(?:\(\w{1,9}(?:,\s?\w{1,9})?\))?"
)
_VALUE = r"[^<>()\n]{0,200}+(?:\([^<>()\n]{0,200}+\)[^<>()\n]{0,200}+){0,4}+"
_TYPED = rf"<[\w .$#@-]{{1,128}}+,\s{{0,9}}+{_TYPE}\s{{0,9}}+,{_VALUE}>"
_NAMED = re.compile(_TYPED, re.IGNORECASE)
"""With a type: what no comparison and no text of XML looks like."""
_TEMPLATE = re.compile(rf"<\w{{1,128}}+\s{{0,9}}+,\s{{0,9}}+\w{{0,64}}+\s{{0,9}}+,{_VALUE}>|{_TYPED}", re.IGNORECASE)
_SEPARATOR_LINE = re.compile(
    r"[^\S\n]*+GO(?:[^\S\n]++\d++)?+[^\S\n]*+;?+[^\S\n]*+(?:--[^\n]*+)?+(?=\n|\Z)", re.IGNORECASE
)
_COMMAND_LINE = re.compile(r"[^\S\n]*+(?::[a-z]|!!)[^\n]*+", re.IGNORECASE)
_HINT = re.compile(r"--\s*+(?P<word>broker_instance|expires_at|host|host_names|role)\s*+:(?P<value>.*+)", re.IGNORECASE)
_BLOCK_EDGE = re.compile(r"/\*|\*/")
_OPENING = {"'": "'", "[": "]", '"': '"'}


class Tokens:
    """A script's tokens by their number, taken from it when they are asked for. The last one is of kind END.

    Reading never fails: what is not closed is told, and goes on in the next line. Whoever has done with the first
    tokens says so, and they are let go: a script of a million statements is never in memory as tokens.
    """

    def __init__(self, text: str, variables: Mapping[str, str] = MappingProxyType({})) -> None:
        """`variables` are values for `$(name)`."""
        self._kept: list[Token] = []
        self._gone = 0
        """How many were let go; so the number of the first one that is kept."""
        self._is_complete = False
        self._source = _Source(text, self._kept, variables)

    @property
    def hints(self) -> Sequence[Hint]:
        """The comments that say something, as far as the script has been read."""
        return self._source.hints

    @property
    def unclosed(self) -> Sequence[Unclosed]:
        """What never ends, as far as the script has been read."""
        return self._source.unclosed

    @property
    def has_variables(self) -> bool:
        """Whether something stands in it that sqlcmd would take for a variable without a value."""
        return self._source.has_variables

    def __getitem__(self, number: int) -> Token:
        """One token; beyond the end it is the last."""
        place = number - self._gone
        if place < len(self._kept):
            return self._kept[place]
        while place >= len(self._kept) and not self._is_complete:
            self._more()
        return self._kept[min(place, len(self._kept) - 1)]

    def between(self, start: int, end: int) -> list[Token]:
        """The tokens from `start` up to `end`, which have been read before."""
        return self._kept[start - self._gone : end - self._gone]

    def read_line(self, line: int) -> None:
        """Read on until all that stands in `line` is known, comments too."""
        while not self._is_complete and self._kept[-1].line <= line:
            self._more()

    def let_go(self, number: int) -> None:
        """Nobody asks for the tokens before `number` any more."""
        surplus = number - self._gone
        if surplus >= _LET_GO:
            del self._kept[:surplus]
            self._gone += surplus

    def _more(self) -> None:
        spend()
        self._is_complete = not self._source.step()


_LET_GO = 4096
"""Tokens that are let go at once; one by one, each would move all others."""


class _Source:
    """One reading of one script; puts tokens into a list that others shorten."""

    def __init__(self, text: str, tokens: list[Token], variables: Mapping[str, str]) -> None:
        self._written = Substituted(text.removeprefix("\ufeff"), variables)
        self._text = self._written.text
        self.has_variables = "$(" in self._text
        self._last_bracket = self._text.rfind("]")
        self._position = 0
        self._line, self._line_start = 1, 0
        self._last_line = 0
        """In which the last token begins."""
        self._tokens = tokens
        self.hints: list[Hint] = []
        self.unclosed: list[Unclosed] = []

    def step(self) -> bool:
        """Read on by a piece, which may be a token; False when the last one is there."""
        start = self._position
        if start >= len(self._text):
            self._put(TokenKind.END, "", "", start)
            return False
        end = self._client_line(start) if start == self._line_start else None
        self._position = self._piece(start) if end is None else end
        if (breaks := self._text.count("\n", start, self._position)) > 0:
            self._line += breaks
            self._line_start = self._text.rfind("\n", start, self._position) + 1
        return True

    def _place(self, position: int) -> tuple[int, int]:
        """Line and column of a position in the line at hand."""
        column = position - self._line_start + 1
        return self._line, self._written.column(self._line, column) if self._written.is_changed else column

    def _put(self, kind: TokenKind, text: str, value: str, position: int) -> None:
        self._last_line = self._line
        self._tokens.append(Token(kind, text, value, *self._place(position)))

    def _client_line(self, position: int) -> int | None:
        for kind, match in ((TokenKind.SEPARATOR, _SEPARATOR_LINE.match), (TokenKind.COMMAND, _COMMAND_LINE.match)):
            if (found := match(self._text, position)) is not None:
                text = found[0].strip()
                self._put(kind, text, text, position + found[0].index(text))
                return found.end()
        return None

    def _piece(self, position: int) -> int:
        """Read one piece and answer where the next begins."""
        if position > self._last_bracket and self._text[position] == "[":
            # The pattern would look for the missing bracket in the whole rest of the script, for every such bracket.
            return self._leave_unclosed(position, "]")
        found = _PIECE.match(self._text, position)
        assert found is not None, "the last alternative takes any character"
        text = found[0]
        match found.lastgroup:
            case "blank":
                # One line break at most: the line after it may belong to the client.
                pass
            case "comment":
                self._comment(text, position)
            case "block":
                return self._block(position)
            case "string":
                value = text[text.index("'") + 1 : -1].replace("''", "'")
                kind = TokenKind.TEMPLATE if _NAMED.fullmatch(value) is not None else TokenKind.STRING
                self._put(kind, text, value, position)
            case "bracket":
                self._put_name(text, text[1:-1].replace("]]", "]"), position)
            case "quoted":
                self._put_name(text, text[1:-1].replace('""', '"'), position)
            case "variable":
                self._put(TokenKind.VARIABLE, text, text, position)
            case "word":
                self._put(TokenKind.WORD, text, text.upper(), position)
            case "binary":
                self._put(TokenKind.BINARY, text, text, position)
            case "integer":
                self._put(TokenKind.INTEGER, text, text, position)
            case _ if text in _OPENING:
                if text == "[":
                    # What closes nothing that opens here closes nothing that opens further on.
                    self._last_bracket = -1
                return self._leave_unclosed(position, _OPENING[text])
            case _ if text == "<" and (template := _TEMPLATE.match(self._text, position)) is not None:
                self._put(TokenKind.TEMPLATE, template[0], template[0], position)
                return template.end()
            case _:
                self._put(TokenKind.PUNCTUATION, text, text, position)
        return found.end()

    def _put_name(self, text: str, name: str, position: int) -> None:
        kind = TokenKind.QUOTED_NAME if _TEMPLATE.fullmatch(name) is None else TokenKind.TEMPLATE
        self._put(kind, text, name, position)

    def _comment(self, text: str, position: int) -> None:
        if (hint := _HINT.fullmatch(text)) is not None:
            is_alone = self._last_line != self._line
            self.hints.append(Hint(hint["word"].lower(), hint["value"].strip(), *self._place(position), is_alone))

    def _block(self, position: int) -> int:
        """The end of a block comment; block comments nest."""
        depth = 0
        for edge in _BLOCK_EDGE.finditer(self._text, position):
            depth += 1 if edge[0] == "/*" else -1
            if depth == 0:
                return edge.end()
        self.unclosed.append(Unclosed("/*", "*/", *self._place(position)))
        return len(self._text)

    def _leave_unclosed(self, position: int, closing: str) -> int:
        line_end = self._text.find("\n", position)
        end = len(self._text) if line_end < 0 else line_end
        text = self._text[position:end].rstrip()
        self.unclosed.append(Unclosed(text, closing, *self._place(position)))
        self._put(TokenKind.LOST, text, text, position)
        return end
