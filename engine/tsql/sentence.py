"""One statement under way: which tokens may follow, and the tree once it is complete.

T-SQL reserves few words: STATUS is an option here and a column name there. Whether a word is a keyword is decided
by what the grammar accepts at its place; only then is it a name, unless it is reserved.
"""

from __future__ import annotations

from copy import copy

from lark import Token as Leaf
from lark import Tree
from lark.exceptions import UnexpectedInput
from lark.parsers.lalr_analysis import Shift

from engine.tsql.grammar import grammar
from engine.tsql.tokens import Token, TokenKind
from engine.tsql.words import RESERVED

END_OF_STATEMENT = "$END"
_MARKS = {"=": ("_EQUALS",), ",": ("_COMMA",), "(": ("_LEFT",), ")": ("_RIGHT",), ".": ("DOT",), ":": ("_COLON",)}
_READABLE = {
    "NAME": "a name",
    "STRING": "a text in quotes",
    "INTEGER": "a whole number",
    "BINARY": "0x and hexadecimal digits",
    "_COLON": "':'",
    "_EQUALS": "'='",
    "_COMMA": "','",
    "_LEFT": "'('",
    "_RIGHT": "')'",
    "DOT": "'.'",
    END_OF_STATEMENT: "the end of the statement",
}


class Sentence:
    """A statement under way. Starts empty; is finished when `can_end`; fails at the first token it does not accept."""

    def __init__(self) -> None:
        self._parser = grammar().parse_interactive()

    def take(self, token: Token) -> bool:
        """Go on with `token`; False when nothing of the kind may stand here."""
        choices = self._choices()
        candidates = [terminal for terminal in _terminals(token) if terminal in choices]
        for terminal in candidates:
            # A choice that begins with a reduction may lead nowhere: STATUS of the queue within ACTIVATION (…).
            if len(candidates) == 1 or choices[terminal][0] is Shift or self._may_take(terminal):
                return self._feed(Leaf(terminal, token.value if terminal != "NAME" else name_of(token)), token)
        return False

    def _feed(self, leaf: Leaf, token: Token) -> bool:
        leaf.line, leaf.column = token.line, token.column
        try:
            self._parser.feed_token(leaf)
        except UnexpectedInput:
            return False
        return True

    @property
    def can_end(self) -> bool:
        """Whether the statement is complete."""
        return END_OF_STATEMENT in self._choices() and self._may_take(END_OF_STATEMENT)

    def _may_take(self, terminal: str) -> bool:
        """Whether a choice leads on: seen by going there, on a copy that builds no tree."""
        trial = self._parser.copy(deepcopy_values=False)  # type: ignore[no-untyped-call]
        trial.parser_state.parse_conf = copy(trial.parser_state.parse_conf)
        trial.parser_state.parse_conf.callbacks = {}
        try:
            trial.feed_token(Leaf(terminal, ""))
        except UnexpectedInput:
            return False
        return True

    def _choices(self) -> dict[str, tuple[object, object]]:
        choices: dict[str, tuple[object, object]] = self._parser.choices()  # type: ignore[no-untyped-call]
        return choices

    def _accepts(self) -> set[str]:
        terminals: set[str] = self._parser.accepts()  # type: ignore[no-untyped-call]
        return terminals

    def keywords(self) -> set[str]:
        """The keywords that may stand here."""
        return {terminal.strip("_") for terminal in self._accepts() if terminal not in _READABLE}

    def expected(self) -> str:
        """What may stand here, in words: 'ADDRESS, LIFETIME or SERVICE_NAME'."""
        terminals = self._accepts()
        if terminals != {"DOT"}:
            terminals = terminals - {"DOT"}
        words = sorted({_READABLE.get(terminal, terminal.strip("_")) for terminal in terminals}, key=_reading_order)
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

    def finish(self) -> Tree[Leaf]:
        """The tree of the complete statement."""
        tree: Tree[Leaf] = self._parser.feed_eof()  # type: ignore[no-untyped-call]
        return tree


def name_of(token: Token) -> str:
    """The name that a token spells: a bare one as it was typed, a quoted one without its quotes."""
    return token.text if token.kind is TokenKind.WORD else token.value


def _terminals(token: Token) -> tuple[str, ...]:
    """What a token may be, the more particular first."""
    match token.kind:
        case TokenKind.WORD:
            keywords = (token.value, "_" + token.value)
            return keywords if token.value in RESERVED else (*keywords, "NAME")
        case TokenKind.QUOTED_NAME:
            return ("NAME",)
        case TokenKind.STRING:
            return ("STRING",)
        case TokenKind.INTEGER:
            return ("INTEGER",)
        case TokenKind.BINARY:
            return ("BINARY",)
        case TokenKind.PUNCTUATION:
            return _MARKS.get(token.value, ())
        case _:
            return ()


def _reading_order(word: str) -> tuple[int, str]:
    return (0 if word.isupper() else 2 if word.startswith("the") else 1, word)
