"""What a diagnosis says, as plain values."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from engine.core.catalog.changes import CatalogChange
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.core.vocabulary.moment import UtcTime


class Severity(StrEnum):
    """As ssbdiagnose has them (diagnose.md 1)."""

    ERROR = "error"
    """Messages do not arrive, or their senders never hear of it."""
    WARNING = "warning"
    """Works, or may work, and is hardly wanted."""
    INFO = "info"
    """Worth knowing."""


RANK: Final[Mapping[Severity, int]] = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
"""What comes first in a list."""


class ObjectKind(StrEnum):
    """What a finding is about."""

    INSTANCE = "instance"
    ENDPOINT = "endpoint"
    DATABASE = "database"
    ROUTE = "route"
    SERVICE = "service"
    CONTRACT = "contract"
    MESSAGE_TYPE = "message type"
    QUEUE = "queue"
    EVENT_NOTIFICATION = "event notification"
    PRIORITY = "broker priority"
    BINDING = "remote service binding"
    CERTIFICATE = "certificate"


class Subject(msgspec.Struct, frozen=True, kw_only=True, order=True, gc=False):
    """An object of the estate. `database` is None for what belongs to the instance."""

    instance: InstanceName
    database: DatabaseName | None = None
    kind: ObjectKind
    name: str

    def __str__(self) -> str:
        if self.database is None or self.kind is ObjectKind.DATABASE:
            return f"{self.kind} {self.name}" + ("" if self.name == self.instance else f" of {self.instance}")
        return f"{self.kind} {self.name} of {self.instance}.{self.database}"


class InstanceFix(msgspec.Struct, frozen=True, kw_only=True):
    """What a fix changes in one instance, in order."""

    instance: InstanceName
    changes: tuple[CatalogChange, ...]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is wrong with the definitions of an estate, at one object."""

    code: str
    """SBD-101; stable."""
    number: int | None = None
    """The vendor's number for it, where one is known."""
    severity: Severity
    subject: Subject
    further: tuple[Subject, ...] = ()
    """Other objects that are concerned."""
    title: str
    """The rule, in a few words."""
    text: str
    """What is wrong, with the names in it."""
    why: str
    cure: str
    fix: tuple[InstanceFix, ...] = ()
    """Changes that remove the finding; empty where a person has to decide."""
    about: str = ""
    """Tells findings of one code at one object apart, as the names of the other side do."""

    @property
    def key(self) -> str:
        """Names the finding across revisions: the same fault at the same object has the same key."""
        subject = self.subject
        parts = (self.code, subject.instance, subject.database or "", subject.kind, subject.name, self.about)
        text = "\x1f".join(part.casefold() if at in (1, 2) else part for at, part in enumerate(parts))
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class Unchecked(msgspec.Struct, frozen=True, kw_only=True):
    """A check of diagnose.md that definitions alone cannot decide, and why."""

    code: str
    title: str
    reason: str


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was found, the gravest first, and what was and was not looked at."""

    findings: tuple[Finding, ...]
    checked: tuple[str, ...]
    """Codes of the checks that ran."""
    unchecked: tuple[Unchecked, ...]
    stands_until: UtcTime | None = None
    """The next instant at which time alone makes it another one; None when it never does."""

    def count(self, severity: Severity) -> int:
        """How many findings of a severity there are."""
        return sum(finding.severity is severity for finding in self.findings)
