"""A script as tokens, with the lines that belong to the client taken apart (GO, :CONNECT and their kin).

Comments are no tokens, but those of the form `-- word: value` are kept as hints: they say what T-SQL has no words
for, such as the broker id of a database that comes from elsewhere.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum, auto

import msgspec


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
    SEPARATOR = auto()
    """GO: the end of a batch."""
    COMMAND = auto()
    """A line for the client: it begins with a colon, or with two exclamation marks."""
    LOST = auto()
    """The rest of a line after a quote or bracket that is never closed."""
    END = auto()


class Token(msgspec.Struct, frozen=True):
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


class TokenStream(msgspec.Struct, frozen=True):
    """A whole script, taken apart; `tokens` ends with one of kind END."""

    tokens: tuple[Token, ...]
    hints: tuple[Hint, ...]
    unclosed: tuple[Unclosed, ...]


_PIECE = re.compile(
    r"""
    (?P<blank>[^\S\n]*\n|[^\S\n]+)
  | (?P<comment>--[^\n]*)
  | (?P<block>/\*)
  | (?P<string>N?'[^']*(?:''[^']*)*')
  | (?P<bracket>\[[^\]]*(?:\]\][^\]]*)*\])
  | (?P<quoted>"[^"]*(?:""[^"]*)*")
  | (?P<variable>@[\w@\#$]*|\$\([^)\n]*\))
  | (?P<word>[^\W\d][\w@\#$]*|\#[\w@\#$]*)
  | (?P<binary>0x[0-9a-f]*)
  | (?P<integer>\d+)
  | (?P<mark>.)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_SEPARATOR_LINE = re.compile(r"[^\S\n]*GO(?:[^\S\n]+\d+)?[^\S\n]*;?[^\S\n]*(?:--[^\n]*)?(?=\n|\Z)", re.IGNORECASE)
_COMMAND_LINE = re.compile(r"[^\S\n]*(?::[a-z]|!!)[^\n]*", re.IGNORECASE)
_HINT = re.compile(
    r"--\s*(?P<word>broker_instance|expires_at|host|host_names|role)\s*:\s*(?P<value>.*?)\s*", re.IGNORECASE
)
_BLOCK_EDGE = re.compile(r"/\*|\*/")
_OPENING = {"'": "'", "[": "]", '"': '"'}


def read_tokens(text: str) -> TokenStream:
    """Take a script apart. Never fails: what is not closed is told, and reading goes on in the next line."""
    return _Reader(text).read()


class _Reader:
    """One reading of one script."""

    def __init__(self, text: str) -> None:
        self._text = text.removeprefix("\ufeff")
        self._line_starts = [0, *(found.end() for found in re.finditer(r"\n", self._text))]
        self._last_bracket = self._text.rfind("]")
        self._tokens: list[Token] = []
        self._hints: list[Hint] = []
        self._unclosed: list[Unclosed] = []

    def read(self) -> TokenStream:
        position, line_starts = 0, set(self._line_starts)
        while position < len(self._text):
            if position in line_starts and (end := self._client_line(position)) is not None:
                position = end
            else:
                position = self._piece(position)
        self._put(TokenKind.END, "", "", position)
        return TokenStream(tuple(self._tokens), tuple(self._hints), tuple(self._unclosed))

    def _place(self, position: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, position)
        return line, position - self._line_starts[line - 1] + 1

    def _put(self, kind: TokenKind, text: str, value: str, position: int) -> None:
        self._tokens.append(Token(kind, text, value, *self._place(position)))

    def _client_line(self, position: int) -> int | None:
        for kind, pattern in ((TokenKind.SEPARATOR, _SEPARATOR_LINE), (TokenKind.COMMAND, _COMMAND_LINE)):
            if (found := pattern.match(self._text, position)) is not None:
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
                self._put(TokenKind.STRING, text, text[text.index("'") + 1 : -1].replace("''", "'"), position)
            case "bracket":
                self._put(TokenKind.QUOTED_NAME, text, text[1:-1].replace("]]", "]"), position)
            case "quoted":
                self._put(TokenKind.QUOTED_NAME, text, text[1:-1].replace('""', '"'), position)
            case "variable":
                self._put(TokenKind.VARIABLE, text, text, position)
            case "word":
                self._put(TokenKind.WORD, text, text.upper(), position)
            case "binary":
                self._put(TokenKind.BINARY, text, text, position)
            case "integer":
                self._put(TokenKind.INTEGER, text, text, position)
            case _ if text in _OPENING:
                return self._leave_unclosed(position, _OPENING[text])
            case _:
                self._put(TokenKind.PUNCTUATION, text, text, position)
        return found.end()

    def _comment(self, text: str, position: int) -> None:
        if (hint := _HINT.fullmatch(text)) is not None:
            self._hints.append(Hint(hint["word"].lower(), hint["value"], *self._place(position)))

    def _block(self, position: int) -> int:
        """The end of a block comment; block comments nest."""
        depth = 0
        for edge in _BLOCK_EDGE.finditer(self._text, position):
            depth += 1 if edge[0] == "/*" else -1
            if depth == 0:
                return edge.end()
        self._unclosed.append(Unclosed("/*", "*/", *self._place(position)))
        return len(self._text)

    def _leave_unclosed(self, position: int, closing: str) -> int:
        line_end = self._text.find("\n", position)
        end = len(self._text) if line_end < 0 else line_end
        text = self._text[position:end].rstrip()
        self._unclosed.append(Unclosed(text, closing, *self._place(position)))
        self._put(TokenKind.LOST, text, text, position)
        return end
