"""`ClassifierDecision`: what the router answers and, in the same value, why.

The live view shows it, an event carries it, a what-if hop contains it; nobody re-derives routing from rows.
Reasons are codes with parameters, not prose: the reader words them.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.core.catalog.route import Route
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, RouteName
from engine.core.vocabulary.messages import TcpAddress


class Origin(StrEnum):
    """How a message reached the router (routing.md 2)."""

    INSIDE = "inside"
    OUTSIDE = "outside"


class Classification(StrEnum):
    """Broker:Message Classify, with the two ends that are no path: HELD and DROPPED."""

    LOCAL = "local"
    REMOTE = "remote"
    DELAYED = "delayed"
    DROPPED = "dropped"
    """Came from outside and is discarded without acknowledgement; its sender keeps it."""


class LossReason(StrEnum):
    """The clause in which a route of the table failed."""

    SERVICE_DIFFERS = "service-differs"
    BROKER_INSTANCE_DIFFERS = "broker-instance-differs"
    EXPIRED = "expired"
    LATER_STEP = "later-step"
    """It would have matched, but an earlier match step had already found routes."""
    OTHER_BROKER_INSTANCE_PICKED = "other-broker-instance-picked"
    COUNTS_AS_ONE = "counts-as-one"
    """Equal to another candidate in id, service and address."""
    ADDRESS_KIND_LATER = "address-kind-later"
    """An earlier choose step found a route."""
    SERVICE_NOT_HERE = "service-not-here"
    """LOCAL, but this instance hosts no such service."""
    NOT_DRAWN = "not-drawn"
    """Another route of the same kind had its turn."""


class RouteLoss(msgspec.Struct, frozen=True):
    """A route that did not win, and the clause that failed."""

    route: RouteName
    reason: LossReason


class ClassifierDecision(msgspec.Struct, frozen=True, kw_only=True):
    """The decision and its explanation.

    `match_step` is 0 for the reply-from-target rule, 1-7 as in routing.md 3.1; `choose_step` 1-4 as in 3.2, None
    when nothing was chosen. `status` is the number a waiting sender shows, or the reason of a drop.
    """

    classification: Classification
    origin: Origin
    table: DatabaseName
    """Whose `sys.routes` was read."""
    match_step: int
    choose_step: int | None = None
    route: Route | None = None
    """The chosen route; None when none was, or when the rule needs none."""
    address: TcpAddress | None = None
    """Next hop of a REMOTE decision; the first of the two of a mirrored route."""
    broker_instance: BrokerInstanceId | None = None
    """The id that LOCATE used, if any."""
    database: DatabaseName | None = None
    """Where LOCATE found the service, for a LOCAL decision."""
    status: int | None = None
    candidates: tuple[RouteName, ...] = ()
    losses: tuple[RouteLoss, ...] = ()
    alternatives: tuple[RouteName, ...] = ()
    """Routes among which the choice was drawn, the chosen one included; empty when there was nothing to draw."""
    via: ClassifierDecision | None = None
    """The first decision, when its address was this very instance and msdb decided again (routing.md 9)."""
