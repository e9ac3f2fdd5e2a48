"""Shapes of questions and answers; those of answers have the fields of the engine's `telling`, under their names."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from ninja import Field
from pydantic import BeforeValidator, StrictBool, StrictInt

from brokerweb.common.api.instants import Instant
from brokerweb.common.api.shape import Request, Shape
from brokerweb.topology.api.flow_schemas import Disposition, FlowChange, FlowQuestionOut
from brokerweb.whatif.selectors.answers import Answered
from brokerweb.whatif.selectors.basis import Basis, BasisAsked
from engine import api as engine

Caution = engine.what_if.Caution
Classification = engine.what_if.Classification
FaultKind = engine.what_if.FaultKind
LegKind = engine.what_if.LegKind
Light = engine.what_if.Light
LossReason = engine.what_if.LossReason
Origin = engine.what_if.Origin

FAULTS_MAX = 200
"""Faults that are supposed at once."""
NAME_MAX = 256
"""Characters of a name; the longest is that of a service."""


def _of_seconds(value: Any) -> Any:
    """The engine tells instants as UTC seconds."""
    return datetime.fromtimestamp(value, UTC) if isinstance(value, float | int) else value


ToldInstant = Annotated[datetime, BeforeValidator(_of_seconds, json_schema_input_type=datetime)]


# ── questions ────────────────────────────────────────────────────────────────────────────────────────────────────────
class FlowQuestionIn(Request):
    """Where would a message go that `service` of this database sends to `to_service`?"""

    instance: str = Field(max_length=NAME_MAX)
    database: str = Field(max_length=NAME_MAX)
    service: str = Field(max_length=NAME_MAX)
    to_service: str = Field(min_length=1, max_length=NAME_MAX)
    broker_instance: UUID | None = None
    """The broker id that BEGIN DIALOG names; null for a dialog begun without."""
    contract: str | None = Field(default=None, min_length=1, max_length=NAME_MAX)
    """ON CONTRACT; null for the one by which most arrives."""
    message_type: str | None = Field(default=None, min_length=1, max_length=NAME_MAX)
    """Of the first message; null for the first that its sender may send."""
    encryption: StrictBool | None = None
    """ENCRYPTION of BEGIN DIALOG; null is OFF, which sends in clear what no remote service binding secures."""

    def asked(self) -> engine.what_if.FlowQuestion:
        """As the engine takes it."""
        return engine.what_if.FlowQuestion(**{**self.dict(), "encryption": self.encryption is True})


class FaultIn(Request):
    """What is supposed to be down, cut, stopped, off or failed over."""

    kind: FaultKind
    instance: str = Field(max_length=NAME_MAX)
    other: str | None = Field(default=None, max_length=NAME_MAX)
    """The far end of a link."""
    database: str | None = Field(default=None, max_length=NAME_MAX)
    """Of the kinds `database`, `queue` and `partner`."""
    queue: str | None = Field(default=None, max_length=NAME_MAX)
    """Of the kind `queue`."""


class BasisIn(Request):
    """Which state of the estate is asked about; without change set and revision it is what is wanted now."""

    change_set: StrictInt | None = Field(default=None, ge=1, le=2**31 - 1)
    """What is live with this open change set on top."""
    revision: StrictInt | None = Field(default=None, ge=0, le=2**31 - 1)
    """What was live at this revision; not together with `change_set`."""
    at: Instant | None = None
    """At which instant; null is now."""
    faults: list[FaultIn] = Field([], max_length=FAULTS_MAX)

    def asked(self) -> BasisAsked:
        """As selectors take it."""
        faults = tuple(engine.what_if.Fault(**each.dict()) for each in self.faults)
        return BasisAsked(change_set=self.change_set, revision=self.revision, at=self.at, faults=faults)


class WhatIfIn(BasisIn):
    """One question about one state of the estate."""

    question: FlowQuestionIn


class ComparisonIn(Request):
    """One question about two states of the estate."""

    question: FlowQuestionIn
    before: BasisIn
    after: BasisIn


class ExamplesAsked(Request):
    """Of which state examples are taken; without any it is what is wanted now."""

    change_set: int | None = Field(default=None, ge=1, le=2**31 - 1)
    revision: int | None = Field(default=None, ge=0, le=2**31 - 1)


# ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────
class FaultOut(Shape):
    """What is supposed to be down, cut, stopped, off or failed over."""

    kind: FaultKind
    instance: str
    other: str | None
    database: str | None
    queue: str | None


class ToldNumber(Shape):
    """A number of the error catalogue, in the asker's language."""

    number: int
    text: str
    why: str
    cure: str


class ToldLoss(Shape):
    """Why a route was not it."""

    route: str
    reason: LossReason
    sentence: str
    parameter: str | int | float | None
    """What the reason speaks of: a name, an id, an instant in UTC seconds, the number of a step."""


class ToldHop(Shape):
    """One decision of one instance."""

    instance: str
    origin: Origin
    table: str
    """The database whose sys.routes was read."""
    classification: Classification
    match_step: int | None
    choose_step: int | None
    route: str | None
    """The one that decided; null where the rule needs none, or none fitted."""
    candidates: list[str]
    losses: list[ToldLoss]
    others: int
    """Further routes of the table, which name quite other services."""
    address: str | None
    """Where it goes on to; of a mirrored route the one that is dialled."""
    next_instance: str | None
    """Who listens there."""
    mirror_address: str | None
    """The other address of a mirrored route."""
    database: str | None
    """Where it is delivered."""
    number: ToldNumber | None
    caution: Caution | None
    share: float
    """Of the draw that led here; 1 where nothing was drawn."""
    proof: list[str]


class ToldWay(Shape):
    """One way of a leg, from its start to its one end."""

    share: float
    """Of all messages, 0 to 1."""
    disposition: Disposition
    light: Light
    hops: list[ToldHop]
    instance: str
    """The last place reached."""
    database: str | None
    number: ToldNumber | None
    further: str | None
    """The instance that it did not reach, where that is known."""


class ToldLeg(Shape):
    """One of the four."""

    kind: LegKind
    light: Light
    arrives: float
    """Share of what sets out on the leg that arrives, 0 to 1; 0 for a leg that is not reached."""
    ways: list[ToldWay]


class ToldAnswer(Shape):
    """The round trip of one question."""

    question: FlowQuestionOut
    contract: str
    """Under which the dialog is begun: the one that is asked for, or the one by which most arrives."""
    message_type: str
    at: ToldInstant
    faults: list[FaultOut]
    disposition: Disposition
    """How most messages end."""
    light: Light
    """Of the first leg, amber where it is green and a later one is not."""
    stays_unacknowledged: bool
    """The message arrives, and the sender does not hear of it: it stays in the transmission queue."""
    legs: list[ToldLeg]
    followed: float
    """Share of all draws that was followed; less than 1 where a cap was hit."""
    engine_version: str


class BasisOut(Shape):
    """What an answer is about."""

    revision: int
    """Of what is live below the change set, or the one that was asked about."""
    change_set: int | None
    sequence: int | None
    """How far the change set had come."""
    at: datetime
    is_now: bool
    """Whether no instant was named."""
    engine_version: str


class RouteLineOut(Shape):
    """A route as T-SQL."""

    instance: str
    database: str
    name: str
    text: str


class WhatIfOut(Shape):
    """An answer, and what belongs to it."""

    basis: BasisOut
    answer: ToldAnswer
    fingerprint: str
    """The same for answers that say the same, whenever and in whatever language they are given."""
    lines: list[RouteLineOut]
    """CREATE ROUTE of every route that stands in the answer."""
    near_misses: list[str]
    """Services that are called almost as the one that is asked for, when that one is nowhere."""


class ToldStep(Shape):
    """A hop as far as two answers are compared by it."""

    instance: str
    table: str
    route: str | None
    address: str | None
    database: str | None
    number: int | None


class ToldStepChange(Shape):
    """What stands in the one answer and not in the other; one of the two is null where nothing corresponds."""

    leg: LegKind
    before: ToldStep | None
    after: ToldStep | None


class ToldDifference(Shape):
    """What becomes of a flow, and which hops are other ones; the same hops are left out."""

    change: FlowChange
    before: Disposition
    after: Disposition
    steps: list[ToldStepChange]


class ComparisonOut(Shape):
    """One question, answered twice."""

    before: WhatIfOut | None
    """Null where nobody is there to ask, as for a service that only the other state has."""
    after: WhatIfOut | None
    difference: ToldDifference | None
    """Null unless both are there."""


class ExampleOut(Shape):
    """A question that is worth asking, and what comes of it."""

    question: FlowQuestionOut
    disposition: Disposition
    light: Light
    number: int | None
    """Why it ends so, for an end that has a number."""


def basis_picture(basis: Basis, engine_version: str) -> BasisOut:
    """What an answer is about."""
    draft = basis.change_set
    return BasisOut(
        revision=basis.revision,
        change_set=None if draft is None else draft.number,
        sequence=None if draft is None else draft.sequence,
        at=basis.at,
        is_now=basis.is_now,
        engine_version=engine_version,
    )


def answer_picture(answered: Answered) -> WhatIfOut:
    """An answer as it travels."""
    return WhatIfOut(
        basis=basis_picture(answered.basis, answered.answer.engine_version),
        answer=ToldAnswer.from_orm(answered.answer),
        fingerprint=answered.fingerprint,
        lines=[RouteLineOut.from_orm(each) for each in answered.lines],
        near_misses=list(answered.near_misses),
    )
