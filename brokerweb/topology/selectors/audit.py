"""The history of an estate and the log of its decisions, page by page and as files."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec
from django.db.models import Q, QuerySet

from brokerweb.common.errors import ObjectNotFound
from brokerweb.topology.models import Decision, Estate, TopologyRevision
from brokerweb.topology.object_changes import (
    InstanceObject,
    effect_of,
    instance_in_touched,
    name_in_touched,
    objects_from,
)
from engine import api as engine

OBJECTS_SHOWN_MAX = 200
"""Objects of one decision in a page; an import has many thousands. Files hold all of them."""
CHUNK = 50
"""Decisions read from the database at once for a file."""
COLUMNS = (
    *("sequence", "decided_at", "author", "origin", "client_address", "user_agent", "request_id"),
    *("change_set", "revision", "is_undone", "summary", "instance", "database", "kind", "name", "effect"),
    *("before", "after"),
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


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
        raise ObjectNotFound(f"There is no estate {name}.")
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
        "summary": row.summary,
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
        "items": [_decision(row, OBJECTS_SHOWN_MAX) for row in page[:limit]],
        "total": total,
        "next_before": page[limit - 1].sequence if len(page) > limit else None,
    }


def _asked_for(estate: Estate, asked: AuditAsked) -> QuerySet[Decision]:
    wanted = Q(estate=estate)
    if asked.author is not None:
        wanted &= Q(author__username=asked.author)
    if asked.origin is not None:
        wanted &= Q(origin=asked.origin)
    if asked.change_set is not None:
        wanted &= Q(change_set__number=asked.change_set)
    if asked.since is not None:
        wanted &= Q(decided_at__gte=asked.since)
    if asked.until is not None:
        wanted &= Q(decided_at__lt=asked.until)
    if asked.object is not None:
        wanted &= Q(touched__contains=name_in_touched(asked.object))
    if asked.instance is not None:
        wanted &= Q(touched__contains=instance_in_touched(asked.instance))
    rows = Decision.objects.filter(wanted).select_related("author", "change_set").defer("changes", "inverse", "touched")
    return rows.order_by("-sequence")


def _decision(row: Decision, objects_max: int | None) -> dict[str, Any]:
    return {
        "sequence": row.sequence,
        "decided_at": row.decided_at,
        "author": None if row.author is None else row.author.get_username(),
        "origin": row.origin,
        "client_address": row.client_address,
        "user_agent": row.user_agent,
        "request_id": row.request_id,
        "change_set": None if row.change_set is None else row.change_set.number,
        "revision": row.revision,
        "is_undone": row.is_undone,
        "summary": row.summary,
        "object_count": row.object_count,
        "objects": [_object(each) for each in objects_from(row.objects_changed, objects_max)],
    }


def _object(each: InstanceObject) -> dict[str, Any]:
    shown = each.shown
    assert shown is not None, "the log keeps no object that is nowhere"
    before, after = engine.revisions.described(each.before), engine.revisions.described(each.after)
    return {
        "instance": each.instance,
        "database": shown.database,
        "kind": shown.kind.value,
        "name": shown.name,
        "effect": effect_of(each.before, each.after),
        "fields": [
            {"name": name, "before": before.get(name), "after": after.get(name)}
            for name in dict.fromkeys((*after, *before))
            if before.get(name) != after.get(name)
        ],
    }


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


class _Line:
    """What the csv module writes its lines into."""

    def write(self, text: str) -> str:
        return text


def _csv(rows: QuerySet[Decision]) -> Iterator[str]:
    writer = csv.writer(_Line())
    # Spreadsheets take a file without this mark for one in their own code page.
    yield "\ufeff" + str(writer.writerow(COLUMNS))
    for row in rows.iterator(chunk_size=CHUNK):
        decision = _decision(row, None)
        for found in decision["objects"] or [{"fields": []}]:
            cells = {**decision, **found}
            for side in ("before", "after"):
                cells[side] = "; ".join(
                    f"{field['name']}={_text(field[side])}" for field in found["fields"] if field[side] is not None
                )
            yield str(writer.writerow([harmless(_text(cells.get(column))) for column in COLUMNS]))


def _text(value: Any) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case datetime():
            return value.isoformat()
        case _:
            return json.dumps(value, ensure_ascii=False)


def harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: names are given by strangers, and formulas are carried out."""
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA) else cell
