"""What a target asks of an arriving message before it takes it in (protocol.md 13). Numbers go back as −number."""

from __future__ import annotations

from xml.parsers import expat

from engine.core.catalog.builtin import contract_of, message_type_of, service_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.objects import Contract, MessageType, SentBy, Validation
from engine.core.vocabulary.identifiers import MessageTypeName
from engine.core.vocabulary.messages import DialogMessage, MessageKind

NO_SUCH_SERVICE, CONTRACT_NOT_SUPPORTED, NO_SUCH_CONTRACT = 8490, 8408, 8425
NO_SUCH_TYPE, TYPE_NOT_IN_CONTRACT, BODY_INVALID = 8428, 8498, 8430
SENT_BY_INITIATOR_FORBIDDEN, SENT_BY_TARGET_FORBIDDEN = 8457, 8437


def first_message_fault(database: DatabaseCatalog, message: DialogMessage) -> int | None:
    """Why a dialog cannot be opened here, as an error number; None when it can."""
    service = service_of(database, message.target.service_name)
    if service is None:
        return NO_SUCH_SERVICE
    if message.contract not in service.contracts:
        known = contract_of(database, message.contract) is not None
        return CONTRACT_NOT_SUPPORTED if known else NO_SUCH_CONTRACT
    return message_fault(database, message)


def message_fault(database: DatabaseCatalog, message: DialogMessage) -> int | None:
    """Why a user message does not fit its contract or its type, as an error number; None when it fits."""
    if message.kind is not MessageKind.USER or message.message_type is None:
        return None
    message_type = message_type_of(database, message.message_type)
    if message_type is None:
        return NO_SUCH_TYPE
    contract = contract_of(database, message.contract)
    sent_by = direction(contract, message.message_type) if contract is not None else None
    if sent_by is None:
        return TYPE_NOT_IN_CONTRACT
    if message.from_initiator and sent_by is SentBy.TARGET:
        return SENT_BY_INITIATOR_FORBIDDEN
    if not message.from_initiator and sent_by is SentBy.INITIATOR:
        return SENT_BY_TARGET_FORBIDDEN
    return None if body_is_valid(message_type, message.body) else BODY_INVALID


def direction(contract: Contract, message_type: MessageTypeName) -> SentBy | None:
    """Who may send a type under a contract; None when the contract does not have it."""
    return next((use.sent_by for use in contract.uses if use.message_type == message_type), None)


def body_is_valid(message_type: MessageType, body: bytes | None) -> bool:
    """Whether a body passes the VALIDATION of its type. Of VALID_XML only the form is checked: schemas are not kept."""
    if message_type.validation is Validation.EMPTY:
        return not body
    if message_type.validation is Validation.NONE:
        return True
    try:
        expat.ParserCreate().Parse(body or b"", True)
    except expat.ExpatError:
        return False
    return True
