"""Names behind the ids of a database's rows, and which of its objects nobody made: they came with the product."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Final

import msgspec

from engine.collection.document import DatabaseViews, MessageTypeRow, PrincipalRow, QueueRow
from engine.core.catalog.builtin import BUILT_IN_CONTRACTS, BUILT_IN_MESSAGE_TYPES, BUILT_IN_SERVICES
from engine.core.catalog.objects import SentBy, Validation
from engine.tsql.part_names import joined

USER_MADE_FIRST: Final = 65536
"""Smaller ids are those of what every database has (views.md 1, `route_id`)."""
_FIXED_PRINCIPALS: Final = {1: "dbo", 2: "guest"}
_SENT_BY: Final = {(True, True): SentBy.ANY, (True, False): SentBy.INITIATOR, (False, True): SentBy.TARGET}
_VALIDATIONS: Final = {"N": Validation.NONE, "E": Validation.EMPTY, "X": Validation.WELL_FORMED_XML}


class Vendors(msgspec.Struct, frozen=True):
    """Ids of what SQL Server made: itself, or for Database Mail and the like, whose queues it marks as its own."""

    queues: frozenset[int]
    services: frozenset[int]
    contracts: frozenset[int]
    message_types: frozenset[int]


class Names:
    """What the rows of one database are called."""

    def __init__(self, views: DatabaseViews) -> None:
        self._views = views
        self._schemas = {row.schema_id: row.name for row in views.schemas}
        self.principals = {row.principal_id: row for row in views.database_principals}
        self.message_types = {row.message_type_id: row.name for row in views.service_message_types}
        self.contracts = {row.service_contract_id: row.name for row in views.service_contracts}
        self.services = {row.service_id: row.name for row in views.services}
        self.queues = {row.object_id: self.queue(row) for row in views.service_queues}
        self._collections = {
            row.xml_collection_id: joined((self._schemas.get(row.schema_id, "dbo"), row.name))
            for row in views.xml_schema_collections
        }
        self.vendors = self._made_by_vendor()

    def queue(self, row: QueueRow) -> str:
        """Schema and name; without a list of schemas 1 is dbo, as everywhere."""
        return f"{self.schema(row)}.{row.name}"

    def schema(self, row: QueueRow) -> str:
        """The schema of a queue."""
        return self._schemas.get(row.schema_id, "dbo")

    def principal(self, number: int | None) -> str:
        """The user or role of that id; dbo for none."""
        found = self.principals.get(number or 1)
        return _FIXED_PRINCIPALS.get(number or 1, "dbo") if found is None else found.name

    def user(self, number: int | None) -> PrincipalRow | None:
        """The row of a user that is not one every database has; None for those and for roles."""
        found = self.principals.get(number or 1)
        is_known = found is None or found.principal_id in _FIXED_PRINCIPALS or found.type in ("R", "A")
        return None if is_known else found

    def validation(self, row: MessageTypeRow) -> tuple[Validation, str | None]:
        """VALIDATION and its schema collection; a collection that nobody may see leaves well-formed XML."""
        collection = None if row.xml_collection_id is None else self._collections.get(row.xml_collection_id)
        if collection is not None:
            return Validation.VALID_XML, collection
        return _VALIDATIONS.get(row.validation.strip(), Validation.NONE), None

    def uses(self) -> dict[int, list[tuple[str, SentBy]]]:
        """Message types of each contract."""
        found: dict[int, list[tuple[str, SentBy]]] = {}
        for row in self._views.service_contract_message_usages:
            sent_by = _SENT_BY.get((row.is_sent_by_initiator, row.is_sent_by_target))
            name = self.message_types.get(row.message_type_id)
            if sent_by is not None and name is not None:
                found.setdefault(row.service_contract_id, []).append((name, sent_by))
        return found

    def _made_by_vendor(self) -> Vendors:
        views = self._views
        queues = frozenset(row.object_id for row in views.service_queues if row.is_ms_shipped)
        services = frozenset(
            row.service_id
            for row in views.services
            if row.service_id < USER_MADE_FIRST or row.name in BUILT_IN_SERVICES or row.service_queue_id in queues
        )
        contracts = _of_nobody_else(
            services, ((row.service_id, row.service_contract_id) for row in views.service_contract_usages)
        )
        contracts |= {
            number for number, name in self.contracts.items() if number < USER_MADE_FIRST or name in BUILT_IN_CONTRACTS
        }
        types = _of_nobody_else(
            contracts,
            ((row.service_contract_id, row.message_type_id) for row in views.service_contract_message_usages),
        )
        types |= {
            number
            for number, name in self.message_types.items()
            if number < USER_MADE_FIRST or name in BUILT_IN_MESSAGE_TYPES
        }
        return Vendors(queues, services, frozenset(contracts), frozenset(types))


def _of_nobody_else(owners: Set[int], uses: Iterable[tuple[int, int]]) -> set[int]:
    """What some of `owners` use and nobody besides them."""
    users: dict[int, set[int]] = {}
    for owner, used in uses:
        users.setdefault(used, set()).add(owner)
    return {used for used, who in users.items() if who <= owners}
