"""Events drawn from a seed: few conversations each, so that everything meets, and nothing has to make sense."""

from __future__ import annotations

import random
from uuid import UUID

from engine.core.catalog.route import LocalAddress, Route
from engine.core.exchange import events as happened
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.silent_events import InstanceStarted
from engine.core.routing.decision import Classification, ClassifierDecision, LossReason, Origin, RouteLoss
from engine.core.vocabulary.identifiers import EventSequence
from engine.core.vocabulary.messages import MessageKind, TcpAddress
from engine.core.vocabulary.rows import ConversationState
from engine.core.vocabulary.subclasses import ConversationHappening

DATABASES = ("d1", "d2")
QUEUES = ("dbo.q1", "dbo.q2")
SERVICES = ("S", "T")
ROUTES = ("r1", "r2", "r3")
EPOCH = 1_700_000_000
TICK = 1 / 64
"""Of seconds: exact in floating point and in microseconds, and no whole number of milliseconds."""
_MADE = (ConversationHappening.BEGIN_DIALOG, ConversationHappening.DIALOG_CREATED)
Told = dict[str, list[tuple[EventSequence, BrokerEvent]]]


def drawn_events(seed: int, events: int = 60) -> Told:
    """Events of each of three instances, whose names are of the seed, in the order of their numbers.

    Those of two instances are never of the same instant.
    """
    return _Drawing(seed).told(events)


def drawn_estate(first: int, count: int) -> Told:
    """What several seeds give, as one estate."""
    return {name: events for seed in range(first, first + count) for name, events in drawn_events(seed).items()}


class _Drawing:
    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.instances = tuple(f"{letter}{seed}" for letter in "ABC")
        self.conversations = [self.uuid() for _ in range(self.dice.randint(1, 2))]
        # A handle of each end, and a second one for targets: copies of a service.
        self.ends = [
            (self.uuid(), conversation, is_initiator)
            for conversation in self.conversations
            for is_initiator in (True, False, False)
        ]
        self.unknown = self.uuid()
        self.home = {handle: self.dice.choice(self.instances) for handle, _, _ in self.ends}
        self.seen: set[UUID] = set()

    def uuid(self) -> UUID:
        return UUID(int=self.dice.getrandbits(128))

    def told(self, count: int) -> Told:
        ticks = sorted(self.dice.sample(range(3600 * 64), count))
        told: Told = {}
        last = None
        for tick in ticks:
            event = self.event(EPOCH + tick * TICK)
            instance = self.home.get(getattr(event, "conversation_handle", None)) or self.dice.choice(self.instances)
            own = told.setdefault(instance, [])
            if last == instance and self.dice.random() < 0.3:
                # Of one commit: only the number says which was first.
                event = type(event)(**{**_fields(event), "at": own[-1][1].at})
            own.append((EventSequence(len(own) + 1), event))
            last = instance
        return told

    def event(self, at: float) -> BrokerEvent:
        makers = (
            *(self.state,) * 4,
            *(self.sent,) * 6,
            *(self.delivered,) * 6,
            *(self.acknowledged,) * 3,
            *(self.forwarded,) * 4,
            *(self.discarded,) * 3,
            *(self.classified,) * 3,
            self.queue,
            self.other,
        )
        return self.dice.choice(makers)(at)

    # ── one of each kind ──
    def end(self) -> UUID:
        return self.unknown if self.dice.random() < 0.05 else self.dice.choice(self.ends)[0]

    def number(self) -> int:
        return self.dice.choice((-1, 0, 0, 1, 1, 2))

    def state(self, at: float) -> BrokerEvent:
        handle, conversation, is_initiator = self.dice.choice(self.ends)
        open_states = (ConversationState.CONVERSING, ConversationState.STARTED_OUTBOUND)
        state = self.dice.choice((*open_states * 3, *ConversationState, None))
        return happened.ConversationStateChanged(
            at=at,
            database=self.database(handle),
            conversation_handle=handle,
            conversation_id=conversation,
            is_initiator=is_initiator,
            state=state,
            happening=self.dice.choice((*_MADE, *_MADE, ConversationHappening.SEND_MESSAGE, None)),
        )

    def database(self, handle: UUID) -> str:
        return DATABASES[handle.int % 2]

    def sent(self, at: float) -> BrokerEvent:
        kinds = (
            happened.MessageQueuedForTransmission,
            happened.MessageQueuedForTransmission,
            happened.MessageSentDirectly,
        )
        handle = self.end()
        kind = self.dice.choice((MessageKind.USER, MessageKind.END_DIALOG))
        return self.dice.choice(kinds)(
            at=at,
            database=self.database(handle),
            conversation_handle=handle,
            message_sequence_number=self.number(),
            kind=kind,
        )

    def delivered(self, at: float) -> BrokerEvent:
        handle = self.end()
        return happened.MessageDelivered(
            at=at,
            database=self.database(handle),
            queue=self.dice.choice(QUEUES),
            conversation_handle=handle,
            message_sequence_number=self.number(),
            message_type_name=self.dice.choice(("DEFAULT", "Bestellung")),
        )

    def acknowledged(self, at: float) -> BrokerEvent:
        handle = self.end()
        return happened.RemoteMessageAcknowledged(
            at=at, database=self.database(handle), conversation_handle=handle, up_to=self.number()
        )

    def forwarded(self, at: float) -> BrokerEvent:
        conversation, from_initiator = self.direction()
        return happened.ForwardedMessageSent(
            at=at,
            conversation_id=conversation,
            from_initiator=from_initiator,
            from_service=self.dice.choice((None, *SERVICES)),
            to_service=self.dice.choice(SERVICES),
            message_sequence_number=self.dice.choice((None, 0, 1)),
            hops_remaining=self.dice.randint(8, 12),
            address=TcpAddress(self.dice.choice(("a", "b")), 4022),
        )

    def direction(self) -> tuple[UUID, bool]:
        return self.dice.choice(self.conversations), self.dice.random() < 0.6

    def discarded(self, at: float) -> BrokerEvent:
        conversation, from_initiator = self.direction()
        common = {
            "at": at,
            "conversation_id": conversation,
            "from_initiator": from_initiator,
            "to_service": self.dice.choice(SERVICES),
            "message_sequence_number": self.dice.choice((None, 0, 1, 2)),
            "number": self.dice.choice((11218, 11218, 11219, 9795)),
            "text": "…",
        }
        kinds = (happened.MessageUndeliverable, happened.MessageCorrupted, happened.ForwardedMessageDropped)
        return self.dice.choice(kinds)(**common)

    def classified(self, at: float) -> BrokerEvent:
        conversation, from_initiator = self.direction()
        winner = self.dice.choice((*ROUTES, None))
        losers = [route for route in ROUTES if route != winner and self.dice.random() < 0.7]
        decision = ClassifierDecision(
            classification=Classification.REMOTE if winner else Classification.DELAYED,
            origin=Origin.INSIDE,
            table="d1",
            match_step=1,
            route=Route(name=winner, address=LocalAddress()) if winner else None,
            address=TcpAddress(self.dice.choice(("a", "b")), 4022) if self.dice.random() < 0.7 else None,
            losses=tuple(RouteLoss(route, self.dice.choice(list(LossReason))) for route in losers),
        )
        return happened.MessageClassified(
            at=at,
            database=self.dice.choice((*DATABASES * 3, None)),
            conversation_id=conversation,
            from_initiator=from_initiator,
            to_service=self.dice.choice(SERVICES),
            decision=decision,
            from_service=self.dice.choice((None, None, *SERVICES)),
            to_broker_instance=self.dice.choice((None, self.unknown)),
        )

    def queue(self, at: float) -> BrokerEvent:
        database, queue = self.dice.choice(DATABASES), self.dice.choice(QUEUES)
        if self.dice.random() < 0.3:
            return happened.QueueDisabled(at=at, database=database, queue=queue, rollbacks=5)
        return happened.QueueSwitched(at=at, database=database, queue=queue, is_enabled=self.dice.random() < 0.6)

    def other(self, at: float) -> BrokerEvent:
        if self.dice.random() < 0.5:
            return InstanceStarted(at=at)
        return happened.CatalogApplied(at=at, revision=self.dice.randint(1, 20))


def _fields(event: BrokerEvent) -> dict[str, object]:
    return {name: getattr(event, name) for name in event.__struct_fields__}
