"""Views of conversations: endpoints, groups, what waits for transmission, what is in a queue (views.md 1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final, NamedTuple
from uuid import UUID

from engine.core.catalog.builtin import message_type_of
from engine.core.catalog.objects import END_DIALOG_TYPE, ERROR_TYPE
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.states import STATE_DESCRIPTIONS
from engine.core.exchange.system_views import Cell
from engine.core.handlers.views import QUEUE_OFF
from engine.core.system_views.catalog_views import validation_code
from engine.core.system_views.definition import NULL, Column, Places, Scope, SystemView, fixed
from engine.core.system_views.numbers import NOBODY, OWNER
from engine.core.system_views.reading import ViewReader, is_system
from engine.core.vocabulary.errors import status_text
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ContractName,
    ConversationHandle,
    MessageTypeName,
    QueueName,
    ServiceName,
)
from engine.core.vocabulary.messages import MessageKind, Position
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import QueueRow, TransmissionRow

NO_KEY: Final = UUID(int=0)
"""For the identifier of a session key that does not exist."""


def _text(broker_instance: UUID | None) -> str | None:
    """A broker id where the vendor keeps it as text."""
    return str(broker_instance).upper() if broker_instance is not None else None


def _serial(endpoint: DialogEndpoint) -> int:
    """Where a conversation stands in its views: places stay, whatever is dropped before them."""
    return endpoint.serial


def _first_early(endpoint: DialogEndpoint) -> Position:
    """Number and fragment of the first arrival after a gap."""
    return next(iter(endpoint.receiver.out_of_order()), _NOTHING_EARLY)


def _last_early(endpoint: DialogEndpoint) -> Position:
    return next(reversed(endpoint.receiver.out_of_order()), _NOTHING_EARLY)


_NOTHING_EARLY: Final[Position] = (-1, 0)


CONVERSATION_ENDPOINTS: Final = SystemView[DialogEndpoint](
    name="sys.conversation_endpoints",
    about="This database's sides of conversations.",
    scope=Scope.DATABASE,
    rows=ViewReader.conversations,
    places=Places(ViewReader.conversations, _serial),
    columns=(
        Column("conversation_handle", "uniqueidentifier", "this side", lambda _, each: each.row.conversation_handle),
        Column("conversation_id", "uniqueidentifier", "both sides", lambda _, each: each.row.conversation_id),
        Column("is_initiator", "tinyint", "1 initiator, 0 target", lambda _, each: int(each.row.is_initiator)),
        Column("service_contract_id", "int", "contract", lambda reader, each: reader.contract_id(each.row.contract)),
        Column("conversation_group_id", "uniqueidentifier", "group", lambda _, each: each.row.conversation_group_id),
        Column("service_id", "int", "local service", lambda reader, each: reader.service_id(each.row.service)),
        Column("lifetime", "datetime", "UTC end of life", lambda _, each: each.row.lifetime),
        Column("state", "char(2)", "SO SI CO DI DO ER CD", lambda _, each: each.row.state.value),
        Column(
            "state_desc", "nvarchar(60)", "the state in words", lambda _, each: STATE_DESCRIPTIONS[each.row.state], NULL
        ),
        Column("far_service", "nvarchar(256)", "remote service", lambda _, each: each.row.far_service),
        Column(
            "far_broker_instance",
            "nvarchar(128)",
            "remote broker id; NULL until known",
            lambda _, each: _text(each.row.far_broker_instance),
            NULL,
        ),
        Column("principal_id", "int", "whose certificate this side uses", fixed(OWNER)),
        Column("far_principal_id", "int", "whose certificate the remote side uses", fixed(NOBODY)),
        Column("outbound_session_key_identifier", "uniqueidentifier", "outgoing session key", fixed(NO_KEY)),
        Column("inbound_session_key_identifier", "uniqueidentifier", "incoming session key", fixed(NO_KEY)),
        Column(
            "security_timestamp",
            "datetime",
            "earliest deletion of a closed target; 1900-01-01 = never set",
            lambda _, each: each.row.security_timestamp,
        ),
        Column(
            "dialog_timer",
            "datetime",
            "UTC time of the timer; 1900-01-01 = none",
            lambda _, each: each.row.dialog_timer,
        ),
        Column("send_sequence", "bigint", "next number to send", lambda _, each: each.row.send_sequence),
        Column("last_send_tran_id", "binary(6)", "last sending transaction", fixed(bytes(6))),
        Column(
            "end_dialog_sequence",
            "bigint",
            "number of the EndDialog message; -1 = none",
            lambda _, each: each.row.end_dialog_sequence,
        ),
        Column("receive_sequence", "bigint", "next number expected", lambda _, each: each.row.receive_sequence),
        Column("receive_sequence_frag", "int", "next fragment expected", lambda _, each: each.receiver.next_fragment),
        Column("system_sequence", "bigint", "number of the last system message", fixed(0)),
        Column(
            "first_out_of_order_sequence",
            "bigint",
            "first number that came early; -1 = none",
            lambda _, each: _first_early(each)[0],
        ),
        Column(
            "last_out_of_order_sequence",
            "bigint",
            "last number that came early; -1 = none",
            lambda _, each: _last_early(each)[0],
        ),
        Column("last_out_of_order_frag", "int", "its last fragment", lambda _, each: _last_early(each)[1]),
        Column("is_system", "bit", "held by the broker itself", lambda _, each: is_system(each)),
        Column("priority", "tinyint", "1 to 10", lambda _, each: each.row.priority),
    ),
    differs=(
        "Dialogs are not secured: the far principal is 0, public, session keys are all zeros.",
        "Transactions have no numbers: `last_send_tran_id` shows that nothing is set.",
        "A message that travels whole is its own fragment 0.",
        "Messages that a broker makes are not numbered: `system_sequence` is 0.",
    ),
    lookups={"conversation_handle": ViewReader.by_handle, "conversation_id": ViewReader.by_conversation},
)


CONVERSATION_GROUPS: Final = SystemView[DialogEndpoint](
    name="sys.conversation_groups",
    about="Conversation groups; a group goes with its last conversation.",
    scope=Scope.DATABASE,
    rows=ViewReader.first_of_groups,
    places=Places(ViewReader.first_of_groups, _serial),
    columns=(
        Column("conversation_group_id", "uniqueidentifier", "group", lambda _, each: each.row.conversation_group_id),
        Column("service_id", "int", "service of the group", lambda reader, each: reader.service_id(each.row.service)),
        Column("is_system", "bit", "held by the broker itself", lambda _, each: is_system(each), NULL),
    ),
    differs=("Of a group with conversations of several services the service of the first is shown.",),
)

_TYPE_OF_KIND: Final = {MessageKind.END_DIALOG: END_DIALOG_TYPE, MessageKind.ERROR: ERROR_TYPE}


class WaitingMessage(NamedTuple):
    """A row of the transmission queue: of this side, or what has come for a queue that is off."""

    conversation_handle: ConversationHandle
    to_service: ServiceName
    to_broker_instance: BrokerInstanceId | None
    from_service: ServiceName | None
    contract: ContractName
    enqueue_time: UtcTime
    number: int
    message_type: MessageTypeName | None
    body: bytes | None
    status: str
    priority: int
    status_number: int | None = None
    queue: QueueName | None = None
    """Of what has come: the queue that is off."""
    place: int = 0
    """Of what has come: its `queuing_order`."""

    @property
    def body_bytes(self) -> int:
        """Size of the body."""
        return len(self.body or b"")


def _waiting(reader: ViewReader) -> Iterable[WaitingMessage]:
    own = chain.from_iterable(
        waiting_rows(endpoint, reader.pending(endpoint)) for endpoint in reader.with_something_to_send()
    )
    return chain(own, (arrival(reader, name, row) for name, row in reader.awaiting_their_queue()))


def _waiting_on(reader: ViewReader, handle: Cell) -> Iterable[WaitingMessage]:
    for endpoint in reader.by_handle(handle):
        yield from waiting_rows(endpoint, reader.pending(endpoint))
    for name, row in reader.awaiting_their_queue():
        if row.conversation_handle == handle:
            yield arrival(reader, name, row)


def waiting_rows(endpoint: DialogEndpoint, pending: Iterable[TransmissionRow]) -> Iterator[WaitingMessage]:
    """What an endpoint has to send, oldest first."""
    own = endpoint.row
    for row in pending:
        yield WaitingMessage(
            conversation_handle=row.conversation_handle,
            to_service=own.far_service,
            to_broker_instance=own.far_broker_instance,
            from_service=own.service,
            contract=own.contract,
            enqueue_time=row.enqueue_time,
            number=row.message_sequence_number,
            message_type=_TYPE_OF_KIND.get(row.kind, row.message_type_name),
            body=row.message_body,
            status=endpoint.status.text,
            priority=own.priority,
            status_number=endpoint.status.number,
        )


def arrival(reader: ViewReader, queue: QueueName, row: QueueRow) -> WaitingMessage:
    """What has arrived for a queue that is off waits in the transmission queue of its target (protocol.md 4)."""
    endpoint = reader.broker.conversations.look_at((reader.database.name, row.conversation_handle))
    return WaitingMessage(
        conversation_handle=row.conversation_handle,
        to_service=row.service_name,
        to_broker_instance=reader.database.broker_instance,
        from_service=endpoint.row.far_service if endpoint is not None else None,
        contract=row.service_contract_name,
        enqueue_time=row.message_enqueue_time,
        number=row.message_sequence_number,
        message_type=row.message_type_name,
        body=row.message_body,
        status=status_text(QUEUE_OFF, queue=queue),
        priority=row.priority,
        status_number=QUEUE_OFF,
        queue=queue,
        place=row.queuing_order,
    )


TRANSMISSION_QUEUE: Final = SystemView[WaitingMessage](
    name="sys.transmission_queue",
    about="Messages that wait for transmission or for their acknowledgement.",
    scope=Scope.DATABASE,
    rows=_waiting,
    columns=(
        Column("conversation_handle", "uniqueidentifier", "endpoint", lambda _, each: each.conversation_handle),
        Column("to_service_name", "nvarchar(256)", "destination", lambda _, each: each.to_service, NULL),
        Column(
            "to_broker_instance",
            "nvarchar(128)",
            "broker id of the destination",
            lambda _, each: _text(each.to_broker_instance),
            NULL,
        ),
        Column("from_service_name", "nvarchar(256)", "sender", lambda _, each: each.from_service, NULL),
        Column("service_contract_name", "nvarchar(256)", "contract", lambda _, each: each.contract, NULL),
        Column("enqueue_time", "datetime", "UTC", lambda _, each: each.enqueue_time),
        Column("message_sequence_number", "bigint", "number", lambda _, each: each.number),
        Column(
            "message_type_name",
            "nvarchar(256)",
            "message type",
            lambda _, each: each.message_type,
            NULL,
        ),
        Column("is_conversation_error", "bit", "1 = Error", lambda _, each: each.message_type == ERROR_TYPE),
        Column("is_end_of_dialog", "bit", "1 = EndDialog", lambda _, each: each.message_type == END_DIALOG_TYPE),
        Column("message_body", "varbinary(max)", "body", lambda _, each: each.body, NULL),
        Column(
            "transmission_status",
            "nvarchar(4000)",
            "why it is still here; empty = not tried yet, or sent and not acknowledged yet; of the conversation, "
            "hence the same in all its rows",
            lambda _, each: each.status,
            NULL,
        ),
        Column("priority", "tinyint", "1 to 10", lambda _, each: each.priority),
    ),
    differs=(
        "A status has its number in front of the words, and the words are ours (views.md 3).",
        "What came for a queue that is off is behind everything that is to be sent.",
    ),
    lookups={"conversation_handle": _waiting_on},
)


def _type_id(reader: ViewReader, name: MessageTypeName) -> int:
    return reader.message_type_id(name)


def _validation(reader: ViewReader, name: MessageTypeName) -> str:
    """The validation of a message's type; N when the type was dropped meanwhile."""
    message_type = message_type_of(reader.database, name)
    return validation_code(message_type) if message_type is not None else "N "


def queue_contents(name: QueueName) -> SystemView[QueueRow]:
    """The view that is a queue used as a table, in order of arrival."""
    return SystemView[QueueRow](
        name=name,
        about="A queue used as a table; nothing is taken.",
        scope=Scope.DATABASE,
        rows=lambda reader: reader.messages(name),
        columns=_QUEUE_COLUMNS,
        differs=("The view is read by the name of a queue, with its schema.",),
    )


_QUEUE_COLUMNS: Final[tuple[Column[QueueRow], ...]] = (
    Column(
        "status",
        "tinyint",
        "0 received and retained, 1 ready, 2 not complete, 3 sent and retained",
        lambda _, row: int(row.status),
    ),
    Column("priority", "tinyint", "1 to 10", lambda _, row: row.priority),
    Column("queuing_order", "bigint", "place in the queue", lambda _, row: row.queuing_order),
    Column("conversation_group_id", "uniqueidentifier", "group", lambda _, row: row.conversation_group_id),
    Column("conversation_handle", "uniqueidentifier", "endpoint", lambda _, row: row.conversation_handle),
    Column("message_sequence_number", "bigint", "number", lambda _, row: row.message_sequence_number),
    Column("service_name", "nvarchar(512)", "service the conversation is to", lambda _, row: row.service_name),
    Column("service_id", "int", "its id", lambda reader, row: reader.service_id(row.service_name)),
    Column("service_contract_name", "nvarchar(256)", "contract", lambda _, row: row.service_contract_name),
    Column("service_contract_id", "int", "its id", lambda reader, row: reader.contract_id(row.service_contract_name)),
    Column("message_type_name", "nvarchar(256)", "message type", lambda _, row: row.message_type_name),
    Column("message_type_id", "int", "its id", lambda reader, row: _type_id(reader, row.message_type_name)),
    Column(
        "validation",
        "nchar(2)",
        "E empty, N none, X XML",
        lambda reader, row: _validation(reader, row.message_type_name),
    ),
    Column("message_body", "varbinary(max)", "body", lambda _, row: row.message_body, NULL),
    Column("message_enqueue_time", "datetime", "UTC", lambda _, row: row.message_enqueue_time),
)

TRANSMISSION_STATUS: Final = SystemView[DialogEndpoint](
    name="brokerweb.transmission_status",
    about="What `GET_TRANSMISSION_STATUS()` answers for each conversation.",
    scope=Scope.DATABASE,
    rows=ViewReader.conversations,
    places=Places(ViewReader.conversations, _serial),
    columns=(
        Column("conversation_handle", "uniqueidentifier", "endpoint", lambda _, each: each.row.conversation_handle),
        Column(
            "transmission_status",
            "nvarchar(4000)",
            "why its messages, or the acknowledgement that it owes, cannot leave; empty = nothing is in the way",
            lambda _, each: each.status.text,
        ),
    ),
    lookups={"conversation_handle": ViewReader.by_handle},
)

VIEWS: Final[tuple[SystemView[Any], ...]] = (CONVERSATION_ENDPOINTS, CONVERSATION_GROUPS, TRANSMISSION_QUEUE)
