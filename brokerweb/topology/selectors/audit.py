"""The history of an estate and the log of its decisions, page by page and as files."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Any

import msgspec
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.common.spreadsheet import cell_text, csv_lines
from brokerweb.topology.deeds import deed_pictures
from brokerweb.topology.models import Decision, Estate, TopologyRevision
from brokerweb.topology.object_changes import InstanceObject, instance_in_touched, name_in_touched, objects_from
from brokerweb.topology.selectors.objects_before_after import object_picture
from brokerweb.topology.selectors.parts import pieces_of, touches
from brokerweb.topology.summaries import summary_of
from engine import api as engine

OBJECTS_SHOWN_MAX = 200
"""Objects of one decision in a page; an import has many thousands. Files hold all of them."""
CHUNK = 50
"""Decisions read from the database at once for a file."""
COLUMNS = (
    *("sequence", "decided_at", "author", "origin", "client_address", "user_agent", "request_id"),
    *("change_set", "revision", "is_undone", "summary", "digest", "instance", "database", "kind", "name", "effect"),
    *("before", "after"),
)


class AuditAsked(msgspec.Struct, frozen=True):
    """Which decisions are asked for; None is all."""

    author: str | None = None
    object: str | None = None
    instance: str | None = None
    origin: str | None = None
    change_set: int | None = None
    since: datetime | None = None
    until: datetime | None = None


def _estate(name: str) -> Estate:
    estate = Estate.objects.filter(name=name).first()
    if estate is None:
        raise ObjectNotFound(_("There is no estate {name}.").format(name=name))
    return estate


def revision_page(estate_name: str, *, before: int | None, limit: int) -> dict[str, Any]:
    """The revisions of an estate, newest first, without what they changed."""
    estate = _estate(estate_name)
    found = TopologyRevision.objects.filter(estate=estate)
    total = found.count()
    if before is not None:
        found = found.filter(number__lt=before)
    page = list(found.select_related("author").defer("changes").order_by("-number")[: limit + 1])
    decisions = {
        each["revision"]: each
        for each in Decision.objects.filter(estate=estate, revision__in=[row.number for row in page]).values(
            "revision", "origin", "change_set__number"
        )
    }
    return {
        "items": [_revision(row, decisions.get(row.number, {})) for row in page[:limit]],
        "total": total,
        "next_before": page[limit - 1].number if len(page) > limit else None,
    }


def _revision(row: TopologyRevision, decision: dict[str, Any]) -> dict[str, Any]:
    return {
        "number": row.number,
        "author": None if row.author is None else row.author.get_username(),
        "created_at": row.created_at,
        "summary": summary_of(row),
        "origin": decision.get("origin", "unrecorded"),
        "change_set": decision.get("change_set__number"),
    }


def audit_page(estate_name: str, asked: AuditAsked, *, before: int | None, limit: int) -> dict[str, Any]:
    """Decisions of an estate, newest first, each with the first of its objects."""
    found = _asked_for(_estate(estate_name), asked)
    total = found.count()
    if before is not None:
        found = found.filter(sequence__lt=before)
    page = list(found[: limit + 1])
    return {
        "items": [{**_decision(row, OBJECTS_SHOWN_MAX), "summary": summary_of(row)} for row in page[:limit]],
        "total": total,
        "next_before": page[limit - 1].sequence if len(page) > limit else None,
    }


def _asked_for(estate: Estate, asked: AuditAsked) -> QuerySet[Decision]:
    wanted = Q(estate=estate)
    if asked.author is not None:
        wanted &= Q(author_name=asked.author)
    if asked.origin is not None:
        wanted &= Q(origin=asked.origin)
    if asked.change_set is not None:
        wanted &= Q(change_set__number=asked.change_set)
    if asked.since is not None:
        wanted &= Q(decided_at__gte=asked.since)
    if asked.until is not None:
        wanted &= Q(decided_at__lt=asked.until)
    if asked.object is not None:
        wanted &= touches(name_in_touched(asked.object))
    if asked.instance is not None:
        wanted &= touches(instance_in_touched(asked.instance))
    rows = Decision.objects.filter(wanted).select_related("change_set").defer("changes", "inverse", "touched")
    return rows.order_by("-sequence")


def _decision(row: Decision, objects_max: int | None) -> dict[str, Any]:
    """A row of the log with the sentence that its hash covers, which is English; pages put the asker's in its place."""
    return {
        "sequence": row.sequence,
        "decided_at": row.decided_at,
        "author": row.author_name or None,
        "origin": row.origin,
        "client_address": row.client_address,
        "user_agent": row.user_agent,
        "request_id": row.request_id,
        "change_set": None if row.change_set is None else row.change_set.number,
        "revision": row.revision,
        "is_undone": row.is_undone,
        "summary": row.summary,
        "digest": row.digest,
        "object_count": row.object_count,
        "objects": list(islice(_pictures(row, objects_max), objects_max)),
    }


def _pictures(row: Decision, objects_max: int | None) -> Iterator[dict[str, Any]]:
    yield from (object_picture(each) for each in _objects(row, objects_max))
    yield from deed_pictures(row)


def _objects(row: Decision, objects_max: int | None) -> Iterator[InstanceObject]:
    texts = pieces_of(row, "objects_changed")
    return islice((each for text in texts for each in objects_from(text, objects_max)), objects_max)


def audit_json(estate_name: str, asked: AuditAsked) -> Iterator[str]:
    """All decisions asked for, as a JSON list, newest first; made while it is sent."""
    rows = _asked_for(_estate(estate_name), asked)
    return _json(rows)


def _json(rows: QuerySet[Decision]) -> Iterator[str]:
    lead = "["
    for row in rows.iterator(chunk_size=CHUNK):
        yield lead + "\n" + engine.json_encoder.encode(_decision(row, None)).decode()
        lead = ","
    yield "[]\n" if lead == "[" else "\n]\n"


def audit_csv(estate_name: str, asked: AuditAsked) -> Iterator[str]:
    """All decisions asked for, a line for each object, newest first; made while it is sent."""
    rows = _asked_for(_estate(estate_name), asked)
    return _csv(rows)


def _csv(rows: QuerySet[Decision]) -> Iterator[str]:
    return csv_lines(COLUMNS, _cells(rows))


def _cells(rows: QuerySet[Decision]) -> Iterator[list[Any]]:
    for row in rows.iterator(chunk_size=CHUNK):
        decision = _decision(row, None)
        for found in decision["objects"] or [{"fields": []}]:
            cells = {**decision, **found}
            for side in ("before", "after"):
                cells[side] = "; ".join(
                    f"{field['name']}={cell_text(field[side])}" for field in found["fields"] if field[side] is not None
                )
            yield [cells.get(column) for column in COLUMNS]
