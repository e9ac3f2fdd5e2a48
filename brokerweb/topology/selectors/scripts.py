"""An estate as T-SQL: all of it, or what leads from one of its revisions to another.

The engine writes; this decides from which catalogs, and what the head of the script says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from django.utils.translation import gettext as _

from brokerweb.common.errors import MalformedRequest, ObjectNotFound
from brokerweb.topology.models import ChangeSetState, Estate, TopologyRevision
from brokerweb.topology.names import fold
from brokerweb.topology.selectors.catalogs import estate_catalogs
from brokerweb.topology.selectors.drafts import change_set_of, draft_catalogs
from brokerweb.topology.selectors.history import catalogs_at
from engine import api as engine


class ScriptRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Which script; None leaves nothing out. Without `from_revision` it is the whole state at `to_revision`."""

    estate: str
    instance: str | None = None
    database: str | None = None
    places: tuple[tuple[str, str | None], ...] = ()
    """Instances, or databases of them, that were chosen one by one; none is all."""
    from_revision: int | None = None
    to_revision: int | None = None
    """None is the newest revision."""
    change_set: int | None = None
    """What this change set does to what is live, or did when it was applied; without revisions."""
    is_rollback: bool = False
    """Back from `to_revision` to `from_revision`, or to what is live without the change set."""
    has_guards: bool = False
    has_header: bool = True
    """Estate and revisions, with author and instant, at the head."""


def script_parts(request: ScriptRequest) -> Iterator[engine.scripts.ScriptPart]:
    """The script part by part; everything that may be refused is refused before the first one is asked for.

    Raises `ObjectNotFound` for an estate, instance, database, revision or change set that there is not,
    `MalformedRequest` for a rollback that does not say where to, and for a change set that was discarded.
    """
    estate = Estate.objects.filter(name=request.estate).first()
    if estate is None:
        raise ObjectNotFound(_("There is no estate {estate}.").format(estate=request.estate))
    if request.change_set is not None:
        return _change_set_parts(estate, request, request.change_set)
    to_revision = estate.revision if request.to_revision is None else request.to_revision
    after = catalogs_at(estate, to_revision)
    if request.from_revision is None:
        if request.is_rollback:
            raise MalformedRequest(
                _("A rollback leads back to an earlier revision, and none is named."),
                cure=_("Say from which revision the changes began."),
                pointer="/from",
            )
        options = _options(request, [after], _told(estate, to_revision))
        return engine.scripts.full_script(after, options)
    before = catalogs_at(estate, request.from_revision)
    if request.is_rollback:
        before, after = after, before
        title = [f"Rollback of revisions {request.from_revision + 1} to {to_revision}:"]
    else:
        title = [f"Changes from revision {request.from_revision} to {to_revision}:"]
    title += [_revision_told(estate, request.from_revision), _revision_told(estate, to_revision)]
    options = _options(request, [before, after], (f"Estate {estate.name}", *title))
    return engine.scripts.delta_script(before, after, options)


def _change_set_parts(estate: Estate, request: ScriptRequest, number: int) -> Iterator[engine.scripts.ScriptPart]:
    if request.from_revision is not None or request.to_revision is not None:
        raise MalformedRequest(
            _("A change set and a revision are asked for at once."),
            why=_("The script of a change set leads from what is live to what it makes of it."),
            cure=_("Leave `from` and `to` out, or `change_set`."),
            pointer="/change_set",
        )
    change_set = change_set_of(estate, number)
    if change_set.state == ChangeSetState.DISCARDED:
        raise MalformedRequest(
            _("Change set #{number} was discarded and does nothing.").format(number=number),
            cure=_("Its actions stand in the audit."),
            pointer="/change_set",
        )
    if change_set.applied_revision is not None:
        before = catalogs_at(estate, change_set.applied_revision - 1)
        after = catalogs_at(estate, change_set.applied_revision)
        base = change_set.applied_revision - 1
    else:
        before, after, base = estate_catalogs(estate), draft_catalogs(change_set), estate.revision
    title = f"{change_set.name[0].upper()}{change_set.name[1:]} on revision {base}:"
    if request.is_rollback:
        before, after = after, before
        title = f"Rollback of {change_set.name}:"
    options = _options(request, [before, after], (f"Estate {estate.name}", title, _revision_told(estate, base)))
    return engine.scripts.delta_script(before, after, options)


def script_name(request: ScriptRequest) -> str:
    """What a file with the script is called."""
    places = [each for each in (request.estate, request.instance, request.database) if each is not None]
    if len(request.places) == 1:
        places += [each for each in request.places[0] if each is not None]
    elif request.places:
        places.append(f"{len(request.places)}-places")
    if request.change_set is not None:
        places.append(f"change-set-{request.change_set}")
    if request.from_revision is not None or request.change_set is not None:
        places.append("rollback" if request.is_rollback else "changes")
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in "-".join(places)) + ".sql"


def _options(
    request: ScriptRequest, catalogs: list[dict[str, engine.InstanceCatalog]], header: tuple[str, ...]
) -> engine.scripts.ScriptOptions:
    instance, database = request.instance, request.database
    known = {name: catalog for each in catalogs for name, catalog in each.items()}
    if instance is not None:
        known = {name: catalog for name, catalog in known.items() if fold(name) == fold(instance)}
        if not known:
            raise ObjectNotFound(
                _("Estate {estate} has no instance {instance}.").format(estate=request.estate, instance=instance)
            )
    if database is not None and not any(_has(each, instance, database) for each in catalogs):
        where = f"Instance {instance}" if instance is not None else f"Estate {request.estate}"
        raise ObjectNotFound(_("{where} has no database {database}.").format(where=where, database=database))
    for place, within in request.places:
        if not any(fold(name) == fold(place) for name in known):
            raise ObjectNotFound(
                _("Estate {estate} has no instance {instance}.").format(estate=request.estate, instance=place)
            )
        if within is not None and not any(_has(each, place, within) for each in catalogs):
            raise ObjectNotFound(
                _("{where} has no database {database}.").format(where=f"Instance {place}", database=within)
            )
    return engine.scripts.ScriptOptions(
        header=header if request.has_header else (),
        has_guards=request.has_guards,
        instance=None if instance is None else engine.InstanceName(instance),
        database=None if database is None else engine.DatabaseName(database),
        places=tuple(
            engine.scripts.ScriptPlace(
                engine.InstanceName(place), None if within is None else engine.DatabaseName(within)
            )
            for place, within in request.places
        ),
    )


def _has(catalogs: Mapping[str, engine.InstanceCatalog], instance: str | None, database: str) -> bool:
    return any(
        fold(name) == fold(database)
        for key, catalog in catalogs.items()
        if instance is None or fold(key) == fold(instance)
        for name in catalog.databases
    )


def _told(estate: Estate, revision: int) -> tuple[str, ...]:
    return f"Estate {estate.name}", _revision_told(estate, revision)


def _revision_told(estate: Estate, number: int) -> str:
    """A revision in one line: when, by whom, what for. Nothing of it depends on the present."""
    row = TopologyRevision.objects.select_related("author").filter(estate=estate, number=number).first()
    if row is None:
        return f"Revision {number}"
    author = "" if row.author is None else f" by {row.author.get_username()}"
    summary = " ".join(row.summary.split())
    return f"Revision {number} of {row.created_at:%Y-%m-%d %H:%M:%S} UTC{author}: {summary}"
