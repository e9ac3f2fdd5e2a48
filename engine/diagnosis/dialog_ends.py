"""`dialog_ends`: what the definitions say of both ends of one dialog that somebody wants to hold.

Queues to read, whether somebody reads them already, and which bodies and answers the contract lets through. Routing
is not asked: a dialog that cannot be delivered may be tried, and is then seen to wait.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from engine.core.catalog.builtin import contract_of, message_type_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import find_database, no_such
from engine.core.catalog.objects import SentBy, Service, Validation
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import (
    ContractName,
    DatabaseName,
    InstanceName,
    MessageTypeName,
    QueueName,
    ServiceName,
)


class DialogWanted(msgspec.Struct, frozen=True, kw_only=True):
    """Who would begin a dialog with whom, and what is sent first."""

    from_instance: InstanceName
    from_database: DatabaseName
    from_service: ServiceName
    to_service: ServiceName
    contract: ContractName
    message_type: MessageTypeName


class QueueEnd(msgspec.Struct, frozen=True, kw_only=True):
    """Where one end of a dialog is read."""

    instance: InstanceName
    database: DatabaseName
    queue: QueueName
    has_reader: bool
    """Whether a procedure is activated for it."""


class DialogEnds(msgspec.Struct, frozen=True, kw_only=True):
    """Both ends of a dialog. There may be several targets: routing decides among them."""

    initiator: QueueEnd
    targets: tuple[QueueEnd, ...]
    validation: Validation
    """What a body of the message type has to be."""
    reply_type: MessageTypeName | None
    """A message type that a target may send; None when the contract has none."""
    reply_validation: Validation


def dialog_ends(catalogs: Mapping[str, InstanceCatalog], wanted: DialogWanted) -> DialogEnds:
    """Both ends.

    `CatalogError` 911 and 15151 for names that are not defined, `LocalProtocolError` 8431 for a message type that is
    not of the contract, 8457 for one that only targets send.
    """
    catalog = catalogs.get(wanted.from_instance)
    if catalog is None:
        raise no_such("instance", wanted.from_instance, "the estate")
    database = find_database(catalog, wanted.from_database)
    service = database.services.get(wanted.from_service)
    if service is None:
        raise no_such("service", wanted.from_service, database.name)
    targets = tuple(
        _end(each, home, found)
        for each in catalogs.values()
        for home in each.databases.values()
        if (found := home.services.get(wanted.to_service)) is not None
    )
    if not targets:
        raise no_such("service", wanted.to_service, "the estate")
    return _with_types(database, wanted, _end(catalog, database, service), targets)


def _with_types(
    database: DatabaseCatalog, wanted: DialogWanted, initiator: QueueEnd, targets: tuple[QueueEnd, ...]
) -> DialogEnds:
    contract = contract_of(database, wanted.contract)
    if contract is None:
        raise no_such("contract", wanted.contract, database.name)
    directions = {use.message_type: use.sent_by for use in contract.uses}
    if wanted.message_type not in directions:
        raise no_such("message type", wanted.message_type, contract.name)
    if directions[wanted.message_type] is SentBy.TARGET:
        raise LocalProtocolError(8457, message_type=wanted.message_type, contract=contract.name)
    replies = sorted(
        (use for use in contract.uses if use.sent_by is not SentBy.INITIATOR),
        key=lambda use: use.sent_by is not SentBy.TARGET,
    )
    reply_type = replies[0].message_type if replies else None
    return DialogEnds(
        initiator=initiator,
        targets=targets,
        validation=_validation(database, wanted.message_type),
        reply_type=reply_type,
        reply_validation=Validation.NONE if reply_type is None else _validation(database, reply_type),
    )


def _validation(database: DatabaseCatalog, name: MessageTypeName) -> Validation:
    found = message_type_of(database, name)
    return Validation.NONE if found is None else found.validation


def _end(catalog: InstanceCatalog, database: DatabaseCatalog, service: Service) -> QueueEnd:
    queue = database.queues[service.queue]
    activation = queue.activation
    return QueueEnd(
        instance=catalog.name,
        database=database.name,
        queue=queue.name,
        has_reader=activation is not None and activation.is_enabled and bool(activation.procedure_name),
    )
