"""`InstanceDriver`: obeys outcomes in one order, which is the whole durability argument.

Commit changes and events; then dial, hang up, send and start readers; then publish the events; then arm the alarm.
Nobody outside hears of what is not on disk. Many inputs share one commit, which is where throughput comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

import msgspec

from engine.core.exchange.changes import PutCommandReply, StateChange
from engine.core.exchange.commands import Command
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.outcome import Outcome
from engine.core.exchange.readers import ReaderEnded
from engine.core.exchange.replies import Refusal, Reply
from engine.core.instance import Instance
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.messages import ForwardedMessage, LinkChange, LoginEnded, MessagesReturned
from engine.core.vocabulary.mirrors import AskerGone, RoleAsked, RoleClaimed
from engine.runtime.ports import Activator, Alarm, Clock, EventSink, Store, Transport


class TimerFired(msgspec.Struct, frozen=True):
    """The alarm rang."""


class Started(msgspec.Struct, frozen=True):
    """The host has loaded the instance and its network is ready."""


TIMER_FIRED: Final = TimerFired()
STARTED: Final = Started()

Input = (
    Command
    | ForwardedMessage
    | LinkChange
    | MessagesReturned
    | LoginEnded
    | RoleAsked
    | RoleClaimed
    | AskerGone
    | ReaderEnded
    | TimerFired
    | Started
)


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
    ) -> None:
        """Without an `activator` no reader is ever started: what the queue monitors ask for stays undone."""
        self.instance = instance
        self._store = store
        self._transport = transport
        self._sink = sink
        self._alarm = alarm
        self._clock = clock
        self._activator = activator
        self._has_failed = False

    def process(self, inputs: Sequence[Input]) -> list[Reply | None]:
        """Feed a batch and commit it once; answers a reply for each command, None for everything else.

        A command refused by a `BrokerError` is answered with a `Refusal` and changes nothing. A command seen before
        is answered as it was then. When the store fails, its error propagates, nothing leaves, and every further
        call raises `DriverFailed`.
        """
        if self._has_failed:
            raise DriverFailed
        self._has_failed = True
        outcomes: list[Outcome] = []
        replies: dict[object, Reply] = {}
        answers: list[Reply | None] = []
        for each in inputs:
            outcome = self._feed(each, replies)
            outcomes.append(outcome)
            answers.append(outcome.reply)
        self._obey(outcomes)
        self._has_failed = False
        return answers

    def _feed(self, each: Input, replies: dict[object, Reply]) -> Outcome:
        if isinstance(each, Command):
            return self._execute(each, replies)
        now = self._clock.now()
        match each:
            case ForwardedMessage():
                return self.instance.receive_message(each, now)
            case LinkChange():
                return self.instance.link_changed(each, now)
            case MessagesReturned():
                return self.instance.messages_returned(each, now)
            case LoginEnded():
                return self.instance.login_ended(each, now)
            case RoleAsked():
                return self.instance.role_asked(each, now)
            case RoleClaimed():
                return self.instance.role_claimed(each, now)
            case AskerGone():
                return self.instance.asker_gone(each, now)
            case ReaderEnded():
                return self.instance.reader_ended(each, now)
            case TimerFired():
                return self.instance.handle_timer(now)
            case Started():
                return self.instance.start(now)
            case _:
                assert_never(each)

    def _execute(self, command: Command, replies: dict[object, Reply]) -> Outcome:
        """Once per `command_id`, however often it is delivered: the reply is stored with the effects."""
        known = replies.get(command.command_id) or self._store.reply_of(command.command_id)
        if known is not None:
            return Outcome(reply=known)
        now = self._clock.now()
        try:
            outcome = self.instance.execute(command, now)
        except BrokerError as error:
            outcome = Outcome(reply=refusal(error))
        reply = outcome.reply
        if reply is not None:
            replies[command.command_id] = reply
            remembered = PutCommandReply(command_id=command.command_id, reply=reply, replied_at=now.utc)
            outcome = msgspec.structs.replace(outcome, changes=(*outcome.changes, remembered))
        return outcome

    def _obey(self, outcomes: Sequence[Outcome]) -> None:
        changes: list[StateChange] = [change for outcome in outcomes for change in outcome.changes]
        events: list[BrokerEvent] = [event for outcome in outcomes for event in outcome.events]
        first = self._store.commit(changes, events) if changes or events else None
        for outcome in outcomes:
            for address in outcome.hang_ups:
                self._transport.hang_up(address)
            for address in outcome.dials:
                self._transport.dial(address)
            for outbound in outcome.sends:
                self._transport.send(outbound)
            for question in outcome.questions:
                self._transport.ask_role(question)
            for answer in outcome.answers:
                self._transport.answer_role(answer)
            if self._activator is not None:
                for reader in outcome.reader_starts:
                    self._activator.start_reader(reader)
        if events and first is not None:
            self._sink.publish(first, events)
        self._alarm.arm(self.instance.wake_at())


def refusal(error: BrokerError) -> Refusal:
    """A numbered error as a reply."""
    return Refusal(
        number=error.number,
        text=error.text,
        why=error.why,
        cure=error.cure,
        parameters=dict(error.parameters),
    )
