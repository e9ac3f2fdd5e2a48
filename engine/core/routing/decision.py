"""`ClassifierDecision`: what the router answers and, in the same value, why.

The live view shows it, an event carries it, a what-if hop contains it; nobody re-derives routing from rows.
Reasons are codes with parameters, not prose: the reader words them.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.core.catalog.route import Route
from engine.core.routing.dialog_security import SecurityDecision
from engine.core.vocabulary.enumerations import plain_members
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, RouteName
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.moment import UtcTime


@plain_members
class Origin(StrEnum):
    """How a message reached the router (routing.md 2)."""

    INSIDE = "inside"
    OUTSIDE = "outside"


@plain_members
class Classification(StrEnum):
    """Broker:Message Classify, and the end that is no path."""

    LOCAL = "local"
    REMOTE = "remote"
    DELAYED = "delayed"
    DROPPED = "dropped"
    """Came from outside and is discarded without acknowledgement; its sender keeps it."""


class LossReason(StrEnum):
    """The clause in which a route of the table failed; the parameter of each is what it was compared with."""

    SERVICE_DIFFERS = "service-differs"
    """Parameter: the route's service."""
    SERVICE_DIFFERS_IN_CASE = "service-differs-in-case"
    """Another service whose name differs only in letter case or outer blanks; parameter: the route's service."""
    BROKER_INSTANCE_DIFFERS = "broker-instance-differs"
    """Parameter: the route's id."""
    EXPIRED = "expired"
    """Parameter: the instant, UTC seconds."""
    LATER_STEP = "later-step"
    """It would have matched, but an earlier match step had already ended the search; parameter: its own step."""
    OTHER_BROKER_INSTANCE_PICKED = "other-broker-instance-picked"
    """Parameter: the id that was picked."""
    COUNTS_AS_ONE = "counts-as-one"
    """Equal to another candidate in id, service and address; parameter: that route."""
    ADDRESS_KIND_LATER = "address-kind-later"
    """An earlier choose step found a route; parameter: its own step."""
    SERVICE_NOT_HERE = "service-not-here"
    """LOCAL, but no available database of this instance has the service."""
    NOT_DRAWN = "not-drawn"
    """Another route of the same kind had its turn; parameter: that route."""


class RouteLoss(msgspec.Struct, frozen=True):
    """A route that did not win, and the clause that failed."""

    route: RouteName
    reason: LossReason
    parameter: str | int | float | None = None


class Alternative(msgspec.Struct, frozen=True, kw_only=True):
    """One of the ends a conversation may come to where the engine draws. The weights of all together are 1."""

    weight: float
    classification: Classification
    route: RouteName | None = None
    broker_instance: BrokerInstanceId | None = None
    """The id that was picked or that the route names."""
    address: TcpAddress | None = None
    database: DatabaseName | None = None
    status: int | None = None


class Caution(StrEnum):
    """What is literal and legal, and hardly wanted."""

    HARDENING_BYPASSED = "hardening-bypassed"
    """No route of msdb leads to the service; it is reached because the message names an id (routing.md E41)."""
    LEADS_TO_ITSELF = "leads-to-itself"
    """Would be forwarded to this very instance until its hops are used up (routing.md E26)."""


class ClassifierDecision(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The decision and its explanation.

    `match_step` and `choose_step` are numbers of `precedence`; no choose step when nothing was chosen. `status` is the
    number a waiting sender shows, or the reason of a drop. Without explanation the last five fields stay empty.
    """

    classification: Classification
    origin: Origin
    table: DatabaseName
    """Whose `sys.routes` was read."""
    match_step: int | None
    """None where MATCH never began: the database lets nothing out, or `msdb` routes nothing (routing.md 2)."""
    choose_step: int | None = None
    route: Route | None = None
    """The chosen route; None when none was, or when the rule needs none."""
    address: TcpAddress | None = None
    """Next hop over the network; the first of the two of a mirrored route. None where nothing leaves for the network.

    Every REMOTE decision has one. Beside a `database` it is this very instance: a loop-back (routing.md 9).
    """
    broker_instance: BrokerInstanceId | None = None
    """The id that LOCATE used, if any."""
    database: DatabaseName | None = None
    """Where LOCATE found the service, for a LOCAL decision."""
    status: int | None = None
    caution: Caution | None = None
    via: ClassifierDecision | None = None
    """The first decision, when its address was this very instance and msdb decided again (routing.md 9)."""
    candidates: tuple[RouteName, ...] = ()
    losses: tuple[RouteLoss, ...] = ()
    """Every other route of the table but the `others`: first those that were candidates, then those of the service."""
    others: int = 0
    """How many further routes the table has; of more than 64, those that name quite another service are not listed."""
    alternatives: tuple[Alternative, ...] = ()
    """Empty when there was nothing to draw. Weights add up to less than 1 when the explanation is bounded."""
    security: SecurityDecision | None = None
    """How the dialog is secured; None where nobody asked: inside an instance, and for what arrives."""

    def reached_by(self, first: ClassifierDecision, address: TcpAddress) -> ClassifierDecision:
        """This decision of msdb, for what `first` sends to `address`, which is this very instance (routing.md 9).

        Nothing that starts here is dropped. What ends in a database of this instance goes there over `address`.
        """
        is_dropped = self.classification is Classification.DROPPED
        return msgspec.structs.replace(
            self,
            classification=Classification.DELAYED if is_dropped else self.classification,
            address=self.address if self.database is None else address,
            via=first,
        )

    @property
    def expires_at(self) -> UtcTime | None:
        """Until when the decision stands: the first expiry of the routes that led here; None when none expires."""
        if self.via is None:
            return None if self.route is None else self.route.expires_at
        used = (self.route, self.via.route)
        expiries = [route.expires_at for route in used if route is not None and route.expires_at is not None]
        return min(expiries, default=None)
