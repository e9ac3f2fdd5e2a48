"""What is written about findings: when they were first seen, and that somebody has put one aside."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import MalformedRequest, ObjectNotFound
from brokerweb.topology.models import FindingSighting, FindingSuppression
from brokerweb.topology.private_estates import is_private
from brokerweb.topology.selectors.findings import (
    EstateFindings,
    estate_of,
    private_findings,
    suppression_picture,
    wanted_diagnosis,
    wanted_findings,
)
from brokerweb.topology.selectors.findings import Suppressed as SuppressedFinding
from brokerweb.topology.services.decisions import decision_log
from brokerweb.topology.services.revision import estate_lock
from brokerweb.topology.summaries import finding_parameters, saying
from engine import api as engine

_BATCH = 1000
TERM_MAX: Final = timedelta(days=36_525)
"""Whoever wants longer means for ever, and near the year 9999 an instant has no name in some time zones."""


def findings_look(estate_name: str) -> EstateFindings:
    """The findings of what is wanted; those that were not there at the last look are remembered as new.

    Of a private estate nothing is remembered; raises as `private_findings`.
    """
    if is_private(estate_name):
        return private_findings(estate_name)
    estate = estate_of(estate_name)
    now = timezone.now()
    keys = {finding.key for finding in wanted_diagnosis(estate, now).findings}
    with transaction.atomic():
        known = set(FindingSighting.objects.filter(estate=estate).values_list("key", flat=True))
        gone = list(known - keys)
        for begin in range(0, len(gone), _BATCH):
            FindingSighting.objects.filter(estate=estate, key__in=gone[begin : begin + _BATCH]).delete()
        FindingSighting.objects.bulk_create(
            [
                FindingSighting(estate=estate, key=key, revision=estate.revision, seen_at=now)
                for key in sorted(keys - known)
            ],
            batch_size=_BATCH,
            # Somebody else may be looking at the same time.
            ignore_conflicts=True,
        )
    return wanted_findings(estate, now)


def finding_suppress(
    estate_name: str, key: str, *, reason: str, expires_at: datetime | None, user: User | None
) -> SuppressedFinding:
    """Put a finding aside, or change why and until when; the log says who. `expires_at` has a time zone.

    Raises `ObjectNotFound`, `MalformedRequest`.
    """
    estate = estate_of(estate_name)
    now = timezone.now()
    if not reason.strip():
        raise MalformedRequest(_("The reason is empty."), cure=_("Say why it may stay as it is."), pointer="/reason")
    if expires_at is not None and expires_at <= now:
        raise MalformedRequest(
            _("The suppression would have expired already."),
            cure=_("Give a later time, or none."),
            pointer="/expires_at",
        )
    if expires_at is not None and expires_at > now + TERM_MAX:
        raise MalformedRequest(
            _("The suppression would expire in more than a hundred years."),
            cure=_("Leave the time out: the finding is then suppressed until somebody takes that back."),
            pointer="/expires_at",
        )
    finding = next((each for each in wanted_diagnosis(estate, now).findings if each.key == key), None)
    if finding is None:
        raise ObjectNotFound(
            _("Estate {estate_name} has no such finding.").format(estate_name=estate_name),
            why=_("It was mended meanwhile, or it is about another estate."),
            cure=_("Read the findings again."),
        )
    about = {**finding_parameters(finding), "reason": reason.strip()}
    summary = saying("suppress-finding", **about)
    if expires_at is not None:
        until = expires_at.astimezone(UTC).isoformat(timespec="seconds")
        summary = saying("suppress-finding-until", **about, until=until)
    with transaction.atomic():
        decision_log(estate_lock(estate_name), user=user, summary=summary)
        row, _created = FindingSuppression.objects.update_or_create(
            estate=estate,
            key=key,
            defaults={
                "code": finding.code,
                "text": engine.diagnosis.worded(finding).text,
                "reason": reason.strip(),
                "author": user,
                "created_at": now,
                "expires_at": expires_at,
            },
        )
    return suppression_picture(row)


def finding_unsuppress(estate_name: str, suppression: int, *, user: User | None) -> None:
    """Take a suppression back; the log says who. `ObjectNotFound` when the estate has none of that number."""
    estate = estate_of(estate_name)
    findings = {each.key: each for each in wanted_diagnosis(estate, timezone.now()).findings}
    with transaction.atomic():
        estate = estate_lock(estate_name)
        row = FindingSuppression.objects.filter(estate=estate, pk=suppression).first()
        if row is None:
            raise ObjectNotFound(
                _("Estate {estate_name} has no suppression {suppression}.").format(
                    estate_name=estate_name, suppression=suppression
                )
            )
        found = findings.get(row.key)
        summary = saying("unsuppress-gone", finding=row.code)
        if found is not None:
            summary = saying("unsuppress-finding", **finding_parameters(found))
        decision_log(estate, user=user, summary=summary)
        row.delete()
