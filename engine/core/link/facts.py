"""What there is to tell of a connection: why it is closed, and what `sys.dm_broker_connections` shows of it."""

from __future__ import annotations

import msgspec

from engine.core.link.handshake import Peer
from engine.core.link.login import LoginState
from engine.core.vocabulary.messages import LinkState
from engine.core.vocabulary.moment import UtcTime


class LinkClosure(msgspec.Struct, frozen=True, kw_only=True):
    """Why a connection is closed. `number` is None when nothing is wrong: it was idle, or we hung up."""

    number: int | None = None
    detail: str = ""
    reason: int | None = None
    """The number that was said or heard in the last frame, if any."""


class LinkFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What `sys.dm_broker_connections` shows of a connection (views.md); times are UTC, None until they come."""

    state: LinkState
    login_state: LoginState
    is_accept: bool
    peer: Peer | None
    connect_time: UtcTime | None
    login_time: UtcTime | None
    last_activity_time: UtcTime | None
    is_receive_flow_controlled: bool
    is_send_flow_controlled: bool
