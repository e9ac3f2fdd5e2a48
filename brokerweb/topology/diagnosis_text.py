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

from engine import api as engine

TITLE: Final = "brokerweb diagnose"
_NOT_IN_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEADINGS: Final = ("LEVEL", "CODE", "NUMBER", "INSTANCE", "DATABASE", "TEXT")


def summary(findings: Sequence[engine.diagnosis.Finding], suppressed: int) -> str:
    """The last line."""
    severities = [finding.severity for finding in findings]
    errors = severities.count(engine.diagnosis.Severity.ERROR)
    warnings = severities.count(engine.diagnosis.Severity.WARNING)
    said = f"{errors} Error{'' if errors == 1 else 's'}, {warnings} Warning{'' if warnings == 1 else 's'}"
    return f"{said} ({suppressed} suppressed)" if suppressed else said


def columns(findings: Sequence[engine.diagnosis.Finding], suppressed: int) -> Iterator[str]:
    """Code, server, database, and the text with the object in front of it; then how many there are."""
    rows = [_HEADINGS, *map(_cells, findings)] if findings else []
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    for row in rows:
        yield "  ".join((*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]))
    yield summary(findings, suppressed)


def _cells(finding: engine.diagnosis.Finding) -> tuple[str, ...]:
    subject = finding.subject
    number = "" if finding.number is None else str(finding.number)
    text = f"{subject.kind} {subject.name}: {finding.text}"
    cells = (finding.severity.upper(), finding.code, number, subject.instance, subject.database or "", text)
    return tuple(map(_printable, cells))


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in text
    )


def as_xml(findings: Sequence[engine.diagnosis.Finding], version: str) -> str:
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
        issue.text = _allowed(finding.text)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")


def _allowed(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", text)


def as_json(findings: Sequence[engine.diagnosis.Finding], diagnosis: engine.diagnosis.Diagnosis) -> str:
    """One object: the findings, and what was and was not checked."""
    told: dict[str, Any] = {
        "findings": [
            {**msgspec.to_builtins(finding), "key": finding.key, "fix": _fix(finding)} for finding in findings
        ],
        "checked": diagnosis.checked,
        "unchecked": diagnosis.unchecked,
    }
    return msgspec.json.encode(told).decode()


def _fix(finding: engine.diagnosis.Finding) -> list[dict[str, Any]]:
    return [
        {"instance": part.instance, "steps": [engine.diagnosis.said(change) for change in part.changes]}
        for part in finding.fix
    ]
