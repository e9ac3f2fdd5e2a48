"""`diagnose`: the catalogs of an estate in, findings out. Asks no clock and changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.limits import CERTIFICATE_NOTICE_SECONDS
from engine.core.vocabulary.moment import UtcTime
from engine.diagnosis.finding import RANK, Diagnosis, Finding
from engine.diagnosis.registry import ALL_CODES, CHECKS
from engine.diagnosis.route_rows import SOON_SECONDS
from engine.diagnosis.survey import Survey
from engine.diagnosis.words import unchecked_codes

DAY_SECONDS: Final = 24 * 3600


def diagnose(catalogs: Mapping[str, InstanceCatalog], now: UtcTime) -> Diagnosis:
    """What is wrong with an estate at an instant: the catalog of each instance, by name (diagnose.md 2)."""
    survey = Survey(catalogs, now)
    found = (finding for check in CHECKS for finding in check.find(survey))
    return Diagnosis(
        findings=in_order(found), checked=ALL_CODES, unchecked=unchecked_codes(), stands_until=_stands_until(survey)
    )


def _stands_until(survey: Survey) -> UtcTime | None:
    """When the first route or certificate expires, begins, or has so little time left that a check says so."""
    instants: list[float] = []
    for _, database in survey.model.databases():
        for route in database.routes.values():
            if route.expires_at is not None:
                instants += (route.expires_at, route.expires_at - SOON_SECONDS)
        for certificate in database.certificates.values():
            left = certificate.expires_at - survey.now
            # While it expires soon, a finding says in how many days.
            next_day = (
                survey.now + left % DAY_SECONDS if 0 < left < CERTIFICATE_NOTICE_SECONDS else certificate.starts_at
            )
            instants += (next_day, certificate.expires_at, certificate.expires_at - CERTIFICATE_NOTICE_SECONDS)
    ahead = [instant for instant in instants if instant > survey.now]
    return UtcTime(min(ahead)) if ahead else None


def in_order(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """The gravest first, then by code and object; each once."""
    by_key: dict[str, Finding] = {}
    for finding in found:
        by_key.setdefault(finding.key, finding)
    return tuple(
        sorted(
            by_key.values(),
            key=lambda each: (
                RANK[each.severity],
                each.code,
                each.subject.instance,
                each.subject.database or "",
                each.subject.name,
                each.about,
            ),
        )
    )
