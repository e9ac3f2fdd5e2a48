"""Every event has its trace class and subclass, or a reason why there is none (views.md 4)."""

from types import UnionType
from typing import get_args, get_type_hints
from uuid import UUID, uuid5

import msgspec
import pytest

from engine.core.dialog.states import TABLE, DialogInput
from engine.core.exchange import events as happened
from engine.core.exchange.events import BrokerEvent
from engine.core.handlers.closing import HAPPENINGS
from engine.core.link.handshake import LoginAudit
from engine.core.routing.decision import Classification
from engine.core.trace.classes import TRACE_CLASSES
from engine.core.trace.rows import TRACE_RULES, trace_rows
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.subclasses import ConversationHappening
from tests.engine.conformance.trace.cases import (
    CONVERSATION,
    DROPPED,
    GROUP,
    HANDLE,
    MIRRORED,
    QUEUE_DISABLED,
    STATUS,
    TRACED,
    C,
    acknowledged,
    activated,
    classified,
    login,
    queued,
    state_changed,
)
from tests.support.each import for_each

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
    163: ("Broker:Activation", 4),
}


def test_every_event_has_a_rule_and_there_is_a_rule_for_events_only():
    assert isinstance(BrokerEvent, UnionType)
    assert set(TRACE_RULES) == set(get_args(BrokerEvent))


def test_an_event_has_a_class_or_a_reason_why_it_has_none():
    for event, rule in TRACE_RULES.items():
        assert bool(rule.classes) != bool(rule.instead), event


def test_the_classes_are_the_vendors():
    assert {kind.value: (each.name, len(each.subclasses)) for kind, each in TRACE_CLASSES.items()} == CLASSES


@for_each(("event", "rows"), TRACED)
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


def test_every_input_that_changes_the_state_of_an_endpoint_tells_what_happened():
    told = set(HAPPENINGS)
    changing = {step.happening for step in TABLE if step.state not in (None, step.after)}
    assert changing <= told
    beginning = {step.happening for step in TABLE if step.state is None and step.after is not None}
    assert beginning == {
        DialogInput.BEGIN_DIALOG,
        DialogInput.RECEIVE_MESSAGE,
        DialogInput.RECEIVE_FRAGMENT,
        DialogInput.RECEIVE_ERROR,
    }
    assert told <= {step.happening for step in TABLE}


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
                "ObjectName": str(uuid5(CONVERSATION, "initiator user 7")),
                "IndexID": 4,
                "ObjectID": 30,
                "Success": 2,
                "RoleName": "initiator",
                "Error": 11290,
                "TextData": "too old",
            },
        ),
        (QUEUE_DISABLED, {"ObjectName": "dbo.File", "IntegerData": 5, "DatabaseName": "Ventes"}),
        (
            activated(happened.ActivationSubclass.ABORTED, number=8415, text="left open"),
            {
                "ObjectName": "dbo.File",
                "IntegerData": 2,
                "MethodName": "dbo.Lire",
                "Error": 8415,
                "TextData": "left open",
                "DatabaseName": "Ventes",
            },
        ),
        (
            login(LoginAudit.AUTHENTICATION_FAILURE, number=9751, text="expired"),
            {
                "FileName": "CERTIFICATE",
                "OwnerName": "CERTIFICATE,WINDOWS",
                "ObjectName": "LYON",
                "ProviderName": "CERTIFICATE",
                "RoleName": "target",
                "TargetUserName": "ONLINE",
                "DBUserName": "brokerweb",
                "Error": 9751,
                "TextData": "expired",
            },
        ),
        (
            MIRRORED,
            {
                "ObjectName": "VersEntrepôt",
                "FileName": "Entrepôt",
                "OwnerName": str(UUID(int=10)).upper(),
                "TargetLoginName": "TCP://nice:4022",
                "Error": 9753,
                "TextData": f"{MIRRORED.state.value}: TCP://lyon:4022 {MIRRORED.address_state.value}, "
                f"TCP://nice:4022 {MIRRORED.mirror_address_state.value}; unplugged",
            },
        ),
        (STATUS, {"Error": 9750, "TextData": "9750: no route", "ObjectName": str(HANDLE), "DatabaseName": "Ventes"}),
    ],
)
def test_the_columns_say_what_the_event_says(event, columns):
    (row,) = trace_rows(event)
    assert row.columns == {"StartTime": 1.0, **columns}


def test_a_log_that_has_the_id_of_a_forwarded_message_and_not_its_kind_is_still_read():
    (row,) = trace_rows(msgspec.structs.replace(DROPPED, message_kind=None, message_id=UUID(int=12)))
    assert row.columns["ObjectName"] == str(UUID(int=12))


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
