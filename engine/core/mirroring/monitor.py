"""`MirrorMonitor`: which of the two partners of one mirrored route is the principal (mirroring.md 3).

It is active while somebody sends over the route, and for a short while after, so that a lively conversation does not
ask before each message. What it knows of the principal it keeps in memory only: after a restart of the instance the
route is UNKNOWN again. It connects to nobody and asks nobody itself; it says whom it wants to know about.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.mirroring.states import (
    CLAIM_OF,
    KNOWN_PARTNER,
    Partner,
    PartnerInput,
    RouteInput,
    next_partner_state,
    next_route_state,
)
from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName, RouteName
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.mirrors import NOBODY_CLAIMS, NOBODY_CLAIMS_DETAIL, MirroredPair, MirrorState, PartnerState
from engine.core.vocabulary.moment import Duration, Instant, UtcTime
from engine.core.vocabulary.settings import LinkSettings

NOT_ASKED_YET, PRINCIPAL_UNREACHABLE = 9794, 9753

_FAILED = (PartnerState.DISCONNECTED, PartnerState.CONNECTED_MIRROR)
_CONNECTED = (PartnerState.CONNECTED_PRINCIPAL, PartnerState.CONNECTED_MIRROR)

UserKey = tuple[DatabaseName, ConversationHandle]


@dataclass(slots=True)
class PartnerKnowledge:
    """What is known of one partner."""

    address: TcpAddress
    state: PartnerState = PartnerState.INACTIVE
    is_asked: bool = False
    """Whether the question is under way on the present connection."""
    asks_again_at: Instant | None = None
    """When a partner that has denied, or not answered, is asked again."""
    has_failed: bool = False
    """Whether it denied or could not be reached when it was last heard of; stands while it is asked again."""
    error: int | None = None
    detail: str = ""
    """Why it cannot be reached."""


@dataclass(slots=True, frozen=True)
class MirrorSnapshot:
    """What is told and shown of a monitor."""

    state: MirrorState
    address_state: PartnerState
    mirror_address_state: PartnerState
    principal: TcpAddress | None
    """The partner that is believed to be the principal, reachable or not."""
    error: int | None
    detail: str
    """Why a partner cannot be reached, the last one of the two."""
    are_both_principal: bool
    """Both claim it: service was forced while the old principal lives on."""


@dataclass(slots=True, frozen=True)
class WaitingReason:
    """Why messages of a mirrored route wait: a status number with what fills in its text; None is no reason."""

    number: int | None
    address: TcpAddress
    detail: str = ""


class MirrorMonitor:
    """The search for the principal of one mirrored pair. Sends, dials and stores nothing."""

    def __init__(self, pair: MirroredPair, route: RouteName, settings: LinkSettings) -> None:
        self.pair = pair
        self.route = route
        """The name of a route with these addresses; another database may call its own differently."""
        self.state = MirrorState.UNKNOWN
        self.partners = {
            Partner.ADDRESS: PartnerKnowledge(pair.address),
            Partner.MIRROR_ADDRESS: PartnerKnowledge(pair.mirror_address),
        }
        self.users: dict[UserKey, None] = {}
        """Conversations with something to send over the route, in order."""
        self.used_until: Instant | None = None
        """Until when the route is active without users; None while it is not active at all."""
        self.wakes_at: Instant | None = None
        """When the monitor wants attention next; kept by whoever attends to it."""
        self._patience = settings.suppress_after_disconnect_seconds
        self._last_principal: Partner | None = None
        self._last_lost: Partner | None = None
        self.told: MirrorSnapshot | None = None
        """What was last told as an event."""
        self.told_at: UtcTime | None = None
        self.principal_since: UtcTime | None = None
        """Since when the partner that is believed to be the principal has been so; None while there is none."""

    def note_told(self, known: MirrorSnapshot, at: UtcTime) -> None:
        """What is known now is told as an event."""
        if self.told is None or self.told.principal != known.principal:
            self.principal_since = None if known.principal is None else at
        self.told, self.told_at = known, at

    # ── use ──────────────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def is_active(self) -> bool:
        """Whether the principal is being watched."""
        return self.used_until is not None

    def engage(self, now: Instant, *, at_least: Duration | None = None) -> None:
        """Somebody sends over the route; `at_least` is how long it is to be watched now, in seconds."""
        until = Instant(now + max(self._patience, at_least or self._patience))
        self.used_until = until if self.used_until is None else max(until, self.used_until)

    def rest(self) -> None:
        """Nobody sends any more, or nothing can be sent: what is known of the principal stays in memory."""
        self.used_until = self.wakes_at = None
        for partner, known in self.partners.items():
            self._step(partner, PartnerInput.REST)
            known.has_failed, known.error, known.detail = False, None, ""

    # ── questions ────────────────────────────────────────────────────────────────────────────────────────────────
    def wanted(self) -> list[Partner]:
        """Whom to know about: the principal alone while it serves, else both, the last principal first."""
        believed = KNOWN_PARTNER.get(self.state)
        if believed is not None and not self.partners[believed].has_failed:
            return [believed]
        first = self._last_principal or Partner.ADDRESS
        return [first, first.other]

    def ask(self, partner: Partner) -> None:
        """Its role is to be asked over the next connection that is up."""
        self.partners[partner].is_asked = False
        self._step(partner, PartnerInput.ASK)

    def asked(self, partner: Partner, now: Instant) -> None:
        """The question has left."""
        self.partners[partner].is_asked = True
        self.partners[partner].asks_again_at = Instant(now + self._patience)

    def is_due(self, partner: Partner, now: Instant) -> bool:
        """Whether a partner that denied, or did not answer, is to be asked again."""
        known = self.partners[partner]
        unanswered = known.state is PartnerState.PROBING and known.is_asked
        denied = known.state is PartnerState.CONNECTED_MIRROR
        return (unanswered or denied) and known.asks_again_at is not None and known.asks_again_at <= now

    # ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────
    def claimed(self, address: TcpAddress, now: Instant, *, is_principal: bool) -> None:
        """A partner has told its role, asked or not."""
        partner = self._partner_at(address)
        known = self.partners[partner]
        self._step(partner, PartnerInput.CLAIM if is_principal else PartnerInput.DENY)
        if known.state not in _CONNECTED:
            return
        known.is_asked, known.error, known.detail = False, None, ""
        known.has_failed = not is_principal
        if is_principal:
            known.asks_again_at = None
            self._last_principal = partner
            self.state = next_route_state(self.state, CLAIM_OF[partner])
        else:
            known.asks_again_at = Instant(now + self._patience)
            self._failed(partner)

    def lost(self, address: TcpAddress, error: int | None, detail: str) -> None:
        """A partner cannot be reached; without an error its connection was closed because nobody used it."""
        partner = self._partner_at(address)
        known = self.partners[partner]
        known.is_asked, known.asks_again_at = False, None
        self._step(partner, PartnerInput.REST if error is None else PartnerInput.LOSE)
        if known.state is PartnerState.DISCONNECTED:
            known.has_failed, known.error, known.detail = True, error, detail
            self._last_lost = partner
            self._failed(partner)

    def _failed(self, partner: Partner) -> None:
        """It denies or is unreachable. If it was the principal, what the other one said before counts no more."""
        other = partner.other
        if KNOWN_PARTNER.get(self.state) is partner and self.partners[other].state in _CONNECTED:
            self.ask(other)
        if all(known.state in _FAILED for known in self.partners.values()):
            self.state = next_route_state(self.state, RouteInput.NOBODY_CLAIMS)

    def _step(self, partner: Partner, happened: PartnerInput) -> None:
        known = self.partners[partner]
        known.state = next_partner_state(known.state, happened)

    def _partner_at(self, address: TcpAddress) -> Partner:
        return Partner.ADDRESS if address == self.pair.address else Partner.MIRROR_ADDRESS

    # ── what is known ────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def principal(self) -> TcpAddress | None:
        """Where messages go now; None while no partner that claims to be the principal is connected."""
        believed = KNOWN_PARTNER.get(self.state)
        if believed is None or self.partners[believed].state is not PartnerState.CONNECTED_PRINCIPAL:
            return None
        return self.partners[believed].address

    @property
    def is_cut_off(self) -> bool:
        """Whether messages wait because of what the partners did, not because they have not answered yet."""
        return self.principal is None and self.waiting_reason().number not in (None, NOT_ASKED_YET)

    def waiting_reason(self) -> WaitingReason:
        """Why messages wait while there is no principal (mirroring.md 3, 7). It stands while partners are asked again.

        A connection error where neither partner can be reached, 9753 where the last principal cannot be reached and
        the other one does not claim its role, 9787 where nobody claims it, 9794 before the first answers.
        """
        failed = [partner for partner, known in self.partners.items() if known.has_failed]
        lost = [partner for partner in failed if self.partners[partner].error is not None]
        if len(lost) == len(self.partners):
            known = self.partners[self._last_lost or Partner.ADDRESS]
            return WaitingReason(known.error, known.address, known.detail)
        if self._last_principal in lost:
            return WaitingReason(PRINCIPAL_UNREACHABLE, self.partners[self._last_principal].address)
        if len(failed) == len(self.partners) or self._last_principal in failed:
            return WaitingReason(NOBODY_CLAIMS, self.pair.address, NOBODY_CLAIMS_DETAIL)
        return WaitingReason(NOT_ASKED_YET if self._last_principal is None else None, self.pair.address)

    def snapshot(self) -> MirrorSnapshot:
        """What is known, as one value."""
        states = [known.state for known in self.partners.values()]
        believed = KNOWN_PARTNER.get(self.state)
        lost = self.partners[self._last_lost] if self._last_lost is not None else None
        is_lost = lost is not None and lost.error is not None
        return MirrorSnapshot(
            state=self.state,
            address_state=self.partners[Partner.ADDRESS].state,
            mirror_address_state=self.partners[Partner.MIRROR_ADDRESS].state,
            principal=self.partners[believed].address if believed is not None else None,
            error=lost.error if lost is not None and is_lost else None,
            detail=lost.detail if lost is not None and is_lost else "",
            are_both_principal=all(state is PartnerState.CONNECTED_PRINCIPAL for state in states),
        )
