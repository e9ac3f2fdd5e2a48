"""An import of files, whatever they hold: T-SQL, or what a collector has written. Collections come first.

A collection is a state of a server and scripts are changes, so scripts among them work on what the collections made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

import msgspec

from engine.collection.plan import CollectedFile, joined, plan_collections
from engine.collection.unwrapping import is_collection
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.revision import copy
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.identifiers import MASTER, DatabaseName, InstanceName
from engine.core.vocabulary.keys import KeySmith
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.compile import plan_import
from engine.tsql.leaving_out import without_lines
from engine.tsql.parse import parse_script
from engine.tsql.plan import Backlog, ImportPlan
from engine.tsql.statements import Script

__all__ = ["Backlog", "ImportFile", "Progress", "is_collection", "plan_files"]

READING, PLANNING = "reading", "planning"

Progress = Callable[[str, int, int], None]
"""Called with the stage (`reading`, `planning`), the lines that are done and the lines there are; it may raise."""


class ImportFile(msgspec.Struct, frozen=True):
    """A file, and where what it says is to be.

    `instance`: where a script begins, or what a collected server is called here; `database`: where a script begins.
    """

    name: str
    text: str
    instance: InstanceName | None = None
    database: DatabaseName | None = None
    variables: dict[str, str] = {}
    """Values for `$(name)` in a script, which its own `:setvar` may change."""
    left_out: frozenset[int] = frozenset()
    """Statements that are not followed, by their first line; objects of a collection, by their number."""


def plan_files(
    files: Sequence[ImportFile],
    catalogs: Mapping[InstanceName, InstanceCatalog],
    *,
    default_instance: InstanceName,
    default_database: DatabaseName = MASTER,
    now: UtcTime,
    entropy: Entropy,
    smith: KeySmith | None = None,
    progress: Progress | None = None,
    certificate_files: Mapping[str, bytes] = MappingProxyType({}),
) -> ImportPlan:
    """What the files come to; one problem anywhere, and the plan changes nothing. See `plan_import` for the rest."""
    collected = [file for file in files if is_collection(file.text)]
    others = [file for file in files if not is_collection(file.text)]
    lines = [1 + file.text.count("\n") for file in others]
    before = dict(
        zip((file.name for file in others), (sum(lines[:number]) for number in range(len(lines))), strict=True)
    )
    total = sum(lines)

    def ticking(stage: str) -> Callable[[str, int], None]:
        def tick(name: str, line: int) -> None:
            if progress is not None:
                progress(stage, before[name] + line, total)

        return tick

    found = plan_collections(
        [CollectedFile(file.name, file.text, file.instance, file.left_out) for file in collected],
        catalogs,
        entropy=entropy,
        smith=smith,
    )
    if not others:
        return found
    reading = ticking(READING)
    scripts = [
        without_lines(parse_script(file.text, file.name, _bound(reading, file.name), file.variables), file.left_out)
        for file in others
    ]
    planned = plan_import(
        _handed_over(scripts),
        found.catalogs,
        default_instance=default_instance,
        default_database=default_database,
        now=now,
        entropy=entropy,
        smith=smith,
        beginnings={file.name: (file.instance, file.database) for file in others},
        tick=ticking(PLANNING),
        files=certificate_files,
    )
    plan = joined(found, planned)
    if plan.problems:
        kept = {name: copy(catalog) for name, catalog in catalogs.items()}
        return msgspec.structs.replace(plan, created=(), changes={}, catalogs=kept, files={})
    return plan


def _handed_over(scripts: list[Script]) -> Iterator[Script]:
    """One script after the other, each gone from here when it is taken."""
    scripts.reverse()
    while scripts:
        yield scripts.pop()


def _bound(tick: Callable[[str, int], None], name: str) -> Callable[[int], None]:
    return lambda line: tick(name, line)
