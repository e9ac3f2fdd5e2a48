"""What a target asks of an arriving message before it takes it in (protocol.md 13). Numbers go back as −number."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from msgspec import UNSET

from engine.core.catalog.builtin import contract_of, message_type_of, service_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.message_uses import MessageUse
from engine.core.catalog.names import length_of
from engine.core.catalog.objects import MessageType, SentBy, Validation
from engine.core.dialog.well_formed import xml_fault
from engine.core.vocabulary.identifiers import ContractName, MessageTypeName, ServiceName
from engine.core.vocabulary.limits import SECURED_BYTES_MAX, SERVICE_NAME_LENGTH_MAX, SYSNAME_LENGTH_MAX
from engine.core.vocabulary.messages import DialogMessage, Fragment, MessageKind

NO_SUCH_SERVICE, CONTRACT_NOT_SUPPORTED, NO_SUCH_CONTRACT = 8490, 8408, 8425
NO_SUCH_TYPE, TYPE_NOT_IN_CONTRACT, BODY_NOT_EMPTY, NOT_WELL_FORMED = 8428, 8498, 8430, 9616
SENT_BY_INITIATOR_FORBIDDEN, SENT_BY_TARGET_FORBIDDEN = 8457, 8437
NOT_IN_OWN_CONTRACT, INITIATOR_MAY_NOT, TARGET_MAY_NOT = 8431, 8432, 8434
BODY_TOO_LARGE = 8459
END_WITHOUT_NUMBER, FIRST_MESSAGE_ENDS, USER_WITHOUT_TYPE, SYSTEM_WITH_TYPE = 11276, 11277, 11278, 11279
HEADER_UNREADABLE, FRAGMENT_NUMBERS_UNFIT, UNSEQUENCED_WITH_NUMBER = 11281, 11298, 11299
SEEN_LESS_THAN_STORED = 28007
NO_SENDER, SENDER_TOO_LONG, NO_SENDER_ID, NO_RECEIVER, RECEIVER_TOO_LONG = 11201, 11202, 11203, 11205, 11206
NO_CONTRACT, CONTRACT_TOO_LONG, NO_RECEIVER_ID, TYPE_IS_EMPTY, TYPE_TOO_LONG = 11207, 11208, 11220, 11225, 11226

NAMES_REMEMBERED: Final = 1024
"""Sets of names of which is known what is wrong with them; strangers may send any number of others."""


def header_fault(message: DialogMessage) -> int | None:
    """Why a message cannot be taken whatever is here, as an error number; None when nothing speaks against it.

    Of its header something is missing or too long (protocol.md 3.2), or it contradicts itself (protocol.md 2).
    """
    return _name_fault(message) or _contradiction(message)


def _name_fault(message: DialogMessage) -> int | None:
    """What is without a name cannot be answered, and no store keeps names without end (protocol.md 19)."""
    source, target = message.source, message.target
    fault = _fault_of_names(source.service_name, target.service_name, message.contract, message.message_type)
    if fault is not None:
        return fault
    if source.broker_instance is None:
        return NO_SENDER_ID
    # An initiator may not know yet which copy of the service it will talk to; a target has been told at once.
    return NO_RECEIVER_ID if target.broker_instance is None and not message.from_initiator else None


@lru_cache(maxsize=NAMES_REMEMBERED)
def _fault_of_names(
    source: ServiceName, target: ServiceName, contract: ContractName, message_type: MessageTypeName | None
) -> int | None:
    """Remembered, for the same few names come with all the messages of a dialog."""
    names = (
        (source, SERVICE_NAME_LENGTH_MAX, NO_SENDER, SENDER_TOO_LONG),
        (target, SERVICE_NAME_LENGTH_MAX, NO_RECEIVER, RECEIVER_TOO_LONG),
        (contract, SYSNAME_LENGTH_MAX, NO_CONTRACT, CONTRACT_TOO_LONG),
        (message_type, SYSNAME_LENGTH_MAX, TYPE_IS_EMPTY, TYPE_TOO_LONG),
    )
    for name, length_max, is_missing, is_too_long in names:
        if name is None:
            continue
        if not name:
            return is_missing
        # A character is one or two units long.
        if 2 * len(name) > length_max and length_of(name) > length_max:
            return is_too_long
    return None


def _contradiction(message: DialogMessage) -> int | None:
    kind = message.kind
    if message.fragment is not None and not _is_fragment(message, message.fragment):
        return FRAGMENT_NUMBERS_UNFIT
    receipt = message.acknowledgement
    if receipt is not None and receipt.highest_seen < receipt.up_to:
        return SEEN_LESS_THAN_STORED
    if kind is MessageKind.USER:
        if message.sequence is None:
            return HEADER_UNREADABLE
        return USER_WITHOUT_TYPE if message.message_type is None else None
    if message.message_type is not None:
        return SYSTEM_WITH_TYPE
    if kind is MessageKind.ACKNOWLEDGEMENT:
        return UNSEQUENCED_WITH_NUMBER if message.sequence is not None else None
    if kind is MessageKind.END_DIALOG and message.sequence is None:
        return END_WITHOUT_NUMBER
    # A target may end at once: its dialog has begun with the initiator's message.
    return FIRST_MESSAGE_ENDS if message.sequence == 0 and message.from_initiator else None


def _is_fragment(message: DialogMessage, fragment: Fragment) -> bool:
    fits = fragment.is_possible and len(message.body or b"") == fragment.bytes
    return fits and message.kind is MessageKind.USER and message.sequence is not None


def first_message_fault(
    database: DatabaseCatalog, message: DialogMessage, use: MessageUse, bytes_max: int
) -> int | None:
    """Why a dialog cannot be opened here, as an error number; None when it can."""
    service = service_of(database, message.target.service_name)
    if service is None:
        return NO_SUCH_SERVICE
    if message.contract not in service.contracts:
        known = contract_of(database, message.contract) is not None
        return CONTRACT_NOT_SUPPORTED if known else NO_SUCH_CONTRACT
    return message_fault(message, use, bytes_max)


def message_fault(message: DialogMessage, use: MessageUse, bytes_max: int) -> int | None:
    """Why a user message does not fit its contract or its type, as an error number; None when it fits.

    Of a fragment the content cannot be judged: see `body_fault`, once the message is whole.
    """
    if message.kind is not MessageKind.USER or message.message_type is None:
        return None
    if use.message_type is None:
        return NO_SUCH_TYPE
    sent_by = use.sent_by
    if sent_by is None:
        return TYPE_NOT_IN_CONTRACT
    if message.from_initiator and sent_by is SentBy.TARGET:
        return SENT_BY_INITIATOR_FORBIDDEN
    if not message.from_initiator and sent_by is SentBy.INITIATOR:
        return SENT_BY_TARGET_FORBIDDEN
    if message.fragment is not None:
        secured = 0 if message.security is UNSET else SECURED_BYTES_MAX
        return BODY_TOO_LARGE if message.fragment.message_bytes > bytes_max + secured else None
    return _validation_fault(use.message_type, message.body)


def send_fault(use: MessageUse, *, is_initiator: bool) -> int | None:
    """Why a side may not SEND a type under its own contract, as an error number; None when it may (protocol.md 12)."""
    if use.message_type is None:
        return NO_SUCH_TYPE
    if use.sent_by is None:
        return NOT_IN_OWN_CONTRACT
    if is_initiator:
        return INITIATOR_MAY_NOT if use.sent_by is SentBy.TARGET else None
    return TARGET_MAY_NOT if use.sent_by is SentBy.INITIATOR else None


def body_fault(database: DatabaseCatalog, name: MessageTypeName, body: bytes | None) -> int | None:
    """Why a whole body does not fit its type, as an error number; None when it fits."""
    message_type = message_type_of(database, name)
    if message_type is None:
        return NO_SUCH_TYPE
    return _validation_fault(message_type, body)


def _validation_fault(message_type: MessageType, body: bytes | None) -> int | None:
    """Why a body fails the VALIDATION of its type. Of VALID_XML only the form is checked: schemas are not kept."""
    if message_type.validation is Validation.NONE:
        return None
    if message_type.validation is Validation.EMPTY:
        return BODY_NOT_EMPTY if body else None
    return NOT_WELL_FORMED if xml_fault(body) else None
