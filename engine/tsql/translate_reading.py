"""From statements about priorities and event notifications to catalog changes (tsql.md 7, 10, 11)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, assert_never

from engine.core.catalog.address import parse_broker_instance
from engine.core.catalog.changes import (
    CatalogChange,
    EventNotificationCreated,
    EventNotificationDropped,
    PriorityAltered,
    PriorityCreated,
    PriorityHonoured,
    TrustworthySet,
)
from engine.core.catalog.names import same_name
from engine.core.catalog.objects import ANY, BrokerPriority, EventNotification, QueueEvent
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import (
    ContractName,
    DatabaseName,
    EventNotificationName,
    PriorityName,
    QueueName,
    ServiceName,
)
from engine.core.vocabulary.limits import PRIORITY_LEVEL_DEFAULT
from engine.tsql.reading_statements import (
    AlterPriority,
    CreateEventNotification,
    CreatePriority,
    DropEventNotification,
    ReadingStatement,
    SetPriorityHonoured,
    SetTrustworthy,
)
from engine.tsql.statement_base import Clause, ObjectName

_CURRENT_DATABASE: Final = "current database"


class ReadingTranslator:
    """Translates for one database; `simple` and `queue_of` read names as the statements of that database mean them."""

    def __init__(
        self,
        database: DatabaseName,
        simple: Callable[[ObjectName], str],
        queue_of: Callable[[ObjectName], tuple[DatabaseName, QueueName]],
    ) -> None:
        self._database = database
        self._simple = simple
        self._queue_of = queue_of

    def changes_of(self, statement: ReadingStatement) -> list[CatalogChange]:
        """The changes a statement asks for; `CatalogError` when its texts alone are wrong."""
        match statement:
            case CreatePriority() | AlterPriority():
                return [self._priority(statement)]
            case SetPriorityHonoured():
                database = self._database if statement.database is None else DatabaseName(statement.database)
                return [PriorityHonoured(database=database, is_honoured=statement.is_honoured)]
            case SetTrustworthy():
                database = self._database if statement.database is None else DatabaseName(statement.database)
                return [TrustworthySet(database=database, is_trustworthy=statement.is_trustworthy)]
            case CreateEventNotification():
                return [self._notification(statement)]
            case DropEventNotification():
                queue = self._own_queue(statement.names[0], statement.queue)
                return [
                    EventNotificationDropped(
                        database=self._database, name=EventNotificationName(self._simple(name)), queue=queue
                    )
                    for name in statement.names
                ]
            case _:
                assert_never(statement)

    def _priority(self, statement: CreatePriority | AlterPriority) -> CatalogChange:
        name, clauses = PriorityName(self._simple(statement.name)), statement.clauses
        if isinstance(statement, AlterPriority):
            return PriorityAltered(
                database=self._database,
                name=name,
                contract=None if clauses.contract is None else ContractName(clauses.contract),
                local_service=None if clauses.local_service is None else ServiceName(clauses.local_service),
                remote_service=None if clauses.remote_service is None else ServiceName(clauses.remote_service),
                level=clauses.level,
            )
        contract, local, remote = (
            None if value == ANY else value
            for value in (clauses.contract, clauses.local_service, clauses.remote_service)
        )
        priority = BrokerPriority(
            name,
            None if contract is None else ContractName(contract),
            None if local is None else ServiceName(local),
            None if remote is None else ServiceName(remote),
            PRIORITY_LEVEL_DEFAULT if clauses.level is None else clauses.level,
        )
        return PriorityCreated(database=self._database, priority=priority)

    def _notification(self, statement: CreateEventNotification) -> CatalogChange:
        if statement.queue is None:
            event = next(clause.value for clause in statement.events if is_queue_event(clause.value))
            raise CatalogError(2116, name=event, clause="FOR")
        notification = EventNotification(
            EventNotificationName(self._simple(statement.name)),
            self._own_queue(statement.name, statement.queue),
            tuple(_event(clause) for clause in statement.events),
            ServiceName(statement.service.value),
            None
            if same_name(statement.broker_instance.value, _CURRENT_DATABASE)
            else parse_broker_instance(statement.broker_instance.value),
        )
        return EventNotificationCreated(database=self._database, notification=notification)

    def _own_queue(self, notification: ObjectName, name: ObjectName) -> QueueName:
        database, queue = self._queue_of(name)
        if not same_name(database, self._database):
            raise CatalogError(3811, name=str(notification), queue=str(name))
        return queue


def is_queue_event(word: str) -> bool:
    """Whether queues know an event of this name, in any letter case."""
    return word.upper() in QueueEvent.__members__


def _event(clause: Clause) -> QueueEvent:
    """An event of a queue (2116)."""
    if not is_queue_event(clause.value):
        raise CatalogError(2116, name=clause.value, clause="FOR")
    return QueueEvent(clause.value.upper())
