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
from engine.tsql.writing.quoting import shielded, unshielded
from engine.tsql.writing.statements import statements_of
from engine.tsql.writing.written import ScriptOptions as ScriptOptions
from engine.tsql.writing.written import ScriptPart as ScriptPart
from engine.tsql.writing.written import ScriptPlace as ScriptPlace
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


def change_text(change: CatalogChange, catalog: InstanceCatalog) -> str:
    """The statements that say one change, without the place to run them in; `catalog` is where it happens."""
    return unshielded("\n".join(written.text for written in statements_of(change, catalog, catalog)))


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
    places = options.places
    return sorted(
        (
            name
            for name in catalogs
            if (wanted is None or same_name(name, wanted))
            and (not places or any(same_name(name, place.instance) for place in places))
        ),
        key=order_of,
    )


def _databases(name: InstanceName, options: ScriptOptions) -> tuple[DatabaseName, ...] | None:
    """The databases of an instance that are asked for; None is the instance as a whole."""
    chosen = [place.database for place in options.places if same_name(place.instance, name)]
    named = None if not chosen or None in chosen else tuple(each for each in chosen if each is not None)
    only = options.database
    if only is None:
        return named
    return (only,) if named is None or any(same_name(only, each) for each in named) else ()


def _instance(
    layout: Layout, present: InstanceCatalog, wanted: InstanceCatalog, options: ScriptOptions, *, is_whole: bool
) -> Iterator[ScriptPart]:
    """One instance; a whole one is connected to even when nothing is defined there, and says its own ids."""
    layout.begin(wanted.name)
    databases = _databases(wanted.name, options)
    if is_whole and (databases is None or _has(wanted, databases)):
        yield from _connected(layout, present, wanted, databases)
        if databases is None:
            yield from _system_databases(layout, wanted)
    for change, state in steps_between(present, wanted):
        if not _is_asked_for(change, databases):
            continue
        if not layout.is_connected:
            yield from _connected(layout, present, wanted, databases)
        for written in statements_of(change, state, wanted):
            yield from layout.statement(written, is_whole=is_whole)
    yield from layout.end()


def _has(catalog: InstanceCatalog, databases: tuple[DatabaseName, ...]) -> bool:
    return any(same_name(name, each) for name in catalog.databases for each in databases)


def _is_asked_for(change: CatalogChange, databases: tuple[DatabaseName, ...] | None) -> bool:
    if databases is None:
        return True
    place = getattr(change, "database", "")
    return not isinstance(change, HostNamesSet) and any(same_name(place, each) for each in databases)


def _connected(
    layout: Layout, present: InstanceCatalog, wanted: InstanceCatalog, databases: tuple[DatabaseName, ...] | None
) -> Iterator[ScriptPart]:
    """:CONNECT, and the comment with the names of the server where they differ."""
    name = wanted.name
    if _CONNECTABLE.fullmatch(name) is None:
        yield layout.remark(f"The name of instance {name} cannot stand in :CONNECT: write that of its server there.")
    text = f":CONNECT {name}" if not re.search(r"\s", name) else f':CONNECT "{name}"'
    hosts = wanted.host_names
    if databases is None and hosts != present.host_names:
        known = present.host_names
        is_longer = hosts[: len(known)] == known
        listed = hosts[len(known) :] if is_longer else hosts
        text += f"\n-- {'host' if is_longer else 'host_names'}: {', '.join(listed)}"
    yield from layout.connect(shielded(text), name)


def _system_databases(layout: Layout, wanted: InstanceCatalog) -> Iterator[ScriptPart]:
    """A server has them already; what is said of them is the broker id. `master` comes last: there it goes on."""
    for name in (MSDB, MASTER):
        if (database := wanted.databases.get(name)) is not None:
            yield from layout.use(name, f" -- broker_instance: {database.broker_instance}")
