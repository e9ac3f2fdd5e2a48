"""Lists of objects, live straight from their table, and in a change set with what that makes of them laid over it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from django.db import connection
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import CombinedExpression
from django.utils import timezone

from brokerweb.topology.listing import Kind, fold_text
from brokerweb.topology.models import Estate, ListedObject
from brokerweb.topology.models.listing import NEVER
from brokerweb.topology.selectors.drafts import change_set_of
from brokerweb.topology.selectors.findings import estate_of
from brokerweb.topology.selectors.listing_draft import Laid, Overlay, no_overlay, overlay_of

COLUMNS = {
    "name": "sort_name",
    "place": "place",
    "service": "sort_service",
    "target": "sort_target",
    "state": "state",
    "on": "is_on",
    "expires": "expires_at",
    "level": "level",
}
"""The column of the table for each way to sort."""
EXCLUDED_MAX = 2_000
"""Rows that a statement can leave out by their ids; a draft that changes more is merged in memory."""

SORTED_MAX = 20_000
"""Rows that are found first and sorted for a page; more are so dense in an index that a page of them is soon found."""

READ_MAX = 12_000
"""Rows that are read to be counted, where to count them takes as long; the sort in memory takes milliseconds."""
SKIPPED_MAX = 10_000
"""Rows that are read in the order of an index to be skipped; before more of them an index says which are wanted."""


class ListAsked(msgspec.Struct, frozen=True, kw_only=True):
    """Which objects of a kind, and in which order; None does not matter."""

    kind: Kind
    text: str | None = None
    instance: str | None = None
    database: str | None = None
    service: str | None = None
    target: str | None = None
    state: str | None = None
    is_on: bool | None = None
    is_expired: bool | None = None
    changed: bool = False
    """Only what the change set changes."""
    sort: str = "name"
    is_descending: bool = False


class Found(msgspec.Struct, frozen=True):
    """A row of the answer."""

    row: ListedObject
    effect: str | None = None
    """What the change set does to it: add, change or remove."""


_Rank = tuple[Any, ...]
"""What a list sorts by, the name, and the id of a live row; sorted by name it is told once."""


class ObjectList:
    """The objects that were asked for, in order, to be read in slices.

    Raises `ObjectNotFound` for an estate or change set that there is not.
    """

    def __init__(self, estate_name: str, asked: ListAsked, change_set: int | None = None) -> None:
        self.estate: Estate = estate_of(estate_name)
        self.draft = None if change_set is None else change_set_of(self.estate, change_set)
        self.asked = asked
        self.now = timezone.now().timestamp()
        self.overlay: Overlay = no_overlay() if self.draft is None else overlay_of(self.draft, asked.kind)
        laid = [each for each in self.overlay.rows if self._fits(each.row)]
        self._laid = sorted(laid, key=lambda each: self._order(each.row), reverse=asked.is_descending)
        self._live = self._live_rows()
        self._live_total = self._live.total()

    @property
    def total(self) -> int:
        """How many there are."""
        return self._live_total + len(self._laid)

    def slice(self, begin: int, end: int) -> list[Found]:
        """Rows `begin` up to `end`."""
        laid, total = self._laid, self._live_total
        if not total:
            return [Found(each.row, each.effect) for each in laid[begin:end]]
        first = max(0, min(begin - len(laid), total - 1))
        live = self._live.read(first, min(end, total))
        before = 0
        if first > 0:
            # A row of the draft stands behind live ones of the same rank.
            before = sum(self._precedes(each, live[0]) for each in laid)
        merged = list(self._merged(live, laid[before:]))[begin - first - before : end - first - before]
        rows = ListedObject.objects.select_related("instance").in_bulk([pk for pk in merged if isinstance(pk, int)])
        found = (rows.get(each) if isinstance(each, int) else each for each in merged)
        return [Found(each.row, each.effect) if isinstance(each, Laid) else Found(each) for each in found if each]

    def all(self, chunk: int = 1_000) -> Iterator[Found]:
        """Every row, read in parts."""
        for begin in range(0, self.total, chunk):
            yield from self.slice(begin, begin + chunk)

    def _merged(self, live: Sequence[_Rank], laid: Sequence[Laid]) -> Iterator[Laid | int]:
        """Rows of the draft and the ids of live ones, in order."""
        position = 0
        for rank in live:
            while position < len(laid) and self._precedes(laid[position], rank):
                yield laid[position]
                position += 1
            yield rank[-1]
        yield from laid[position:]

    def _precedes(self, laid: Laid, rank: _Rank) -> bool:
        mine, its = self._order(laid.row)[:2], (rank[0], rank[-2])
        return mine > its if self.asked.is_descending else mine < its

    def _order(self, row: ListedObject) -> tuple[Any, ...]:
        return (getattr(row, COLUMNS[self.asked.sort]), row.sort_name, row.place, row.key)

    def _live_rows(self) -> _LiveRows | _ThinnedRows:
        rows = ListedObject.objects.filter(self._wanted())
        if self.asked.changed:
            rows = rows.none()
        covered = self.overlay.covered
        fields = list(dict.fromkeys((COLUMNS[self.asked.sort], "sort_name", "pk")))
        if len(covered) > EXCLUDED_MAX:
            return _ThinnedRows(rows, fields, covered, is_descending=self.asked.is_descending)
        kept = rows.exclude(pk__in=covered) if covered else rows
        same_order = ListAsked(kind=self.asked.kind, sort=self.asked.sort, is_descending=self.asked.is_descending)
        of_kind = ListedObject.objects.filter(estate=self.estate, kind=self.asked.kind.value)
        return _LiveRows(kept, fields, self.asked.is_descending, None if self.asked == same_order else of_kind)

    def _wanted(self) -> Q:
        asked = self.asked
        wanted = Q(kind=asked.kind.value)
        if asked.instance is None:
            wanted &= Q(estate=self.estate)
        else:
            wanted &= self._in_instance(asked.instance)
        if asked.database is not None:
            wanted &= Q(database_key=_key(asked.database))
        for text, column in ((asked.text, "search"), (asked.service, "sort_service"), (asked.target, "sort_target")):
            if text:
                wanted &= Q(**{f"{column}__contains": fold_text(text)}) if _can_be_found(text) else Q(pk__in=[])
        if asked.state is not None:
            wanted &= Q(state=asked.state)
        if asked.is_on is not None:
            wanted &= Q(is_on=asked.is_on)
        if asked.is_expired is not None:
            # Not as a range: few have expired, and an index of those that have not would be sorted again.
            wanted &= Q(expires_at__lte=self.now) if asked.is_expired else ~Q(expires_at__lte=self.now)
        return wanted

    def _in_instance(self, name: str) -> Q:
        """Rows of an instance: found by it and sorted, unless it has most of all, which an index has in order."""
        instance = self.estate.instances.filter(folded_name=_key(name)).first()
        own = Q(instance=instance) if instance is not None else Q(pk__in=[])
        rows = ListedObject.objects.filter(kind=self.asked.kind.value)
        share = rows.filter(own).count()
        if share > SORTED_MAX:
            own &= Q(estate=self.estate)
        return own

    def _fits(self, row: ListedObject) -> bool:
        """The same as `_wanted`, of a row of the draft."""
        asked = self.asked
        texts = ((asked.text, row.search), (asked.service, row.sort_service), (asked.target, row.sort_target))
        return (
            (asked.instance is None or _key(row.instance.name) == _key(asked.instance))
            and (asked.database is None or row.database_key == _key(asked.database))
            and all(not text or (_can_be_found(text) and fold_text(text) in held) for text, held in texts)
            and asked.state in (None, row.state)
            and asked.is_on in (None, row.is_on)
            and asked.is_expired in (None, row.expires_at <= self.now)
        )


def _key(name: str) -> str:
    return name.casefold()


def _can_be_found(text: str) -> bool:
    """Not an accent alone: folding leaves nothing of it, which is in every row, and a bulk edit would be one of all."""
    return bool(fold_text(text))


class _LiveRows:
    """Rows of a query in an order: many in that of an index, few found and sorted.

    `within` are those from which filters chose the rows; None when there are no filters.
    """

    def __init__(
        self,
        rows: QuerySet[ListedObject],
        fields: Sequence[str],
        is_descending: bool,
        within: QuerySet[ListedObject] | None,
    ) -> None:
        self._rows = rows
        self._all = within
        self._fields = fields
        self._forwards = [F(field).desc() if is_descending else F(field).asc() for field in fields]
        self._backwards = [F(field).asc() if is_descending else F(field).desc() for field in fields]
        self._is_descending = is_descending
        self._total: int | None = None
        self._found: list[_Rank] | None = None
        """All of them, in order, where they have been read to count them."""

    def total(self) -> int:
        if self._total is None:
            self._find()
            self._total = self._rows.count() if self._found is None else len(self._found)
        return self._total

    def _find(self) -> None:
        """Read all rows if they are few, instead of counting them first: PostgreSQL reads the table to find them."""
        if self._all is None or connection.vendor != "postgresql":
            return
        found = list(self._rows.values_list(*self._fields)[: READ_MAX + 1])
        if len(found) <= READ_MAX:
            self._found = sorted(found, reverse=self._is_descending)

    def read(self, begin: int, end: int) -> list[_Rank]:
        """Rows `begin` up to `end`. The second half of an order is read from its end: to skip rows takes time."""
        if self._found is not None:
            return self._found[begin:end]
        rows, first = self._ordered_how(begin, end)
        if begin * 2 > self.total():
            ranks = rows.order_by(*first, *self._backwards).values_list(*self._fields)
            return list(ranks[self.total() - end : self.total() - begin])[::-1]
        return list(rows.order_by(*first, *self._forwards).values_list(*self._fields)[begin:end])

    def _ordered_how(self, begin: int, end: int) -> tuple[QuerySet[ListedObject], tuple[CombinedExpression, ...]]:
        """The same rows, and what to sort by first, so that the database takes the better way to them.

        Few rows are found and then sorted. Otherwise all rows may be looked at in the order of an index that lacks
        what is filtered by, each from another page of the file.
        """
        rows = self._rows
        if connection.vendor == "postgresql":
            # A subquery would be made one with the query around it; what no index is sorted by cannot be.
            return rows, (F("pk") * 0,) if self._all is not None and self.total() <= SORTED_MAX else ()
        if self.total() <= SORTED_MAX:
            return ListedObject.objects.filter(pk__in=rows.values("pk")), ()
        if min(begin, self.total() - end) > SKIPPED_MAX and self._all is not None:
            # The sum is the key, but no key to look rows up by: they come in order out of an index, none of them read.
            return self._all.annotate(own_key=F("pk") + 0).filter(own_key__in=rows.values("pk")), ()
        return rows, ()


class _ThinnedRows:
    """Rows of a query less more of them than a statement can name."""

    def __init__(
        self, rows: QuerySet[ListedObject], fields: Sequence[str], covered: frozenset[int], *, is_descending: bool
    ) -> None:
        order = [F(field).desc() if is_descending else F(field).asc() for field in fields]
        ranks = rows.order_by(*order).values_list(*fields)
        self._ranks = [rank for rank in ranks.iterator() if rank[-1] not in covered]

    def total(self) -> int:
        return len(self._ranks)

    def read(self, begin: int, end: int) -> list[_Rank]:
        return self._ranks[begin:end]


def expiry_of(row: ListedObject) -> float | None:
    """When it ends, seconds since 1970, UTC; None is never."""
    return None if row.expires_at >= NEVER else row.expires_at


def object_counts(estate_name: str, change_set: int | None) -> dict[str, int]:
    """How many objects of each kind there are."""
    kinds = [kind for kind in Kind if kind is not Kind.MASTER_KEY]
    return {kind.value: ObjectList(estate_name, ListAsked(kind=kind), change_set).total for kind in kinds}
