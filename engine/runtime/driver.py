"""`InstanceDriver`: obeys outcomes in one order, which is the whole durability argument.

Commit changes and events; then dial, hang up, send and start readers; then publish the events; then arm the alarm.
Nobody outside hears of what is not on disk. Many inputs share one commit, which is where throughput comes from.
Where there is nothing to store and something to send, messages that pass through, only the events are committed, and
those a moment later (`HeldEvents`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from engine.core.exchange.changes import PutCommandReply, StateChange
from engine.core.exchange.commands import CommandBase, StatementBase
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.inputs import Input
from engine.core.exchange.outcome import Outcome
from engine.core.exchange.replies import LateReply, Reply, refusal
from engine.core.exchange.silent_events import ForwardedMessagesWait
from engine.core.instance import Instance
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import EventSequence
from engine.core.vocabulary.moment import Now, earlier
from engine.runtime.held_events import HeldEvents
from engine.runtime.open_replies import OpenReplies
from engine.runtime.ports import Activator, Alarm, Clock, EventSink, ReplySink, Store, Transport


def _can_wait(events: Sequence[BrokerEvent]) -> bool:
    """Whether they tell of nothing but messages that pass through: those need no commit of their own."""
    return bool(events) and all(type(event) is ForwardedMessagesWait for event in events)


class DriverFailed(Exception):
    """A commit failed earlier: memory is ahead of the disk, so the instance must be loaded anew."""


class InstanceDriver:
    """Runs one instance over its ports. Not responsible for waiting or threads: its host calls it, one at a time."""

    def __init__(
        self,
        instance: Instance,
        *,
        store: Store,
        transport: Transport,
        sink: EventSink,
        alarm: Alarm,
        clock: Clock,
        activator: Activator | None = None,
        late_replies: ReplySink | None = None,
        holds_events: bool = True,
    ) -> None:
        """Without an `activator` no reader is ever started: what the queue monitors ask for stays undone.

        Without `late_replies` nobody hears what a WAITFOR came to, unless the command is given again.

        With `holds_events` off a commit costs nothing worth saving: every input's events are told with it.
        """
        self.instance = instance
        self._store = store
        self._transport = transport
        self._sink = sink
        self._alarm = alarm
        self._clock = clock
        self._activator = activator
        self._late_replies = late_replies
        self._holds_events = holds_events
        self._has_failed = False
        self._open_replies = OpenReplies()
        self._held = HeldEvents()

    def process(self, inputs: Sequence[Input]) -> list[Reply | None]:
        """Feed a batch and commit it once; answers a reply for each command, None for one that waits and for the rest.

        A command refused by a `BrokerError` is answered with a `Refusal` and changes nothing. A command seen before
        is answered as it was then. When the store fails, its error propagates, nothing leaves, and every further
        call raises `DriverFailed`.
        """
        if self._has_failed:
            raise DriverFailed
        self._has_failed = True
        now = self._clock.now()
        self.instance.begin(now)
        remembered: dict[int, PutCommandReply] = {}
        answers: list[Reply | None] = []
        take = self.instance.take
        for each in inputs:
            if not isinstance(each, CommandBase):
                answers.append(take(each))
                continue
            statement = each if isinstance(each, StatementBase) and each.transaction is not None else None
            reply = self._reply_of(each, remembered) if statement is None else self._open_replies.of(statement)
            if reply is None:
                try:
                    reply = take(each)
                except BrokerError as error:
                    reply = refusal(error)
                if statement is not None:
                    self._open_replies.keep(statement, reply)
                    answers.append(reply)
                    continue
                if reply is None:
                    # It waits; its reply comes with a later outcome.
                    answers.append(None)
                    continue
                remembered[each.command_id.int] = PutCommandReply(
                    command_id=each.command_id, reply=reply, replied_at=now.utc
                )
            answers.append(reply)
        self._obey(self.instance.finish(), remembered.values(), now)
        self._has_failed = False
        return answers

    def _reply_of(self, command: CommandBase, remembered: Mapping[int, PutCommandReply]) -> Reply | None:
        """A command is carried out once, however often it is delivered: its reply is stored with the effects."""
        before = remembered.get(command.command_id.int)
        return self._store.reply_of(command.command_id) if before is None else before.reply

    def _to_remember(self, late: Sequence[LateReply]) -> list[PutCommandReply]:
        """A WAITFOR that is delivered again hears what it came to."""
        at = self._clock.now().utc
        return [
            PutCommandReply(command_id=each.command_id, reply=each.reply, replied_at=at)
            for each in late
            if not self._open_replies.keep_late(each.command_id, each.reply)
        ]

    def settle(self) -> None:
        """Commit the events that are held: the instance is to be closed."""
        if not self._has_failed:
            self._tell(*self._commit((), ()))

    def _obey(self, outcome: Outcome, remembered: Collection[PutCommandReply], now: Now) -> None:
        changes: Sequence[StateChange] = (*outcome.changes, *remembered) if remembered else outcome.changes
        if outcome.late_replies:
            changes = (*changes, *self._to_remember(outcome.late_replies))
        events: Sequence[BrokerEvent] = outcome.events
        first = None
        if self._holds_events and not changes and (outcome.sends or _can_wait(events)):
            self._held.hold(events, now.monotonic)
        else:
            first, events = self._commit(changes, events)
        for address in outcome.hang_ups:
            self._transport.hang_up(address)
        for address in outcome.dials:
            self._transport.dial(address)
        for outbound in outcome.sends:
            self._transport.send(outbound)
        for address in outcome.fillings:
            self._transport.tell_room(address)
        for question in outcome.questions:
            self._transport.ask_role(question)
        for answer in outcome.answers:
            self._transport.answer_role(answer)
        if self._activator is not None:
            for reader in outcome.reader_starts:
                self._activator.start_reader(reader)
        if self._late_replies is not None:
            for late in outcome.late_replies:
                self._late_replies.reply_late(late)
        self._tell(first, events)
        if self._held.are_due(now.monotonic):
            self._tell(*self._commit((), ()))
        self._alarm.arm(earlier(self.instance.wake_at(), self._held.due_at))

    def _commit(
        self, changes: Sequence[StateChange], events: Sequence[BrokerEvent]
    ) -> tuple[EventSequence | None, Sequence[BrokerEvent]]:
        """Make changes and events durable, with the events that are held before them; the first one's number."""
        told = self._held.with_later(events)
        return (self._store.commit(changes, told) if changes or told else None), told

    def _tell(self, first: EventSequence | None, events: Sequence[BrokerEvent]) -> None:
        if events and first is not None:
            self._sink.publish(first, events)
