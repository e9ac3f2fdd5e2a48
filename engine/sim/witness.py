"""`Witness`: what really happened to the messages of some conversations, from commits and transmissions alone.

It asks no instance. Each of the four messages of a round trip has a `Track`: where its copies came by, where it was
taken in, and where copies stopped; each end of a conversation has a `Side`: what its sender shows of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar, Final

import msgspec

from engine.core.catalog.objects import ERROR_TYPE
from engine.core.exchange.changes import AppendQueue, PutEndpoint, StateChange
from engine.core.exchange.events import (
    BrokerEvent,
    ConnectionStateChanged,
    ForwardedMessageDropped,
    ForwardedMessageSent,
    MessageClassified,
    MessageCorrupted,
    MessageUndeliverable,
    MirroredRouteStateChanged,
    RemoteMessageAcknowledged,
    TransmissionStatusChanged,
)
from engine.core.routing.decision import ClassifierDecision
from engine.core.vocabulary.identifiers import (
    ContractName,
    ConversationHandle,
    ConversationId,
    DatabaseName,
    InstanceName,
    QueueName,
    ServiceName,
)
from engine.core.vocabulary.messages import DialogMessage, MessageKind
from engine.core.vocabulary.mirrors import MirrorState
from engine.core.vocabulary.rows import QueueRowStatus
from engine.sim.history import Arrived, Committed, Entry, Kinds, Transmitted
from engine.whatif.disposition import LegKind

_ERROR_CODE: Final = re.compile(r"<Code>(-?\d+)</Code>")


class Taken(msgspec.Struct, frozen=True):
    """A message is in a queue, or waits beside it because it is off."""

    at: float
    """Seconds since the beginning of the world."""
    instance: InstanceName
    database: DatabaseName
    queue: QueueName
    is_parked: bool


class Stopped(msgspec.Struct, frozen=True):
    """A copy went no further: its target discarded it, or a forwarder dropped it."""

    at: float
    instance: InstanceName
    number: int
    is_in_transit: bool
    """Whether a forwarder dropped it."""
    also: frozenset[int] = frozenset()
    """How the router put it: the status of the decision by which it was discarded."""


class Track:
    """All copies of one message."""

    def __init__(self) -> None:
        self.sent = 0
        """Copies that its sender has handed to the network."""
        self.reached: list[InstanceName] = []
        """Whom copies came to, one after another."""
        self.forwarded: list[InstanceName] = []
        """Who passed copies on."""
        self.taken: list[Taken] = []
        self.stopped: list[Stopped] = []


class Side:
    """One end of a conversation."""

    def __init__(
        self, instance: InstanceName, database: DatabaseName, handle: ConversationHandle, service: ServiceName
    ) -> None:
        self.instance: Final = instance
        self.database: Final = database
        self.handle: Final = handle
        self.service: Final = service
        self.decisions: list[ClassifierDecision] = []
        """Where its messages were to go, each decision that differs from the one before."""
        self.statuses: list[int | None] = []
        """Why its messages wait; None when nothing is in the way any more."""
        self.acknowledged_at: float | None = None
        """When its first message was acknowledged."""
        self.error: int | None = None
        """The number of the Error in its queue; those of brokers are negative."""

    @property
    def status(self) -> int | None:
        """Why its messages wait now."""
        return self.statuses[-1] if self.statuses else None


class Conversation:
    """What is known of one conversation."""

    def __init__(self, contract: ContractName) -> None:
        self.contract: Final = contract
        self.initiator: Side | None = None
        """None until it has begun."""
        self.targets: list[Side] = []
        """More than one when copies of a message have found several copies of the service."""
        self.refused: int | None = None
        """With which number it was not begun."""
        self.is_unanswered = False
        """Whoever began it has heard nothing: nobody was there."""
        self.tracks: dict[LegKind, Track] = {kind: Track() for kind in LegKind}

    @property
    def is_acknowledged(self) -> bool:
        """Whether the message has arrived and its sender knows."""
        return self.initiator is not None and self.initiator.acknowledged_at is not None

    @property
    def has_ended_in_error(self) -> bool:
        """Whether its initiator was told an Error."""
        return self.initiator is not None and self.initiator.error is not None


class Witness:
    """Observes the journal of a world."""

    watches: ClassVar[Kinds] = (Committed, Transmitted, Arrived)

    def __init__(self) -> None:
        self._conversations: dict[ConversationId, Conversation] = {}
        self._sides: dict[tuple[InstanceName, DatabaseName, ConversationHandle], tuple[Conversation, Side]] = {}
        self._dropped: dict[tuple[InstanceName, ConversationId, bool], int] = {}
        """What the router said last of a copy that it found no way for."""
        self.link_errors: dict[InstanceName, set[int]] = {}
        """Why connections of an instance could not be opened or broke."""
        self.searching: set[InstanceName] = set()
        """Instances that have found no principal behind a mirrored route."""

    def watch(self, conversation_id: ConversationId, conversation: Conversation, initiator: Side) -> None:
        """Take down whatever happens to a conversation that has just begun."""
        self._conversations[conversation_id] = conversation
        self._sides[initiator.instance, initiator.database, initiator.handle] = (conversation, initiator)
        conversation.initiator = initiator

    def observe(self, entry: Entry) -> None:
        """Something happened."""
        match entry:
            case Committed():
                # Of one commit: messages for endpoints that it makes may stand before them.
                for change in sorted(entry.changes, key=lambda change: not isinstance(change, PutEndpoint)):
                    self._changed(entry.at, entry.instance, change)
                for event in entry.events:
                    self._told(entry.at, entry.instance, event)
            case Transmitted():
                track = self._track(entry.message.message)
                if track is not None and _is_its_sender(entry.message.message, entry.instance, self._conversations):
                    track.sent += 1
            case Arrived():
                track = self._track(entry.message.message)
                if track is not None:
                    track.reached.append(entry.instance)
            case _:
                pass

    # ── commits ──────────────────────────────────────────────────────────────────────────────────────────────────
    def _changed(self, at: float, instance: InstanceName, change: StateChange) -> None:
        if isinstance(change, PutEndpoint):
            self._endpoint(instance, change)
        elif isinstance(change, AppendQueue):
            found = self._sides.get((instance, change.database, change.row.conversation_handle))
            if found is not None:
                self._queued(at, *found, change)

    def _endpoint(self, instance: InstanceName, change: PutEndpoint) -> None:
        row = change.endpoint
        conversation = self._conversations.get(row.conversation_id)
        key = (instance, change.database, row.conversation_handle)
        if conversation is None or key in self._sides:
            return
        side = Side(instance, change.database, row.conversation_handle, row.service)
        self._sides[key] = (conversation, side)
        conversation.targets.append(side)

    def _queued(self, at: float, conversation: Conversation, side: Side, change: AppendQueue) -> None:
        row = change.row
        if row.message_type_name == ERROR_TYPE:
            found = _ERROR_CODE.search((row.message_body or b"").decode("utf-16", "replace"))
            side.error = int(found[1]) if found else 0
        elif row.message_sequence_number == 0 and row.status is not QueueRowStatus.SENT_RETAINED:
            leg = LegKind.REPLY if side is conversation.initiator else LegKind.MESSAGE
            taken = Taken(at, side.instance, side.database, change.queue, row.awaits_queue)
            conversation.tracks[leg].taken.append(taken)

    # ── events ───────────────────────────────────────────────────────────────────────────────────────────────────
    def _told(self, at: float, instance: InstanceName, event: BrokerEvent) -> None:
        match event:
            case TransmissionStatusChanged():
                self._at_side(instance, event, lambda side: side.statuses.append(event.number))
            case RemoteMessageAcknowledged():
                self._at_side(instance, event, lambda side: _acknowledge(side, at, event.up_to))
            case MessageClassified(database=str()):
                conversation = self._conversations.get(event.conversation_id)
                if conversation is not None:
                    _decide(conversation, instance, event)
            case MessageClassified():
                if event.decision.status is not None:
                    self._dropped[instance, event.conversation_id, event.from_initiator] = event.decision.status
            case MirroredRouteStateChanged(state=MirrorState.SEARCHING):
                self.searching.add(instance)
            case ConnectionStateChanged():
                if event.error is not None:
                    self.link_errors.setdefault(instance, set()).add(event.error)
            case MessageUndeliverable() | MessageCorrupted():
                track = self._told_track(event.conversation_id, event.from_initiator, event.message_sequence_number)
                if track is not None:
                    said = self._dropped.pop((instance, event.conversation_id, event.from_initiator), None)
                    also = frozenset[int]() if said is None else frozenset({said})
                    track.stopped.append(Stopped(at, instance, event.number, False, also))
            case ForwardedMessageDropped():
                track = self._told_track(event.conversation_id, event.from_initiator, event.message_sequence_number)
                if track is not None:
                    track.stopped.append(Stopped(at, instance, event.number, True))
            case ForwardedMessageSent():
                track = self._told_track(event.conversation_id, event.from_initiator, event.message_sequence_number)
                if track is not None:
                    track.forwarded.append(instance)
            case _:
                pass

    def _at_side(
        self,
        instance: InstanceName,
        event: TransmissionStatusChanged | RemoteMessageAcknowledged,
        then: Callable[[Side], None],
    ) -> None:
        found = self._sides.get((instance, event.database, event.conversation_handle))
        if found is not None:
            then(found[1])

    def _track(self, message: DialogMessage) -> Track | None:
        if message.kind is MessageKind.ERROR and message.sequence is None:
            return None
        return self._told_track(message.conversation_id, message.from_initiator, message.sequence)

    def _told_track(self, conversation_id: ConversationId, from_initiator: bool, sequence: int | None) -> Track | None:
        conversation = self._conversations.get(conversation_id)
        if conversation is None or sequence not in (0, None):
            return None
        if from_initiator:
            return conversation.tracks[LegKind.MESSAGE if sequence == 0 else LegKind.REPLY_ACKNOWLEDGEMENT]
        return conversation.tracks[LegKind.REPLY if sequence == 0 else LegKind.ACKNOWLEDGEMENT]


def _acknowledge(side: Side, at: float, up_to: int) -> None:
    if side.acknowledged_at is None and up_to >= 0:
        side.acknowledged_at = at


def _decide(conversation: Conversation, instance: InstanceName, event: MessageClassified) -> None:
    sides = conversation.targets
    if event.from_initiator:
        sides = [] if conversation.initiator is None else [conversation.initiator]
    for side in sides:
        if (side.instance, side.database) == (instance, event.database):
            side.decisions.append(event.decision)


def _is_its_sender(
    message: DialogMessage, instance: InstanceName, conversations: dict[ConversationId, Conversation]
) -> bool:
    """Whether an instance sends its own message, and passes on nobody else's."""
    conversation = conversations[message.conversation_id]
    sides = conversation.targets
    if message.from_initiator:
        sides = [] if conversation.initiator is None else [conversation.initiator]
    return any(side.instance == instance for side in sides)
