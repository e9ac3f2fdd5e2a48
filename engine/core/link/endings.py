"""Under which numbers connections end, and what those are told who wait for one (views.md 3)."""

from __future__ import annotations

from typing import Final

from engine.core.link.handshake import AUDIT_OF, LoginAudit

CONNECT_FAILED: Final = 9754
LOST_WHILE_RECEIVING: Final = 9755
BREACH_BY_PEER: Final = 9757
LOST_WHILE_SENDING: Final = 9759
IDLE: Final = 9760
HANDSHAKE_TIMED_OUT: Final = 28031
TOO_MANY: Final = 17809

ARBITRATION: Final = frozenset({28032, 28033, 28098})
"""Two instances keep one connection: another one stays. Nothing is wrong (protocol.md 7.1)."""
HUNG_UP: Final = 9691
HARMLESS: Final = ARBITRATION | {IDLE, HUNG_UP, 11295, 11296}
"""What a peer may close a connection for without an error: it may be opened again at once."""
CLOSED_BY_REFUSAL: Final = {
    LoginAudit.NEGOTIATE_FAILURE: 9758,
    LoginAudit.AUTHENTICATION_FAILURE: 9751,
    LoginAudit.AUTHORIZATION_FAILURE: 9752,
}
"""Status of those who wait for a connection that the peer has refused, by the kind of refusal (views.md 3)."""


def status_of_refusal(number: int) -> int | None:
    """What those are told who wait for a connection that the peer has refused with `number`."""
    if number in ARBITRATION:
        return None
    audit = AUDIT_OF.get(number)
    return LOST_WHILE_RECEIVING if audit is None else CLOSED_BY_REFUSAL.get(audit, LOST_WHILE_RECEIVING)
