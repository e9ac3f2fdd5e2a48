"""Who sends and who receives while workers die: each insists until it knows what became of what it asked for."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import TimeoutError as TooLate
from typing import Final
from uuid import uuid4

from engine.core.exchange.commands import (
    BeginTransaction,
    Command,
    CommitTransaction,
    OutgoingMessage,
    Receive,
    SendMany,
)
from engine.core.exchange.replies import MessagesReceived, MessagesSent, Refusal, Reply, TransactionBegun
from engine.core.vocabulary.identifiers import CommandId, ConversationHandle
from engine.hosting import client
from engine.hosting.errors import EngineUnavailable
from engine.hosting.session.client import EngineSession
from tests.engine.hosting.two_instances import ESTATE, LYON, PARIS, QUEUE, STOCK, VENTES

ANSWER_SECONDS_MAX: Final = 4.0
"""How long a program waits before it takes its connection for dead; a worker that was stopped does not say so."""
PAUSE_SECONDS: Final = 0.01
"""Between two batches of a sender."""
ASK_AGAIN_SECONDS: Final = 0.1
NO_TRANSACTION: Final = 3902
AT_ONCE: Final = 40
"""Messages of a batch that goes over a session."""
AT_ONCE_BY_TASK: Final = 4
WAIT_MILLISECONDS: Final = 500

Message = tuple[int, int]
"""Number of a dialog, number of a message in it."""


class Insisting(threading.Thread, ABC):
    """A program that asks one instance. Ends when told; `failure` says why else."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self.failure = ""
        self._is_ending = threading.Event()

    def end(self) -> None:
        """Finish what was begun, then stop."""
        self._is_ending.set()

    def run(self) -> None:
        """Work until told to end."""
        try:
            while not self._is_ending.is_set():
                self.work()
        except Exception as error:
            self.failure = f"{type(error).__name__}: {error}"
        finally:
            self.let_go()

    @abstractmethod
    def work(self) -> None:
        """One piece of work."""

    @abstractmethod
    def answer(self, command: Command) -> Reply:
        """The reply to a command; `EngineUnavailable`, `TooLate` when nobody knows what became of it."""

    def let_go(self) -> None:
        """Of what was kept open to ask."""

    def ask(self, command: Command) -> Reply | None:
        """The reply to a command; None when nobody knows what became of it."""
        try:
            return self.answer(command)
        except (EngineUnavailable, TooLate):
            self.let_go()
            time.sleep(ASK_AGAIN_SECONDS)
            return None

    def insist(self, command: Command) -> Reply:
        """The reply to a command, asked for under its one key until there is one."""
        reply = None
        while reply is None:
            reply = self.ask(command)
        return reply


class OverSession(Insisting):
    """Asks over as many sessions as it takes."""

    def __init__(self, name: str, instance: str) -> None:
        super().__init__(name)
        self.sessions = 0
        self._instance = instance
        self._session: EngineSession | None = None

    def answer(self, command: Command) -> Reply:
        if self._session is None:
            self._session = client.open_session(ESTATE, self._instance)
            self.sessions += 1
        [reply] = self._session.submit([command]).result(ANSWER_SECONDS_MAX)
        return reply

    def let_go(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()


class Sending(Insisting):
    """Sends numbered messages round its dialogs. `sent` is what PARIS has confirmed."""

    at_once: int

    def begin_with(self, first: int, handles: Sequence[ConversationHandle], pause_seconds: float) -> None:
        """The dialogs to send in, and the number of the first."""
        self.sent: list[Message] = []
        self._pause_seconds = pause_seconds
        self._first = first
        self._handles = handles
        self._next = [0] * len(handles)

    def work(self) -> None:
        """Send one batch."""
        batch: list[Message] = []
        messages: list[OutgoingMessage] = []
        for each in range(self.at_once):
            own = each % len(self._handles)
            message = (self._first + own, self._next[own])
            self._next[own] += 1
            batch.append(message)
            messages.append(OutgoingMessage(self._handles[own], "{} {}".format(*message).encode()))
        reply = self.insist(SendMany(command_id=_key(), database=VENTES, messages=tuple(messages)))
        assert isinstance(reply, MessagesSent), reply
        assert reply.message_sequence_numbers == tuple(number for _, number in batch), reply
        self.sent += batch
        time.sleep(self._pause_seconds)


class SessionSender(Sending, OverSession):
    """Sends in bulk."""

    at_once = AT_ONCE


class TaskSender(Sending):
    """Sends through the broker, as the web does."""

    at_once = AT_ONCE_BY_TASK

    def answer(self, command: Command) -> Reply:
        [reply] = client.execute(ESTATE, PARIS, [command], timeout_seconds=ANSWER_SECONDS_MAX)
        return reply


class Reader(OverSession):
    """Receives in transactions. `received` is what was committed, in the order of the commits."""

    def __init__(self) -> None:
        super().__init__("reader", LYON)
        self.received: list[Message] = []
        self.rolled_back = 0
        """Transactions whose commit never happened: their messages come again."""

    def work(self) -> None:
        """Receive one batch and commit it."""
        begun = self.ask(BeginTransaction(command_id=_key()))
        if not isinstance(begun, TransactionBegun):
            return
        received = self.ask(
            Receive(
                command_id=_key(),
                database=STOCK,
                transaction=begun.transaction,
                queue=QUEUE,
                top=10 * AT_ONCE,
                many_groups=True,
                waitfor_milliseconds=WAIT_MILLISECONDS,
            )
        )
        if not isinstance(received, MessagesReceived):
            # The transaction has gone with its worker, or will be rolled back for being idle.
            return
        ended = self.insist(CommitTransaction(command_id=_key(), transaction=begun.transaction))
        if isinstance(ended, Refusal):
            assert ended.number == NO_TRANSACTION, ended
            self.rolled_back += 1
        else:
            self.received += [_read(row.message_body) for row in received.messages]


class Load:
    """Two senders and a reader."""

    def __init__(
        self, handles: Sequence[ConversationHandle], by_task: Sequence[ConversationHandle], pause_seconds: float
    ) -> None:
        """Dialogs for a sender over a session, and for one through the broker."""
        self.reader = Reader()
        self.senders: Sequence[Sending] = (SessionSender("sender", PARIS), TaskSender("sender through the broker"))
        self.senders[0].begin_with(0, handles, pause_seconds)
        self.senders[1].begin_with(len(handles), by_task, pause_seconds)
        self.everybody: Sequence[Insisting] = (*self.senders, self.reader)

    def start(self) -> None:
        for each in self.everybody:
            each.start()

    @property
    def confirmed(self) -> tuple[int, ...]:
        """How many messages each of them was told are sent, or received."""
        return (*(len(each.sent) for each in self.senders), len(self.reader.received))

    @property
    def sent(self) -> list[Message]:
        return [message for each in self.senders for message in each.sent]

    @property
    def failures(self) -> list[str]:
        """Who has met what may not be, and what."""
        return [f"{each.name}: {each.failure}" for each in self.everybody if each.failure]


def _read(body: bytes | None) -> Message:
    dialog, number = (body or b"").split()
    return int(dialog), int(number)


def _key() -> CommandId:
    return CommandId(uuid4())
