"""A diagnosis as `manage.py diagnose` prints it: in columns, as JSON, or as XML in the shape of ssbdiagnose's output.

Names repeat what somebody defined, and may be anything: what is not printable is escaped in columns, and what XML does
not allow is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final
from xml.etree import ElementTree

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from engine import api as engine

TITLE: Final = "brokerweb diagnose"
_NOT_IN_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEADINGS: Final = ("LEVEL", "CODE", "NUMBER", "INSTANCE", "DATABASE", "TEXT")


def summary(findings: Sequence[engine.diagnosis.Finding], suppressed: int, language: str) -> str:
    """The last line."""
    severities = [finding.severity for finding in findings]
    errors = severities.count(engine.diagnosis.Severity.ERROR)
    warnings = severities.count(engine.diagnosis.Severity.WARNING)
    with override(language):
        said = [
            ngettext("%(count)s Error", "%(count)s Errors", errors) % {"count": errors},
            ngettext("%(count)s Warning", "%(count)s Warnings", warnings) % {"count": warnings},
        ]
        aside = _(" (%(count)s suppressed)") % {"count": suppressed} if suppressed else ""
    return ", ".join(said) + aside


def columns(findings: Sequence[engine.diagnosis.Finding], suppressed: int, language: str) -> Iterator[str]:
    """Code, server, database, and the text with the object in front of it; then how many there are."""
    rows = [_HEADINGS, *(_cells(finding, language) for finding in findings)] if findings else []
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    for row in rows:
        yield "  ".join((*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]))
    yield summary(findings, suppressed, language)


def _cells(finding: engine.diagnosis.Finding, language: str) -> tuple[str, ...]:
    subject = finding.subject
    number = "" if finding.number is None else str(finding.number)
    kind = engine.diagnosis.kind_text(subject.kind, language)
    text = f"{kind} {subject.name}: {engine.diagnosis.worded(finding, language).text}"
    cells = (finding.severity.upper(), finding.code, number, subject.instance, subject.database or "", text)
    return tuple(map(_printable, cells))


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in text
    )


def as_xml(findings: Sequence[engine.diagnosis.Finding], version: str, language: str) -> str:
    """The document (diagnose.md 1): an issue's object repeats database or instance where there is no smaller one."""
    root = ElementTree.Element("DiagnosticInformation")
    ElementTree.SubElement(root, "Banner", title=TITLE, product="brokerweb", version=version)
    for finding in findings:
        subject = finding.subject
        issue = ElementTree.SubElement(
            root,
            "Issue",
            type="Diagnosis",
            code=finding.code if finding.number is None else str(finding.number),
            server=_allowed(subject.instance),
            database=_allowed(subject.database or ""),
            object=_allowed(subject.name),
            level=finding.severity.upper(),
            check=finding.code,
        )
        issue.text = _allowed(engine.diagnosis.worded(finding, language).text)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")


def _allowed(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", text)


def as_json(findings: Sequence[engine.diagnosis.Finding], diagnosis: engine.diagnosis.Diagnosis, language: str) -> str:
    """One object: the findings, and what was and was not checked."""
    told: dict[str, Any] = {
        "findings": [_told(finding, language) for finding in findings],
        "checked": diagnosis.checked,
        "unchecked": engine.diagnosis.unchecked(language),
    }
    return msgspec.json.encode(told).decode()


def _told(finding: engine.diagnosis.Finding, language: str) -> dict[str, Any]:
    return {
        "code": finding.code,
        "number": finding.number,
        "severity": finding.severity,
        "subject": finding.subject,
        "further": finding.further,
        **msgspec.structs.asdict(engine.diagnosis.worded(finding, language)),
        "about": finding.about,
        "key": finding.key,
        "fix": _fix(finding, language),
    }


def _fix(finding: engine.diagnosis.Finding, language: str) -> list[dict[str, Any]]:
    return [
        {"instance": part.instance, "steps": [engine.diagnosis.said(change, language) for change in part.changes]}
        for part in finding.fix
    ]
