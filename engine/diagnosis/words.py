"""The words of the findings, from `findings.toml`, and nowhere else."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

import msgspec

from engine.diagnosis.finding import Finding, InstanceFix, Severity, Subject, Unchecked


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A check, or a variant of one. A variant takes from its check what it does not say itself."""

    severity: Severity | None = None
    number: int | None = None
    title: str = ""
    text: str = ""
    why: str = ""
    cure: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    checks: dict[str, Entry]
    unchecked: dict[str, dict[str, str]]


@cache
def _file() -> _File:
    source = resources.files("engine.diagnosis").joinpath("findings.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(source), _File)


def entries() -> dict[str, Entry]:
    """Every check by code, and every variant by `code/variant`."""
    return _file().checks


def unchecked() -> tuple[Unchecked, ...]:
    """What definitions alone cannot decide."""
    return tuple(Unchecked(code=code, **said) for code, said in sorted(_file().unchecked.items()))


def finding(
    entry: str,
    subject: Subject,
    *,
    further: tuple[Subject, ...] = (),
    fix: tuple[InstanceFix, ...] = (),
    about: str = "",
    **names: object,
) -> Finding:
    """A finding in the words of an entry; the braces of the words are `names`, and `subject` itself."""
    code = entry.partition("/")[0]
    check, said = entries()[code], entries()[entry]
    severity = said.severity or check.severity
    assert severity is not None, f"{code} has no severity"
    names["subject"] = subject
    return Finding(
        code=code,
        number=said.number or check.number,
        severity=severity,
        subject=subject,
        further=further,
        title=said.title or check.title,
        text=(said.text or check.text).format(**names),
        why=(said.why or check.why).format(**names),
        cure=(said.cure or check.cure).format(**names),
        fix=fix,
        about=about,
    )
