"""What a diagnosis says, as plain values."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeAlias

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


class Phrase(msgspec.Struct, frozen=True):
    """Words that stand inside a sentence of a finding: an entry of `[phrases]`, and what it is filled with."""

    entry: str
    parameters: Mapping[str, Parameter] = {}


class NumberedReason(msgspec.Struct, frozen=True):
    """A text of the engine's error catalogue inside a sentence of a finding, with its number in front."""

    number: int
    parameters: Mapping[str, Parameter] = {}


Parameter: TypeAlias = "str | int | Phrase | NumberedReason | tuple[Parameter, ...]"
"""What a sentence is filled with. A text is a name and the same in every language; several are joined when worded."""


class InstanceFix(msgspec.Struct, frozen=True, kw_only=True):
    """What a fix changes in one instance, in order."""

    instance: InstanceName
    changes: tuple[CatalogChange, ...]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is wrong with the definitions of an estate, at one object; `words.worded` puts it into words."""

    entry: str
    """What is said: a check or a variant of one, by its name in `findings.toml`."""
    parameters: Mapping[str, Parameter] = {}
    """What the sentences of the entry are filled with."""
    number: int | None = None
    """The vendor's number for it, where one is known."""
    severity: Severity
    subject: Subject
    further: tuple[Subject, ...] = ()
    """Other objects that are concerned."""
    fix: tuple[InstanceFix, ...] = ()
    """Changes that remove the finding; empty where a person has to decide."""
    about: str = ""
    """Tells findings of one code at one object apart, as the names of the other side do."""

    @property
    def code(self) -> str:
        """The check: SBD-101; stable."""
        return self.entry.partition("/")[0]

    @property
    def key(self) -> str:
        """Names the finding across revisions: the same fault at the same object has the same key."""
        subject = self.subject
        parts = (self.code, subject.instance, subject.database or "", subject.kind, subject.name, self.about)
        text = "\x1f".join(part.casefold() if at in (1, 2) else part for at, part in enumerate(parts))
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was found, the gravest first, and what was and was not looked at."""

    findings: tuple[Finding, ...]
    checked: tuple[str, ...]
    """Codes of the checks that ran."""
    unchecked: tuple[str, ...]
    """Codes of those that definitions alone cannot decide."""
    stands_until: UtcTime | None = None
    """The next instant at which time alone makes it another one; None when it never does."""

    def count(self, severity: Severity) -> int:
        """How many findings of a severity there are."""
        return sum(finding.severity is severity for finding in self.findings)
