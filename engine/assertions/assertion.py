"""An assertion: a question, what is supposed, and the answer that somebody counts on (product.md 1b, 9)."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, RouteName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.deciding import Deciding
from engine.whatif.disposition import Disposition, Light
from engine.whatif.faults import Fault
from engine.whatif.telling import FlowQuestion, ToldNumber


class Place(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A database."""

    instance: InstanceName
    database: DatabaseName

    def __str__(self) -> str:
        return f"{self.instance}/{self.database}"


class PathStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One decision of a way. Of an expectation only what is given is compared."""

    route: RouteName | None
    """None where the decision needed no route."""
    instance: InstanceName | None = None
    database: DatabaseName | None = None
    """Whose `sys.routes` was read."""


class Expectation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What must hold; what is None is no claim. Where the engine draws, it must hold for every way."""

    works: bool | None = None
    """The message arrives, and its sender can hear of it."""
    disposition: Disposition | None = None
    reaches: tuple[Place, ...] = ()
    """It arrives, by every way in one of these databases."""
    path: tuple[PathStep, ...] | None = None
    """Every decision on the way out."""
    number: int | None = None
    """Of the end of the way out."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is claimed."""
        return self == Expectation()


class Assertion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer that somebody counts on."""

    name: str
    question: FlowQuestion
    expected: Expectation
    faults: tuple[Fault, ...] = ()
    at: UtcTime | None = None
    """The clock; None is the instant at which it is run."""
    note: str = ""


class Aspect(StrEnum):
    """What an assertion may fail in."""

    ASKED = "asked"
    """The question cannot even be asked: something that it names is not there."""
    WORKS = "works"
    DISPOSITION = "disposition"
    REACHES = "reaches"
    PATH = "path"
    NUMBER = "number"


class End(msgspec.Struct, frozen=True, kw_only=True):
    """How one way of the message ends."""

    share: float
    """Of all messages, 0 to 1."""
    disposition: Disposition
    instance: InstanceName
    database: DatabaseName | None = None
    number: int | None = None
    further: InstanceName | None = None
    path: tuple[PathStep, ...] = ()


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What comes of the question now."""

    works: bool
    light: Light
    """Green where everything arrives and is heard of, amber where some does."""
    ends: tuple[End, ...]
    """The most likely first."""
    followed: float = 1.0
    """Share of all draws that was followed; what was not cannot be vouched for."""


class AssertionResult(msgspec.Struct, frozen=True, kw_only=True):
    """One assertion that was run."""

    assertion: Assertion
    passed: bool
    failed: tuple[Aspect, ...] = ()
    outcome: Outcome | None = None
    """None when the question could not be asked."""
    expected: str
    """In words."""
    actual: str
    """In words, all that was asserted of it."""
    why: str = ""
    """Of a failure: the sentence that says why it comes to this."""
    proof: tuple[str, ...] = ()
    """Of a failure: the decision at which the way ends, in sentences."""
    number: ToldNumber | None = None
    """Of a failure: the number that it ends with, worded."""
    deciding: Deciding | None = None
    """Of a failure: the decision that `proof` tells of."""
