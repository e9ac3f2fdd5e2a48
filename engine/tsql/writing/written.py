"""What a script is made of: statements with their place, and remarks about what T-SQL cannot say."""

from __future__ import annotations

import msgspec

from engine.core.vocabulary.identifiers import DatabaseName, InstanceName


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """One statement, before it has a place in a script."""

    kind: str
    """What it is about, in the words of an import's plan: `route`, `message type`."""
    name: str
    text: str
    """One or more lines, with the semicolon and with the comment that completes it, if any."""
    database: DatabaseName | None = None
    """Where it must stand; None where it means the same everywhere."""
    condition: str | None = None
    """The query that finds its object; None for statements that need no guard."""
    is_drop: bool = False
    """A drop is for what exists, everything else for what does not."""
    notes: tuple[str, ...] = ()
    """What a person has to know or to supply."""


class WrittenStatement(msgspec.Struct, frozen=True, kw_only=True):
    """Which lines of a script are about which object; lines count from 1 and both belong to it."""

    line: int
    end_line: int
    instance: InstanceName
    database: DatabaseName | None
    kind: str
    name: str


class ScriptWarning(msgspec.Struct, frozen=True):
    """What a person has to know or to supply; it stands in the script as a comment in this line as well."""

    line: int
    text: str


class ScriptPart(msgspec.Struct, frozen=True):
    """The next whole lines of a script, at most one statement."""

    text: str
    statement: WrittenStatement | None = None
    warnings: tuple[ScriptWarning, ...] = ()


class ScriptPlace(msgspec.Struct, frozen=True):
    """An instance, or one database of it."""

    instance: InstanceName
    database: DatabaseName | None = None


class ScriptOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a script is written, and how much of the estate it is about."""

    header: tuple[str, ...] = ()
    """Lines of comment at the top: which estate, which revision, by whom."""
    has_guards: bool = False
    """IF [NOT] EXISTS in front of what creates and drops."""
    instance: InstanceName | None = None
    """Only this instance; None is all."""
    database: DatabaseName | None = None
    """Only what is inside databases of this name; None is all, and the instances themselves."""
    places: tuple[ScriptPlace, ...] = ()
    """Only these of what `instance` and `database` leave; empty is all."""


class WrittenScript(msgspec.Struct, frozen=True):
    """A script in one piece."""

    text: str
    statements: tuple[WrittenStatement, ...]
    warnings: tuple[ScriptWarning, ...]
