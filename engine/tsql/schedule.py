"""The order in which the parts of scripts are followed: a part that reads a file waits for the part that writes it.

A part is what a script says on one connection, from one :CONNECT to the next. Scripts of a tutorial are run on several
servers side by side; here they come one after another, in whatever order they were given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.tsql.places import last_first
from engine.tsql.security_statements import BackupCertificate, CreateCertificate
from engine.tsql.server_files import ServerFiles, file_key
from engine.tsql.statement_base import Clause
from engine.tsql.statements import AnyStatement, Connect, Ignored, Script


class Part:
    """What is left of a part, and where in the estate it has got to."""

    def __init__(
        self, file: str, instance: InstanceName, database: DatabaseName | None, items: list[AnyStatement | Ignored]
    ) -> None:
        """`items` are the statements, the last one first; `database` is None after USE of one that there is not."""
        self.file: Final = file
        self.server: Final = instance.casefold()
        """On which the part is; parts of one server keep their order."""
        self.instance, self.database = instance, database
        self.is_nowhere = False
        """After :CONNECT to what no instance can be called."""
        self.items: Final = items


def parts_of(script: Script, instance: InstanceName, database: DatabaseName) -> Iterator[Part]:
    """The parts of a script that begins on an instance, in order."""
    items = last_first(script)
    name = script.name
    # The statements are in the parts alone, so that they can be let go.
    del script
    while items:
        found = [items.pop()]
        while items and not isinstance(items[-1], Connect):
            found.append(items.pop())
        first = found[0]
        place = InstanceName(first.instance) if isinstance(first, Connect) else instance
        yield Part(name, place, database, found[::-1])


class FilesAwaited:
    """The files that scripts write, and for which a part may wait."""

    def __init__(self, scripts: Iterable[Script]) -> None:
        self._paths = {
            file_key(file.value)
            for script in scripts
            for statement in script.statements
            if isinstance(statement, BackupCertificate)
            for file in _files_of(statement)
        }

    def holds_back(self, item: AnyStatement | Ignored, files: ServerFiles) -> bool:
        """Whether a statement reads a file that some part is still to write."""
        if not self._paths or not isinstance(item, CreateCertificate):
            return False
        return any(file_key(file.value) in self._paths and files.read(file.value) is None for file in _files_of(item))

    def give_up(self) -> None:
        """No part can write what others wait for."""
        self._paths.clear()


def follow_all(parts: Iterable[Part], follow: Callable[[Part], bool], awaited: FilesAwaited) -> None:
    """Follow parts to their ends; `follow` answers False for one that waits for a file, where it then goes on."""
    held = _round(parts, follow)
    while held:
        before = _length(held)
        held = _round(held, follow)
        if held and _length(held) == before:
            # What waits on a server holds up what comes behind it there, unless nothing else goes on.
            held = [part for part in held if not follow(part)]
        if held and _length(held) == before:
            awaited.give_up()


def _round(parts: Iterable[Part], follow: Callable[[Part], bool]) -> list[Part]:
    held: list[Part] = []
    stopped: set[str] = set()
    for part in parts:
        if part.server in stopped or not follow(part):
            stopped.add(part.server)
            held.append(part)
    return held


def _length(parts: list[Part]) -> int:
    return sum(len(part.items) for part in parts)


def _files_of(statement: BackupCertificate | CreateCertificate) -> Iterator[Clause]:
    named = statement if isinstance(statement, BackupCertificate) else statement.source
    file, keys = named.file, named.private_key
    if file is not None:
        yield file
    if keys is not None and keys.file is not None:
        yield keys.file
