"""When which frame may be said: the life of one connection as a table (protocol.md 7.1).

The two sides share the five states of `sys.dm_broker_connections` but not the way through them: the dialling side
connects and speaks first. What is said while CONNECTED is the handshake, which has a table of its own in `login.py`.
A missing key is a breach of the protocol: ours when the input is something we do, the peer's when we receive it.

    dialling    NEW ── begin ──▶ CONNECTING ── opened ──▶ CONNECTED ── logged in ──▶ LOGGED_IN
    accepting   NEW ──────────────── opened ────────────▶ CONNECTED ── logged in ──▶ LOGGED_IN
    both        LOGGED_IN ── Fragments, roles sent, received ──▶ LOGGED_IN;   anything that ends it ──▶ CLOSED

Once logged in both sides are alike: each pair of instances keeps one connection, whoever opened it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from engine.core.vocabulary.errors import LocalProtocolError, RemoteProtocolError
from engine.core.vocabulary.messages import LinkState

UNEXPECTED_EVENT: Final = 28029
"""The peer said something that its state does not allow (protocol.md 7.2)."""


class LinkRole(StrEnum):
    """Which side of the connection we are."""

    DIALLING = "dialling"
    ACCEPTING = "accepting"


class LinkInput(StrEnum):
    """Everything that can happen to a connection."""

    BEGIN = "begin"
    """The TCP connect is under way."""
    OPENED = "opened"
    """The TCP connection is open."""
    RECEIVE_LOGIN = "receive-login"
    """A frame of the handshake other than its end or a refusal."""
    LOG_IN = "log-in"
    """The handshake has succeeded."""
    RECEIVE_REFUSE = "receive-refuse"
    RECEIVE_FRAGMENTS = "receive-fragments"
    RECEIVE_GOODBYE = "receive-goodbye"
    RECEIVE_ROLE_REQUEST = "receive-role-request"
    RECEIVE_ROLE_CLAIM = "receive-role-claim"
    SEND_FRAGMENTS = "send-fragments"
    SEND_ROLE_REQUEST = "send-role-request"
    SEND_ROLE_CLAIM = "send-role-claim"
    WAITED_TOO_LONG = "waited-too-long"
    """For the connect, for the handshake, or for any traffic."""
    LOST = "lost"
    """The operating system ended it."""
    CLOSE = "close"
    """We end it, whatever the reason."""


_RECEIVED: Final = frozenset(
    {
        LinkInput.RECEIVE_LOGIN,
        LinkInput.RECEIVE_REFUSE,
        LinkInput.RECEIVE_FRAGMENTS,
        LinkInput.RECEIVE_GOODBYE,
        LinkInput.RECEIVE_ROLE_REQUEST,
        LinkInput.RECEIVE_ROLE_CLAIM,
    }
)

_NEW, _CONNECTING, _CONNECTED = LinkState.NEW, LinkState.CONNECTING, LinkState.CONNECTED
_LOGGED_IN, _CLOSED = LinkState.LOGGED_IN, LinkState.CLOSED

_BOTH: Final[Mapping[tuple[LinkState, LinkInput], LinkState]] = {
    (_CONNECTED, LinkInput.RECEIVE_LOGIN): _CONNECTED,
    (_CONNECTED, LinkInput.LOG_IN): _LOGGED_IN,
    (_CONNECTED, LinkInput.RECEIVE_REFUSE): _CLOSED,
    (_CONNECTED, LinkInput.RECEIVE_GOODBYE): _CLOSED,
    (_CONNECTED, LinkInput.WAITED_TOO_LONG): _CLOSED,
    (_LOGGED_IN, LinkInput.RECEIVE_FRAGMENTS): _LOGGED_IN,
    (_LOGGED_IN, LinkInput.SEND_FRAGMENTS): _LOGGED_IN,
    (_LOGGED_IN, LinkInput.RECEIVE_ROLE_REQUEST): _LOGGED_IN,
    (_LOGGED_IN, LinkInput.SEND_ROLE_REQUEST): _LOGGED_IN,
    (_LOGGED_IN, LinkInput.RECEIVE_ROLE_CLAIM): _LOGGED_IN,
    (_LOGGED_IN, LinkInput.SEND_ROLE_CLAIM): _LOGGED_IN,
    (_LOGGED_IN, LinkInput.RECEIVE_GOODBYE): _CLOSED,
    (_LOGGED_IN, LinkInput.WAITED_TOO_LONG): _CLOSED,
    **{(state, LinkInput.CLOSE): _CLOSED for state in LinkState},
    **{(state, LinkInput.LOST): _CLOSED for state in LinkState},
}

TRANSITIONS: Final[Mapping[LinkRole, Mapping[tuple[LinkState, LinkInput], LinkState]]] = {
    LinkRole.DIALLING: {
        (_NEW, LinkInput.BEGIN): _CONNECTING,
        (_CONNECTING, LinkInput.OPENED): _CONNECTED,
        (_CONNECTING, LinkInput.WAITED_TOO_LONG): _CLOSED,
        **_BOTH,
    },
    LinkRole.ACCEPTING: {
        (_NEW, LinkInput.OPENED): _CONNECTED,
        **_BOTH,
    },
}


def step(role: LinkRole, state: LinkState, happened: LinkInput) -> LinkState:
    """The next state; `RemoteProtocolError` 28029 for a breach by the peer, `LocalProtocolError` for one of ours."""
    after = TRANSITIONS[role].get((state, happened))
    if after is not None:
        return after
    blame = RemoteProtocolError if happened in _RECEIVED else LocalProtocolError
    raise blame(UNEXPECTED_EVENT, detail=f"{happened.value} while {state.value}")
