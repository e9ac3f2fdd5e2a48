"""`CatalogKeeper`: the definitions in force, and what is asked of them so often that it is worked out once."""

from __future__ import annotations

from engine.core.catalog.database import CLOSED_TO_COMMANDS
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.message_uses import MessageUses
from engine.core.catalog.objects import EndpointState
from engine.core.catalog.permission_rules import guarded_services
from engine.core.dialog.endpoint import Permit
from engine.core.handlers.collecting import OutcomeCollector
from engine.core.routing.locator import unavailable_reason
from engine.core.vocabulary.identifiers import ContractName, DatabaseName, MessageTypeName, ServiceName
from engine.core.vocabulary.rows import ConversationState

ENDPOINT_STOPPED, NO_ENDPOINT = 9666, 9748


class CatalogKeeper(OutcomeCollector):
    """A change of the definitions is another catalog, never a change of the one in force."""

    def __init__(self, catalog: InstanceCatalog) -> None:
        super().__init__()
        self.catalog = catalog

    @property
    def catalog(self) -> InstanceCatalog:
        """What is defined; not to be changed in place."""
        return self._catalog

    @catalog.setter
    def catalog(self, catalog: InstanceCatalog) -> None:
        self._catalog = catalog
        self.uses = MessageUses(catalog)
        reasons = ((name, unavailable_reason(database)) for name, database in catalog.databases.items())
        self.unavailable: dict[DatabaseName, int] = {name: reason for name, reason in reasons if reason is not None}
        """Why databases are out of reach (identity.md 2); those that are not are absent."""
        self.has_closed = any(database.state in CLOSED_TO_COMMANDS for database in catalog.databases.values())
        """Whether any database is closed to commands."""
        self.obstacle = _obstacle(catalog)
        """Why nothing leaves this instance at all; None when it may."""
        self.guarded = guarded_services(catalog)
        """Services to which not everybody may send, or for whose owner their queue is closed; usually none."""
        self.arrival_permits: dict[tuple[DatabaseName, ContractName, MessageTypeName | None, bool], Permit] = {}
        """What was found of arriving messages by database, contract, type and whether an initiator sent them."""
        self.send_permits: dict[
            tuple[DatabaseName, ServiceName, ContractName, bool, ConversationState, MessageTypeName], Permit
        ] = {}
        """What was found of SENDs by database, and service, contract, side and state of the endpoint, and type."""
        self.catalog_changed()

    def catalog_changed(self) -> None:
        """Another catalog is in force: forget what was looked up in the one before."""


def _obstacle(catalog: InstanceCatalog) -> int | None:
    own = catalog.endpoint
    if own is None:
        return NO_ENDPOINT
    return None if own.state is EndpointState.STARTED else ENDPOINT_STOPPED
