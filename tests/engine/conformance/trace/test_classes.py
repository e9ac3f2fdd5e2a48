"""Every event has its trace class and subclass, or a reason why there is none (views.md 4)."""

from types import UnionType
from typing import get_args, get_type_hints
from uuid import UUID

import msgspec
import pytest

from engine.core.catalog.objects import END_DIALOG_TYPE, ERROR_TYPE
from engine.core.dialog.states import DialogInput
from engine.core.exchange import events as happened
from engine.core.exchange.events import BrokerEvent, ConversationHappening
from engine.core.handlers.closing import HAPPENINGS
from engine.core.routing.decision import Classification, ClassifierDecision, Origin
from engine.core.trace.classes import TRACE_CLASSES, TraceClass
from engine.core.trace.rows import TRACE_RULES, trace_rows
from engine.core.vocabulary.messages import LinkState, MessageKind, TcpAddress
from engine.core.vocabulary.rows import ConversationState

C = TraceClass
HANDLE, CONVERSATION, GROUP = UUID(int=1), UUID(int=2), UUID(int=3)
LYON = TcpAddress("lyon", 4022)

COLUMNS = {
    "TextData",
    "BinaryData",
    "DatabaseID",
    "TransactionID",
    "Priority",
    "StartTime",
    "ObjectID",
    "Success",
    "IndexID",
    "IntegerData",
    "Severity",
    "State",
    "Error",
    "ObjectName",
    "DatabaseName",
    "FileName",
    "OwnerName",
    "RoleName",
    "TargetUserName",
    "DBUserName",
    "LoginSid",
    "TargetLoginName",
    "ProviderName",
    "MethodName",
    "BigintData1",
    "BigintData2",
    "GUID",
    "IntegerData2",
}

CLASSES = {
    124: ("Broker:Conversation", 13),
    136: ("Broker:Conversation Group", 2),
    138: ("Broker:Connection", 8),
    139: ("Broker:Forwarded Message Sent", 0),
    140: ("Broker:Forwarded Message Dropped", 0),
    141: ("Broker:Message Classify", 3),
    142: ("Broker:Transmission", 0),
    143: ("Broker:Queue Disabled", 0),
    144: ("Broker:Mirrored Route State Changed", 0),
    149: ("Broker:Remote Message Acknowledgement", 4),
    158: ("Audit Broker Conversation", 4),
    159: ("Audit Broker Login", 6),
    160: ("Broker:Message Undeliverable", 2),
    161: ("Broker:Corrupted Message", 0),
    163: ("Broker:Activation", 3),
}


def state_changed(happening, **fields):
    return happened.ConversationStateChanged(
        at=1.0,
        database="Ventes",
        conversation_handle=HANDLE,
        conversation_id=CONVERSATION,
        is_initiator=True,
        state=ConversationState.CONVERSING,
        happening=happening,
        conversation_group_id=GROUP,
        priority=5,
        **fields,
    )


def of_endpoint(kind, /, **fields):
    return kind(at=1.0, database="Ventes", conversation_handle=HANDLE, **fields)


def queued(kind=MessageKind.USER):
    return of_endpoint(happened.MessageQueuedForTransmission, message_sequence_number=7, kind=kind)


def direct(kind=MessageKind.USER):
    return of_endpoint(happened.MessageSentDirectly, message_sequence_number=7, kind=kind)


def delivered(message_type="//Commande"):
    return of_endpoint(
        happened.MessageDelivered, queue="dbo.File", message_sequence_number=7, message_type_name=message_type
    )


def acknowledged(carrier, number=None):
    return of_endpoint(happened.RemoteMessageAcknowledged, up_to=6, carrier=carrier, carrier_number=number)


def acknowledging(carrier, number=None):
    return of_endpoint(happened.RemoteAcknowledgementSent, up_to=6, carrier=carrier, carrier_number=number)


def classified(classification, database="Ventes"):
    return happened.MessageClassified(
        at=1.0,
        database=database,
        conversation_id=CONVERSATION,
        from_initiator=True,
        to_service="Entrepôt",
        decision=ClassifierDecision(
            origin=Origin.INSIDE,
            table="Ventes",
            classification=classification,
            match_step=None,
            choose_step=None,
            route=None,
            address=LYON,
        ),
    )


def connection(state, error=None, detail=""):
    return happened.ConnectionStateChanged(at=1.0, address=LYON, state=state, peer=None, error=error, detail=detail)


def undeliverable(number):
    return happened.MessageUndeliverable(
        at=1.0,
        conversation_id=CONVERSATION,
        from_initiator=True,
        to_service="Entrepôt",
        message_sequence_number=number,
        number=11219,
        text="off",
    )


def forwarded(kind, **fields):
    return kind(
        at=1.0,
        conversation_id=CONVERSATION,
        from_initiator=True,
        to_service="Entrepôt",
        message_sequence_number=7,
        to_broker_instance=UUID(int=10),
        from_service="Client",
        from_broker_instance=UUID(int=11),
        message_id=UUID(int=12),
        time_to_live=30.5,
        time_consumed=2.5,
        hops_remaining=4,
        **fields,
    )


SENT = forwarded(happened.ForwardedMessageSent, address=LYON)
DROPPED = forwarded(happened.ForwardedMessageDropped, number=11290, text="too old")
STATUS = of_endpoint(happened.TransmissionStatusChanged, number=9750, text="9750: no route")

TRACED = [
    *(
        (state_changed(happening), [(C.BROKER_CONVERSATION, number)])
        for number, happening in enumerate(ConversationHappening, start=1)
        if number not in (1, 6)
    ),
    (state_changed(ConversationHappening.SEND_MESSAGE), []),
    (state_changed(ConversationHappening.RECEIVED_SEQUENCED_MESSAGE), []),
    (state_changed(None), []),
    (queued(), [(C.BROKER_CONVERSATION, 1)]),
    (queued(MessageKind.END_DIALOG), []),
    (queued(MessageKind.ERROR), []),
    (direct(), [(C.BROKER_CONVERSATION, 1)]),
    (direct(MessageKind.END_DIALOG), []),
    (delivered(), [(C.BROKER_CONVERSATION, 6)]),
    (delivered(END_DIALOG_TYPE), []),
    (delivered(ERROR_TYPE), []),
    (
        of_endpoint(happened.TransmissionStatusChanged, number=None, text=""),
        [],
    ),
    (STATUS, [(C.BROKER_TRANSMISSION, None)]),
    (acknowledging(MessageKind.USER, 3), [(C.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT, 1)]),
    (acknowledging(MessageKind.ACKNOWLEDGEMENT), [(C.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT, 2)]),
    (acknowledged(MessageKind.USER, 3), [(C.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT, 3)]),
    (acknowledged(MessageKind.ERROR), [(C.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT, 3)]),
    (acknowledged(MessageKind.ACKNOWLEDGEMENT), [(C.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT, 4)]),
    (acknowledged(None), []),
    (classified(Classification.LOCAL), [(C.BROKER_MESSAGE_CLASSIFY, 1)]),
    (classified(Classification.REMOTE), [(C.BROKER_MESSAGE_CLASSIFY, 2)]),
    (classified(Classification.DELAYED), [(C.BROKER_MESSAGE_CLASSIFY, 3)]),
    (classified(Classification.DROPPED, None), [(C.BROKER_MESSAGE_CLASSIFY, 3)]),
    (
        happened.ConversationGroupChanged(at=1.0, database="Ventes", conversation_group_id=GROUP, is_created=True),
        [(C.BROKER_CONVERSATION_GROUP, 1)],
    ),
    (
        happened.ConversationGroupChanged(at=1.0, database="Ventes", conversation_group_id=GROUP, is_created=False),
        [(C.BROKER_CONVERSATION_GROUP, 2)],
    ),
    (undeliverable(7), [(C.BROKER_MESSAGE_UNDELIVERABLE, 1)]),
    (undeliverable(None), [(C.BROKER_MESSAGE_UNDELIVERABLE, 2)]),
    (SENT, [(C.BROKER_FORWARDED_MESSAGE_SENT, None)]),
    (DROPPED, [(C.BROKER_FORWARDED_MESSAGE_DROPPED, None)]),
    (connection(LinkState.NEW), [(C.BROKER_CONNECTION, 1)]),
    (connection(LinkState.CONNECTING), [(C.BROKER_CONNECTION, 1)]),
    (connection(LinkState.CONNECTED), [(C.BROKER_CONNECTION, 2)]),
    (connection(LinkState.LOGGED_IN), [(C.AUDIT_BROKER_LOGIN, 1)]),
    (connection(LinkState.CLOSED), [(C.BROKER_CONNECTION, 5)]),
    (connection(LinkState.CLOSED, 9760), [(C.BROKER_CONNECTION, 5)]),
    *((connection(LinkState.CLOSED, number), [(C.BROKER_CONNECTION, 3)]) for number in (9753, 9754, 9756, 9783, 9785)),
    (connection(LinkState.CLOSED, 9759), [(C.BROKER_CONNECTION, 7)]),
    (connection(LinkState.CLOSED, 9755), [(C.BROKER_CONNECTION, 8)]),
    (connection(LinkState.CLOSED, 9799), [(C.BROKER_CONNECTION, 8)]),
    *(
        (connection(LinkState.CLOSED, number), [(C.AUDIT_BROKER_LOGIN, subclass), (C.BROKER_CONNECTION, 5)])
        for number, subclass in (
            (28028, 2),
            (28031, 2),
            (28040, 3),
            (9758, 4),
            (28027, 4),
            (9751, 5),
            (9752, 6),
        )
    ),
    (happened.MessagesTaken(at=1.0, database="Ventes", queue="dbo.File", count=3), []),
    (of_endpoint(happened.RouteRequested, service="Entrepôt"), []),
    (happened.RouteRequestEnded(at=1.0, database="Ventes", service="Entrepôt"), []),
    (happened.QueueSwitched(at=1.0, database="Ventes", queue="dbo.File", is_enabled=False), []),
    (happened.CatalogApplied(at=1.0, revision=2), []),
]


def test_every_event_has_a_rule_and_there_is_a_rule_for_events_only():
    assert isinstance(BrokerEvent, UnionType)
    assert set(TRACE_RULES) == set(get_args(BrokerEvent))


def test_an_event_has_a_class_or_a_reason_why_it_has_none():
    for event, rule in TRACE_RULES.items():
        assert bool(rule.classes) != bool(rule.instead), event


def test_the_classes_are_the_vendors():
    assert {kind.value: (each.name, len(each.subclasses)) for kind, each in TRACE_CLASSES.items()} == CLASSES


@pytest.mark.parametrize(("event", "rows"), TRACED)
def test_an_event_is_traced_as_its_class_and_subclass(event, rows):
    assert [(row.event_class, row.subclass) for row in trace_rows(event)] == rows


def test_every_event_and_every_class_of_a_rule_is_among_the_cases():
    assert {type(event) for event, _ in TRACED} == set(TRACE_RULES)
    seen = {type(event): set() for event, _ in TRACED}
    for event, rows in TRACED:
        seen[type(event)] |= {kind for kind, _ in rows}
    assert seen == {event: set(rule.classes) for event, rule in TRACE_RULES.items()}


def test_rows_have_the_columns_of_a_trace_only_and_subclasses_by_name_and_number():
    for event, _ in TRACED:
        for row in trace_rows(event):
            description = TRACE_CLASSES[row.event_class]
            assert row.name == description.name
            assert set(row.columns) <= COLUMNS
            assert row.columns["StartTime"] == 1.0
            if row.subclass is None:
                assert (row.subclass_name, description.subclasses) == (None, ())
            else:
                assert description.subclasses[row.subclass - 1] == row.subclass_name


def test_every_input_of_an_endpoint_tells_what_happened():
    assert set(HAPPENINGS) == set(DialogInput)


def test_a_subclass_that_a_class_does_not_have_is_refused():
    with pytest.raises(ValueError, match="x not in tuple"):
        TRACE_CLASSES[C.BROKER_TRANSMISSION].number("Local")


@pytest.mark.parametrize(
    ("event", "columns"),
    [
        (
            state_changed(ConversationHappening.BEGIN_DIALOG),
            {
                "GUID": CONVERSATION,
                "MethodName": str(GROUP),
                "ObjectName": str(HANDLE),
                "RoleName": "initiator",
                "Priority": 5,
                "TextData": "CO",
                "DatabaseName": "Ventes",
            },
        ),
        (queued(), {"ObjectName": str(HANDLE), "BigintData1": 7, "DatabaseName": "Ventes"}),
        (
            acknowledged(MessageKind.USER, 3),
            {"BigintData1": 3, "BigintData2": 6, "ObjectName": str(HANDLE), "DatabaseName": "Ventes"},
        ),
        (
            classified(Classification.REMOTE),
            {
                "FileName": "Entrepôt",
                "OwnerName": None,
                "GUID": CONVERSATION,
                "RoleName": "from this instance",
                "TargetUserName": "TCP://lyon:4022",
                "DatabaseName": "Ventes",
            },
        ),
        (
            DROPPED,
            {
                "BigintData1": 7,
                "GUID": CONVERSATION,
                "FileName": "Entrepôt",
                "OwnerName": str(UUID(int=10)).upper(),
                "TargetUserName": "Client",
                "DBUserName": str(UUID(int=11)).upper(),
                "ObjectName": str(UUID(int=12)),
                "IndexID": 4,
                "ObjectID": 30,
                "Success": 2,
                "RoleName": "initiator",
                "Error": 11290,
                "TextData": "too old",
            },
        ),
        (STATUS, {"Error": 9750, "TextData": "9750: no route", "ObjectName": str(HANDLE), "DatabaseName": "Ventes"}),
    ],
)
def test_the_columns_say_what_the_event_says(event, columns):
    (row,) = trace_rows(event)
    assert row.columns == {"StartTime": 1.0, **columns}


def test_a_log_of_before_is_still_read():
    """Fields that came later may be absent in what was stored."""
    optional = {
        happened.ConversationStateChanged: {"happening", "conversation_group_id", "priority"},
        happened.RemoteMessageAcknowledged: {"carrier", "carrier_number"},
    }
    hints = {kind: set(get_type_hints(kind)) for kind in optional}
    for event, _ in TRACED:
        names = optional.get(type(event))
        if names:
            assert names <= hints[type(event)]
            stored = {name: value for name, value in msgspec.to_builtins(event).items() if name not in names}
            assert trace_rows(msgspec.convert(stored, type(event))) == ()
