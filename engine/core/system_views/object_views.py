"""Views of objects with a schema: queues, the internal tables that hold their messages, schemas, notifications."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, Final, NamedTuple, TypeVar

from engine.core.catalog.builtin import BUILT_IN_QUEUES
from engine.core.catalog.objects import EventNotification, Queue
from engine.core.system_views.definition import NULL, Column, Scope, SystemView, fixed
from engine.core.system_views.numbers import BUILT_IN, OWNER, Kind
from engine.core.system_views.reading import ViewReader, schema_of
from engine.core.vocabulary.moment import NEVER_SET

T = TypeVar("T")

DATES_DIFFER: Final = "When an object was made or altered is not kept: both dates are 1900-01-01."
_SYS: Final = "sys"


class DatabaseObject(NamedTuple):
    """A row of sys.objects."""

    name: str
    object_id: int
    schema: str
    parent_object_id: int
    type: str
    type_desc: str
    is_ms_shipped: bool


def of_queue(reader: ViewReader, queue: Queue) -> DatabaseObject:
    """A queue as an object."""
    schema, _, name = queue.name.partition(".")
    number = reader.queue_id(queue.name)
    return DatabaseObject(name, number, schema, 0, "SQ", "SERVICE_QUEUE", queue.name in BUILT_IN_QUEUES)


def of_internal_table(reader: ViewReader, queue: Queue) -> DatabaseObject:
    """The table in which a queue keeps its messages, as an object."""
    parent = reader.queue_id(queue.name)
    number, name = reader.internal_table_id(queue.name), f"queue_messages_{parent}"
    return DatabaseObject(name, number, _SYS, parent, "IT", "INTERNAL_TABLE", queue.name in BUILT_IN_QUEUES)


def object_columns(as_object: Callable[[ViewReader, T], DatabaseObject]) -> tuple[Column[T], ...]:
    """The columns of sys.objects for rows that stand for objects."""
    return (
        Column("name", "sysname", "name without its schema", lambda reader, row: as_object(reader, row).name),
        Column("object_id", "int", "id", lambda reader, row: as_object(reader, row).object_id),
        Column("principal_id", "int", "owner when not the schema's", fixed(None), NULL),
        Column("schema_id", "int", "its schema", lambda reader, row: reader.schema_id(as_object(reader, row).schema)),
        Column(
            "parent_object_id",
            "int",
            "0 = not a child of another object",
            lambda reader, row: as_object(reader, row).parent_object_id,
        ),
        Column("type", "char(2)", "SQ queue, IT internal table", lambda reader, row: as_object(reader, row).type, NULL),
        Column(
            "type_desc", "nvarchar(60)", "the same in words", lambda reader, row: as_object(reader, row).type_desc, NULL
        ),
        Column("create_date", "datetime", "when it was made", fixed(NEVER_SET)),
        Column("modify_date", "datetime", "when it was last altered", fixed(NEVER_SET)),
        Column("is_ms_shipped", "bit", "made by the product", lambda reader, row: as_object(reader, row).is_ms_shipped),
        Column("is_published", "bit", "published by replication", fixed(False)),
        Column("is_schema_published", "bit", "its schema is published", fixed(False)),
    )


def _objects(reader: ViewReader) -> Iterable[DatabaseObject]:
    queues = (of_queue(reader, each) for each in reader.queues())
    return chain(queues, (of_internal_table(reader, each) for each in reader.queues()))


OBJECTS: Final = SystemView[DatabaseObject](
    name="sys.objects",
    about="Objects of the database that have a schema: its queues, and the internal tables that hold their messages.",
    scope=Scope.DATABASE,
    rows=_objects,
    columns=object_columns(lambda _, each: each),
    differs=(
        "Tables, procedures and all other objects that say nothing about messages are not modelled, and not listed.",
        DATES_DIFFER,
    ),
)

INTERNAL_TABLES: Final = SystemView[Queue](
    name="sys.internal_tables",
    about="The internal tables that hold the messages of queues.",
    scope=Scope.DATABASE,
    rows=ViewReader.queues,
    columns=(
        *object_columns(of_internal_table),
        Column("internal_type", "tinyint", "201 = QUEUE_MESSAGES", fixed(201)),
        Column("internal_type_desc", "nvarchar(60)", "QUEUE_MESSAGES", fixed("QUEUE_MESSAGES"), NULL),
        Column("parent_id", "int", "its queue", lambda reader, queue: reader.queue_id(queue.name)),
        Column("parent_minor_id", "int", "0", fixed(0)),
        Column("lob_data_space_id", "int", "1 = PRIMARY", fixed(1)),
        Column("filestream_data_space_id", "int", "none", fixed(None), NULL),
    ),
    differs=("Internal tables of other kinds are not modelled.", DATES_DIFFER),
)


def _count(reader: ViewReader, queue: Queue) -> int:
    if reader.own is None:
        return len(reader.broker.queue(reader.database.name, queue.name))
    return sum(1 for _ in reader.messages(queue.name))


PARTITIONS: Final = SystemView[Queue](
    name="sys.partitions",
    about="The one partition of each internal table: how many messages are in its queue.",
    scope=Scope.DATABASE,
    rows=ViewReader.queues,
    columns=(
        Column("partition_id", "bigint", "id", lambda reader, queue: reader.internal_table_id(queue.name) << 16),
        Column("object_id", "int", "internal table", lambda reader, queue: reader.internal_table_id(queue.name)),
        Column("index_id", "int", "1 = clustered", fixed(1)),
        Column("partition_number", "int", "1", fixed(1)),
        Column("hobt_id", "bigint", "id", lambda reader, queue: reader.internal_table_id(queue.name) << 16),
        Column("rows", "bigint", "messages in the queue", _count, NULL),
        Column("filestream_filegroup_id", "smallint", "none", fixed(0)),
        Column("data_compression", "tinyint", "0 = NONE", fixed(0)),
        Column("data_compression_desc", "nvarchar(60)", "NONE", fixed("NONE"), NULL),
    ),
    differs=("The second index of a queue, and partitions of everything else, are not modelled.",),
)

PROCEDURES: Final = SystemView[DatabaseObject](
    name="sys.procedures",
    about="Procedures of the database: none, since they are not modelled.",
    scope=Scope.DATABASE,
    rows=lambda _: (),
    columns=(
        *object_columns(lambda _, each: each),
        Column("is_auto_executed", "bit", "runs when the server starts", fixed(False)),
        Column("is_execution_replicated", "bit", "its execution is replicated", fixed(False), NULL),
        Column("is_repl_serializable_only", "bit", "only when it is serializable", fixed(False), NULL),
        Column("skips_repl_constraints", "bit", "skips NOT FOR REPLICATION", fixed(False), NULL),
    ),
    differs=("The readers that activation starts are callables of the host (`docs/protocol/queues.md`).",),
)


def _schemas(reader: ViewReader) -> Iterable[str]:
    return dict.fromkeys((*BUILT_IN[Kind.SCHEMA], *(schema_of(each.name) for each in reader.queues())))


SCHEMAS: Final = SystemView[str](
    name="sys.schemas",
    about="Schemas of the database: the built-in ones, and those that queues are in.",
    scope=Scope.DATABASE,
    rows=_schemas,
    columns=(
        Column("name", "sysname", "schema", lambda _, each: each),
        Column("schema_id", "int", "id", lambda reader, each: reader.schema_id(each)),
        Column("principal_id", "int", "owner", lambda _, each: BUILT_IN[Kind.SCHEMA].get(each, OWNER), NULL),
    ),
    differs=("Schemas without a queue, and those of the fixed roles, are not modelled.",),
)


def _notifications(reader: ViewReader) -> Iterable[tuple[str, EventNotification]]:
    return reader.database.event_notifications.items()


EVENT_NOTIFICATIONS: Final = SystemView[tuple[str, EventNotification]](
    name="sys.event_notifications",
    about="Event notifications of the queues of the database.",
    scope=Scope.DATABASE,
    rows=_notifications,
    columns=(
        Column("name", "sysname", "unique within its parent", lambda _, each: each[1].name),
        Column("object_id", "int", "id", lambda reader, each: reader.notification_id(each[0])),
        Column("parent_class", "tinyint", "1 = OBJECT_OR_COLUMN", fixed(1)),
        Column("parent_class_desc", "nvarchar(60)", "OBJECT_OR_COLUMN", fixed("OBJECT_OR_COLUMN"), NULL),
        Column("parent_id", "int", "its queue", lambda reader, each: reader.queue_id(each[1].queue)),
        Column("create_date", "datetime", "when it was made", fixed(NEVER_SET)),
        Column("modify_date", "datetime", "always the same", fixed(NEVER_SET)),
        Column("service_name", "nvarchar(256)", "service that is sent the message", lambda _, each: each[1].to_service),
        Column(
            "broker_instance",
            "nvarchar(128)",
            "broker id as text",
            lambda reader, each: str(each[1].broker_instance or reader.database.broker_instance).upper(),
            NULL,
        ),
        Column("creator_sid", "varbinary(85)", "who made it, WITH FAN_IN", fixed(None), NULL),
        Column("principal_id", "int", "owner", fixed(OWNER), NULL),
    ),
    differs=("Event notifications of databases and servers are not modelled.", DATES_DIFFER),
)

VIEWS: Final[tuple[SystemView[Any], ...]] = (
    OBJECTS,
    INTERNAL_TABLES,
    PARTITIONS,
    PROCEDURES,
    SCHEMAS,
    EVENT_NOTIFICATIONS,
)
