"""Reading a script: every statement it holds, everything that was stepped over, every mistake.

After a mistake reading goes on at the next statement, so one reading tells of all of them. Procedural text is not
followed: a procedure's body runs to the end of its batch, conditions are not evaluated; `assumptions` tells what that
means. The conditions that are understood ask whether something is there, so that scripts can be run twice.

Three things T-SQL has no words for are said in comments, on a line of the statement or on the line before it:
`-- broker_instance: <guid>` gives a database the id it has elsewhere, `-- expires_at: 2024-03-31T22:00:00Z` gives a
route the instant of its expiry, `-- role: mirror` beside SET PARTNER says which of the two is the copy. Below
:CONNECT, `-- host: name, name` gives the server further host names, and `-- host_names: name, name` all it has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from engine.core.vocabulary.errors import CatalogError
from engine.tsql import assumptions
from engine.tsql.assumptions import CONDITIONAL, Kind, Surroundings, Transactions
from engine.tsql.build import build_statements
from engine.tsql.client_lines import connected_to, included_by, server_in
from engine.tsql.conditions import existence
from engine.tsql.conversations import end_of_conversation_statement
from engine.tsql.files import check_broker_options, with_tail
from engine.tsql.following import Missing
from engine.tsql.hints import Hints
from engine.tsql.near_misses import meant_at
from engine.tsql.permissions import end_of_permission
from engine.tsql.problems import problem_of, with_null_character
from engine.tsql.reasons import NO_AVAILABILITY_GROUPS, NOT_ABOUT_THE_NETWORK, reason_of
from engine.tsql.sentence import Sentence
from engine.tsql.showing import beginning_of, blamed, quoted, text_of
from engine.tsql.statements import (
    AnyStatement,
    Connect,
    Ignored,
    Notice,
    Place,
    Problem,
    Script,
)
from engine.tsql.tokens import Token, TokenKind, Tokens
from engine.tsql.trees import Incomplete, Unexpected
from engine.tsql.unset import unset_in
from engine.tsql.variables import is_setting
from engine.tsql.words import (
    STARTERS,
    STATEMENT_ENDS,
    Head,
    begins_query,
    breaks_off,
    closes_block,
    head_at,
    may_begin,
    opens_block,
)

_BATCH_ENDS = (TokenKind.SEPARATOR, TokenKind.COMMAND, TokenKind.END)
LINES_BETWEEN_TICKS: Final = 500


def parse_script(
    text: str,
    name: str,
    tick: Callable[[int], None] | None = None,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Script:
    """What the script called `name` says. Never fails: mistakes are in `problems`, each with its place.

    `tick` is called now and then with the line that the reading has come to; `variables` are values for `$(name)`.
    """
    return with_null_character(_ScriptReader(text, name, variables).read(tick), text)


class _ScriptReader:
    """One reading of one script: a position among the tokens, and what was found so far."""

    def __init__(self, text: str, name: str, variables: Mapping[str, str]) -> None:
        self._name = name
        self._tokens = Tokens(text, variables)
        self._index = 0
        self._hints = Hints(self._tokens.hints)
        self._statements: list[AnyStatement] = []
        self._ignored: list[Ignored] = []
        self._problems: list[Problem] = []
        self._notices: list[Notice] = []
        self._surroundings = Surroundings(self._notice)
        self._transactions = Transactions(self._notice)

    def read(self, tick: Callable[[int], None] | None = None) -> Script:
        """Read to the end."""
        told = 0
        while (token := self._token).kind is not TokenKind.END:
            start = self._index
            if tick is not None and token.line >= told + LINES_BETWEEN_TICKS:
                told = token.line
                tick(told)
            self._tokens.let_go(start - 1)
            if token.kind in _BATCH_ENDS:
                self._between_batches(token)
            elif token.is_mark(";") or token.kind is TokenKind.LOST:
                self._index += 1
            else:
                self._statement(token)
            assert self._index > start, "a reader that stands still never ends"
        self._transactions.end_connection()
        for unclosed in self._tokens.unclosed:
            place = Place(unclosed.line, unclosed.column)
            self._syntax_error(quoted(unclosed.text), f"'{unclosed.expected}' further on", place)
        for hint in self._hints.left:
            self._notice(hint.line, f"The comment '{hint.word}: {hint.value}' belongs to no statement it could tell.")
        return Script(
            self._name,
            tuple(self._statements),
            tuple(self._ignored),
            tuple(sorted(self._problems, key=lambda problem: (problem.line, problem.column))),
            tuple(sorted(self._notices, key=lambda notice: notice.line)),
        )

    @property
    def _token(self) -> Token:
        return self._tokens[self._index]

    @property
    def _ahead(self) -> Token:
        return self._tokens[self._index + 1]

    def _is_first_on_line(self, index: int) -> bool:
        return index == 0 or self._tokens[index - 1].line < self._tokens[index].line

    # --- batches and blocks

    def _between_batches(self, token: Token) -> None:
        self._index += 1
        self._surroundings.begin_batch()
        if token.kind is not TokenKind.COMMAND:
            return
        place = Place(token.line, token.column)
        if (target := connected_to(token.text)) is None:
            self._client_line(token)
            return
        if (server := server_in(target)) is None:
            self._syntax_error(quoted(token.text), "the name of a server", place)
            return
        self._transactions.end_connection()
        last_line = self._token.line - 1 if self._token.kind is not TokenKind.END else self._token.line
        further = self._hints.take_hosts("host", token.line, last_line)
        only = self._hints.take_hosts("host_names", token.line, last_line)
        connect = Connect(instance=server, host_names=further or (), only_host_names=only, place=place)
        self._statements.append(connect)

    def _client_line(self, token: Token) -> None:
        if is_setting(token.text):
            return
        file, why = included_by(token.text), NOT_ABOUT_THE_NETWORK
        if file is not None:
            why = f"The file '{file}' is not read: import it beside this one."
            self._notice(token.line, why)
        self._ignored.append(Ignored(token.line, token.column, token.text.split()[0], why))

    def _statement(self, token: Token) -> None:
        """Read one statement, or one piece of what holds statements together."""
        if token.is_word("IF", "WHILE"):
            self._condition(token)
        elif token.is_word("BEGIN") and opens_block(self._tokens, self._index):
            kind = Kind[self._ahead.value] if self._ahead.is_word("TRY", "CATCH") else Kind.PLAIN
            self._index += 1 if kind is Kind.PLAIN else 2
            self._surroundings.open_block(kind, token.line)
        elif token.is_word("END") and closes_block(self._tokens, self._index):
            self._index += 2 if self._ahead.is_word("TRY", "CATCH") else 1
            self._surroundings.close_block()
        elif token.is_word("ELSE"):
            self._index += 1
            self._surroundings.meet_else(token.line)
        elif token.kind is TokenKind.WORD and self._ahead.is_mark(":"):
            self._index += 2
        else:
            start = self._index
            try:
                self._plain_statement(token)
            except Missing as missing:
                self._missing(missing, start)

    def _condition(self, first: Token) -> None:
        """Step over the condition of IF or WHILE and remember it; IF [NOT] EXISTS (…) alone is understood."""
        start = self._index
        if first.is_word("IF") and (found := existence(self._tokens, self._index)) is not None:
            guard, self._index = found
            self._surroundings.meet(Kind.EXISTS, first.line, guard)
            return
        depth = cases = 0
        self._index += 1
        while not self._ends_here():
            token = self._token
            if token.is_word("END") and cases > 0:
                cases -= 1
            elif token.is_word("CASE"):
                cases += 1
            elif depth <= 0 and cases == 0 and token.is_word(*STARTERS):
                break
            depth += token.is_mark("(") - token.is_mark(")")
            self._index += 1
        self._tell_open(depth, first)
        self._surroundings.meet(Kind[first.value], first.line)
        why = "The condition is not evaluated."
        self._ignored.append(
            Ignored(first.line, first.column, beginning_of(self._tokens.between(start, self._index)), why)
        )

    # --- statements

    def _plain_statement(self, token: Token) -> None:
        is_first_of_batch = self._index == 0 or self._tokens[self._index - 1].kind in _BATCH_ENDS
        match head_at(self._tokens, self._index):
            case Head.OURS:
                self._our_statement(token)
            case Head.CONVERSATION:
                self._about_conversations(token)
            case Head.OTHER:
                self._ignore(token)
            case Head.PROCEDURAL:
                self._ignore(token, to_end_of_batch=True)
            case Head.NONSENSE if (meant := meant_at(self._tokens, self._index)) is not None:
                raise Missing(self._index, meant)
            case Head.NONSENSE if (
                is_first_of_batch
                and token.kind in (TokenKind.WORD, TokenKind.QUOTED_NAME)
                and (not token.is_word(*STARTERS))
            ):
                # A batch may begin with the bare name of a procedure to execute.
                self._ignore(token)
            case Head.NONSENSE:
                self._nonsense(token)

    def _about_conversations(self, token: Token) -> None:
        """Nothing is run: what counts is that the statement is one, and where it ends."""
        self._check_end(end_of_conversation_statement(self._tokens, self._index))
        self._ignore(token)

    def _check_end(self, end: int) -> None:
        """A statement was read up to `end`; there it is over, or another one begins."""
        after = self._tokens[end]
        is_another = after.is_word(*STARTERS) and (not after.is_word("WITH") or begins_query(self._tokens, end))
        is_over = after.is_mark(";") or after.kind in STATEMENT_ENDS or is_another
        if not is_over and meant_at(self._tokens, end) is None and not self._tokens[end + 1].is_mark(":"):
            raise Missing(end, "the end of the statement")

    def _missing(self, missing: Missing, start: int) -> None:
        """A statement that was recognised breaks off, or has what must not stand there."""
        self._surroundings.step_over()
        token, expected = blamed(self._tokens, missing.index, missing.expected)
        if token.kind is not TokenKind.LOST:
            self._syntax_error(text_of(token), expected, Place(token.line, token.column))
        self._index = max(missing.index, self._index, start + 1)
        self._skip()

    def _nonsense(self, token: Token) -> None:
        is_begun = token.is_word(*STARTERS)
        at, expected = (self._index + 1, "a kind of object") if is_begun else (self._index, "a statement")
        culprit, expected = blamed(self._tokens, at, expected)
        if culprit.kind is not TokenKind.LOST:
            self._syntax_error(text_of(culprit), expected, Place(culprit.line, culprit.column))
        self._index += 1
        self._skip()

    def _our_statement(self, first: Token) -> None:
        first_line = self._surroundings.first_line or first.line
        guard, counts = self._surroundings.take()
        sentence = Sentence()
        start = self._index
        while not self._ends_here() and sentence.take(self._token):
            self._index += 1
        has_a_tail = first.is_word("CREATE") and self._tokens[start + 1].is_word("DATABASE", "USER")
        if self._token.kind is TokenKind.LOST:
            self._skip()
            return
        if not sentence.can_end or not (self._ends_here() or self._starts_another() or has_a_tail):
            self._unexpected(sentence.expected())
            return
        stop = self._token
        try:
            statements = build_statements(sentence.finish(), Place(first.line, first.column), guard)
        except Unexpected as error:
            self._syntax_error(quoted(error.found), error.expected, error.place)
            return
        except Incomplete as error:
            self._syntax_error(text_of(stop), error.expected, Place(stop.line, stop.column))
            return
        except CatalogError as error:
            self._problems.append(problem_of(error, self._name, Place(first.line, first.column)))
            return
        if has_a_tail and not self._ends_here() and not self._starts_another():
            tail = self._index
            self._skip()
            check_broker_options(self._tokens, tail, self._index)
            statements = tuple(with_tail(each, self._tokens.between(tail, self._index)) for each in statements)
        for line, name in unset_in(self._tokens, start, self._index):
            self._notice(line, f"The variable $({name}) has no value in this script; it stays as it is written.")
        last_line = self._tokens[self._index - 1].line
        self._tokens.read_line(last_line)
        if counts:
            self._transactions.define()
            self._statements += (self._hints.told(each, first_line, last_line) for each in statements)
        else:
            text = "Left out: it stands in a CATCH block."
            self._ignored.append(
                Ignored(first.line, first.column, beginning_of(self._tokens.between(start, self._index)), text)
            )

    def _ends_here(self) -> bool:
        return self._token.is_mark(";") or self._token.kind in _BATCH_ENDS

    def _starts_another(self) -> bool:
        if self._token.is_word("WITH") and not begins_query(self._tokens, self._index):
            return False
        return self._token.is_word(*STARTERS) and (
            self._is_first_on_line(self._index) or head_at(self._tokens, self._index) is not Head.NONSENSE
        )

    def _unexpected(self, expected: str) -> None:
        token, expected = blamed(self._tokens, self._index, expected)
        self._syntax_error(text_of(token), expected, Place(token.line, token.column))
        self._skip()

    def _syntax_error(self, found: str, expected: str, place: Place) -> None:
        error = CatalogError(102, found=found, expected=expected, line=place.line, column=place.column)
        self._problems.append(problem_of(error, self._name, place))

    # --- what is stepped over

    def _ignore(self, first: Token, *, to_end_of_batch: bool = False) -> None:
        start = self._index
        if (end := end_of_permission(self._tokens, start)) is not None:
            self._check_end(end)
        if not self._surroundings.is_under(Kind.CATCH):
            is_certain = not self._surroundings.is_under(*CONDITIONAL)
            self._transactions.follow(first, self._ahead, is_certain=is_certain)
        self._surroundings.step_over()
        self._index += 1
        if to_end_of_batch:
            while self._token.kind not in _BATCH_ENDS:
                self._index += 1
        elif first.is_word("GRANT", "DENY", "REVOKE"):
            # What is granted may be called CREATE QUEUE.
            while not self._ends_here() and not self._token.is_word("TO", "FROM"):
                self._index += 1
            self._skip()
        else:
            self._skip()
        if first.is_word("RESTORE"):
            check_broker_options(self._tokens, start, self._index)
        tokens = self._tokens.between(start, self._index)
        why = NOT_ABOUT_THE_NETWORK if to_end_of_batch else reason_of(tokens)
        if why == NO_AVAILABILITY_GROUPS:
            self._notice(first.line, why)
        if not to_end_of_batch:
            if (text := assumptions.of_texts(tokens)) is not None:
                self._notice(first.line, text)
                why = "The text in it is not run."
            if (moved := assumptions.of_running(tokens)) is not None:
                self._notice(first.line, moved)
        self._ignored.append(
            Ignored(first.line, first.column, beginning_of(self._tokens.between(start, self._index)), why)
        )

    def _skip(self) -> None:
        """Step to the end of the statement: a semicolon, the end of the batch, or the beginning of another one."""
        depth, cases, first = 0, 0, self._tokens[self._index - 1]
        while not self._ends_here():
            token = self._token
            if token.is_word("CASE"):
                cases += 1
            elif cases > 0 and token.is_word("ELSE", "END"):
                cases -= token.is_word("END")
            elif depth <= 0 and self._begins_statement(self._index):
                return
            depth += token.is_mark("(") - token.is_mark(")")
            self._index += 1
        self._tell_open(depth, first)

    def _tell_open(self, depth: int, first: Token) -> None:
        if depth > 0:
            self._notice(first.line, assumptions.NOT_CLOSED)

    def _begins_statement(self, index: int) -> bool:
        tokens, is_first = self._tokens, self._is_first_on_line(index)
        if not tokens[index].is_word(*STARTERS):
            return is_first and meant_at(tokens, index) is not None
        if (tokens[index].is_word("WITH") and not begins_query(tokens, index)) or not may_begin(tokens, index):
            return False
        return is_first or head_at(tokens, index) in (Head.OURS, Head.CONVERSATION) or breaks_off(tokens, index)

    def _notice(self, line: int, text: str) -> None:
        self._notices.append(Notice(self._name, line, text))
