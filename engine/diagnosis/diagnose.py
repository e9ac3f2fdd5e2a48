"""`diagnose`: the catalogs of an estate in, findings out. Asks no clock and changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.moment import UtcTime
from engine.diagnosis.finding import RANK, Diagnosis, Finding
from engine.diagnosis.registry import ALL_CODES, CHECKS
from engine.diagnosis.survey import Survey
from engine.diagnosis.words import unchecked


def diagnose(catalogs: Mapping[str, InstanceCatalog], now: UtcTime) -> Diagnosis:
    """What is wrong with an estate at an instant: the catalog of each instance, by name (diagnose.md 2)."""
    survey = Survey(catalogs, now)
    found = (finding for check in CHECKS for finding in check.find(survey))
    return Diagnosis(findings=in_order(found), checked=ALL_CODES, unchecked=unchecked())


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
