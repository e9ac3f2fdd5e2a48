"""An event of every kind, and the trace classes and subclasses of its rows (views.md 4)."""

from uuid import UUID

from engine.core.catalog.objects import DIALOG_TIMER_TYPE, END_DIALOG_TYPE, ERROR_TYPE
from engine.core.exchange import events as happened
from engine.core.exchange import silent_events
from engine.core.link.handshake import LoginAudit
from engine.core.routing.decision import Classification, ClassifierDecision, Origin
from engine.core.trace.classes import TraceClass
from engine.core.vocabulary.messages import LinkState, LoginEnded, MessageKind, TcpAddress
from engine.core.vocabulary.mirrors import MirroringRole, MirrorState, PartnerState
from engine.core.vocabulary.rows import ConversationState
from engine.core.vocabulary.subclasses import AuditFailure, ConversationHappening

C = TraceClass
HANDLE, CONVERSATION, GROUP = UUID(int=1), UUID(int=2), UUID(int=3)
LYON, NICE = TcpAddress("lyon", 4022), TcpAddress("nice", 4022)


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


def arrived(kind, number=0, **fields):
    return kind(
        at=1.0,
        conversation_id=CONVERSATION,
        from_initiator=True,
        to_service="Entrepôt",
        message_sequence_number=number,
        number=28062,
        text="not what was sent",
        **fields,
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
        message_kind=MessageKind.USER,
        time_to_live=30.5,
        time_consumed=2.5,
        hops_remaining=4,
        **fields,
    )


def login(audit, **fields):
    ended = LoginEnded(
        subclass=audit.value,
        is_accept=True,
        peer="LYON",
        principal="brokerweb",
        method="CERTIFICATE",
        protection="AES",
        own_methods="CERTIFICATE,WINDOWS",
        peer_methods="CERTIFICATE",
        login_state="ONLINE",
        **fields,
    )
    return happened.BrokerLoginAudited(at=1.0, login=ended)


def activated(subclass, **fields):
    return happened.QueueActivation(
        at=1.0,
        database="Ventes",
        queue="dbo.File",
        subclass=subclass,
        procedure_name="dbo.Lire",
        active_tasks=2,
        **fields,
    )


SENT = forwarded(happened.ForwardedMessageSent, address=LYON)
DROPPED = forwarded(happened.ForwardedMessageDropped, number=11290, text="too old")
QUEUE_DISABLED = happened.QueueDisabled(at=1.0, database="Ventes", queue="dbo.File", rollbacks=5)
MIRRORED = happened.MirroredRouteStateChanged(
    at=1.0,
    route="VersEntrepôt",
    service="Entrepôt",
    broker_instance=UUID(int=10),
    address=LYON,
    mirror_address=NICE,
    state=MirrorState.KNOWN_M,
    address_state=PartnerState.DISCONNECTED,
    mirror_address_state=PartnerState.CONNECTED_PRINCIPAL,
    principal=NICE,
    error=9753,
    detail="unplugged",
    are_both_principal=False,
)
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
    (delivered(DIALOG_TIMER_TYPE), []),
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
    (arrived(happened.MessageCorrupted), [(C.BROKER_CORRUPTED_MESSAGE, None)]),
    *(
        (arrived(happened.ConversationAudited, failure=each), [(C.AUDIT_BROKER_CONVERSATION, each.value)])
        for each in AuditFailure
    ),
    (SENT, [(C.BROKER_FORWARDED_MESSAGE_SENT, None)]),
    (DROPPED, [(C.BROKER_FORWARDED_MESSAGE_DROPPED, None)]),
    (connection(LinkState.NEW), [(C.BROKER_CONNECTION, 1)]),
    (connection(LinkState.CONNECTING), [(C.BROKER_CONNECTION, 1)]),
    (connection(LinkState.CONNECTED), [(C.BROKER_CONNECTION, 2)]),
    (connection(LinkState.LOGGED_IN), []),
    (connection(LinkState.CLOSED), [(C.BROKER_CONNECTION, 5)]),
    (connection(LinkState.CLOSED, 9760), [(C.BROKER_CONNECTION, 5)]),
    *((connection(LinkState.CLOSED, number), [(C.BROKER_CONNECTION, 3)]) for number in (9753, 9754, 9756, 9783, 9785)),
    (connection(LinkState.CLOSED, 9759), [(C.BROKER_CONNECTION, 7)]),
    (connection(LinkState.CLOSED, 9755), [(C.BROKER_CONNECTION, 8)]),
    (connection(LinkState.CLOSED, 9799), [(C.BROKER_CONNECTION, 8)]),
    (connection(LinkState.CLOSED, 28028), [(C.BROKER_CONNECTION, 5)]),
    *((login(audit), [(C.AUDIT_BROKER_LOGIN, audit.value)]) for audit in LoginAudit),
    (QUEUE_DISABLED, [(C.BROKER_QUEUE_DISABLED, None)]),
    *(
        (activated(subclass), [(C.BROKER_ACTIVATION, number)])
        for number, subclass in enumerate(happened.ActivationSubclass, start=1)
    ),
    (MIRRORED, [(C.BROKER_MIRRORED_ROUTE_STATE_CHANGED, None)]),
    (happened.TransactionRolledBack(at=1.0, transaction=UUID(int=4), has_timed_out=False), []),
    (of_endpoint(happened.ConversationTimerFired), []),
    (
        happened.DatabaseBrokerChanged(
            at=1.0, database="Ventes", broker_instance=UUID(int=5), is_enabled=False, number=9773, text="twin"
        ),
        [],
    ),
    (
        happened.DatabaseMirroringStateChanged(at=1.0, database="Ventes", role=MirroringRole.PRINCIPAL),
        [],
    ),
    (happened.MessagesTaken(at=1.0, database="Ventes", queue="dbo.File", count=3), []),
    (of_endpoint(happened.RouteRequested, service="Entrepôt"), []),
    (happened.RouteRequestEnded(at=1.0, database="Ventes", service="Entrepôt"), []),
    (of_endpoint(happened.BindingRequested, service="Entrepôt"), []),
    (happened.BindingRequestEnded(at=1.0, database="Ventes", service="Entrepôt"), []),
    (happened.QueueSwitched(at=1.0, database="Ventes", queue="dbo.File", is_enabled=False), []),
    (silent_events.InstanceStarted(at=1.0), []),
    (of_endpoint(silent_events.ConversationTouched), []),
    (silent_events.QueueTouched(at=1.0, database="Ventes", queue="dbo.File"), []),
    (of_endpoint(silent_events.TransmissionRetryAsked), []),
    (silent_events.ForwardedMessagesWait(at=1.0, messages=2, bytes=1_024), []),
    (happened.CatalogApplied(at=1.0, revision=2), []),
]
