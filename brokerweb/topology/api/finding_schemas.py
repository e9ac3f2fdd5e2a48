"""Shapes of findings, as they travel."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from brokerweb.common.api.shape import Shape
from brokerweb.common.languages import asked_language
from brokerweb.topology.api.change_set_schemas import DraftTag
from brokerweb.topology.selectors.findings import SeenFinding
from engine import api as engine

SeverityName = Literal["error", "warning", "info"]


class SubjectOut(Shape):
    """An object that a finding is about."""

    instance: str
    database: str | None
    kind: str
    """instance, endpoint, database, route, service, contract, message type, queue, event notification, broker priority,
    remote service binding or certificate."""
    name: str


class SuppressionOut(Shape):
    id: int
    reason: str
    author: str | None
    created_at: datetime
    expires_at: datetime | None
    """Null is until it is taken back."""


class FixOut(Shape):
    """What the proposed fix does in one instance."""

    instance: str
    steps: list[str]
    """In order, a sentence each."""


class FindingOut(Shape):
    key: str
    """Names the finding across revisions."""
    code: str
    number: int | None
    """The vendor's number, where one is known."""
    severity: SeverityName
    title: str
    subject: SubjectOut
    further: list[SubjectOut]
    text: str
    why: str
    cure: str
    fix: list[FixOut]
    """Empty where a person has to decide."""
    first_revision: int | None
    first_seen_at: datetime | None
    suppression: SuppressionOut | None


class FindingLine(Shape):
    """A finding in one line."""

    key: str
    code: str
    severity: SeverityName
    title: str
    subject: SubjectOut
    text: str
    cure: str


class CheckOut(Shape):
    code: str
    title: str


class UncheckedOut(CheckOut):
    reason: str


class FindingCountOut(Shape):
    subject: SubjectOut
    severity: SeverityName
    """Of the gravest."""
    count: int


class FindingsOut(Shape):
    """A page of findings, the gravest first. Counts are those of the whole estate, without what is suppressed."""

    revision: int
    change_set: DraftTag | None
    """The change set in which they were looked for; null is what is live."""
    errors: int
    warnings: int
    infos: int
    suppressed: int
    total: int
    """Findings that were asked for."""
    page: int
    pages: int
    findings: list[FindingOut]
    by_object: list[FindingCountOut] | None
    """Open findings of the whole estate, counted by what they are about; null unless asked for."""
    checked: list[CheckOut]
    """The checks that ran."""
    unchecked: list[UncheckedOut]
    """Checks that definitions alone cannot decide."""


def finding_picture(seen: SeenFinding) -> FindingOut:
    """A finding with what is remembered about it, in the asker's language."""
    finding = seen.finding
    said = engine.diagnosis.worded(finding, asked_language())
    return FindingOut(
        key=finding.key,
        code=finding.code,
        number=finding.number,
        severity=finding.severity.value,
        title=said.title,
        subject=subject_picture(finding.subject),
        further=[subject_picture(each) for each in finding.further],
        text=said.text,
        why=said.why,
        cure=said.cure,
        fix=[fix_picture(part) for part in finding.fix],
        first_revision=seen.first_revision,
        first_seen_at=seen.first_seen_at,
        suppression=None if seen.suppressed is None else SuppressionOut.from_orm(seen.suppressed),
    )


def finding_line(finding: engine.diagnosis.Finding) -> FindingLine:
    """A finding as lists that are not about it tell it, in the asker's language."""
    said = engine.diagnosis.worded(finding, asked_language())
    return FindingLine(
        key=finding.key,
        code=finding.code,
        severity=finding.severity.value,
        title=said.title,
        subject=subject_picture(finding.subject),
        text=said.text,
        cure=said.cure,
    )


def fix_picture(part: engine.diagnosis.InstanceFix) -> FixOut:
    """The changes of a fix in one instance, as sentences."""
    language = asked_language()
    return FixOut(instance=part.instance, steps=[engine.diagnosis.said(change, language) for change in part.changes])


def subject_picture(subject: engine.diagnosis.Subject) -> SubjectOut:
    """An object that a finding is about."""
    return SubjectOut(instance=subject.instance, database=subject.database, kind=subject.kind.value, name=subject.name)
