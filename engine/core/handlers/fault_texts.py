"""What the texts of faults name: everything that is known of an arriving message and of where it was to go."""

from __future__ import annotations

from msgspec import UNSET

from engine.core.catalog.builtin import service_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.dialog.well_formed import xml_fault
from engine.core.handlers.broker import Broker
from engine.core.handlers.checks import NOT_WELL_FORMED
from engine.core.routing.dialog_security import certificate_by
from engine.core.vocabulary.errors import Parameter
from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.messages import DialogMessage
from engine.core.vocabulary.moment import UtcTime

SECOND_TARGET, OTHER_INSTANCE_CONVERSES = 8495, 11224


def parameters_of(
    broker: Broker, database: DatabaseName | None, message: DialogMessage, number: int
) -> dict[str, Parameter]:
    """The parameters of every text that says why a message is discarded or answered with an Error."""
    own = message.target.service_name
    catalog = None if database is None else broker.catalog.databases.get(database)
    service = None if catalog is None else service_of(catalog, own)
    known = broker.elsewhere(message.conversation_id, is_initiator=not message.from_initiator)
    return {
        # Of two copies of a service the one that comes too late is the sender of the message.
        "service": message.source.service_name if number in (SECOND_TARGET, OTHER_INSTANCE_CONVERSES) else own,
        "contract": message.contract,
        "message_type": message.message_type,
        "conversation_handle": str(message.conversation_id),
        "broker_instance": str(message.target.broker_instance or ""),
        "database": database or "",
        "queue": None if service is None else service.queue,
        "address": own,
        "limit": broker.settings.dialog.message_bytes_max,
        "found": message.sequence,
        "expected": None if known is None else known.receiver.next_number,
        "state": None if known is None else known.row.state.name,
        "name": "" if broker.speaker is None else broker.speaker.neighbour.instance,
        "detail": _where_not_well_formed(message) if number == NOT_WELL_FORMED else "",
        "value": None if catalog is None else _owner_of_invalid_certificate(catalog, message, broker.now.utc),
    }


def _where_not_well_formed(message: DialogMessage) -> str:
    """Where the body breaks off; a fragment, or what is still sealed, does not show it as the whole message did."""
    is_whole = message.fragment is None and message.security is UNSET
    return (xml_fault(message.body) if is_whole else "") or "its sender is told where"


def _owner_of_invalid_certificate(database: DatabaseCatalog, message: DialogMessage, now: UtcTime) -> str | None:
    """Whose certificate, of those that a message was secured with, is not valid now (28024, 28025)."""
    header = None if message.security is UNSET else message.security.header
    if header is None:
        return None
    named = (certificate_by(database, header.recipient), certificate_by(database, header.signer))
    found = [each for each in named if each is not None and not each.starts_at <= now < each.expires_at]
    return found[0].owner if found else None
