"""The life of a conversation endpoint as a table (protocol.md 8.2). A missing pair is an error, not an oversight.

`None` stands for an endpoint that is gone. The table is the code path: `next_state` is the only way to a new state.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from engine.core.vocabulary.rows import ConversationState

SO = ConversationState.STARTED_OUTBOUND
SI = ConversationState.STARTED_INBOUND
CO = ConversationState.CONVERSING
DI = ConversationState.DISCONNECTED_INBOUND
DO = ConversationState.DISCONNECTED_OUTBOUND
CD = ConversationState.CLOSED
ER = ConversationState.ERROR


class DialogInput(StrEnum):
    """What can happen to a conversation endpoint."""

    SEND = "send"
    RECEIVE_MESSAGE = "receive-message"
    END_LOCAL = "end-local"
    """END CONVERSATION, also WITH ERROR."""
    RECEIVE_END_DIALOG = "receive-end-dialog"
    END_ACKNOWLEDGED = "end-acknowledged"
    RECEIVE_ERROR = "receive-error"
    LIFETIME_EXPIRED = "lifetime-expired"
    END_WITH_CLEANUP = "end-with-cleanup"
    MOVE = "move"
    """MOVE CONVERSATION: to another conversation group."""
    SET_TIMER = "set-timer"
    """BEGIN CONVERSATION TIMER."""
    TIMER_FIRED = "timer-fired"
    """The conversation timer has run out: a DialogTimer message in our own queue (protocol.md 16)."""


_I = DialogInput

TRANSITIONS: Final[Mapping[tuple[ConversationState, DialogInput], ConversationState | None]] = {
    (SO, _I.SEND): CO,
    (SO, _I.END_LOCAL): None,
    (SO, _I.RECEIVE_ERROR): ER,
    (SO, _I.LIFETIME_EXPIRED): ER,
    (SI, _I.RECEIVE_MESSAGE): CO,
    (SI, _I.END_LOCAL): DO,
    (SI, _I.RECEIVE_ERROR): ER,
    (SI, _I.LIFETIME_EXPIRED): ER,
    (CO, _I.SEND): CO,
    (CO, _I.RECEIVE_MESSAGE): CO,
    (CO, _I.END_LOCAL): DO,
    (CO, _I.RECEIVE_END_DIALOG): DI,
    (CO, _I.RECEIVE_ERROR): ER,
    (CO, _I.LIFETIME_EXPIRED): ER,
    (DI, _I.END_LOCAL): CD,
    (DI, _I.RECEIVE_ERROR): ER,
    # Both sides must have ended before the lifetime is over (protocol.md 8.4): an unread half-closed side learns it.
    (DI, _I.LIFETIME_EXPIRED): ER,
    (DO, _I.RECEIVE_MESSAGE): DO,
    (DO, _I.RECEIVE_END_DIALOG): DO,
    (DO, _I.END_ACKNOWLEDGED): CD,
    # The fire-and-forget trap (row 18): the error is thrown away and nobody is told.
    (DO, _I.RECEIVE_ERROR): None,
    (DO, _I.LIFETIME_EXPIRED): None,
    (ER, _I.RECEIVE_MESSAGE): ER,
    (ER, _I.RECEIVE_END_DIALOG): ER,
    (ER, _I.RECEIVE_ERROR): ER,
    (ER, _I.END_LOCAL): CD,
    (ER, _I.LIFETIME_EXPIRED): ER,
    **{(state, _I.END_WITH_CLEANUP): None for state in ConversationState},
    # A conversation that this side has ended belongs to nobody any more (8438, 8458).
    **{
        (state, happening): state
        for state in (SO, SI, CO, DI, ER)
        for happening in (_I.MOVE, _I.SET_TIMER, _I.TIMER_FIRED)
    },
}

STATE_DESCRIPTIONS: Final[Mapping[ConversationState, str]] = {state: state.name for state in ConversationState}
"""`state_desc` of `sys.conversation_endpoints`."""


def allows(state: ConversationState, happening: DialogInput) -> bool:
    """Whether the input is legal in this state."""
    return (state, happening) in TRANSITIONS


def next_state(state: ConversationState, happening: DialogInput) -> ConversationState | None:
    """The state after the input; None when the endpoint is gone. KeyError for an illegal pair: ask `allows` first."""
    return TRANSITIONS[state, happening]
