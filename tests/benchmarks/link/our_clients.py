"""Clients of brokerweb: producer and consumer have a session with the worker that hosts their instance."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Final
from uuid import UUID, uuid4

from engine.api import (
    CommandId,
    ConversationHandle,
    HostingSettings,
    MessagesReceived,
    Receive,
    Reply,
    TransactionId,
    commands,
    configure,
    open_session,
    read_view,
    replies,
)
from tests.benchmarks.link.clients import Consumer, Producer, Watcher
from tests.benchmarks.link.our_estate import ESTATE, LYON, PARIS, QUEUE, SALES, STOCK, Refused

ANSWER_SECONDS_MAX: Final = 60.0
TOP: Final = 1000
UNDER_WAY_MAX: Final = 8
"""Requests of a producer that are not answered yet; the other contestants' clients have their window, too."""
ROWS: Final = 20


class OurProducer(Producer):
    """Sends to PARIS, round the dialogs, some hundred messages a request."""

    def __init__(self, broker_url: str, data_directory: str, handles: str, at_once: int) -> None:
        """`handles` is a file of conversation handles, 16 bytes each."""
        configure(HostingSettings(data_directory=Path(data_directory), broker_url=broker_url))
        raw = Path(handles).read_bytes()
        handles_given = [ConversationHandle(UUID(bytes=raw[at : at + 16])) for at in range(0, len(raw), 16)]
        # Producers come one after another, and each has fewer messages than there may be dialogs.
        first = Random().randrange(len(handles_given))
        self._handles = cycle(handles_given[first:] + handles_given[:first])
        self._at_once = at_once
        self._session = open_session(ESTATE, PARIS)

    def prepare(self, bodies: Sequence[bytes]) -> None:
        self._batches = [self._command(bodies[at : at + self._at_once]) for at in range(0, len(bodies), self._at_once)]

    def send_prepared(self) -> None:
        under_way = deque(self._session.submit([each]) for each in self._batches[:UNDER_WAY_MAX])
        for batch in self._batches[UNDER_WAY_MAX:]:
            _check_sent(under_way.popleft().result(ANSWER_SECONDS_MAX))
            under_way.append(self._session.submit([batch]))
        for each in under_way:
            _check_sent(each.result(ANSWER_SECONDS_MAX))

    def send(self, body: bytes) -> None:
        _check_sent(self._session.execute([self._command([body])]))

    def _command(self, bodies: Sequence[bytes]) -> commands.SendMany:
        messages = tuple(commands.OutgoingMessage(next(self._handles), body) for body in bodies)
        return commands.SendMany(command_id=_key(), database=SALES, messages=messages)

    def close(self) -> None:
        self._session.close()


def _check_sent(answered: Sequence[Reply]) -> None:
    [reply] = answered
    if not isinstance(reply, replies.MessagesSent):
        raise Refused(f"messages were not sent: {reply}")


class OurConsumer(Consumer):
    """Receives from LYON, each batch in a transaction that its commit ends, together with the beginning of the next."""

    def __init__(self, broker_url: str, data_directory: str) -> None:
        configure(HostingSettings(data_directory=Path(data_directory), broker_url=broker_url))
        self._session = open_session(ESTATE, LYON)
        self._transaction = self._begun(self._session.execute([_begin()])[0])

    def receive(self, seconds_max: float) -> Sequence[bytes]:
        command = Receive(
            command_id=_key(),
            database=STOCK,
            transaction=self._transaction,
            queue=QUEUE,
            top=TOP,
            many_groups=True,
            waitfor_milliseconds=max(round(seconds_max * 1000), 1),
        )
        [reply] = self._session.execute([command])
        if not isinstance(reply, MessagesReceived):
            raise Refused(f"nothing can be received: {reply}")
        return [message.message_body or b"" for message in reply.messages]

    def commit(self) -> None:
        _, begun = self._session.execute(
            [commands.CommitTransaction(command_id=_key(), transaction=self._transaction), _begin()]
        )
        self._transaction = self._begun(begun)

    def close(self) -> None:
        self._session.close()

    @staticmethod
    def _begun(reply: Reply) -> TransactionId:
        if not isinstance(reply, replies.TransactionBegun):
            raise Refused(f"no transaction can begin: {reply}")
        return reply.transaction


def _begin() -> commands.BeginTransaction:
    return commands.BeginTransaction(command_id=_key())


def _key() -> CommandId:
    return CommandId(uuid4())


class OurWatcher(Watcher):
    """Reads how many messages are ready in LYON's queue."""

    def __init__(self, broker_url: str, data_directory: str) -> None:
        configure(HostingSettings(data_directory=Path(data_directory), broker_url=broker_url))

    def arrived(self) -> int:
        view = read_view(ESTATE, LYON, ROWS, timeout_seconds=ANSWER_SECONDS_MAX)
        return sum(queue.ready for database in view.databases if database.name == STOCK for queue in database.queues)

    def close(self) -> None:
        """Nothing is held open."""
