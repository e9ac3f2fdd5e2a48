"""Where in a script things stand: which database is in use, which line it is, what has been told already."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.core.catalog.names import same_name
from engine.core.vocabulary.identifiers import MASTER, DatabaseName, InstanceName
from engine.tsql.writing.quoting import DOLLAR, SET_DOLLAR, bracketed
from engine.tsql.writing.written import ScriptOptions, ScriptPart, ScriptWarning, Written, WrittenStatement

BATCH_STATEMENTS_MAX: Final = 100
"""A batch is parsed as a whole by a server, so a long script has many."""
_NOBODY = InstanceName("")


class Layout:
    """One script under way."""

    def __init__(self, options: ScriptOptions) -> None:
        self._options = options
        self._line = 1
        self._instance = _NOBODY
        self._database: DatabaseName | None = None
        self._kind = ""
        self._in_batch = 0
        self._told: set[str] = set()
        self.is_connected = False
        self._has_dollar = False

    def header(self) -> Iterator[ScriptPart]:
        """The comment at the top."""
        lines = [line for text in self._options.header for line in text.splitlines()]
        if lines:
            yield self._part("".join(_comment(line) for line in lines))

    def begin(self, instance: InstanceName) -> None:
        """What follows is about another instance; nothing is written until something is to be said there."""
        self._instance, self._database, self.is_connected = instance, None, False

    def connect(self, text: str, name: InstanceName) -> Iterator[ScriptPart]:
        """:CONNECT."""
        self.is_connected = True
        yield from self._dollar(text)
        gap = "" if self._line == 1 else "\n"
        first = self._line + len(gap)
        lines = text.count("\n") + 1
        about = WrittenStatement(
            line=first, end_line=first + lines - 1, instance=name, database=None, kind="instance", name=name
        )
        yield self._part(f"{gap}{text}\n", about)

    def is_in(self, database: DatabaseName) -> bool:
        """Whether a database is in use."""
        return self._database is not None and same_name(self._database, database)

    def use(self, database: DatabaseName, comment: str = "") -> Iterator[ScriptPart]:
        """USE in a batch of its own."""
        yield from self._dollar(bracketed(database))
        text = f"{self._closed()}\nUSE {bracketed(database)};{comment}\nGO\n"
        line = self._line + text.count("\n") - 2
        self._database, self._kind = database, ""
        about = None
        if comment:
            about = WrittenStatement(
                line=line, end_line=line, instance=self._instance, database=database, kind="database", name=database
            )
        yield self._part(text, about)

    def statement(self, written: Written, *, is_whole: bool) -> Iterator[ScriptPart]:
        """The next statement, with what must stand before it."""
        database = written.database or MASTER
        if not self.is_in(database):
            yield from self.use(database)
        if written.kind != self._kind or self._in_batch >= BATCH_STATEMENTS_MAX:
            yield from self.end()
        for note in written.notes:
            if note not in self._told:
                self._told.add(note)
                yield self.remark(note)
        text = self._guarded(written, is_whole=is_whole)
        yield from self._dollar(text)
        about = WrittenStatement(
            line=self._line,
            end_line=self._line + text.count("\n"),
            instance=self._instance,
            database=written.database,
            kind=written.kind,
            name=written.name,
        )
        self._kind = written.kind
        self._in_batch += 1
        yield self._part(f"{text}\n", about)

    def remark(self, text: str) -> ScriptPart:
        """What a person has to know, as a comment and as a warning."""
        warning = ScriptWarning(self._line, text)
        return self._part(_comment(text), warnings=(warning,))

    def end(self) -> Iterator[ScriptPart]:
        """The batch ends, if there is one."""
        if text := self._closed():
            yield self._part(text)

    def _dollar(self, text: str) -> Iterator[ScriptPart]:
        """Before the first text that needs it, the variable that stands for a dollar."""
        if DOLLAR in text and not self._has_dollar:
            self._has_dollar = True
            yield self._part(f"{SET_DOLLAR}\n")

    def _closed(self) -> str:
        is_open, self._in_batch = self._in_batch > 0, 0
        return "GO\n" if is_open else ""

    def _guarded(self, written: Written, *, is_whole: bool) -> str:
        """What a whole script drops every instance is born with, but it may have gone already."""
        is_needed = self._options.has_guards or (is_whole and written.is_drop)
        if not is_needed or written.condition is None:
            return written.text
        condition = "IF EXISTS" if written.is_drop else "IF NOT EXISTS"
        indented = written.text.replace("\n", "\n    ")
        return f"{condition} ({written.condition})\n    {indented}"

    def _part(
        self, text: str, statement: WrittenStatement | None = None, warnings: tuple[ScriptWarning, ...] = ()
    ) -> ScriptPart:
        self._line += text.count("\n")
        return ScriptPart(text, statement, warnings)


def _comment(text: str) -> str:
    """A line of comment; sqlcmd looks for variables there as well, and would not run the script for one unknown."""
    return f"-- {text.replace('$(', '$ (')}\n"
