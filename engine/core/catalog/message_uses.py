"""`MessageUses`: who may send which type under which contract, looked up once per catalog: every message asks."""

from __future__ import annotations

from typing import NamedTuple

from engine.core.catalog.builtin import contract_of, message_type_of
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Contract, MessageType, SentBy
from engine.core.vocabulary.identifiers import ContractName, DatabaseName, MessageTypeName


class MessageUse(NamedTuple):
    """A type under a contract. Without `message_type` it is not defined, without `sent_by` not in the contract."""

    message_type: MessageType | None
    sent_by: SentBy | None


class MessageUses:
    """The uses of one catalog; another catalog needs another object."""

    def __init__(self, catalog: InstanceCatalog) -> None:
        self._catalog = catalog
        self._known: dict[tuple[DatabaseName, ContractName, MessageTypeName], MessageUse] = {}

    def of(self, database: DatabaseName, contract: ContractName, message_type: MessageTypeName) -> MessageUse:
        """A type under a contract in a database of the instance."""
        key = (database, contract, message_type)
        known = self._known.get(key)
        if known is not None:
            return known
        definitions = self._catalog.databases[database]
        found = contract_of(definitions, contract)
        sent_by = _direction(found, message_type) if found is not None else None
        use = MessageUse(message_type_of(definitions, message_type), sent_by)
        if use.message_type is not None and sent_by is not None:
            # Names that mean nothing come from the network in any number; they are not remembered.
            self._known[key] = use
        return use


def _direction(contract: Contract, message_type: MessageTypeName) -> SentBy | None:
    """Who may send a type under a contract; None when the contract does not have it."""
    for use in contract.uses:
        if use.message_type == message_type:
            return use.sent_by
    return None
