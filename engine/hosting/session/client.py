"""`EngineSession`: a program's own connection to an instance that a worker of this machine hosts.

For programs that have much to send or to receive, or that cannot wait for a task: what they ask goes to the instance
directly, many commands at a time, and many requests may be under way. Everybody else asks with `engine.api.execute`.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from threading import Lock, Thread, current_thread
from types import TracebackType
from typing import Any, Final, Self
from uuid import uuid4

import msgspec

from engine.core.exchange.commands import (
    BeginTransaction,
    Command,
    CommitTransaction,
    OutgoingMessage,
    Receive,
    RollbackTransaction,
    SendMany,
    waitfor_milliseconds,
)
from engine.core.exchange.replies import MessagesReceived, MessagesSent, Refusal, Reply, TransactionBegun
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import CommandId, DatabaseName, InstanceName, QueueName, TransactionId
from engine.core.vocabulary.limits import SESSION_SILENCE_SECONDS_MAX
from engine.core.vocabulary.rows import QueueRow
from engine.hosting.envelope import SystemViewAnswer
from engine.hosting.errors import EngineUnavailable
from engine.hosting.reader_tasks.calls import ReaderPass
from engine.hosting.session.protocol import (
    HEARTBEAT,
    VERSION,
    Answer,
    FrameReader,
    FrameTooLong,
    Hello,
    Plate,
    Request,
    answer_decoder,
    framed,
    plate_decoder,
)

READ_BYTES: Final = 256 * 1024
CONNECT_SECONDS: Final = 5.0

Answers = Future[tuple[Reply, ...]]


class EngineSession:
    """A connection, from its making to `close`; a context manager. Every method may be called from any thread.

    Raises `EngineUnavailable` when nobody hosts the instance or the connection breaks. What was asked may then have
    been carried out; asking again with the same `command_id` in a new session is safe and tells.
    """

    def __init__(self, plate: Path, instance: InstanceName, reader: ReaderPass | None = None) -> None:
        """`plate` is the file in which the host says where it receives sessions; `reader` whose session it is."""
        self._instance = instance
        self._answers: dict[int, Future[Any]] = {}
        self._numbers = count(1)
        self._lock = Lock()
        self._failure = ""
        self._socket = self._connect(_read(plate, instance), reader)
        self._hearing = DefaultSelector()
        self._hearing.register(self._socket, EVENT_READ)
        self._thread = Thread(target=self._listen, name=f"session-{instance}", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ── asking ───────────────────────────────────────────────────────────────────────────────────────────────────
    def submit(self, commands: Iterable[Command]) -> Answers:
        """Have commands carried out in their order, without waiting; a `Refusal` stands for what is refused.

        Requests are carried out in the order of the calls. `FrameTooLong` for more than one request can hold.
        """
        return self._ask(Request(next(self._numbers), tuple(commands)))

    def read(self, query: SystemViewQuery) -> SystemViewRows:
        """One page of a system view; `LocalProtocolError` as `engine.api.read_system_view`."""
        answer: SystemViewAnswer = self._ask(Request(next(self._numbers), (), query)).result()
        if answer.refusal is not None:
            raise LocalProtocolError(answer.refusal.number, **answer.refusal.parameters)
        return answer.page()

    def hold(self) -> None:
        """Have the instance take no turns until `release`, or the end of this session. What is asked of it waits."""
        if self._ask(Request(next(self._numbers), (), holds=True)).result() is not True:
            raise EngineUnavailable(f"The host of instance {self._instance} is of a version that cannot hold it.")

    def release(self) -> bool:
        """Have it go on; whether it was held until now."""
        return self._ask(Request(next(self._numbers), (), holds=False)).result() is True

    def _ask(self, request: Request) -> Future[Any]:
        answers: Future[Any] = Future()
        frame = framed(request)
        with self._lock:
            if self._failure:
                raise EngineUnavailable(self._failure)
            self._answers[request.number] = answers
            try:
                self._socket.sendall(frame)
            except OSError as error:
                self._answers.pop(request.number, None)
                raise EngineUnavailable(self._lost(error)) from error
        return answers

    def execute(self, commands: Iterable[Command]) -> tuple[Reply, ...]:
        """As `submit`, and wait."""
        return self.submit(commands).result()

    def send_many(
        self, database: str, messages: Sequence[OutgoingMessage], *, transaction: TransactionId | None = None
    ) -> tuple[int, ...]:
        """Send messages in their order, all or none; answers their numbers. `LocalProtocolError` as SEND."""
        command = SendMany(
            command_id=_key(), database=DatabaseName(database), transaction=transaction, messages=tuple(messages)
        )
        reply = self._one(command)
        assert isinstance(reply, MessagesSent)
        return reply.message_sequence_numbers

    @contextmanager
    def receive_many(
        self, database: str, queue: str, *, top: int, wait_seconds: float = 0.0
    ) -> Iterator[tuple[QueueRow, ...]]:
        """At most `top` messages of any groups, in a transaction that ends with the block.

        They are gone when the block ends, and back in the queue when it raises, or when this program dies in it. Waits
        for the first one as long as told to. `LocalProtocolError` as RECEIVE.
        """
        begun = self._one(BeginTransaction(command_id=_key()))
        assert isinstance(begun, TransactionBegun)
        transaction = begun.transaction
        try:
            received = self._one(
                Receive(
                    command_id=_key(),
                    database=DatabaseName(database),
                    transaction=transaction,
                    queue=QueueName(queue),
                    top=top,
                    many_groups=True,
                    waitfor_milliseconds=waitfor_milliseconds(wait_seconds),
                )
            )
            assert isinstance(received, MessagesReceived)
            yield received.messages
        except BaseException:
            self.execute([RollbackTransaction(command_id=_key(), transaction=transaction)])
            raise
        self._one(CommitTransaction(command_id=_key(), transaction=transaction))

    def close(self) -> None:
        """Let go of the connection; who still waits is told. Harmless when closed."""
        # Without the lock: whoever has it may be sending to a host that does not read.
        self._failure = self._failure or "The session is closed."
        self._cut()
        if current_thread() is not self._thread:
            self._thread.join()
        self._socket.close()

    def _cut(self) -> None:
        """Have everybody who sends and reads come back."""
        # The host may have been first.
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _one(self, command: Command) -> Reply:
        [reply] = self.execute([command])
        if isinstance(reply, Refusal):
            raise LocalProtocolError(reply.number, **reply.parameters)
        return reply

    # ── the connection ───────────────────────────────────────────────────────────────────────────────────────────
    def _connect(self, plate: Plate, reader: ReaderPass | None) -> socket.socket:
        try:
            connection = socket.create_connection((plate.host, plate.port), CONNECT_SECONDS)
            connection.settimeout(None)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(framed(Hello(VERSION, plate.word, reader)))
        except OSError as error:
            raise EngineUnavailable(_nobody(self._instance, error)) from error
        return connection

    def _listen(self) -> None:
        reader = FrameReader()
        reason: Exception | str = "the host has closed it"
        try:
            while data := self._received():
                for frame in reader.feed(data):
                    self._hear(answer_decoder.decode(frame))
        except (OSError, FrameTooLong, msgspec.MsgspecError) as error:
            reason = error
        self._cut()
        self._hearing.close()
        self._end(self._lost(reason))

    def _received(self) -> bytes:
        """What has come, nothing at the end; `TimeoutError` when the host does not even say that it is there."""
        if not self._hearing.select(SESSION_SILENCE_SECONDS_MAX):
            raise TimeoutError(f"the host has said nothing for {SESSION_SILENCE_SECONDS_MAX:g} seconds")
        return self._socket.recv(READ_BYTES)

    def _hear(self, answer: Answer) -> None:
        if answer.number == HEARTBEAT:
            return
        waiting = self._answers.pop(answer.number, None)
        if waiting is None:
            with self._lock:
                self._failure = answer.failure
        elif answer.failure:
            waiting.set_exception(EngineUnavailable(answer.failure))
        else:
            waiting.set_result(
                next(each for each in (answer.page, answer.was_held, answer.replies) if each is not None)
            )

    def _end(self, reason: str) -> None:
        with self._lock:
            self._failure = self._failure or reason
            waiting, self._answers = self._answers, {}
        for each in waiting.values():
            each.set_exception(EngineUnavailable(self._failure))

    def _lost(self, reason: object) -> str:
        return f"The session with instance {self._instance} is lost: {reason}."


def _key() -> CommandId:
    return CommandId(uuid4())


def _nobody(instance: InstanceName, reason: object) -> str:
    return f"No worker of this machine hosts instance {instance} now ({reason}). Start one, or try again shortly."


def _read(plate: Path, instance: InstanceName) -> Plate:
    try:
        return plate_decoder.decode(plate.read_bytes())
    except FileNotFoundError as error:
        raise EngineUnavailable(_nobody(instance, "it receives no sessions")) from error
    except (OSError, msgspec.MsgspecError) as error:
        raise EngineUnavailable(_nobody(instance, error)) from error
