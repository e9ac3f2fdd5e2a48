"""Which state of a database ALTER DATABASE … SET begins, and which it ends."""

from __future__ import annotations

from engine.core.catalog.database import DatabaseState
from engine.tsql.statements import SetPartner, SetState, Statement, StateOption

_STATES = {
    StateOption.OFFLINE: DatabaseState.OFFLINE,
    StateOption.READ_ONLY: DatabaseState.READ_ONLY,
    StateOption.SINGLE_USER: DatabaseState.SINGLE_USER,
}
"""The others end one of these."""
_ENDED = {
    StateOption.ONLINE: DatabaseState.OFFLINE,
    StateOption.READ_WRITE: DatabaseState.READ_ONLY,
    StateOption.MULTI_USER: DatabaseState.SINGLE_USER,
}


def ended_by(statement: Statement) -> DatabaseState | None:
    """The state that a statement ends; it means nothing to a database in any other one."""
    match statement:
        case SetState():
            return _ENDED.get(statement.option)
        case SetPartner() if statement.is_principal:
            return DatabaseState.MIRROR
        case _:
            return None


def state_after(option: StateOption) -> DatabaseState:
    """The state that an option leads to."""
    return _STATES.get(option, DatabaseState.ONLINE)
