"""What an importer must assume where it does not run a script: conditions, loops, what is caught, what is undone.

Each assumption is told once, at the line it begins in, and only where a statement about the network depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum, auto
from itertools import pairwise

import msgspec

from engine.tsql.statements import Guard
from engine.tsql.tokens import Token, TokenKind

_OPPOSITE = {Guard.EXISTS: Guard.NOT_EXISTS, Guard.NOT_EXISTS: Guard.EXISTS, None: None}
_OUR_TEXT = re.compile(
    r"\b(CREATE|ALTER|DROP)\s++(MESSAGE\s++TYPE|CONTRACT|QUEUE|SERVICE|ROUTE|ENDPOINT|CERTIFICATE|REMOTE\s++SERVICE\s++BINDING|BROKER\s++PRIORITY|EVENT\s++NOTIFICATION)\b"
    r"|\b(CREATE|DROP)\s++(DATABASE)\s++(?!AUDIT|ENCRYPTION|SCOPED)"
    r"|\b(ENABLE_BROKER|DISABLE_BROKER|NEW_BROKER|ERROR_BROKER_CONVERSATIONS|HONOR_BROKER_PRIORITY)\b",
    re.IGNORECASE,
)
_CALL_LENGTH_MAX = 6
"""EXEC @result = sys.sp_executesql: as far in is the name of a procedure."""
_ONLY_SAID = ("PRINT", "RAISERROR", "THROW")

FILES_ARE_NOT_READ = "an import reads no files. Attach a backup of the running estate to get its conversations as well."
_OF_FILES = ("SP_DETACH_DB", "SP_ATTACH_DB", "SP_ATTACH_SINGLE_FILE_DB")
NOT_CLOSED = "A bracket that opens in this statement is never closed; the rest of the batch is left out."


class Kind(Enum):
    """What a statement may stand under."""

    PLAIN = auto()
    """A BEGIN … END block of its own."""
    EXISTS = auto()
    """IF [NOT] EXISTS (…), which is understood."""
    IF = auto()
    ELSE = auto()
    WHILE = auto()
    TRY = auto()
    CATCH = auto()


CONDITIONAL = (Kind.EXISTS, Kind.IF, Kind.ELSE, Kind.WHILE)
_SENTENCES = {
    Kind.IF: "The condition of this IF is not evaluated; what stands under it is read as if the condition held.",
    Kind.ELSE: "The condition before this ELSE is not evaluated; what stands under ELSE is read as well.",
    Kind.WHILE: "This loop is not run; what stands in it is read once.",
    Kind.TRY: "It is assumed that nothing in this TRY block fails.",
    Kind.CATCH: "What stands in this CATCH block is left out; it is assumed that nothing in the TRY block fails.",
}


class Circumstance(msgspec.Struct, frozen=True):
    """One thing a statement stands under, and the line it begins in."""

    kind: Kind
    line: int
    guard: Guard | None = None


class Surroundings:
    """What the next statement of a batch stands under."""

    def __init__(self, notice: Callable[[int, str], None]) -> None:
        self._notice = notice
        self._next: list[Circumstance] = []
        """In front of the next statement or block, the outer first."""
        self._blocks: list[list[Circumstance]] = []
        self._last: list[Circumstance] = []
        """What the statement or block before stood under: ELSE belongs to its IF."""
        self._told: set[tuple[Kind, int]] = set()

    def begin_batch(self) -> None:
        """Nothing holds beyond the end of a batch."""
        self._next, self._blocks, self._last = [], [], []

    @property
    def first_line(self) -> int | None:
        """The line of the IF EXISTS in front of the next statement."""
        return next((found.line for found in self._next if found.kind is Kind.EXISTS), None)

    def meet(self, kind: Kind, line: int, guard: Guard | None = None) -> None:
        """IF or WHILE: the next statement or block stands under it."""
        self._next.append(Circumstance(kind, line, guard))

    def meet_else(self, line: int) -> None:
        """ELSE: what the last IF did not hold for."""
        around = self._last
        while around and around[-1].kind not in (Kind.EXISTS, Kind.IF):
            around = around[:-1]
        guard = _OPPOSITE[around[-1].guard] if around else None
        self._next = [*around[:-1], Circumstance(Kind.ELSE if guard is None else Kind.EXISTS, line, guard)]
        self._last = []

    def open_block(self, kind: Kind, line: int) -> None:
        """BEGIN: what holds for the block holds for everything in it."""
        self._blocks.append([*self._next, Circumstance(kind, line)])
        self._next = []

    def close_block(self) -> None:
        """END; one too many is nothing to complain about here."""
        self._last = self._blocks.pop()[:-1] if self._blocks else []
        self._next = []

    def step_over(self) -> None:
        """A statement that says nothing about the network stood here."""
        self._next, self._last = [], self._next

    def take(self) -> tuple[Guard | None, bool]:
        """A statement about the network stands here: its condition, and whether it counts. Tells what is assumed."""
        around = self._around()
        self.step_over()
        for each in around:
            if each.kind in _SENTENCES and (each.kind, each.line) not in self._told:
                self._told.add((each.kind, each.line))
                self._notice(each.line, _SENTENCES[each.kind])
        guard = next((each.guard for each in reversed(around) if each.guard is not None), None)
        return guard, not any(each.kind is Kind.CATCH for each in around)

    def is_under(self, *kinds: Kind) -> bool:
        """Whether the next statement stands under one of `kinds`."""
        return any(each.kind in kinds for each in self._around())

    def _around(self) -> list[Circumstance]:
        return [*(each for block in self._blocks for each in block), *self._next]


class Transactions:
    """Whether what a script does is undone again; transactions go on beyond the end of a batch."""

    def __init__(self, notice: Callable[[int, str], None]) -> None:
        self._notice = notice
        self._begins: list[int] = []
        """The lines of the transactions that are open, the outer first."""
        self._is_at_stake = False
        self._is_perhaps_over = False

    def end_connection(self) -> None:
        """:CONNECT, or the end of the script: what was not committed is lost."""
        if self._is_at_stake and not self._is_perhaps_over:
            text = "The transaction that begins here is never committed; what stands in it is read as if it were."
            self._notice(self._begins[0], text)
        self._end()

    def define(self) -> None:
        """A statement about the network stood here."""
        self._is_at_stake = bool(self._begins)

    def follow(self, first: Token, second: Token, *, is_certain: bool) -> None:
        """Any other statement, by its first two words; `is_certain` when no condition holds it back."""
        if first.is_word("BEGIN") and second.is_word("TRAN", "TRANSACTION", "DISTRIBUTED"):
            if self._is_perhaps_over:
                self._end()
            self._begins.append(first.line)
        elif first.is_word("COMMIT") and self._begins:
            if not is_certain:
                self._is_perhaps_over = True
            elif len(self._begins) > 1:
                self._begins.pop()
            else:
                self._end()
        elif first.is_word("ROLLBACK") and not second.is_word("IMMEDIATE", "AFTER") and self._begins:
            if self._is_at_stake:
                text = (
                    f"ROLLBACK is not carried out; what stands after BEGIN TRANSACTION in line {self._begins[0]} "
                    "is read as if it were committed."
                )
                self._notice(first.line, text)
            if is_certain:
                self._end()

    def _end(self) -> None:
        self._begins.clear()
        self._is_at_stake = self._is_perhaps_over = False


def of_running(tokens: Sequence[Token]) -> str | None:
    """What is assumed of a statement that moves a running database rather than defines anything."""
    first, second = tokens[0], tokens[min(1, len(tokens) - 1)]
    if first.is_word("RESTORE") and second.is_word("DATABASE"):
        return f"RESTORE DATABASE is not carried out: {FILES_ARE_NOT_READ}"
    if first.is_word("EXEC", "EXECUTE") and any(
        token.value.upper() in _OF_FILES for token in tokens[:_CALL_LENGTH_MAX]
    ):
        return "Databases are not attached or detached by an import; what stands below is read as if nothing moved."
    if first.is_word("ALTER") and any(
        token.is_word("PARTNER") and after.is_word("FAILOVER", "FORCE_SERVICE_ALLOW_DATA_LOSS")
        for token, after in pairwise(tokens)
    ):
        return "A failover is not carried out by an import: roles belong to the running instances."
    return None


def of_texts(tokens: Sequence[Token]) -> str | None:
    """What is assumed of the texts in a statement that is stepped over: they may be run as T-SQL, but are not read."""
    first = tokens[0]
    if first.is_word(*_ONLY_SAID):
        return None
    for token in tokens:
        if token.kind is TokenKind.STRING and (found := _OUR_TEXT.search(token.value)) is not None:
            words = " ".join(found[0].upper().split())
            return f"A text in this statement says {words}. Texts are not run: what this one would do is missing."
    is_run = first.is_word("EXEC", "EXECUTE") and len(tokens) > 1 and tokens[1].is_mark("(")
    is_run = is_run or any(token.value.upper() == "SP_EXECUTESQL" for token in tokens[:_CALL_LENGTH_MAX])
    if is_run and any(token.kind is TokenKind.VARIABLE for token in tokens[1:]):
        return "The text that is run here is not known; if it changes the network, that is missing."
    return None
