"""`Speech`: a contract and messages that two services can use with each other, found in their definitions.

A what-if asks how a message is routed, not what it says; so a world lets its services say what they may.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from engine.core.catalog.builtin import contract_of, message_type_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import DEFAULT_CONTRACT, DEFAULT_TYPE, SentBy, Validation
from engine.core.vocabulary.identifiers import ContractName, InstanceName, MessageTypeName
from engine.whatif.telling import FlowQuestion

BODY: Final = b"<where/>"


class Said(msgspec.Struct, frozen=True):
    """One message: its type, and a body that the type allows."""

    message_type: MessageTypeName = DEFAULT_TYPE
    body: bytes | None = BODY


class Speech(msgspec.Struct, frozen=True, kw_only=True):
    """What is said under which contract."""

    contract: ContractName = DEFAULT_CONTRACT
    message: Said = Said()
    reply: Said = Said()


def speech_of(catalogs: Mapping[InstanceName, InstanceCatalog], flow: FlowQuestion) -> Speech:
    """What the sender of a flow may say to the service that it means; in DEFAULT where they have nothing in common."""
    sender = catalogs[flow.instance].databases[flow.database]
    for contract in _offered(catalogs.values(), flow):
        known = contract_of(sender, contract)
        if known is None:
            continue
        said: dict[SentBy, Said] = {}
        for use in known.uses:
            for by in (SentBy.INITIATOR, SentBy.TARGET):
                if use.sent_by in (by, SentBy.ANY):
                    said.setdefault(by, _said(sender, use.message_type))
        if SentBy.INITIATOR in said:
            message = said[SentBy.INITIATOR]
            return Speech(contract=contract, message=message, reply=said.get(SentBy.TARGET, message))
    return Speech()


def _offered(catalogs: Iterable[InstanceCatalog], flow: FlowQuestion) -> dict[ContractName, None]:
    """Contracts of every service of that name, in the order in which they are listed."""
    found: dict[ContractName, None] = {}
    for catalog in catalogs:
        for database in catalog.databases.values():
            service = database.services.get(flow.to_service)
            if service is not None:
                found |= dict.fromkeys(service.contracts)
    return found


def _said(database: DatabaseCatalog, name: MessageTypeName) -> Said:
    known = message_type_of(database, name)
    is_empty = known is not None and known.validation is Validation.EMPTY
    return Said(name, None if is_empty else BODY)
