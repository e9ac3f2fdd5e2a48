"""`ViewReader`: the state of an instance as the views look at it, with the numbers of everything that has one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeVar
from uuid import UUID

from engine.core.catalog.builtin import (
    BROKER_SERVICE,
    BUILT_IN_CONTRACTS,
    BUILT_IN_MESSAGE_TYPES,
    BUILT_IN_QUEUES,
    BUILT_IN_SERVICES,
)
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.names import spelling_in
from engine.core.catalog.objects import Contract, MessageType, Queue, Service
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.exchange.system_views import Cell
from engine.core.handlers.broker import Broker
from engine.core.link.facts import NetworkFacts
from engine.core.queues.transactions import Transaction
from engine.core.system_views.numbers import Kind, numbers_of
from engine.core.system_views.uncommitted import Uncommitted
from engine.core.vocabulary.identifiers import (
    MASTER,
    ContractName,
    ConversationHandle,
    ConversationId,
    MessageTypeName,
    QueueName,
    ServiceName,
)
from engine.core.vocabulary.rows import ConversationEndpoint, QueueRow, TransmissionRow

Name = TypeVar("Name", bound=str)
Made = TypeVar("Made")


class ViewReader:
    """One query's look at the broker, from inside one database. Reads only; numbers are worked out once a query."""

    def __init__(
        self,
        broker: Broker,
        database: DatabaseCatalog,
        network: NetworkFacts | None = None,
        transaction: Transaction | None = None,
    ) -> None:
        self.broker = broker
        self.own = None if transaction is None else Uncommitted(broker, database.name, transaction)
        """What the transaction that reads has done; None where what is committed is read."""
        self.connections = None if network is None else network.connections
        """What the network knows of its connections; None without one, in a simulated world."""
        self.traffic = None if network is None else network.traffic
        """What went over all connections since the start; None without a network."""
        self.database = database
        self._numbers: dict[Kind, dict[str, int]] = {}

    # ── what is defined, with what every database has by itself ──────────────────────────────────────────────────
    def message_types(self) -> Iterator[MessageType]:
        """Message types, the built-in ones first."""
        return _with_built_in(BUILT_IN_MESSAGE_TYPES, self.database.message_types)

    def contracts(self) -> Iterator[Contract]:
        """Contracts, the built-in ones first."""
        return _with_built_in(BUILT_IN_CONTRACTS, self.database.contracts)

    def queues(self) -> Iterator[Queue]:
        """Queues, the built-in ones first."""
        return chain(BUILT_IN_QUEUES.values(), self.database.queues.values())

    def services(self) -> Iterator[Service]:
        """Services, the built-in ones first."""
        return chain(BUILT_IN_SERVICES.values(), self.database.services.values())

    def conversations(self, after: int = 0) -> Iterator[DialogEndpoint]:
        """The conversation endpoints of the database later than a serial number, in order of their making."""
        found = self.broker.conversations.look(self.database.name, after)
        return found if self.own is None else self.own.conversations(found, after)

    def first_of_groups(self, after: int = 0) -> Iterator[DialogEndpoint]:
        """The eldest conversation of each group, in order of their making, later than a serial number."""
        if self.own is not None:
            yield from self.own.first_of_groups(self.conversations(), after)
            return
        of_group, name = self.broker.conversations.of_group, self.database.name
        for endpoint in self.conversations(after):
            if of_group(name, endpoint.row.conversation_group_id)[0].serial == endpoint.serial:
                yield endpoint

    def with_something_to_send(self) -> Iterator[DialogEndpoint]:
        """Those of the endpoints that have rows in the transmission queue, in the same order."""
        name = self.database.name
        found = (each for each in self.broker.with_something_to_send() if each.database == name)
        return found if self.own is None else self.own.with_something_to_send(found)

    def pending(self, endpoint: DialogEndpoint) -> Iterable[TransmissionRow]:
        """What an endpoint has to send, oldest first."""
        return endpoint.sender.rows() if self.own is None else self.own.pending(endpoint)

    def messages(self, queue: QueueName) -> Iterable[QueueRow]:
        """What is in a queue, in order of arrival."""
        found = self.broker.queue(self.database.name, queue).all()
        return found if self.own is None else self.own.messages(queue, found)

    def awaiting_their_queue(self) -> Iterator[tuple[QueueName, QueueRow]]:
        """What has come for queues of the database that are off."""
        for queue in self.database.queues.values():
            for row in self.broker.queue(self.database.name, queue.name).waiting():
                if self.own is None or self.own.message(row) is not None:
                    yield queue.name, row

    def by_handle(self, handle: Cell) -> Iterator[DialogEndpoint]:
        """The endpoint of that handle, if the database has it."""
        if isinstance(handle, UUID):
            found = self.broker.conversations.look_at((self.database.name, ConversationHandle(handle)))
            yield from self._seen([found], lambda row: row.conversation_handle == handle)

    def by_conversation(self, conversation: Cell) -> Iterator[DialogEndpoint]:
        """The sides of a conversation that the database has."""
        if isinstance(conversation, UUID):
            look_at, side = self.broker.conversations.look_at_side, ConversationId(conversation)
            sides = [look_at(self.database.name, side, is_initiator) for is_initiator in (True, False)]
            yield from self._seen(sides, lambda row: row.conversation_id == conversation)

    def _seen(
        self, found: Iterable[DialogEndpoint | None], is_wanted: Callable[[ConversationEndpoint], bool]
    ) -> Iterable[DialogEndpoint]:
        there = (each for each in found if each is not None)
        return there if self.own is None else (each for each in self.own.conversations(there) if is_wanted(each.row))

    # ── numbers ──────────────────────────────────────────────────────────────────────────────────────────────────
    def database_id(self, name: str) -> int:
        """`database_id` of a database of the instance."""
        return self._of(Kind.DATABASE, self.broker.catalog.databases, name)

    def message_type_id(self, name: MessageTypeName) -> int:
        """`message_type_id`."""
        return self._of(Kind.MESSAGE_TYPE, (each.name for each in self.message_types()), name)

    def contract_id(self, name: ContractName) -> int:
        """`service_contract_id`."""
        return self._of(Kind.CONTRACT, (each.name for each in self.contracts()), name)

    def queue_id(self, name: QueueName) -> int:
        """`object_id` of a queue."""
        return self._of(Kind.QUEUE, (each.name for each in self.queues()), name)

    def service_id(self, name: ServiceName) -> int:
        """`service_id`."""
        return self._of(Kind.SERVICE, (each.name for each in self.services()), name)

    def route_id(self, name: str) -> int:
        """`route_id`."""
        return self._of(Kind.ROUTE, self.database.routes, name)

    def priority_id(self, name: str) -> int:
        """`priority_id`."""
        return self._of(Kind.PRIORITY, self.database.priorities, name)

    def binding_id(self, name: str) -> int:
        """`remote_service_binding_id`."""
        return self._of(Kind.BINDING, self.database.remote_service_bindings, name)

    def certificate_id(self, name: str) -> int:
        """`certificate_id` of a certificate of the database."""
        return self._of(Kind.CERTIFICATE, self.database.certificates, name)

    def certificate_id_in_master(self, name: str) -> int:
        """`certificate_id` in `master`, by which endpoints and connections name certificates in any letter case."""
        catalog = self.broker.catalog
        if self.database.name != MASTER and MASTER in catalog.databases:
            return ViewReader(self.broker, catalog.databases[MASTER]).certificate_id_in_master(name)
        key = spelling_in(self.database.certificates, name)
        return self.certificate_id(name if key is None else key)

    def schema_id(self, name: str) -> int:
        """`schema_id` of a schema that a queue is in."""
        return self._of(Kind.SCHEMA, dict.fromkeys(schema_of(each.name) for each in self.queues()), name)

    def schema_collection_id(self, name: str) -> int:
        """`xml_collection_id` of a schema collection that a message type names."""
        named = (each.schema_collection for each in self.message_types() if each.schema_collection is not None)
        return self._of(Kind.SCHEMA_COLLECTION, dict.fromkeys(named), name)

    def _of(self, kind: Kind, names: Iterable[str], name: str) -> int:
        """The number of a name. A name that is not defined any more still has one, as if it were the last."""
        numbers = self._numbers.get(kind)
        if numbers is None:
            numbers = self._numbers[kind] = numbers_of(kind, names)
        number = numbers.get(name)
        if number is None:
            number = numbers[name] = numbers_of(kind, [*numbers, name])[name]
        return number


def _with_built_in(built_in: Mapping[Name, Made], defined: Mapping[Name, Made]) -> Iterator[Made]:
    """What every database has, then what was made; a database may have made one before the product had it."""
    return chain((made for name, made in built_in.items() if name not in defined), defined.values())


def schema_of(queue: QueueName) -> str:
    """The schema in a queue's name."""
    return queue.partition(".")[0]


def is_system(endpoint: DialogEndpoint) -> bool:
    """Whether the broker itself holds the conversation (routing.md 6)."""
    return endpoint.row.service == BROKER_SERVICE
