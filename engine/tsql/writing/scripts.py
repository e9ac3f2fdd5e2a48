"""Whole scripts: `:CONNECT` for each instance, `USE` for each database, `GO` between batches, part by part.

Instances, databases and objects stand in the order of their names, and changes in the order in which the difference
of catalogs finds them, which is one that a server accepts. A script is yielded in parts, so a large one is never in
memory as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from engine.core.catalog.changes import CatalogChange, HostNamesSet
from engine.core.catalog.difference import steps_between
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import same_name
from engine.core.vocabulary.identifiers import MASTER, MSDB, DatabaseName, InstanceName
from engine.tsql.writing.canonical import in_order, newborn, order_of
from engine.tsql.writing.layout import Layout
from engine.tsql.writing.statements import statements_of
from engine.tsql.writing.written import ScriptOptions as ScriptOptions
from engine.tsql.writing.written import ScriptPart as ScriptPart
from engine.tsql.writing.written import ScriptWarning as ScriptWarning
from engine.tsql.writing.written import WrittenScript as WrittenScript
from engine.tsql.writing.written import WrittenStatement as WrittenStatement

Catalogs = Mapping[InstanceName, InstanceCatalog]

_CONNECTABLE: Final = re.compile(r'(?!(?:tcp|np|lpc|admin):)[^",]+', re.IGNORECASE)
"""What :CONNECT takes for the name of a server, all of it."""
_NO_DROP = "No statement removes an instance: instance {name} of the earlier state is left as it is."


def full_script(catalogs: Catalogs, options: ScriptOptions) -> Iterator[ScriptPart]:
    """Everything that is defined. Read into an empty estate it gives these catalogs, but for what is secret."""
    layout = Layout(options)
    yield from layout.header()
    for name in _instances(catalogs, options):
        wanted = in_order(catalogs[name])
        yield from _instance(layout, newborn(wanted), wanted, options, is_whole=True)


def delta_script(before: Catalogs, after: Catalogs, options: ScriptOptions) -> Iterator[ScriptPart]:
    """What leads from `before` to `after`; the other way round it is the rollback. No difference, no statement."""
    layout = Layout(options)
    yield from layout.header()
    for name in _instances({**before, **after}, options):
        if name not in after:
            yield layout.remark(_NO_DROP.format(name=name))
            continue
        wanted = in_order(after[name])
        is_new = name not in before
        present = newborn(wanted) if is_new else in_order(before[name])
        yield from _instance(layout, present, wanted, options, is_whole=is_new)


def whole_script(parts: Iterable[ScriptPart]) -> WrittenScript:
    """A script in one piece."""
    texts: list[str] = []
    statements: list[WrittenStatement] = []
    warnings: list[ScriptWarning] = []
    for part in parts:
        texts.append(part.text)
        warnings += part.warnings
        if part.statement is not None:
            statements.append(part.statement)
    return WrittenScript("".join(texts), tuple(statements), tuple(warnings))


def _instances(catalogs: Catalogs, options: ScriptOptions) -> list[InstanceName]:
    wanted = options.instance
    return sorted((name for name in catalogs if wanted is None or same_name(name, wanted)), key=order_of)


def _instance(
    layout: Layout, present: InstanceCatalog, wanted: InstanceCatalog, options: ScriptOptions, *, is_whole: bool
) -> Iterator[ScriptPart]:
    """One instance; a whole one is connected to even when nothing is defined there, and says its own ids."""
    layout.begin(wanted.name)
    if is_whole and (options.database is None or _has(wanted, options.database)):
        yield from _connected(layout, present, wanted, options)
        if options.database is None:
            yield from _system_databases(layout, wanted)
    for change, state in steps_between(present, wanted):
        if not _is_asked_for(change, options.database):
            continue
        if not layout.is_connected:
            yield from _connected(layout, present, wanted, options)
        for written in statements_of(change, state, wanted):
            yield from layout.statement(written, is_whole=is_whole)
    yield from layout.end()


def _has(catalog: InstanceCatalog, database: DatabaseName) -> bool:
    return any(same_name(name, database) for name in catalog.databases)


def _is_asked_for(change: CatalogChange, database: DatabaseName | None) -> bool:
    if database is None:
        return True
    return not isinstance(change, HostNamesSet) and same_name(getattr(change, "database", ""), database)


def _connected(
    layout: Layout, present: InstanceCatalog, wanted: InstanceCatalog, options: ScriptOptions
) -> Iterator[ScriptPart]:
    """:CONNECT, and the comment with the names of the server where they differ."""
    name = wanted.name
    if _CONNECTABLE.fullmatch(name) is None:
        yield layout.remark(f"The name of instance {name} cannot stand in :CONNECT: write that of its server there.")
    text = f":CONNECT {name}" if not re.search(r"\s", name) else f':CONNECT "{name}"'
    hosts = wanted.host_names
    if options.database is None and hosts != present.host_names:
        known = present.host_names
        is_longer = hosts[: len(known)] == known
        listed = hosts[len(known) :] if is_longer else hosts
        text += f"\n-- {'host' if is_longer else 'host_names'}: {', '.join(listed)}"
    yield layout.connect(text, name)


def _system_databases(layout: Layout, wanted: InstanceCatalog) -> Iterator[ScriptPart]:
    """A server has them already; what is said of them is the broker id. `master` comes last: there it goes on."""
    for name in (MSDB, MASTER):
        if (database := wanted.databases.get(name)) is not None:
            yield layout.use(name, f" -- broker_instance: {database.broker_instance}")
