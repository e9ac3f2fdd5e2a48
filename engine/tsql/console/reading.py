"""A batch read into a program; nothing of a batch with a mistake runs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property
from typing import Final

from engine.tsql.console.assigning import folds_in
from engine.tsql.console.failing import NESTED_TOO_DEEPLY, NOT_SUPPORTED, OPTION_NOT_SUPPORTED, failed
from engine.tsql.console.pieces import Walker, check_syntax, missing
from engine.tsql.console.program import (
    Argument,
    Block,
    Execute,
    ExecuteText,
    If,
    Leave,
    Print,
    RaiseError,
    Select,
    Step,
    Throw,
    Transaction,
    Try,
    Unsupported,
    Use,
    WaitFor,
    While,
)
from engine.tsql.console.raising import VALUES_MAX
from engine.tsql.console.reading_definitions import definition_step, failover_step, files_step, options_step
from engine.tsql.console.reading_dialogs import conversation_step
from engine.tsql.console.reading_variables import declare_step, set_step, unsupported
from engine.tsql.console.server_names import is_only_of_a_server
from engine.tsql.console.statement_end import BATCH_ENDS, StatementEnd
from engine.tsql.console.unsupported_words import words_of
from engine.tsql.console.xml_namespaces import spaces_in
from engine.tsql.following import Missing
from engine.tsql.near_misses import meant_at
from engine.tsql.spelling import misspelled
from engine.tsql.spending import spend
from engine.tsql.tokens import TokenKind, Tokens
from engine.tsql.words import STARTERS, Head, closes_block, head_at, opens_block

DEPTH_MAX: Final = 60
"""Blocks inside of blocks."""


def read_batch(tokens: Tokens, start: int, declared: Collection[str] = ()) -> tuple[Step, ...]:
    """The program of the batch that begins at a token, with variables `declared` before it.

    Errors: 102, 119, 134, 137, 179, 191, 243, 1087.
    """
    reader = _Reader(Walker(tokens, start, declared))
    try:
        return reader.batch()
    except Missing as error:
        raise missing(error, tokens) from None
    except RecursionError:
        raise failed(NESTED_TOO_DEEPLY, at=tokens[start].line) from None


class _Reader:
    """One reading of one batch."""

    def __init__(self, walker: Walker) -> None:
        self._walker = walker
        self._start = walker.index
        self._depth = 0

    def batch(self) -> tuple[Step, ...]:
        """All statements of it."""
        steps = []
        while not self._is_over:
            if not self._walker.mark(";"):
                steps.append(self.step())
        return tuple(steps)

    @property
    def _is_over(self) -> bool:
        return self._walker.token.kind in BATCH_ENDS

    def step(self) -> Step:
        """One statement."""
        spend()
        walker, token = self._walker, self._walker.token
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise failed(NESTED_TOO_DEEPLY, at=token.line)
        try:
            handler = _WORDS.get(token.value) if token.kind is TokenKind.WORD else None
            if token.is_word("BEGIN") and opens_block(walker.tokens, walker.index):
                return self._block()
            if token.is_word("END") and closes_block(walker.tokens, walker.index):
                raise Missing(walker.index, "a statement")
            if token.is_word("IF", "WHILE"):
                return self._conditional()
            if walker.is_label(walker.index):
                return self._label()
            if handler is not None:
                return handler(self)
            return self._other()
        finally:
            self._depth -= 1

    # ── control of flow ──────────────────────────────────────────────────────────────────────────────────────────
    def _conditional(self) -> Step:
        walker, line = self._walker, self._walker.token.line
        is_loop = walker.token.is_word("WHILE")
        walker.index += 1
        condition = walker.condition()
        body = self.step()
        if is_loop:
            return While(line=line, condition=condition, body=body)
        while walker.token.is_mark(";") and walker.ahead.is_word("ELSE"):
            walker.index += 1
        otherwise = self.step() if walker.word("ELSE") else None
        return If(line=line, condition=condition, then=body, otherwise=otherwise)

    def _block(self) -> Step:
        walker, line = self._walker, self._walker.token.line
        walker.index += 1
        if walker.token.is_word("TRY"):
            walker.index += 1
            body = self._until_end("TRY")
            walker.mark(";")
            walker.need_word("BEGIN")
            walker.need_word("CATCH")
            return Try(line=line, body=body, handler=self._until_end("CATCH"))
        if walker.token.is_word("CATCH"):
            raise Missing(walker.index, "TRY")
        return Block(line=line, statements=self._until_end(""))

    def _until_end(self, kind: str) -> tuple[Step, ...]:
        walker, steps = self._walker, []
        while not (walker.token.is_word("END") and closes_block(walker.tokens, walker.index)):
            if self._is_over:
                raise Missing(walker.index, f"END {kind}".strip())
            if not walker.mark(";"):
                steps.append(self.step())
        walker.index += 1
        if kind:
            walker.need_word(kind)
        return tuple(steps)

    def _leave(self) -> Step:
        walker, token = self._walker, self._walker.token
        walker.index += 1
        if token.is_word("RETURN") and not walker.is_at_end and not self._begins_statement():
            raise failed(178, at=token.line)
        return Leave(line=token.line, word=token.value)

    def _is_bare_name(self) -> bool:
        token = self._walker.token
        return token.kind is TokenKind.WORD and not token.is_word(*STARTERS) and not self._walker.is_at_end

    def _begins_statement(self) -> bool:
        return self._walker.token.value in _WORDS or self._walker.token.is_word(
            "ELSE", "IF", "WHILE", "CREATE", "ALTER"
        )

    # ── the rest ─────────────────────────────────────────────────────────────────────────────────────────────────
    def _select(self) -> Step:
        walker = self._walker
        if walker.token.is_word("INSERT") and walker.ahead.is_word("TOP"):
            return unsupported(walker, "INSERT TOP", OPTION_NOT_SUPPORTED)
        start, ending = walker.index, StatementEnd(walker.tokens, walker.index)
        end = ending.find()
        if "MERGE" in ending.taken:
            return self._merge()
        if walker.token.is_word("UPDATE") and walker.ahead.is_word("STATISTICS"):
            return unsupported(walker, "UPDATE STATISTICS")
        if not {"EXEC", "EXECUTE"}.isdisjoint(ending.taken):
            return unsupported(walker, "INSERT … EXEC")
        walker.index = end
        folds, marks = folds_in(walker, start, end)
        spaces = spaces_in(walker, start, end)
        text = walker.piece(start, end, marks | spaces.without, spaces.instead)
        check_syntax(text)
        return Select(line=text.line, text=text, folds=folds)

    def _merge(self) -> Step:
        """MERGE holds the words of other statements, and has to end in a semicolon."""
        walker, line = self._walker, self._walker.token.line
        while not (walker.token.is_mark(";") or self._is_over):
            walker.index += 1
        return Unsupported(line=line, words="MERGE", number=NOT_SUPPORTED)

    def _label(self) -> Step:
        """A label does nothing by itself; where something goes to it, it is as little done as the GOTO."""
        walker, token = self._walker, self._walker.token
        walker.index += 2
        if not self._has_goto:
            return Block(line=token.line, statements=())
        return Unsupported(line=token.line, words=f"{token.text}:", number=NOT_SUPPORTED)

    @cached_property
    def _has_goto(self) -> bool:
        """Whether the batch goes to a label."""
        index = self._start
        while self._walker.tokens[index].kind not in BATCH_ENDS:
            if self._walker.tokens[index].is_word("GOTO"):
                return True
            index += 1
        return False

    def _print(self) -> Step:
        line = self._walker.token.line
        self._walker.index += 1
        return Print(line=line, value=self._walker.expression())

    def _transaction(self) -> Step:
        walker, token = self._walker, self._walker.token
        walker.index += 1
        if walker.token.is_word("DISTRIBUTED") or token.is_word("SAVE"):
            return unsupported(self._walker, f"{token.value} {walker.token.text}", OPTION_NOT_SUPPORTED)
        if not walker.word("TRAN", "TRANSACTION", "WORK") and token.is_word("BEGIN"):
            raise Missing(walker.index, "TRANSACTION")
        if walker.token.kind is TokenKind.VARIABLE:
            walker.variable()
        elif walker.token.kind is TokenKind.QUOTED_NAME or self._is_bare_name():
            walker.name()
        if token.is_word("BEGIN") and walker.options():
            walker.need_word("MARK")
            if walker.token.kind is TokenKind.STRING:
                walker.index += 1
        elif walker.options():
            walker.need_mark("(")
            walker.need_word("DELAYED_DURABILITY")
            walker.need_mark("=")
            walker.need_word("ON", "OFF")
            walker.need_mark(")")
        return Transaction(line=token.line, word=token.value)

    def _throw(self) -> Step:
        walker, line = self._walker, self._walker.token.line
        walker.index += 1
        if walker.is_at_end or walker.token.is_word(*STARTERS):
            return Throw(line=line)
        arguments = [walker.expression()]
        for _ in range(2):
            walker.need_mark(",")
            arguments.append(walker.expression())
        return Throw(line=line, arguments=tuple(arguments))

    def _raise_error(self) -> Step:
        walker, line = self._walker, self._walker.token.line
        walker.index += 1
        arguments = walker.group()
        if len(arguments) < 3:
            raise Missing(walker.index - 1, "a message, a severity and a state")
        if len(arguments) > 3 + VALUES_MAX:
            raise failed(2747, at=line, limit=VALUES_MAX)
        if walker.options():
            walker.need_word("LOG", "NOWAIT", "SETERROR")
            while walker.mark(","):
                walker.need_word("LOG", "NOWAIT", "SETERROR")
        return RaiseError(line=line, arguments=tuple(arguments))

    def _waitfor(self) -> Step:
        walker, line = self._walker, self._walker.token.line
        if not walker.ahead.is_word("DELAY", "TIME"):
            return conversation_step(walker)
        walker.index += 1
        if walker.need_word("DELAY", "TIME") == "TIME":
            return unsupported(walker, "WAITFOR TIME", OPTION_NOT_SUPPORTED)
        return WaitFor(line=line, delay=walker.expression())

    def _use(self) -> Step:
        line = self._walker.token.line
        self._walker.index += 1
        return Use(line=line, database=self._walker.name())

    def _execute(self) -> Step:
        walker, start, line = self._walker, self._walker.index, self._walker.token.line
        walker.index += walker.token.is_word("EXEC", "EXECUTE")
        if walker.token.is_word("AS"):
            return unsupported(self._walker, "EXECUTE AS")
        if walker.token.is_mark("("):
            pieces = tuple(walker.group())
            is_elsewhere = walker.token.is_word("AS", "AT")
            return unsupported(walker, "EXECUTE AS") if is_elsewhere else ExecuteText(line=line, pieces=pieces)
        result = ""
        if walker.token.kind is TokenKind.VARIABLE and walker.ahead.is_mark("="):
            result = walker.variable()
            walker.index += 1
        procedure = walker.names()
        if is_only_of_a_server(procedure):
            walker.index = start
            return unsupported(walker, f"EXECUTE {'.'.join(procedure)}")
        arguments: list[Argument] = []
        while not walker.is_at_end and not walker.token.is_word(*STARTERS):
            arguments.append(self._argument(arguments))
            if not walker.mark(","):
                break
        return Execute(line=line, procedure=procedure, arguments=tuple(arguments), result=result)

    def _argument(self, before: list[Argument]) -> Argument:
        """An argument of a procedure. Errors: 102, 119, 137, 179."""
        walker, token = self._walker, self._walker.token
        is_named = token.kind is TokenKind.VARIABLE and walker.ahead.is_mark("=")
        if not is_named and any(each.name for each in before):
            raise failed(119, at=token.line, value=len(before) + 1)
        walker.index += 2 if is_named else 0
        given = walker.token
        value = None if walker.word("DEFAULT") else walker.argument()
        output = ""
        if walker.word("OUTPUT", "OUT"):
            if given.kind is not TokenKind.VARIABLE:
                raise failed(179, at=given.line)
            output = given.text.lower()
        return Argument(value, token.text.lower() if is_named else "", output)

    def _implicit(self) -> Step:
        """A batch may begin with the name of a procedure; so may SELEC * FROM, of which a statement was meant."""
        first = self._walker.token
        try:
            return self._execute()
        except Missing as error:
            meant = misspelled(first.value, STARTERS) if first.kind is TokenKind.WORD else None
            raise (Missing(error.index, meant) if meant is not None else error) from None

    def _declare(self) -> Step:
        return declare_step(self._walker)

    def _set(self) -> Step:
        return set_step(self._walker)

    def _begin(self) -> Step:
        is_dialog = self._walker.ahead.is_word("DIALOG", "CONVERSATION")
        return conversation_step(self._walker) if is_dialog else self._transaction()

    def _conversation(self) -> Step:
        return conversation_step(self._walker)

    def _other(self) -> Step:
        walker, token = self._walker, self._walker.token
        if (known := files_step(walker) or failover_step(walker) or options_step(walker)) is not None:
            return known
        match head_at(walker.tokens, walker.index):
            case Head.OURS:
                return definition_step(walker)
            case Head.PROCEDURAL:
                words = words_of(walker)
                while not self._is_over:
                    walker.index += 1
                return Unsupported(line=token.line, words=words, number=NOT_SUPPORTED)
            case Head.OTHER:
                return unsupported(walker, words_of(walker))
            case _:
                meant = meant_at(walker.tokens, walker.index)
                is_name = token.kind in (TokenKind.WORD, TokenKind.QUOTED_NAME)
                if meant is None and is_name and walker.index == self._start and not walker.ahead.is_mark(":"):
                    return self._implicit()
                raise Missing(walker.index, meant or "a statement")


_WORDS: Final[dict[str, Callable[[_Reader], Step]]] = {
    "BEGIN": _Reader._begin,
    "BREAK": _Reader._leave,
    "CONTINUE": _Reader._leave,
    "RETURN": _Reader._leave,
    "DECLARE": _Reader._declare,
    "SET": _Reader._set,
    "SELECT": _Reader._select,
    "WITH": _Reader._select,
    "MERGE": _Reader._merge,
    "INSERT": _Reader._select,
    "UPDATE": _Reader._select,
    "DELETE": _Reader._select,
    "PRINT": _Reader._print,
    "COMMIT": _Reader._transaction,
    "ROLLBACK": _Reader._transaction,
    "SAVE": _Reader._transaction,
    "THROW": _Reader._throw,
    "RAISERROR": _Reader._raise_error,
    "WAITFOR": _Reader._waitfor,
    "USE": _Reader._use,
    "EXEC": _Reader._execute,
    "EXECUTE": _Reader._execute,
    "SEND": _Reader._conversation,
    "RECEIVE": _Reader._conversation,
    "GET": _Reader._conversation,
    "MOVE": _Reader._conversation,
    "END": _Reader._conversation,
}
