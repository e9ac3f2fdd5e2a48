"""`trace_rows`: an event of the engine as SQL Trace would show it (views.md 4).

`TRACE_RULES` has a rule for every event: the classes it may be, or why the vendor has none for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import msgspec

from engine.core.catalog.objects import DIALOG_TIMER_TYPE, END_DIALOG_TYPE, ERROR_TYPE
from engine.core.exchange import events as happened
from engine.core.exchange import silent_events
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.system_views import Cell
from engine.core.routing.decision import Classification
from engine.core.trace.classes import TRACE_CLASSES, TraceClass
from engine.core.trace.identifiers import connection_id, told_message_id
from engine.core.vocabulary.messages import LinkState, MessageKind
from engine.core.vocabulary.subclasses import ActivationSubclass, ConversationHappening


class TraceRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a trace; `columns` are those specific to its class, under the vendor's names, and StartTime."""

    event_class: TraceClass
    name: str
    subclass: int | None = None
    subclass_name: str | None = None
    columns: dict[str, Cell]


@dataclass(frozen=True, slots=True)
class TraceRule:
    """How an event is traced: all classes of its rows, how they are made, and what tells `instead` where none is."""

    classes: tuple[TraceClass, ...]
    rows: Callable[[Any], tuple[TraceRow, ...]]
    instead: str = ""


def trace_rows(event: BrokerEvent) -> tuple[TraceRow, ...]:
    """The rows of a trace for an event, in order; none for what the vendor does not trace."""
    return TRACE_RULES[type(event)].rows(event)


def _row(kind: TraceClass, event: BrokerEvent, subclass: str | None = None, **columns: Cell) -> TraceRow:
    description = TRACE_CLASSES[kind]
    database = getattr(event, "database", None)
    if database is not None:
        columns["DatabaseName"] = database
    return TraceRow(
        event_class=kind,
        name=description.name,
        subclass=None if subclass is None else description.number(subclass),
        subclass_name=subclass,
        columns={"StartTime": event.at, **columns},
    )


def _role(is_initiator: bool) -> str:
    return "initiator" if is_initiator else "target"


def _text(broker_instance: UUID | None) -> str | None:
    return str(broker_instance).upper() if broker_instance is not None else None


_SUBCLASSES: Final[Mapping[ConversationHappening, str]] = dict(
    zip(ConversationHappening, TRACE_CLASSES[TraceClass.BROKER_CONVERSATION].subclasses, strict=True)
)
"""Both are in the order of the vendor's numbers."""

_TOLD_BY_MESSAGE: Final = frozenset(
    {ConversationHappening.SEND_MESSAGE, ConversationHappening.RECEIVED_SEQUENCED_MESSAGE}
)
"""Each message of these has an event of its own, which is traced; the change of state would be a second row."""


def _conversation(event: happened.ConversationStateChanged) -> tuple[TraceRow, ...]:
    if event.happening is None or event.happening in _TOLD_BY_MESSAGE:
        return ()
    return (
        _row(
            TraceClass.BROKER_CONVERSATION,
            event,
            _SUBCLASSES[event.happening],
            GUID=event.conversation_id,
            MethodName=str(event.conversation_group_id) if event.conversation_group_id is not None else None,
            ObjectName=str(event.conversation_handle),
            RoleName=_role(event.is_initiator),
            Priority=event.priority,
            TextData=event.state.value if event.state is not None else None,
        ),
    )


def _group(event: happened.ConversationGroupChanged) -> tuple[TraceRow, ...]:
    subclass = "Create" if event.is_created else "Drop"
    return (_row(TraceClass.BROKER_CONVERSATION_GROUP, event, subclass, GUID=event.conversation_group_id),)


def _sent(event: happened.MessageQueuedForTransmission | happened.MessageSentDirectly) -> tuple[TraceRow, ...]:
    if event.kind is not MessageKind.USER:
        return ()
    return (
        _row(
            TraceClass.BROKER_CONVERSATION,
            event,
            "SEND Message",
            ObjectName=str(event.conversation_handle),
            BigintData1=event.message_sequence_number,
        ),
    )


def _delivered(event: happened.MessageDelivered) -> tuple[TraceRow, ...]:
    if event.message_type_name in (END_DIALOG_TYPE, ERROR_TYPE, DIALOG_TIMER_TYPE):
        return ()
    return (
        _row(
            TraceClass.BROKER_CONVERSATION,
            event,
            "Received Sequenced Message",
            ObjectName=str(event.conversation_handle),
            BigintData1=event.message_sequence_number,
        ),
    )


_SENT_SUBCLASSES: Final = ("Message with Acknowledgement Sent", "Acknowledgement Sent")
_RECEIVED_SUBCLASSES: Final = ("Message with Acknowledgement Received", "Acknowledgement Received")


def _acknowledgement(
    event: happened.RemoteAcknowledgementSent | happened.RemoteMessageAcknowledged,
) -> tuple[TraceRow, ...]:
    if event.carrier is None:
        return ()
    subclasses = _SENT_SUBCLASSES if isinstance(event, happened.RemoteAcknowledgementSent) else _RECEIVED_SUBCLASSES
    return (
        _row(
            TraceClass.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT,
            event,
            subclasses[event.carrier is MessageKind.ACKNOWLEDGEMENT],
            BigintData1=event.carrier_number,
            BigintData2=event.up_to,
            ObjectName=str(event.conversation_handle),
        ),
    )


_CLASSIFICATIONS: Final = {
    Classification.LOCAL: "Local",
    Classification.REMOTE: "Remote",
    Classification.DELAYED: "Delayed",
    Classification.DROPPED: "Delayed",
}
"""What is discarded without acknowledgement waits at its sender: to the vendor both are one (routing.md 2)."""


def _classify(event: happened.MessageClassified) -> tuple[TraceRow, ...]:
    decision = event.decision
    return (
        _row(
            TraceClass.BROKER_MESSAGE_CLASSIFY,
            event,
            _CLASSIFICATIONS[decision.classification],
            FileName=event.to_service,
            OwnerName=_text(decision.broker_instance),
            GUID=event.conversation_id,
            RoleName="from network" if event.database is None else "from this instance",
            TargetUserName=str(decision.address) if decision.address is not None else None,
        ),
    )


def _transmission(event: happened.TransmissionStatusChanged) -> tuple[TraceRow, ...]:
    if event.number is None:
        return ()
    handle = str(event.conversation_handle)
    return (_row(TraceClass.BROKER_TRANSMISSION, event, Error=event.number, TextData=event.text, ObjectName=handle),)


def _undeliverable(event: happened.MessageUndeliverable) -> tuple[TraceRow, ...]:
    number = event.message_sequence_number
    return (
        _row(
            TraceClass.BROKER_MESSAGE_UNDELIVERABLE,
            event,
            "Unsequenced Message" if number is None else "Sequenced Message",
            BigintData1=number,
            Error=event.number,
            GUID=event.conversation_id,
            RoleName=_role(not event.from_initiator),
            TextData=event.text,
        ),
    )


def _forwarded(event: happened.ForwardedMessageSent | happened.ForwardedMessageDropped) -> tuple[TraceRow, ...]:
    columns: dict[str, Cell] = {
        "BigintData1": event.message_sequence_number,
        "GUID": event.conversation_id,
        "FileName": event.to_service,
        "OwnerName": _text(event.to_broker_instance),
        "TargetUserName": event.from_service,
        "DBUserName": _text(event.from_broker_instance),
        "ObjectName": _message_id(event),
        "IndexID": event.hops_remaining,
        "ObjectID": None if event.time_to_live is None else int(event.time_to_live),
        "Success": None if event.time_consumed is None else int(event.time_consumed),
        "RoleName": _role(event.from_initiator),
    }
    if isinstance(event, happened.ForwardedMessageSent):
        columns["TargetLoginName"] = str(event.address)
        return (_row(TraceClass.BROKER_FORWARDED_MESSAGE_SENT, event, None, **columns),)
    columns |= {"Error": event.number, "TextData": event.text}
    return (_row(TraceClass.BROKER_FORWARDED_MESSAGE_DROPPED, event, None, **columns),)


def _message_id(event: happened.ForwardedMessageSent | happened.ForwardedMessageDropped) -> str | None:
    if event.message_kind is None:
        return None if event.message_id is None else str(event.message_id)
    number = event.message_sequence_number
    return str(told_message_id(event.conversation_id, event.message_kind, number, event.from_initiator))


_LINK_SUBCLASSES: Final = {
    LinkState.NEW: "Connecting",
    LinkState.CONNECTING: "Connecting",
    LinkState.CONNECTED: "Connected",
    LinkState.CLOSED: "Closed",
}

_CLOSED_BY: Final = {
    **dict.fromkeys((9753, 9754, 9756, 9783, 9785), "Connect Failed"),
    9759: "Send IO Error",
    **dict.fromkeys((9755, 9799), "Receive IO Error"),
}
"""Subclass of a connection that was closed by an error; of any other number it is Closed (views.md 3)."""


def _connection(event: happened.ConnectionStateChanged) -> tuple[TraceRow, ...]:
    address = str(event.address)
    if event.state is LinkState.LOGGED_IN:
        return ()
    subclass = _LINK_SUBCLASSES[event.state]
    if event.error is not None and event.state is LinkState.CLOSED:
        subclass = _CLOSED_BY.get(event.error, subclass)
    return (
        _row(
            TraceClass.BROKER_CONNECTION,
            event,
            subclass,
            GUID=connection_id(event.address),
            ObjectName=address,
            Error=event.error,
            TextData=event.detail or None,
        ),
    )


def _login(event: happened.BrokerLoginAudited) -> tuple[TraceRow, ...]:
    login, kind = event.login, TraceClass.AUDIT_BROKER_LOGIN
    return (
        _row(
            kind,
            event,
            TRACE_CLASSES[kind].subclasses[login.subclass - 1],
            FileName=login.peer_methods,
            OwnerName=login.own_methods or None,
            ObjectName=login.peer,
            ProviderName=login.method,
            RoleName=_role(not login.is_accept),
            TargetUserName=login.login_state,
            DBUserName=login.principal,
            Error=login.number,
            TextData=login.text or None,
        ),
    )


def _corrupted(event: happened.MessageCorrupted) -> tuple[TraceRow, ...]:
    return (_row(TraceClass.BROKER_CORRUPTED_MESSAGE, event, None, **_arrival(event)),)


def _audited(event: happened.ConversationAudited) -> tuple[TraceRow, ...]:
    kind = TraceClass.AUDIT_BROKER_CONVERSATION
    return (_row(kind, event, TRACE_CLASSES[kind].subclasses[event.failure - 1], **_arrival(event)),)


def _arrival(event: happened.MessageCorrupted | happened.ConversationAudited) -> dict[str, Cell]:
    """A message that was refused on arrival; the role is the receiver's."""
    return {
        "BigintData1": event.message_sequence_number,
        "Error": event.number,
        "GUID": event.conversation_id,
        "RoleName": _role(not event.from_initiator),
        "TextData": event.text,
    }


def _queue_disabled(event: happened.QueueDisabled) -> tuple[TraceRow, ...]:
    return (_row(TraceClass.BROKER_QUEUE_DISABLED, event, ObjectName=event.queue, IntegerData=event.rollbacks),)


_ACTIVATIONS: Final = dict(zip(ActivationSubclass, TRACE_CLASSES[TraceClass.BROKER_ACTIVATION].subclasses, strict=True))
"""Both are in the order of the vendor's numbers."""


def _activation(event: happened.QueueActivation) -> tuple[TraceRow, ...]:
    return (
        _row(
            TraceClass.BROKER_ACTIVATION,
            event,
            _ACTIVATIONS[event.subclass],
            ObjectName=event.queue,
            IntegerData=event.active_tasks,
            MethodName=event.procedure_name,
            Error=event.number,
            TextData=event.text or None,
        ),
    )


def _mirrored_route(event: happened.MirroredRouteStateChanged) -> tuple[TraceRow, ...]:
    partners = f"{event.address} {event.address_state.value}, {event.mirror_address} {event.mirror_address_state.value}"
    return (
        _row(
            TraceClass.BROKER_MIRRORED_ROUTE_STATE_CHANGED,
            event,
            ObjectName=event.route,
            FileName=event.service,
            OwnerName=_text(event.broker_instance),
            TargetLoginName=str(event.principal) if event.principal is not None else None,
            Error=event.error,
            TextData=f"{event.state.value}: {partners}" + (f"; {event.detail}" if event.detail else ""),
        ),
    )


def _untraced(instead: str) -> TraceRule:
    return TraceRule((), lambda _event: (), instead)


_C = TraceClass

TRACE_RULES: Final[Mapping[type[BrokerEvent], TraceRule]] = {
    happened.MessageClassified: TraceRule((_C.BROKER_MESSAGE_CLASSIFY,), _classify),
    happened.ConversationStateChanged: TraceRule((_C.BROKER_CONVERSATION,), _conversation),
    happened.ConversationGroupChanged: TraceRule((_C.BROKER_CONVERSATION_GROUP,), _group),
    happened.MessageQueuedForTransmission: TraceRule((_C.BROKER_CONVERSATION,), _sent),
    happened.MessageSentDirectly: TraceRule((_C.BROKER_CONVERSATION,), _sent),
    happened.TransmissionStatusChanged: TraceRule((_C.BROKER_TRANSMISSION,), _transmission),
    happened.RemoteMessageAcknowledged: TraceRule((_C.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT,), _acknowledgement),
    happened.RemoteAcknowledgementSent: TraceRule((_C.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT,), _acknowledgement),
    happened.MessageDelivered: TraceRule((_C.BROKER_CONVERSATION,), _delivered),
    happened.MessageUndeliverable: TraceRule((_C.BROKER_MESSAGE_UNDELIVERABLE,), _undeliverable),
    happened.MessageCorrupted: TraceRule((_C.BROKER_CORRUPTED_MESSAGE,), _corrupted),
    happened.ConversationAudited: TraceRule((_C.AUDIT_BROKER_CONVERSATION,), _audited),
    happened.ForwardedMessageSent: TraceRule((_C.BROKER_FORWARDED_MESSAGE_SENT,), _forwarded),
    happened.ForwardedMessageDropped: TraceRule((_C.BROKER_FORWARDED_MESSAGE_DROPPED,), _forwarded),
    happened.ConnectionStateChanged: TraceRule((_C.BROKER_CONNECTION,), _connection),
    happened.BrokerLoginAudited: TraceRule((_C.AUDIT_BROKER_LOGIN,), _login),
    happened.QueueDisabled: TraceRule((_C.BROKER_QUEUE_DISABLED,), _queue_disabled),
    happened.QueueActivation: TraceRule((_C.BROKER_ACTIVATION,), _activation),
    happened.MirroredRouteStateChanged: TraceRule((_C.BROKER_MIRRORED_ROUTE_STATE_CHANGED,), _mirrored_route),
    happened.TransactionRolledBack: _untraced("SQLTransaction; of the broker only a counter tells of it"),
    happened.ConversationTimerFired: _untraced("the DialogTimer message in the queue"),
    happened.DatabaseBrokerChanged: _untraced("the event notification ALTER_DATABASE, and the server's log"),
    happened.DatabaseMirroringStateChanged: _untraced("Database Mirroring State Change, no class of the broker"),
    happened.MessagesTaken: _untraced("a RECEIVE is no broker event; it shows in SQL:BatchCompleted"),
    happened.RouteRequested: _untraced("Broker:Conversation of the request's own dialog"),
    happened.RouteRequestEnded: _untraced("Broker:Conversation of the request's own dialog"),
    happened.BindingRequested: _untraced("Broker:Conversation of the request's own dialog"),
    happened.BindingRequestEnded: _untraced("Broker:Conversation of the request's own dialog"),
    happened.QueueSwitched: _untraced("the event notification ALTER_QUEUE; Queue Disabled is of poison messages"),
    silent_events.InstanceStarted: _untraced("the server's log"),
    silent_events.ConversationTouched: _untraced("nothing: a row of `sys.conversation_endpoints` is another"),
    silent_events.QueueTouched: _untraced("nothing: a row of `sys.dm_broker_queue_monitors` is another"),
    silent_events.TransmissionRetryAsked: _untraced("nothing: what follows tells what came of it"),
    silent_events.ForwardedMessagesWait: _untraced("nothing: `sys.dm_broker_forwarded_messages` has more rows"),
    happened.CatalogApplied: _untraced("the event notifications of DDL, one a statement"),
}
