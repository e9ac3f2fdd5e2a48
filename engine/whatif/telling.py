"""An answer as it is told: JSON for pages, commands and assertions. Values only; `narrating` makes them.

Whoever shows an answer words it from `Disposition`, `Light` and the fields beside it, and numbers from the error
catalogue; proof lines come as sentences, worded where every decision's proof is worded.
"""

from __future__ import annotations

import msgspec

from engine.core.routing.decision import Caution, Classification, LossReason, Origin
from engine.core.vocabulary.errors import Parameter
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ContractName,
    DatabaseName,
    InstanceName,
    MessageTypeName,
    RouteName,
    ServiceName,
)
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.disposition import Disposition, FlowChange, LegKind, Light
from engine.whatif.faults import Fault


class FlowQuestion(msgspec.Struct, frozen=True, kw_only=True, order=True, gc=False):
    """Where would a message go that `service` of this database sends to `to_service`?"""

    instance: InstanceName
    database: DatabaseName
    service: ServiceName
    to_service: ServiceName
    broker_instance: BrokerInstanceId | None = None
    """The broker id that BEGIN DIALOG names; None for a dialog begun without."""
    contract: ContractName | None = None
    """ON CONTRACT; None for the one by which most arrives (`speech`)."""
    message_type: MessageTypeName | None = None
    """Of the first message; None for the first that its sender may send, of those by which most arrives."""
    encryption: bool = False
    """ENCRYPTION of BEGIN DIALOG; OFF sends in clear where no remote service binding says otherwise."""


class ToldNumber(msgspec.Struct, frozen=True):
    """A number of the error catalogue, filled in."""

    number: int
    text: str
    why: str = ""
    cure: str = ""
    parameters: dict[str, Parameter] = {}
    """What fills it, in English where it is words; `numbering` says it again in another language."""


class ToldLoss(msgspec.Struct, frozen=True):
    """Why a route was not it."""

    route: RouteName
    reason: LossReason
    sentence: str
    parameter: str | int | float | None = None
    """What the reason speaks of, for those who word it themselves; `LossReason` says what it is for each."""


class ToldHop(msgspec.Struct, frozen=True, kw_only=True):
    """One decision of one instance."""

    instance: InstanceName
    origin: Origin
    table: DatabaseName
    """Whose `sys.routes` was read."""
    classification: Classification
    match_step: int | None = None
    choose_step: int | None = None
    route: RouteName | None = None
    """The one that decided; None where the rule needs none, or none fitted."""
    candidates: tuple[RouteName, ...] = ()
    losses: tuple[ToldLoss, ...] = ()
    others: int = 0
    """Further routes of the table, which name quite other services."""
    address: str | None = None
    """Where it goes on to; of a mirrored route the one that is dialled."""
    next_instance: InstanceName | None = None
    """Who listens there."""
    mirror_address: str | None = None
    """The other address of a mirrored route."""
    database: DatabaseName | None = None
    """Where it is delivered."""
    number: ToldNumber | None = None
    caution: Caution | None = None
    share: float = 1.0
    """Of the draw that led here; 1 where nothing was drawn."""
    proof: tuple[str, ...] = ()
    security: tuple[str, ...] = ()
    """How the dialog is secured, or why it cannot be, a sentence a line; empty where the question does not ask."""


class ToldWay(msgspec.Struct, frozen=True, kw_only=True):
    """One way of a leg, from its start to its one end."""

    share: float
    """Of all messages, 0 to 1."""
    disposition: Disposition
    light: Light
    hops: tuple[ToldHop, ...]
    instance: InstanceName
    """The last place reached."""
    database: DatabaseName | None = None
    number: ToldNumber | None = None
    further: InstanceName | None = None
    """Whom it did not reach, where that is known."""


class ToldLeg(msgspec.Struct, frozen=True, kw_only=True):
    """One of the four."""

    kind: LegKind
    light: Light
    arrives: float
    """Share of what sets out on the leg that arrives, 0 to 1; 0 for a leg that is not reached."""
    ways: tuple[ToldWay, ...]


class ToldAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The round trip of one question."""

    question: FlowQuestion
    contract: ContractName
    """Under which the dialog is begun: the one that is asked for, or the one by which most arrives."""
    message_type: MessageTypeName
    at: UtcTime
    faults: tuple[Fault, ...]
    disposition: Disposition
    """How most messages end."""
    light: Light
    """Of the first leg, amber where it is green and a later one is not."""
    stays_unacknowledged: bool
    """The message arrives, and the sender does not hear of it: it stays in the transmission queue."""
    legs: tuple[ToldLeg, ...]
    followed: float
    """Share of all draws that was followed; less than 1 where a cap was hit."""
    engine_version: str


# ── before and after ─────────────────────────────────────────────────────────────────────────────────────────────────
class ToldStep(msgspec.Struct, frozen=True, kw_only=True):
    """A hop as far as two answers are compared by it."""

    instance: InstanceName
    table: DatabaseName
    route: RouteName | None = None
    address: str | None = None
    database: DatabaseName | None = None
    number: int | None = None


class ToldStepChange(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in the one answer and not in the other; one of the two is None where nothing corresponds."""

    leg: LegKind
    before: ToldStep | None
    after: ToldStep | None


class ToldDifference(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of a flow, and which hops are other ones; matched hop by hop, the same hops left out."""

    change: FlowChange
    before: Disposition
    after: Disposition
    steps: tuple[ToldStepChange, ...]
