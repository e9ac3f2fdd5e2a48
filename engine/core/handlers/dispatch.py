"""Which handler takes which input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from engine.core.exchange.commands import (
    ApplyCatalog,
    AttachDatabase,
    BackupDatabase,
    BeginConversationTimer,
    BeginDialog,
    BeginTransaction,
    CommitTransaction,
    DetachDatabase,
    EndConversation,
    GetConversationGroup,
    MoveConversation,
    Receive,
    RestoreDatabase,
    RetryTransmission,
    RollbackTransaction,
    Send,
    SendMany,
    SetMirroringRole,
    SetQueueStatus,
)
from engine.core.exchange.events import BrokerLoginAudited
from engine.core.exchange.inputs import Started, TimerFired, WaitCancelled
from engine.core.exchange.neighbours import Neighbour
from engine.core.exchange.readers import ReaderEnded
from engine.core.exchange.replies import Reply
from engine.core.exchange.silent_events import InstanceStarted
from engine.core.handlers import (
    activation,
    backups,
    bulk,
    catalog,
    conversation_timers,
    conversations,
    forwarding,
    identity,
    inbound,
    links,
    mirroring,
    queue_status,
    receiving,
    retrying,
    serving,
    speakers,
    timers,
    transactions,
)
from engine.core.handlers.broker import Broker
from engine.core.handlers.planning import plan
from engine.core.vocabulary.messages import ForwardedMessage, LinkChange, LinkHasRoom, LoginEnded, MessagesReturned
from engine.core.vocabulary.mirrors import AskerGone, RoleAsked, RoleClaimed


def _login_ended(broker: Broker, login: LoginEnded) -> None:
    """A handshake with a neighbour has ended; it is told, and changes nothing else."""
    broker.tell(BrokerLoginAudited(at=broker.now.utc, login=login))


def _asker_gone(broker: Broker, gone: AskerGone) -> None:
    """A neighbour that may have asked for a role is not connected any more."""
    broker.roles.gone(gone.asker)


def _reader_ended(broker: Broker, ended: ReaderEnded) -> None:
    """What the host says of a reader that it was asked to start."""
    if transactions.roll_back_reader(broker, ended.task) and ended.number is None:
        ended = msgspec.structs.replace(ended, number=activation.TRANSACTION_LEFT_OPEN)
    activation.reader_ended(broker, ended)


def _started(broker: Broker, _: Started) -> None:
    """The host has loaded this instance: everything that waited goes on."""
    broker.counters.started_at = broker.now.utc
    broker.tell(InstanceStarted(at=broker.now.utc))
    identity.settle_twins(broker)
    for endpoint in broker.conversations.all_live():
        if endpoint.wants_to_send:
            endpoint.reclassify_at = broker.now.monotonic
            broker.schedule(endpoint, broker.now.monotonic)
        plan(broker, endpoint)
    activation.redefined(broker, ())
    timers.handle_timer(broker)


def _timer_fired(broker: Broker, _: TimerFired) -> None:
    timers.handle_timer(broker)


COMMAND_HANDLERS: Final[Mapping[type, Callable[[Broker, Any], Reply | None]]] = {
    BeginDialog: conversations.begin_dialog,
    Send: conversations.send,
    SendMany: bulk.send_many,
    Receive: receiving.receive,
    GetConversationGroup: receiving.get_conversation_group,
    MoveConversation: conversations.move_conversation,
    BeginTransaction: transactions.begin_transaction,
    CommitTransaction: transactions.commit,
    RollbackTransaction: transactions.rollback,
    EndConversation: conversations.end_conversation,
    BeginConversationTimer: conversation_timers.begin_conversation_timer,
    RetryTransmission: retrying.retry_transmission,
    SetQueueStatus: queue_status.set_queue_status,
    ApplyCatalog: catalog.apply_catalog,
    SetMirroringRole: catalog.set_mirroring_role,
    BackupDatabase: backups.back_up,
    DetachDatabase: backups.detach,
    AttachDatabase: backups.bring_back,
    RestoreDatabase: backups.bring_back,
}
"""Each carries out a command whole, or raises `BrokerError` with nothing changed. None: the reply comes later."""

EVENT_HANDLERS: Final[Mapping[type, Callable[[Broker, Any], None]]] = {
    Neighbour: speakers.neighbour_speaks,
    ForwardedMessage: inbound.receive_message,
    LinkChange: links.link_changed,
    LinkHasRoom: links.room_made,
    MessagesReturned: forwarding.returned,
    LoginEnded: _login_ended,
    RoleAsked: mirroring.answer,
    RoleClaimed: links.role_claimed,
    AskerGone: _asker_gone,
    ReaderEnded: _reader_ended,
    TimerFired: _timer_fired,
    WaitCancelled: serving.cancel,
    Started: _started,
}
"""What happens has no reply, and cannot be refused."""

FREQUENT: Final[Mapping[type, Callable[[Broker, Any], Reply | None]]] = {
    Send: conversations.send,
    SendMany: bulk.send_many,
    Receive: receiving.receive,
    Neighbour: speakers.neighbour_speaks,
    ForwardedMessage: inbound.receive_message,
}
"""Inputs that may share one look at a conversation: none of them changes where its messages go, or whether it is."""
