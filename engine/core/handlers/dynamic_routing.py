"""Dynamic routing: the broker asks the configuration service for missing routes and bindings (routing.md 6).

A request is a dialog from the broker's own service of the database whose table was read; the database's queue for it
is read here. When the configuration service ends the dialog, with or without error, whoever waits is classified again.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

from engine.core.catalog.builtin import (
    BROKER_SERVICE,
    BUILT_IN_SERVICES,
    MISSING_BINDING_TYPE,
    MISSING_ROUTE_TYPE,
    NOTICE_CONTRACT,
)
from engine.core.catalog.objects import END_DIALOG_TYPE, ERROR_TYPE
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.error_message import error_description
from engine.core.dialog.states import DialogInput
from engine.core.exchange.events import BindingRequested, BindingRequestEnded, RouteRequested, RouteRequestEnded
from engine.core.handlers import queue_status
from engine.core.handlers.broker import Broker
from engine.core.handlers.closing import close
from engine.core.handlers.conversations import enqueue
from engine.core.handlers.notifications import broken
from engine.core.handlers.outbound import flush_acknowledgement, transmit
from engine.core.handlers.planning import plan
from engine.core.vocabulary.identifiers import (
    ConversationGroupId,
    ConversationHandle,
    ConversationId,
    DatabaseName,
    MessageTypeName,
    ServiceName,
)
from engine.core.vocabulary.limits import LIFETIME_SECONDS_MAX, REQUEST_PAUSES_MAX
from engine.core.vocabulary.messages import DialogTarget, MessageKind
from engine.core.vocabulary.moment import Instant, UtcTime
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState, QueueRow
from engine.core.vocabulary.subclasses import ConversationHappening

_ANSWERS = frozenset({END_DIALOG_TYPE, ERROR_TYPE})
_ANSWERED = frozenset({ConversationState.DISCONNECTED_INBOUND, ConversationState.ERROR})
"""States in which an answer has left the broker's conversation."""


def attend(broker: Broker) -> None:
    """Do what the current input has made necessary: read the broker's own queues, then ask for missing routes."""
    while broker.own_mail or broker.missing_routes or broker.missing_bindings:
        while broker.own_mail:
            _read_mail(broker, broker.own_mail.pop())
        for (database, service), target in list(broker.missing_routes.items()):
            del broker.missing_routes[database, service]
            if _may_ask(broker, database, service):
                broker.asks_again_at.pop((database, service), None)
                _ask(broker, database, target, MISSING_ROUTE_TYPE)
        for (database, service), target in list(broker.missing_bindings.items()):
            del broker.missing_bindings[database, service]
            _ask(broker, database, target, MISSING_BINDING_TYPE)


def _may_ask(broker: Broker, database: DatabaseName, service: ServiceName) -> bool:
    """One request at a time, and after an answer that did not help no other before the usual wait is over (E6)."""
    if (database, service) in broker.classifier.pending:
        return False
    not_before = broker.asks_again_at.get((database, service))
    return not_before is None or not_before <= broker.now.monotonic


def _ask(broker: Broker, database: DatabaseName, target: DialogTarget, request: MessageTypeName) -> None:
    asks_for_route = request == MISSING_ROUTE_TYPE
    endpoint = broker.endpoint(
        database,
        ConversationEndpoint(
            conversation_handle=ConversationHandle(broker.entropy.new_uuid()),
            conversation_id=ConversationId(broker.entropy.new_uuid()),
            is_initiator=True,
            conversation_group_id=ConversationGroupId(broker.entropy.new_uuid()),
            service=BROKER_SERVICE,
            contract=NOTICE_CONTRACT,
            state=ConversationState.CONVERSING,
            far_service=BROKER_CONFIGURATION_SERVICE,
            lifetime=UtcTime(broker.now.utc + LIFETIME_SECONDS_MAX),
            asks_for=target.service_name if asks_for_route else None,
            asks_for_binding=None if asks_for_route else target.service_name,
        ),
    )
    broker.add(endpoint)
    broker.touch(endpoint)
    broker.announce(endpoint, ConversationHappening.BEGIN_DIALOG)
    told = RouteRequested if asks_for_route else BindingRequested
    broker.tell(
        told(
            at=broker.now.utc,
            database=database,
            service=target.service_name,
            conversation_handle=endpoint.row.conversation_handle,
        )
    )
    enqueue(broker, endpoint, MessageKind.USER, request, request_body(request, target))
    plan(broker, endpoint)


def request_body(request: MessageTypeName, target: DialogTarget) -> bytes:
    """The document of a request; the id is named only when the conversation has one. UTF-16 with its mark."""
    name = request.rpartition("/")[2]
    broker_instance = target.broker_instance
    wanted_id = f"<BROKER_INSTANCE>{str(broker_instance).upper()}</BROKER_INSTANCE>" if broker_instance else ""
    return (
        f'<{name} xmlns="{request}"><SERVICE_NAME>{escape(target.service_name)}</SERVICE_NAME>{wanted_id}</{name}>'
    ).encode("utf-16")


def _read_mail(broker: Broker, database: DatabaseName) -> None:
    """Empty the broker's own queue; what answers nothing, such as the DialogTimer of an old store, is dropped."""
    name = BUILT_IN_SERVICES[BROKER_SERVICE].queue
    queue = broker.queue(database, name)
    while rows := queue.next_messages(1, None, None):
        broker.remove_queue(database, name, [row.queuing_order for row in rows])
        for row in rows:
            endpoint = broker.conversations.get((database, row.conversation_handle))
            if endpoint is not None and row.message_type_name in _ANSWERS and endpoint.row.state in _ANSWERED:
                _answered(broker, endpoint, row)


def _answered(broker: Broker, endpoint: DialogEndpoint, row: QueueRow) -> None:
    """An EndDialog or an Error: the only messages the contract lets the configuration service send."""
    database, service = endpoint.database, endpoint.row.asks_for
    for notification in broken(broker, endpoint):
        queue_status.withdraw_notification(broker, database, notification)
    flush_acknowledgement(broker, endpoint)
    close(broker, endpoint, DialogInput.END_LOCAL)
    error = error_description(row.message_body) if row.message_type_name == ERROR_TYPE else None
    if endpoint.row.asks_for_binding is not None:
        _binding_answered(broker, database, endpoint.row.asks_for_binding, error)
    if service is None:
        return
    broker.tell(RouteRequestEnded(at=broker.now.utc, database=database, service=service, error=error))
    now = broker.now.monotonic
    pause_requests(broker, database, service)
    for waiting in broker.conversations.all_live():
        if _waits_for(waiting, database, service):
            waiting.reclassify_at = now
            transmit(broker, waiting)
    if (database, service) not in broker.missing_routes and broker.classifier.names(database, service, broker.now.utc):
        # The answer has helped: when what was learned expires, it is asked for again without a wait (routing.md 6.8).
        broker.asks_again_at.pop((database, service), None)


def pause_requests(broker: Broker, database: DatabaseName, service: ServiceName) -> None:
    """No other request for a while. All pauses are equally long, so the first to be over stand first."""
    pauses, now = broker.asks_again_at, broker.now.monotonic
    pauses.pop((database, service), None)
    pauses[database, service] = Instant(now + broker.settings.dialog.reclassify_seconds)
    while pauses:
        eldest = next(iter(pauses))
        if pauses[eldest] > now and len(pauses) <= REQUEST_PAUSES_MAX:
            return
        del pauses[eldest]


def _binding_answered(broker: Broker, database: DatabaseName, service: ServiceName, error: str | None) -> None:
    """Whoever waits finds a binding now, or goes on without one unless it must be encrypted (routing.md 6.9)."""
    broker.tell(BindingRequestEnded(at=broker.now.utc, database=database, service=service, error=error))
    for waiting in broker.conversations.all_of(database):
        if waiting.row.far_service == service and waiting.row.is_initiator and waiting.row.security is None:
            waiting.binding_was_asked = True
            decision = waiting.decision
            # Who waits for a route is classified when that request ends, not before (routing.md E3).
            if waiting.wants_to_send and decision is not None and decision.address is not None:
                waiting.reclassify_at = broker.now.monotonic
                transmit(broker, waiting)


def _waits_for(waiting: DialogEndpoint, database: DatabaseName, service: ServiceName) -> bool:
    """Whether a conversation may have been kept back by what `database` did not know, which may be msdb of another."""
    decision = waiting.decision
    tables = (waiting.database, decision.table if decision is not None else None)
    return waiting.row.far_service == service and database in tables and waiting.wants_to_send
