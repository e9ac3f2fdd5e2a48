"""The life of a conversation endpoint as a table (protocol.md 8.2). The table is the code path.

`TABLE` names for each step the rows of protocol.md 8.2 it stands for; `next_state` is the only way to a new state, and
`None` stands for an endpoint that does not exist, before its beginning as after its end. A pair that is not in the
table is illegal: a statement is refused with a number of its own, an arriving message is discarded with 28004.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from engine.core.vocabulary.enumerations import plain_members
from engine.core.vocabulary.rows import ConversationState

State = ConversationState | None

SO = ConversationState.STARTED_OUTBOUND
SI = ConversationState.STARTED_INBOUND
CO = ConversationState.CONVERSING
DI = ConversationState.DISCONNECTED_INBOUND
DO = ConversationState.DISCONNECTED_OUTBOUND
CD = ConversationState.CLOSED
ER = ConversationState.ERROR


@plain_members
class DialogInput(StrEnum):
    """What can happen to a conversation endpoint."""

    BEGIN_DIALOG = "begin-dialog"
    SEND = "send"
    RECEIVE_MESSAGE = "receive-message"
    """A user message that is whole or has become so; without an endpoint only message 0 of an initiator."""
    RECEIVE_FRAGMENT = "receive-fragment"
    """A fragment of a message that is not complete; without an endpoint only of message 0."""
    RECEIVE_LATER_MESSAGE = "receive-later-message"
    """A message after message 0 that finds no target endpoint."""
    RECEIVE_REPLY = "receive-reply"
    """A message of a target that finds no initiator endpoint."""
    RECEIVE_END_DIALOG = "receive-end-dialog"
    RECEIVE_ERROR = "receive-error"
    """An Error of the far side, of its application or of its broker."""
    END_LOCAL = "end-local"
    END_WITH_ERROR = "end-with-error"
    END_UNHEARD = "end-unheard"
    """END WITH ERROR before anything of ours was transmitted: there is nobody to tell."""
    END_WITH_CLEANUP = "end-with-cleanup"
    END_ACKNOWLEDGED = "end-acknowledged"
    """Our EndDialog or Error has arrived."""
    LIFETIME_EXPIRED = "lifetime-expired"
    BROKEN_LOCALLY = "broken-locally"
    """This broker breaks it off: contract dropped, broker renewed, database attached, session key lost."""
    SERVICE_DROPPED = "service-dropped"
    CLOSED_AS_INITIATOR = "closed-as-initiator"
    GUARD_OVER = "guard-over"
    """A closed target endpoint has been kept for long enough (protocol.md 8.5)."""
    MOVE = "move"
    """MOVE CONVERSATION: to another conversation group."""
    SET_TIMER = "set-timer"
    """BEGIN CONVERSATION TIMER."""
    TIMER_FIRED = "timer-fired"
    """The conversation timer has run out: a DialogTimer message in our own queue (protocol.md 16)."""

    # Inputs are keys of the table; the hash of an enumeration is Python code.
    __hash__ = str.__hash__


class Transition(msgspec.Struct, frozen=True):
    """One step of the table."""

    rows: str
    """Rows of protocol.md 8.2; empty where the rows are silent and the states' descriptions decide."""
    state: State
    happening: DialogInput
    after: State
    effect: str
    """What goes with it, in words for the reader of docs/protocol/dialogs.md."""
    refusal: int | None = None
    """Number under which what arrived is discarded; nothing changes then."""


_I = DialogInput
_T = Transition

_BEGINNINGS: Final = (
    _T("1", None, _I.BEGIN_DIALOG, SO, "nothing leaves; the target is not checked"),
    _T("4", None, _I.RECEIVE_MESSAGE, CO, "the target endpoint with a new group; contract and type were checked"),
    _T("5", None, _I.RECEIVE_FRAGMENT, SI, "the fragment waits in the queue with status 2"),
    _T(
        "7",
        None,
        _I.RECEIVE_LATER_MESSAGE,
        None,
        "kept in memory for some seconds, then discarded; its sender repeats it",
        11213,
    ),
    # Rows 11 and 28 meet: it ends what a late copy of message 0 must not begin (8.5).
    _T("", None, _I.RECEIVE_ERROR, CD, "acknowledged; a replay guard, where a late copy of message 0 could begin it"),
    _T("30", None, _I.RECEIVE_REPLY, None, "discarded and answered with -8462", 11209),
    _T("2", SO, _I.SEND, CO, "message 0 is queued"),
    _T("6", SI, _I.RECEIVE_MESSAGE, CO, "message 0 is complete and ready"),
    _T("5", SI, _I.RECEIVE_FRAGMENT, SI, "the fragment waits in the queue with status 2"),
    _T("", CO, _I.SEND, CO, "the message is queued"),
    _T("", CO, _I.RECEIVE_MESSAGE, CO, "the message is ready, or waits with status 2 for those before it"),
    _T("", CO, _I.RECEIVE_FRAGMENT, CO, "the fragment waits in the queue with status 2"),
)

_ENDINGS: Final = (
    _T("3", SO, _I.END_LOCAL, None, "nothing is sent"),
    _T("3", SO, _I.END_WITH_ERROR, None, "nothing is sent"),
    _T("3", CO, _I.END_UNHEARD, None, "what was pending is deleted, nothing is sent"),
    _T("8", CO, _I.END_LOCAL, DO, "EndDialog follows all pending messages; the messages in the queue are deleted"),
    _T("9", CO, _I.END_WITH_ERROR, DO, "the Error takes the place of all pending messages"),
    _T("", SI, _I.END_LOCAL, DO, "EndDialog is queued; the fragments are deleted"),
    _T("", SI, _I.END_WITH_ERROR, DO, "the Error is queued; the fragments are deleted"),
    _T("10", CO, _I.RECEIVE_END_DIALOG, DI, "EndDialog is ready; what we had pending stays with 9779"),
    _T("13", DI, _I.END_LOCAL, CD, "nothing is sent but acknowledgements"),
    _T("13", DI, _I.END_WITH_ERROR, CD, "nothing is sent but acknowledgements; the words of the error are lost"),
    _T("14 15", ER, _I.END_LOCAL, CD, "what was pending is deleted"),
    _T("14 15", ER, _I.END_WITH_ERROR, CD, "what was pending is deleted"),
    _T("16", DO, _I.END_ACKNOWLEDGED, CD, "both sides are done, or the far side will be"),
    _T("17", DO, _I.RECEIVE_END_DIALOG, DO, "acknowledged; closed once our own EndDialog is acknowledged"),
    _T("17", DO, _I.RECEIVE_MESSAGE, DO, "acknowledged and discarded"),
    _T("17", DO, _I.RECEIVE_FRAGMENT, DO, "acknowledged with its whole message and discarded"),
    _T("27", CD, _I.CLOSED_AS_INITIATOR, None, "no replay is possible on this side"),
    _T("28", CD, _I.GUARD_OVER, None, "30 minutes after message 0 was known to be deleted, or after the lifetime"),
    _T("30", CD, _I.RECEIVE_MESSAGE, CD, "discarded and answered with -8462", 11212),
    _T("30", CD, _I.RECEIVE_FRAGMENT, CD, "discarded and answered with -8462", 11212),
    _T("30", CD, _I.RECEIVE_END_DIALOG, CD, "discarded and answered with -8462", 11212),
    _T("30", CD, _I.RECEIVE_ERROR, CD, "discarded and answered with -8462, if it is numbered", 11212),
)

_ERRORS: Final = (
    *(
        _T(
            rows,
            state,
            _I.RECEIVE_ERROR,
            ER,
            "the Error is ready, ahead of its turn; what we had pending stays with 9784",
        )
        for rows, state in (("", SO), ("11", SI), ("11", CO), ("", DI), ("", ER))
    ),
    _T("18", DO, _I.RECEIVE_ERROR, CD, "the error is thrown away and nobody is told: the fire-and-forget trap"),
    *(
        _T(rows, state, _I.LIFETIME_EXPIRED, ER, "an Error of our own, -8489, is ready")
        for rows, state in (("12", SO), ("", SI), ("12", CO), ("", DI))
    ),
    _T("19", DO, _I.LIFETIME_EXPIRED, None, "no message"),
    *(
        _T("22 24 25 26", state, _I.BROKEN_LOCALLY, ER, "an Error of our own is ready; the far side may be told")
        for state in (SO, SI, CO, DI, ER)
    ),
    _T("", DO, _I.BROKEN_LOCALLY, None, "nobody here waits for the end any more"),
    _T("", ER, _I.RECEIVE_MESSAGE, ER, "acknowledged and discarded"),
    _T("", ER, _I.RECEIVE_FRAGMENT, ER, "acknowledged with its whole message and discarded"),
    _T("", ER, _I.RECEIVE_END_DIALOG, ER, "acknowledged and discarded"),
)

_REMOVALS: Final = tuple(
    _T(row, state, happening, None, effect)
    for row, happening, effect in (
        ("20", _I.END_WITH_CLEANUP, "endpoint, messages and pending messages are deleted; the far side is not told"),
        ("21", _I.SERVICE_DROPPED, "deleted with the messages of the service; the far side is told -8470"),
    )
    for state in ConversationState
)

_WHILE_OPEN: Final = tuple(
    # A conversation that this side has ended belongs to nobody any more (8438, 8458).
    _T("", state, happening, state, effect)
    for happening, effect in (
        (_I.MOVE, "with its messages in the queue into another conversation group"),
        (_I.SET_TIMER, "the timer runs, or runs anew"),
        (_I.TIMER_FIRED, "a DialogTimer message is ready; the timer is gone"),
    )
    for state in (SO, SI, CO, DI, ER)
)

TABLE: Final[tuple[Transition, ...]] = (*_BEGINNINGS, *_ENDINGS, *_ERRORS, *_WHILE_OPEN, *_REMOVALS)

ROWS_ELSEWHERE: Final[Mapping[str, str]] = {
    "23": "ALTER SERVICE DROP CONTRACT leaves existing conversations alone and refuses new ones (tsql.md 3)",
    "29": "altering a service ends no conversation: no -8469 is sent; one that comes is an Error like any other",
}
"""Rows of protocol.md 8.2 that change no endpoint's state."""

TRANSITIONS: Final[Mapping[tuple[State, DialogInput], Transition]] = {
    (each.state, each.happening): each for each in TABLE
}

STATE_DESCRIPTIONS: Final[Mapping[ConversationState, str]] = {state: state.name for state in ConversationState}
"""`state_desc` of `sys.conversation_endpoints`."""

_IMPOSSIBLE: Final = 28004


def allows(state: State, happening: DialogInput) -> bool:
    """Whether the input is legal in this state and not merely discarded."""
    found = TRANSITIONS.get((state, happening))
    return found is not None and found.refusal is None


def refusal(state: State, happening: DialogInput) -> int | None:
    """The number under which an arriving message is discarded; None when the input is taken."""
    found = TRANSITIONS.get((state, happening))
    return _IMPOSSIBLE if found is None else found.refusal


def next_state(state: State, happening: DialogInput) -> State:
    """The state after the input; None when there is no endpoint. KeyError for an illegal pair: ask `allows` first."""
    return TRANSITIONS[state, happening].after
