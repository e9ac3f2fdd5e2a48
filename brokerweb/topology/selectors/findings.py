"""The findings of an estate: what the engine says, since when, and what has been put aside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

import msgspec
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.common.errors import NotInThisMode
from brokerweb.topology.models import ChangeSet, Estate, FindingSighting, FindingSuppression
from brokerweb.topology.private_estates import is_private, no_such_estate, private_state
from brokerweb.topology.selectors.catalogs import live_state
from brokerweb.topology.selectors.drafts import draft_catalogs
from brokerweb.topology.selectors.history import catalogs_at
from brokerweb.topology.selectors.live_catalogs import live_catalogs
from engine import api as engine

_KEPT = 8
"""Diagnoses that a process remembers."""
_known: dict[tuple[object, ...], engine.diagnosis.Diagnosis] = {}
"""By estate, revision, draft and when each was written; it stands until time makes it another one."""


class Suppressed(msgspec.Struct, frozen=True, kw_only=True):
    """Who has put a finding aside, why, and until when."""

    id: int
    reason: str
    author: str | None
    created_at: datetime
    expires_at: datetime | None


class SeenFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding with what is remembered about it."""

    finding: engine.diagnosis.Finding
    first_revision: int | None
    """None when it was never seen before, as in a draft."""
    first_seen_at: datetime | None
    suppressed: Suppressed | None


class EstateFindings(msgspec.Struct, frozen=True, kw_only=True):
    """A diagnosis of an estate, the gravest findings first."""

    revision: int
    findings: tuple[SeenFinding, ...]
    diagnosis: engine.diagnosis.Diagnosis


class FindingCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many open findings are about an object, and the gravest of their severities."""

    subject: engine.diagnosis.Subject
    severity: engine.diagnosis.Severity
    count: int


def counts_by_object(findings: Iterable[SeenFinding]) -> list[FindingCount]:
    """The open findings counted by what they are about, without those that are suppressed."""
    severities: dict[engine.diagnosis.Subject, list[engine.diagnosis.Severity]] = {}
    for each in findings:
        if each.suppressed is None:
            severities.setdefault(each.finding.subject, []).append(each.finding.severity)
    return [
        FindingCount(subject=subject, severity=min(held, key=engine.diagnosis.RANK.__getitem__), count=len(held))
        for subject, held in severities.items()
    ]


def estate_of(name: str) -> Estate:
    """The estate; `ObjectNotFound` when there is none."""
    estate = Estate.objects.filter(name=name).first()
    if estate is None:
        raise no_such_estate(name)
    return estate


def estate_there(name: str) -> None:
    """`ObjectNotFound` when there is no estate of that name; who asks about a private one was admitted to it."""
    if not is_private(name):
        estate_of(name)


def private_findings(name: str) -> EstateFindings:
    """What is wrong in a private estate at this moment of its time; nothing of it is remembered.

    Raises `NotInThisMode` in an examination, and as `private_state`.
    """
    state = private_state(name)
    if not state.has_findings:
        raise NotInThisMode(_("Nobody tells what is wrong in an examination."))
    diagnosis = engine.diagnosis.diagnose(state.catalogs, state.utc)
    return EstateFindings(
        revision=state.revision,
        findings=tuple(
            SeenFinding(finding=finding, first_revision=None, first_seen_at=None, suppressed=None)
            for finding in diagnosis.findings
        ),
        diagnosis=diagnosis,
    )


def draft_findings(draft: ChangeSet, now: datetime) -> EstateFindings:
    """What is wrong with an estate as an open draft would have it."""
    return _with_memory(draft.estate, draft_diagnosis(draft, now), now)


def draft_diagnosis(draft: ChangeSet, now: datetime) -> engine.diagnosis.Diagnosis:
    """The engine's diagnosis of an estate with an open draft."""
    estate = draft.estate
    key = (live_state(estate), draft.pk, draft.sequence, draft.changed_at)
    return _diagnosed(key, lambda: draft_catalogs(draft), now)


def findings_of(estate: Estate, catalogs: Mapping[str, engine.InstanceCatalog], now: datetime) -> EstateFindings:
    """What is wrong with catalogs of an estate: those wanted now, of an earlier revision, or of a draft."""
    return _with_memory(estate, engine.diagnosis.diagnose(catalogs, engine.UtcTime(now.timestamp())), now)


def wanted_findings(estate: Estate, now: datetime | None = None) -> EstateFindings:
    """What is wrong with what is wanted; a diagnosis that still stands is not made again."""
    at = now or timezone.now()
    return _with_memory(estate, wanted_diagnosis(estate, at), at)


def wanted_diagnosis(estate: Estate, now: datetime) -> engine.diagnosis.Diagnosis:
    """The engine's diagnosis of what is wanted."""
    return _diagnosed(live_state(estate), lambda: live_catalogs(estate), now)


def revision_diagnosis(estate: Estate, revision: int, now: datetime) -> engine.diagnosis.Diagnosis:
    """The engine's diagnosis of an earlier revision, as it would have been at an instant."""
    key = (live_state(estate), revision, now)
    return _diagnosed(key, lambda: catalogs_at(estate, revision), now)


def _diagnosed(
    key: tuple[object, ...], read: Callable[[], Mapping[str, engine.InstanceCatalog]], now: datetime
) -> engine.diagnosis.Diagnosis:
    known = _known.get(key)
    if known is not None and (known.stands_until is None or now.timestamp() < known.stands_until):
        return known
    diagnosis = engine.diagnosis.diagnose(read(), engine.UtcTime(now.timestamp()))
    while len(_known) >= _KEPT:
        _known.pop(next(iter(_known)), None)
    _known[key] = diagnosis
    return diagnosis


def _with_memory(estate: Estate, diagnosis: engine.diagnosis.Diagnosis, now: datetime) -> EstateFindings:
    seen = {row.key: row for row in FindingSighting.objects.filter(estate=estate)}
    suppressed = {row.key: suppression_picture(row) for row in _standing(estate, now)}
    return EstateFindings(
        revision=estate.revision,
        findings=tuple(
            SeenFinding(
                finding=finding,
                first_revision=None if (row := seen.get(key)) is None else row.revision,
                first_seen_at=None if row is None else row.seen_at,
                suppressed=suppressed.get(key),
            )
            for finding, key in _keyed(diagnosis)
        ),
        diagnosis=diagnosis,
    )


def keys_put_aside(estate: Estate, now: datetime) -> set[str]:
    """The keys of findings that are suppressed at an instant."""
    return {row.key for row in _standing(estate, now)}


def _keyed(diagnosis: engine.diagnosis.Diagnosis) -> Iterable[tuple[engine.diagnosis.Finding, str]]:
    return ((finding, finding.key) for finding in diagnosis.findings)


def _standing(estate: Estate, now: datetime) -> list[FindingSuppression]:
    """Suppressions that count."""
    rows = FindingSuppression.objects.filter(estate=estate).select_related("author")
    return [row for row in rows if row.expires_at is None or now < row.expires_at]


def suppression_picture(row: FindingSuppression) -> Suppressed:
    """What a suppression says of itself."""
    return Suppressed(
        id=row.pk,
        reason=row.reason,
        author=None if row.author is None else row.author.get_username(),
        created_at=row.created_at,
        expires_at=row.expires_at,
    )
