"""Which of two connections between the same two instances stays (protocol.md 7.1, arbitration).

Both ends apply one table to what both know: who dialled which connection, and whose arbitration id is lower. They
therefore never close both. When an instance has restarted its old connections are dead, whatever the table says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from engine.core.link.handshake import Peer
from engine.core.link.states import LinkRole

OLDER_STAYS: Final = 28032
NEWER_STAYS: Final = 28033
FOUND_BY_ADDRESS: Final = 28098

_DIALLED, _ACCEPTED = LinkRole.DIALLING, LinkRole.ACCEPTING

VERDICTS: Final[Mapping[tuple[LinkRole, LinkRole, bool], int]] = {
    (_DIALLED, _DIALLED, True): FOUND_BY_ADDRESS,
    (_DIALLED, _DIALLED, False): FOUND_BY_ADDRESS,
    (_ACCEPTED, _ACCEPTED, True): NEWER_STAYS,
    (_ACCEPTED, _ACCEPTED, False): NEWER_STAYS,
    (_DIALLED, _ACCEPTED, True): NEWER_STAYS,
    (_DIALLED, _ACCEPTED, False): OLDER_STAYS,
    (_ACCEPTED, _DIALLED, True): OLDER_STAYS,
    (_ACCEPTED, _DIALLED, False): NEWER_STAYS,
}
"""By our role in the newer connection, our role in the older one, and whether our arbitration id is the lower one.

The connection that the lower id has dialled stays. Two that we have dialled lead by two addresses to one instance, and
the older one serves both. A peer that dials twice has lost the older one without our noticing.
"""

PeerKey = tuple[str, str | None]
"""What makes two connections lead to the same instance: its name, and who has proved to be it."""


def peer_key(peer: Peer) -> PeerKey:
    """Which instance a peer is; another principal under the same name is another instance."""
    return (peer.instance, peer.principal)


def verdict(own_id: UUID, newer: tuple[LinkRole, Peer], older: tuple[LinkRole, Peer]) -> int:
    """28033 when the newer of two connections to one instance stays, 28032 or 28098 when the older one does."""
    if newer[1].arbitration_id != older[1].arbitration_id:
        return NEWER_STAYS
    return VERDICTS[newer[0], older[0], own_id < newer[1].arbitration_id]
