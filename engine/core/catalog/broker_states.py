"""The delivery switch of a database as a table (identity.md 7). Every pair of state and input is in it.

The table is the code path: `next_broker_state` is the only way to a new state. ERRORING lasts no longer than one input
of the instance, so the catalog keeps one bit, `is_broker_enabled`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class BrokerState(StrEnum):
    """Whether a database delivers."""

    ENABLED = "ENABLED"
    DISABLED = "DISABLED"
    ERRORING = "ERRORING"
    """Its conversations are being ended with an error; delivery is off until the last one is."""


class BrokerInput(StrEnum):
    """What can happen to the delivery switch."""

    ENABLE = "ENABLE_BROKER"
    DISABLE = "DISABLE_BROKER"
    NEW = "NEW_BROKER"
    ERROR_CONVERSATIONS = "ERROR_BROKER_CONVERSATIONS"
    ALL_IN_ERROR = "all in error"
    """The last conversation has its error."""
    TWIN_FOUND = "twin found"
    """Another database of the instance is active under the same broker id (identity.md 5)."""


_ON, _OFF, _ERRORING = BrokerState.ENABLED, BrokerState.DISABLED, BrokerState.ERRORING
_I = BrokerInput

BROKER_TRANSITIONS: Final[Mapping[tuple[BrokerState, BrokerInput], BrokerState]] = {
    (_ON, _I.ENABLE): _ON,
    (_ON, _I.DISABLE): _OFF,
    (_ON, _I.NEW): _ON,
    (_ON, _I.ERROR_CONVERSATIONS): _ERRORING,
    (_ON, _I.ALL_IN_ERROR): _ON,
    (_ON, _I.TWIN_FOUND): _OFF,
    (_OFF, _I.ENABLE): _ON,
    (_OFF, _I.DISABLE): _OFF,
    (_OFF, _I.NEW): _ON,
    (_OFF, _I.ERROR_CONVERSATIONS): _ERRORING,
    (_OFF, _I.ALL_IN_ERROR): _OFF,
    (_OFF, _I.TWIN_FOUND): _OFF,
    # It goes on by itself when it is done; an option given meanwhile is the last word on what comes after.
    (_ERRORING, _I.ENABLE): _ERRORING,
    (_ERRORING, _I.DISABLE): _OFF,
    (_ERRORING, _I.NEW): _ON,
    (_ERRORING, _I.ERROR_CONVERSATIONS): _ERRORING,
    (_ERRORING, _I.ALL_IN_ERROR): _ON,
    (_ERRORING, _I.TWIN_FOUND): _OFF,
}


def next_broker_state(state: BrokerState, happened: BrokerInput) -> BrokerState:
    """The state after an input."""
    return BROKER_TRANSITIONS[state, happened]


def broker_state_of(*, is_enabled: bool) -> BrokerState:
    """The state that the catalog's bit stands for."""
    return _ON if is_enabled else _OFF
