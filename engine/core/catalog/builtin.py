"""What every database has without anybody defining it: message types and contracts of the system (protocol.md 18).

They have no rows in a `DatabaseCatalog`; whoever looks a name up asks here as well.
"""

from __future__ import annotations

from typing import Final

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.objects import (
    DEFAULT_CONTRACT,
    DEFAULT_TYPE,
    DIALOG_TIMER_TYPE,
    END_DIALOG_TYPE,
    ERROR_TYPE,
    SYSTEM_PREFIX,
    Contract,
    ContractUse,
    MessageType,
    SentBy,
    Validation,
)
from engine.core.vocabulary.identifiers import ContractName, MessageTypeName

SYSTEM_MESSAGE_TYPES: Final = frozenset({END_DIALOG_TYPE, ERROR_TYPE, DIALOG_TIMER_TYPE})
"""Sent by brokers to any service; no contract lists them."""

_NOTICE = SYSTEM_PREFIX + "BrokerConfigurationNotice"
_NOTICE_TYPES = tuple(
    MessageTypeName(f"{_NOTICE}/{request}")
    for request in ("MissingRoute", "FailedRoute", "MissingRemoteServiceBinding", "FailedRemoteServiceBinding")
)

BUILT_IN_MESSAGE_TYPES: Final = {
    message_type.name: message_type
    for message_type in (
        MessageType(DEFAULT_TYPE),
        MessageType(END_DIALOG_TYPE, Validation.EMPTY),
        MessageType(ERROR_TYPE, Validation.WELL_FORMED_XML),
        MessageType(DIALOG_TIMER_TYPE, Validation.EMPTY),
        *(MessageType(name, Validation.WELL_FORMED_XML) for name in _NOTICE_TYPES),
    )
}

BUILT_IN_CONTRACTS: Final = {
    contract.name: contract
    for contract in (
        Contract(DEFAULT_CONTRACT, (ContractUse(DEFAULT_TYPE, SentBy.ANY),)),
        Contract(ContractName(_NOTICE), tuple(ContractUse(name, SentBy.INITIATOR) for name in _NOTICE_TYPES)),
    )
}


def message_type_of(database: DatabaseCatalog, name: MessageTypeName) -> MessageType | None:
    """The message type called exactly `name`, defined or built in; None when there is none."""
    return database.message_types.get(name) or BUILT_IN_MESSAGE_TYPES.get(name)


def contract_of(database: DatabaseCatalog, name: ContractName) -> Contract | None:
    """The contract called exactly `name`, defined or built in; None when there is none."""
    return database.contracts.get(name) or BUILT_IN_CONTRACTS.get(name)
