"""`ConsoleSession`: scripts in, results, messages and numbered errors out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import suppress
from typing import Final

from engine.core.vocabulary.identifiers import DatabaseName
from engine.tsql.console.cutting import Batch, batches
from engine.tsql.console.defining import Definitions
from engine.tsql.console.dialogs import Dialogs
from engine.tsql.console.evaluating import Evaluator, scratch_tables
from engine.tsql.console.failing import NO_MEMORY, StatementFailed, failed, told
from engine.tsql.console.filing import Files
from engine.tsql.console.leaving import ScriptEnded
from engine.tsql.console.numbering import FIRST_NUMBER
from engine.tsql.console.opening import Openings
from engine.tsql.console.outputs import ConsoleOutput, Failed
from engine.tsql.console.program import Step, refused_in
from engine.tsql.console.reading import read_batch
from engine.tsql.console.receiving import Receiving
from engine.tsql.console.running import Runner
from engine.tsql.console.session_answers import SessionAnswers
from engine.tsql.console.sources import Sources
from engine.tsql.console.state import SessionState
from engine.tsql.console.target import ConsoleTarget, TargetUnavailable, database_named
from engine.tsql.console.transacting import Transactions
from engine.tsql.spending import heard
from engine.tsql.tokens import Tokens

SCRIPT_LENGTH_MAX: Final = 1_000_000
"""Characters of one script."""
NULL_CHARACTER: Final = "\0"
"""No text of a script may have it: what runs the statements ends there."""


class ConsoleSession:
    """A session on a database of an instance. Its open transaction and its database outlive a script."""

    def __init__(
        self,
        target: ConsoleTarget,
        database: str,
        watch: Callable[[], None] = lambda: None,
        number: int = FIRST_NUMBER,
    ) -> None:
        """`database` in any letter case; what is not there is told by the first statement that needs it.

        `watch` is called before each statement and every so often while one computes; what it raises ends the script,
        and comes out of `run`. `number` is @@SPID.
        """
        found = database_named(target.catalog(), database)
        self._exits_on_error = False
        self._has_failed = False
        self.target: Final = target
        self.watch: Final = watch
        self.state: Final = SessionState(found or DatabaseName(database), number)
        self.transactions: Final = Transactions(target, self.state)
        answers = SessionAnswers(target, self.state, self.transactions)
        self._tables = scratch_tables(answers, watch)
        sources = Sources(target, self.state, self.transactions)
        self.evaluator: Final = Evaluator(sources, answers, self._tables)
        self.dialogs: Final = Dialogs(target, self.state, self.evaluator, self.transactions)
        self.receiving: Final = Receiving(target, self.state, self.evaluator, self.transactions, self.dialogs)
        self.openings: Final = Openings(target)
        self.definitions: Final = Definitions(target, self.state, self.openings)
        self.files: Final = Files(target, self.state, self.transactions, self.dialogs)
        self.has_stopped = False
        """Whether the last script was stopped by a refusal or a lost connection: the rest of it did not run."""

    @property
    def exits_on_error(self) -> bool:
        """Whether an error ends the script: `:on error exit`, until `:on error ignore`."""
        return self._exits_on_error

    @property
    def database(self) -> DatabaseName:
        """The current database: where USE has gone."""
        return self.state.database

    @property
    def transaction_count(self) -> int:
        """@@TRANCOUNT."""
        return self.state.transaction_count

    def run(self, script: str) -> Iterator[ConsoleOutput]:
        """What a script answers, as it runs; it goes on only as far as it is read.

        Never raises for what the script or the instance does: everything is an output. Whoever stops reading leaves
        the transaction as it is at that moment.
        """
        self.has_stopped = False
        outputs = self._run(script)
        try:
            while True:
                # The reader may run other scripts before it reads on.
                with heard(self.watch):
                    output = next(outputs, None)
                if output is None:
                    return
                self._has_failed = self._has_failed or isinstance(output, Failed)
                yield output
        except StatementFailed as spent:
            yield told(spent)
        except MemoryError:
            yield told(failed(NO_MEMORY))
        finally:
            outputs.close()

    def _run(self, script: str) -> Generator[ConsoleOutput]:
        if len(script) > SCRIPT_LENGTH_MAX:
            yield told(failed(103, at=1, name=script[:40], limit=SCRIPT_LENGTH_MAX))
            return
        if NULL_CHARACTER in script:
            line = script[: script.index(NULL_CHARACTER)].count("\n") + 1
            yield told(failed(102, at=line, found="U+0000", expected="T-SQL"))
            return
        tokens = Tokens(script.encode("utf-8", "replace").decode())
        runner = Runner(self)
        self._has_failed = False
        for batch in batches(tokens):
            line = tokens[batch.start].line
            if self._exits_on_error and self._has_failed:
                return
            if batch.exits_on_error is not None:
                self._exits_on_error, self._has_failed = batch.exits_on_error, False
                continue
            try:
                self.target.ensure_runs()
                if batch.problem is not None:
                    raise batch.problem
                steps = runnable(read_batch(tokens, batch.start))
            except TargetUnavailable as gone:
                self.has_stopped = True
                with suppress(ScriptEnded):
                    yield from runner.cut_off(gone, line)
                return
            except (StatementFailed, MemoryError) as error:
                refusal = error if isinstance(error, StatementFailed) else failed(NO_MEMORY, at=line)
                yield from runner.refuse(refusal)
                if refusal.ends_script:
                    self.has_stopped = True
                    return
                steps = ()
            try:
                for _ in range(batch.times if steps else 0):
                    if self._exits_on_error and self._has_failed:
                        return
                    yield from runner.run(steps)
                    yield from runner.at_end(line)
                    if runner.is_spent:
                        return
            except ScriptEnded:
                self.has_stopped = True
                return
            if runner.is_spent:
                return

    def read_text(self, text: str, line: int, declared: Collection[str] = ()) -> tuple[Step, ...]:
        """The program of a text that EXECUTE runs, with variables `declared`; its lines are counted in the text."""
        if len(text) > SCRIPT_LENGTH_MAX:
            raise failed(103, at=line, name=text[:40], limit=SCRIPT_LENGTH_MAX)
        tokens = Tokens(text)
        first, *more = list(batches(tokens)) or [Batch(0, 1, None)]
        if first.problem is not None or more:
            raise first.problem or failed(102, at=line, found="GO", expected="a statement")
        if first.exits_on_error is not None:
            raise failed(102, at=line, found="':on'", expected="a statement")
        return runnable(read_batch(tokens, first.start, declared))

    def close(self) -> None:
        """Roll back what is open. Harmless when closed; the session runs nothing any more."""
        try:
            self.transactions.abandon(1)
        except (StatementFailed, TargetUnavailable):
            # The instance rolls back by itself what nobody asks about.
            self.state.end_transaction()
        finally:
            self._tables.close()


def runnable(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """A program without anything that is refused: nothing of it runs otherwise. Errors: 40510, 40517."""
    for step in refused_in(steps):
        raise failed(step.number, at=step.line, found=step.words)
    return steps
