"""One database of a server, taken into a catalog in an order in which everything finds what it needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from engine.collection.document import (
    BindingRow,
    CertificateRow,
    DatabaseRow,
    DatabaseViews,
    QueueRow,
    RouteRow,
    ServiceRow,
)
from engine.collection.names import Names
from engine.collection.objects import (
    binding_of,
    certificate_of,
    contract_of,
    message_type_of,
    priority_of,
    queue_of,
    route_of,
    service_of,
    state_of,
)
from engine.collection.permissions import Principals
from engine.collection.taking import Taking
from engine.core.catalog.changes import (
    BrokerSwitched,
    CatalogChange,
    ContractCreated,
    DatabaseCreated,
    DatabaseStateSet,
    MessageTypeCreated,
    PartnerSet,
    PriorityCreated,
    PriorityHonoured,
    QueueCreated,
    RouteCreated,
    RouteDropped,
    ServiceCreated,
)
from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.names import find_database, spelling_in
from engine.core.catalog.permissions import Securable
from engine.core.catalog.route_rules import AUTO_CREATED_LOCAL
from engine.core.catalog.security import Certificate
from engine.core.catalog.security_changes import CertificateCreated, RemoteServiceBindingCreated, UserCreated
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName
from engine.core.vocabulary.keys import KeySmith
from engine.revisions import ObjectKind

_NO_VIEWS: Final = DatabaseViews()


def is_of_the_broker(row: DatabaseRow) -> bool:
    """Whether somebody made something of the broker in a database, or it is half of a mirrored pair."""
    views = row.sys
    if row.database_mirroring:
        return True
    if views is None:
        return False
    vendors = Names(views).vendors
    return bool(
        views.remote_service_bindings
        or views.conversation_priorities
        or any(each.name != AUTO_CREATED_LOCAL.name for each in views.routes)
        or any(each.object_id not in vendors.queues for each in views.service_queues)
        or any(each.message_type_id not in vendors.message_types for each in views.service_message_types)
    )


class DatabaseTaker:
    """Takes one database over."""

    def __init__(
        self,
        taking: Taking,
        row: DatabaseRow,
        logins: dict[str, str],
        known: DatabaseCatalog | None,
        smith: KeySmith | None,
    ) -> None:
        self._taking = taking
        self._row = row
        self._views = row.sys or _NO_VIEWS
        self._names = Names(self._views)
        self._name = DatabaseName(row.name)
        self._principals = Principals(self._views, self._names, self._name, logins)
        self._known = known
        """The database as the estate has it, for the keys that no server gives away."""
        self._smith = smith

    def take(self) -> None:
        """The database and everything in it. Broker, state and partner are set last, as a script would."""
        if not self._taking.take(ObjectKind.DATABASE, self._row.name, self._name, self._identity):
            return
        if self._row.problem is not None:
            self._taking.notice(f"Nothing is known of what is in {self._name}: {self._row.problem}")
        for user in self._principals.users():
            self._one(ObjectKind.USER, user.name, UserCreated(database=self._name, user=user))
        self._messages()
        for queue in self._views.service_queues:
            if queue.object_id not in self._names.vendors.queues:
                name = self._names.queue(queue)
                self._taking.take(ObjectKind.QUEUE, name, self._name, partial(self._queue, queue))
        self._services()
        self._routes()
        for certificate in self._views.certificates:
            change = partial(self._certificate, certificate)
            self._taking.take(ObjectKind.CERTIFICATE, certificate.name, self._name, change)
        self._bindings_and_priorities()
        self._condition()

    def _one(self, kind: ObjectKind, name: str, change: CatalogChange) -> None:
        self._taking.take(kind, name, self._name, lambda: (change,))

    @property
    def _database(self) -> DatabaseCatalog:
        return find_database(self._taking.catalog, self._name)

    def _identity(self) -> Iterator[CatalogChange]:
        yield DatabaseCreated(database=self._name, broker_instance=BrokerInstanceId(self._row.service_broker_guid))
        if (self._row.sys is not None or self._known is not None) and self._database.routes:
            # Every database is born with it; whether this one has it still, its row says, or the estate.
            yield RouteDropped(database=self._name, name=AUTO_CREATED_LOCAL.name)

    def _condition(self) -> None:
        row, state = self._row, state_of(self._row)
        changes: list[CatalogChange] = []
        if row.is_honor_broker_priority_on:
            changes.append(PriorityHonoured(database=self._name, is_honoured=True))
        if self._database.is_broker_enabled != row.is_broker_enabled:
            changes.append(BrokerSwitched(database=self._name, is_enabled=row.is_broker_enabled))
        if state is not DatabaseState.ONLINE:
            changes.append(DatabaseStateSet(database=self._name, state=state))
        changes.extend(
            PartnerSet(database=self._name, partner_address=mirroring.mirroring_partner_name)
            for mirroring in row.database_mirroring
            if mirroring.mirroring_partner_name is not None
        )
        self._taking.go_on(changes)

    # --- what is in it

    def _messages(self) -> None:
        names, views = self._names, self._views
        for row in views.service_message_types:
            if row.message_type_id not in names.vendors.message_types:
                kind = message_type_of(row, names)
                change = MessageTypeCreated(database=self._name, message_type=kind)
                self._one(ObjectKind.MESSAGE_TYPE, row.name, change)
        uses = names.uses()
        for made in views.service_contracts:
            if made.service_contract_id not in names.vendors.contracts:
                contract = contract_of(made.name, uses.get(made.service_contract_id, ()))
                self._one(ObjectKind.CONTRACT, made.name, ContractCreated(database=self._name, contract=contract))

    def _queue(self, row: QueueRow) -> Iterable[CatalogChange]:
        queue = queue_of(row, self._names)
        yield QueueCreated(database=self._name, queue=queue)
        yield from self._principals.permissions(
            Securable.QUEUE, row.object_id, queue.name, self._principals.owner(None), self._taking.notice
        )

    def _services(self) -> None:
        contracts: dict[int, list[str]] = {}
        for use in self._views.service_contract_usages:
            if (contract := self._names.contracts.get(use.service_contract_id)) is not None:
                contracts.setdefault(use.service_id, []).append(contract)
        for row in self._views.services:
            if row.service_id not in self._names.vendors.services:
                change = partial(self._service, row, contracts.get(row.service_id, []))
                self._taking.take(ObjectKind.SERVICE, row.name, self._name, change)

    def _service(self, row: ServiceRow, contracts: list[str]) -> Iterable[CatalogChange]:
        owner = self._principals.owner(row.principal_id)
        yield ServiceCreated(database=self._name, service=service_of(row, contracts, owner, self._names))
        yield from self._principals.permissions(Securable.SERVICE, row.service_id, row.name, owner, self._taking.notice)

    def _routes(self) -> None:
        for row in self._views.routes:
            self._taking.take(ObjectKind.ROUTE, row.name, self._name, partial(self._route, row))

    def _route(self, row: RouteRow) -> Iterable[CatalogChange]:
        route, warnings = route_of(row)
        yield RouteCreated(database=self._name, route=route)
        for text in warnings:
            self._taking.notice(text)

    def _certificate(self, row: CertificateRow) -> Iterable[CatalogChange]:
        if self._smith is None:
            raise CatalogError(28054, database=self._name)
        found = certificate_of(row, self._principals.owner(row.principal_id), self._smith)
        kept = self._with_private_key(found)
        if kept is None:
            yield CertificateCreated(database=self._name, certificate=found)
        else:
            # Its private key is here already, under the master key that is here.
            self._database.master_key = None if self._known is None else self._known.master_key
            self._database.certificates[kept.name] = kept

    def _with_private_key(self, found: Certificate) -> Certificate | None:
        """The same certificate as the estate has it, when it has its private key."""
        if self._known is None or (key := spelling_in(self._known.certificates, found.name)) is None:
            return None
        known = self._known.certificates[key]
        return known if known.certificate == found.certificate and known.private_key is not None else None

    def _bindings_and_priorities(self) -> None:
        for row in self._views.remote_service_bindings:
            self._taking.take(ObjectKind.REMOTE_SERVICE_BINDING, row.name, self._name, partial(self._binding, row))
        for rule in self._views.conversation_priorities:
            change = PriorityCreated(database=self._name, priority=priority_of(rule, self._names))
            self._one(ObjectKind.PRIORITY, rule.name, change)

    def _binding(self, row: BindingRow) -> Iterable[CatalogChange]:
        binding = binding_of(row, self._principals.owner(row.principal_id), self._names)
        yield RemoteServiceBindingCreated(database=self._name, binding=binding)
