"""The handshake as a table: `login_state` of `sys.dm_broker_connections` (protocol.md 7.2).

The connection is CONNECTED all the while. Both ends speak in turns, so each state waits for one frame:

    dialling                                   accepting
    INITIAL                                    INITIAL
      opened, says Hello ─────────────────────▶  opened
    WAIT_LOGIN_NEGOTIATE                       WAIT_LOGIN_NEGOTIATE
      ◀───────────────────────────── Welcome     hears Hello; from here on frames are protected
      says Proof ─────────────────────────────▶ WAIT_ISC_CONFIRM
    WAIT_ASC_CONFIRM                             verifies
      ◀─────────────────────────────── Proof
      verifies, says Validation ──────────────▶ WAIT_VALIDATION
    WAIT_ARBITRATION                             arbitrates
      ◀───────────────────────── Arbitration   ONLINE
    ONLINE

The other states of the list belong to Windows authentication and to the vendor's way of sending keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import Final

from engine.core.link.states import UNEXPECTED_EVENT, LinkRole
from engine.core.vocabulary.errors import LocalProtocolError, RemoteProtocolError


class LoginState(IntEnum):
    """`sys.dm_broker_connections.login_state`, all fourteen."""

    INITIAL = 0
    WAIT_LOGIN_NEGOTIATE = 1
    ONE_ISC = 2
    ONE_ASC = 3
    TWO_ISC = 4
    TWO_ASC = 5
    WAIT_ISC_CONFIRM = 6
    WAIT_ASC_CONFIRM = 7
    WAIT_REJECT = 8
    WAIT_PRE_MASTER_SECRET = 9
    WAIT_VALIDATION = 10
    WAIT_ARBITRATION = 11
    ONLINE = 12
    ERROR = 13


USED_STATES: Final = (
    LoginState.INITIAL,
    LoginState.WAIT_LOGIN_NEGOTIATE,
    LoginState.WAIT_ISC_CONFIRM,
    LoginState.WAIT_ASC_CONFIRM,
    LoginState.WAIT_VALIDATION,
    LoginState.WAIT_ARBITRATION,
    LoginState.ONLINE,
    LoginState.ERROR,
)
"""Those that a connection of ours can be in."""


class LoginInput(StrEnum):
    """Everything that can happen to a handshake."""

    OPENED = "opened"
    RECEIVE_HELLO = "receive-hello"
    RECEIVE_WELCOME = "receive-welcome"
    RECEIVE_PROOF = "receive-proof"
    RECEIVE_VALIDATION = "receive-validation"
    RECEIVE_ARBITRATION = "receive-arbitration"
    RECEIVE_REFUSE = "receive-refuse"
    FAIL = "fail"
    """We end it: refused, a breach, lost, waited too long."""


_INITIAL, _NEGOTIATE = LoginState.INITIAL, LoginState.WAIT_LOGIN_NEGOTIATE
_CONFIRM_DIALLING, _CONFIRM_ACCEPTING = LoginState.WAIT_ISC_CONFIRM, LoginState.WAIT_ASC_CONFIRM
_VALIDATION, _ARBITRATION = LoginState.WAIT_VALIDATION, LoginState.WAIT_ARBITRATION
_ONLINE, _ERROR = LoginState.ONLINE, LoginState.ERROR

_FAILING: Final = {(state, LoginInput.FAIL): _ERROR for state in USED_STATES} | {(_ONLINE, LoginInput.FAIL): _ONLINE}
"""A login that has succeeded stays one, whatever becomes of its connection."""

LOGIN_TRANSITIONS: Final[Mapping[LinkRole, Mapping[tuple[LoginState, LoginInput], LoginState]]] = {
    LinkRole.DIALLING: {
        (_INITIAL, LoginInput.OPENED): _NEGOTIATE,
        (_NEGOTIATE, LoginInput.RECEIVE_WELCOME): _CONFIRM_ACCEPTING,
        (_NEGOTIATE, LoginInput.RECEIVE_REFUSE): _ERROR,
        (_CONFIRM_ACCEPTING, LoginInput.RECEIVE_PROOF): _ARBITRATION,
        (_CONFIRM_ACCEPTING, LoginInput.RECEIVE_REFUSE): _ERROR,
        (_ARBITRATION, LoginInput.RECEIVE_ARBITRATION): _ONLINE,
        (_ARBITRATION, LoginInput.RECEIVE_REFUSE): _ERROR,
        **_FAILING,
    },
    LinkRole.ACCEPTING: {
        (_INITIAL, LoginInput.OPENED): _NEGOTIATE,
        (_NEGOTIATE, LoginInput.RECEIVE_HELLO): _CONFIRM_DIALLING,
        (_CONFIRM_DIALLING, LoginInput.RECEIVE_PROOF): _VALIDATION,
        (_CONFIRM_DIALLING, LoginInput.RECEIVE_REFUSE): _ERROR,
        (_VALIDATION, LoginInput.RECEIVE_VALIDATION): _ONLINE,
        (_VALIDATION, LoginInput.RECEIVE_REFUSE): _ERROR,
        **_FAILING,
    },
}


def login_step(role: LinkRole, state: LoginState, happened: LoginInput) -> LoginState:
    """The next state; `RemoteProtocolError` 28029 for a breach by the peer, `LocalProtocolError` for one of ours."""
    after = LOGIN_TRANSITIONS[role].get((state, happened))
    if after is not None:
        return after
    blame = RemoteProtocolError if happened.value.startswith("receive-") else LocalProtocolError
    raise blame(UNEXPECTED_EVENT, detail=f"{happened.value} while {state.name}")
