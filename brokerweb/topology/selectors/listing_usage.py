"""Who uses an object: what names it in its database or on its instance, and for a service, in the whole estate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from django.db.models import Count

from brokerweb.topology.listing import Kind, object_of
from brokerweb.topology.models import ChangeSet, Estate, ListedObject
from brokerweb.topology.selectors.listing_draft import overlay_of
from engine import api as engine

USERS: dict[Kind, tuple[Kind, ...]] = {
    Kind.QUEUE: (Kind.SERVICE, Kind.EVENT_NOTIFICATION),
    Kind.CONTRACT: (Kind.SERVICE, Kind.PRIORITY),
    Kind.MESSAGE_TYPE: (Kind.CONTRACT,),
    Kind.USER: (Kind.SERVICE, Kind.CERTIFICATE, Kind.REMOTE_SERVICE_BINDING),
    Kind.LOGIN: (Kind.USER, Kind.ENDPOINT),
    Kind.SERVICE: (Kind.ROUTE, Kind.PRIORITY, Kind.REMOTE_SERVICE_BINDING, Kind.EVENT_NOTIFICATION),
}
"""Kinds whose objects name objects of a kind."""
Target = tuple[str, str, Kind, str]
"""Instance, database, kind and name, folded as keys are. A service is named wherever it is."""


def targets_of(row: ListedObject) -> Iterator[Target]:
    """What an object names."""
    found = object_of(row)
    value, home = found.value, (row.instance.name, row.database_key)
    if row.service_name:
        yield ("", "", Kind.SERVICE, row.service_name)
    match value:
        case engine.Service():
            yield (*home, Kind.QUEUE, value.queue.casefold())
            yield (*home, Kind.USER, value.owner.casefold())
            yield from ((*home, Kind.CONTRACT, name) for name in value.contracts)
        case engine.Contract():
            yield from ((*home, Kind.MESSAGE_TYPE, use.message_type) for use in value.uses)
        case engine.EventNotification():
            yield (*home, Kind.QUEUE, value.queue.casefold())
        case engine.BrokerPriority() if value.contract is not None:
            yield (*home, Kind.CONTRACT, value.contract)
        case engine.Certificate():
            yield (*home, Kind.USER, value.owner.casefold())
        case engine.RemoteServiceBinding():
            yield (*home, Kind.USER, value.user.casefold())
        case engine.User() if value.login is not None:
            yield (home[0], "", Kind.LOGIN, value.login.casefold())
        case _ if found.kind is Kind.ENDPOINT:
            permissions = getattr(value, "connect_permissions", ())
            yield from ((home[0], "", Kind.LOGIN, each.grantee.casefold()) for each in permissions)


def target_of(row: ListedObject) -> Target:
    """How others name an object."""
    kind = Kind(row.kind)
    return ("", "", kind, row.name) if kind is Kind.SERVICE else (row.instance.name, row.database_key, kind, row.key)


def usage_counts(
    estate: Estate, draft: ChangeSet | None, kind: Kind, rows: Sequence[ListedObject]
) -> dict[Target, int] | None:
    """How many objects use each of some objects of a kind; None for a kind that is not used by name."""
    if kind not in USERS:
        return None
    counted: Counter[Target] = Counter()
    if kind is Kind.SERVICE:
        counted.update(_namings(estate, rows))
        for laid, live in _drafted(draft, kind):
            counted.subtract(targets_of(live) if live is not None else ())
            counted.update(targets_of(laid) if laid is not None else ())
    else:
        counted.update(target for row in _users(estate, draft, kind, rows) for target in targets_of(row))
    return {target: counted[target] for target in map(target_of, rows)}


def users_of(estate: Estate, draft: ChangeSet | None, row: ListedObject, limit: int) -> list[ListedObject]:
    """The first objects that use an object, in the order of kind, place and name."""
    kind = Kind(row.kind)
    if kind not in USERS:
        return []
    wanted = target_of(row)
    found = []
    for each in _users(estate, draft, kind, [row], limit * 4):
        if wanted in targets_of(each):
            found.append(each)
            if len(found) >= limit:
                break
    return sorted(found, key=lambda each: (each.kind, each.place, each.sort_name))


def _namings(estate: Estate, rows: Iterable[ListedObject]) -> dict[Target, int]:
    """How often services are named live."""
    names = sorted({row.name for row in rows})
    found = ListedObject.objects.filter(estate=estate, service_name__in=names, kind__in=_values(USERS[Kind.SERVICE]))
    counts = found.values_list("service_name").annotate(count=Count("id")).order_by()
    return {("", "", Kind.SERVICE, name): count for name, count in counts}


def _users(
    estate: Estate, draft: ChangeSet | None, kind: Kind, rows: Sequence[ListedObject], limit: int | None = None
) -> Iterator[ListedObject]:
    """Objects that may name some objects of a kind, with what the draft makes of them."""
    found = ListedObject.objects.filter(estate=estate, kind__in=_values(USERS[kind])).select_related("instance")
    if kind is Kind.SERVICE:
        found = found.filter(service_name__in=sorted({row.name for row in rows}))
    else:
        found = found.filter(instance__in={row.instance_id for row in rows if row.instance_id is not None})
        if kind is not Kind.LOGIN:
            found = found.filter(database_key__in={row.database_key for row in rows})
    found = found.order_by("kind", "place", "sort_name", "pk")
    covered: frozenset[int] = frozenset()
    for user_kind in USERS[kind] if draft is not None else ():
        assert draft is not None
        overlay = overlay_of(draft, user_kind)
        covered |= overlay.covered
        yield from (each.row for each in overlay.rows if each.effect != "remove")
    yield from (row for row in (found if limit is None else found[:limit]) if row.pk not in covered)


def _drafted(draft: ChangeSet | None, kind: Kind) -> Iterator[tuple[ListedObject | None, ListedObject | None]]:
    """Rows of the draft that may name objects of a kind, each with the live row that it stands for."""
    if draft is None:
        return
    for user_kind in USERS[kind]:
        overlay = overlay_of(draft, user_kind)
        yield from ((None if each.effect == "remove" else each.row, None) for each in overlay.rows)
        ids = sorted(overlay.covered)
        for first in range(0, len(ids), 400):
            for live in ListedObject.objects.select_related("instance").filter(pk__in=ids[first : first + 400]):
                yield None, live


def _values(kinds: Iterable[Kind]) -> list[str]:
    return [kind.value for kind in kinds]
