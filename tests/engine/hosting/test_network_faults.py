"""PARIS and LYON talk over a network that misbehaves, both ways at once: 0 lost, 0 doubled, 0 out of order.

PARIS ──▶ faulty proxy ──▶ LYON, and LYON ──▶ faulty proxy ──▶ PARIS; SQLite stores, certificates, real sockets. What
arrived is compared with what the senders' commits have answered. `NETWORK_FAULT_SECONDS` makes it longer than the 10 s
of a normal run, `NETWORK_FAULT_SEED` repeats one.
"""

import hashlib
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from random import Random
from uuid import uuid4

import msgspec
import pytest

from engine.core.exchange.commands import BeginDialog, Receive, Send
from engine.core.exchange.replies import DialogBegun, MessageSent, MessagesReceived
from engine.core.vocabulary.identifiers import CommandId, ConversationHandle, DatabaseName, ServiceName
from engine.hosting import client
from engine.hosting.directory import PortDirectory
from engine.hosting.settings import HostingSettings
from tests.engine.hosting.proved_estate import CERTIFICATE_ALONE, ProvedInstance, defined
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    ORDERS,
    PARIS,
    QUEUE,
    STOCK,
    VENTES,
    WAREHOUSE,
    ask,
    database,
)
from tests.support.faulty_proxy import Fault, FaultyProxy
from tests.support.thoroughness import FIRST_SEED
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("engine")

FAULTY_SECONDS = float(os.environ.get("NETWORK_FAULT_SECONDS", "10"))
HEALING_SECONDS_MAX = 120.0
FAULTS_MIN = 3
DIALOGS = 5
"""That each side begins."""
BATCH = 25
"""Messages that are sent in one commit."""
PAUSE_SECONDS = 0.06
"""Between two commits of a sender: what is measured is what the network does, not how fast the machine is."""
CLEAR = "AUTHENTICATION = CERTIFICATE [own], ENCRYPTION = DISABLED"


class Side:
    """One end: what it has sent, by its commits, and what it has received, by its commits."""

    def __init__(self, instance: str, own: tuple[DatabaseName, ServiceName], far: ServiceName, dice: Random) -> None:
        self.sent: dict[int, list[bytes]] = {number: [] for number in range(DIALOGS)}
        """The digests of each dialog's messages."""
        self.received: dict[tuple[int, ConversationHandle], list[bytes]] = {}
        self.count = 0
        self._instance = instance
        self._database, self._service = own
        self._far = far
        self._dice = dice

    def talk(self, goes_on: Callable[[], bool]) -> None:
        """Begin all dialogs and send on each of them in turns."""
        handles = [self._begin() for _ in range(DIALOGS)]
        while goes_on():
            number = self._dice.randrange(DIALOGS)
            bodies = [self._body(number) for _ in range(BATCH)]
            sends = [
                Send(
                    command_id=CommandId(uuid4()),
                    database=self._database,
                    conversation_handle=handles[number],
                    body=body,
                )
                for body in bodies
            ]
            for body, reply in zip(bodies, client.execute(ESTATE, self._instance, sends), strict=True):
                assert isinstance(reply, MessageSent), reply
                self.sent[number].append(hashlib.sha256(body).digest())
            time.sleep(PAUSE_SECONDS)

    def listen(self, is_over: list[bool]) -> None:
        """Receive until nothing is to come any more."""
        while not is_over:
            command = Receive(command_id=CommandId(uuid4()), database=self._database, queue=QUEUE, top=500)
            reply = ask(self._instance, command)
            assert isinstance(reply, MessagesReceived), reply
            for message in reply.messages:
                body = message.message_body or b""
                key = (body[0], message.conversation_handle)
                self.received.setdefault(key, []).append(hashlib.sha256(body).digest())
            self.count += len(reply.messages)
            if not reply.messages:
                time.sleep(0.02)

    @property
    def sent_count(self) -> int:
        return sum(map(len, self.sent.values()))

    def _begin(self) -> ConversationHandle:
        reply = ask(
            self._instance,
            BeginDialog(
                command_id=CommandId(uuid4()),
                database=self._database,
                from_service=self._service,
                to_service=self._far,
            ),
        )
        assert isinstance(reply, DialogBegun), reply
        return reply.conversation_handle

    def _body(self, number: int) -> bytes:
        """Mostly small, now and then in several fragments; no two are alike."""
        size = self._dice.choice((70_000, 200_000)) if self._dice.random() < 0.01 else self._dice.randrange(2000)
        return bytes([number]) + self._dice.randbytes(16) + bytes(size)


@contextmanager
def misbehaving(settings: HostingSettings, seed: int) -> Iterator[list[FaultyProxy]]:
    """Whoever looks for PARIS or LYON finds a proxy."""
    directory = PortDirectory(settings.data_directory / "directory.sqlite3")
    with ExitStack() as stack:
        stack.callback(directory.close)
        proxies = []
        for listener in directory.listeners(ESTATE):
            real = listener.real
            assert real is not None
            proxy = stack.enter_context(FaultyProxy(lambda real=real: real, f"{seed} {listener.instance}"))
            directory.put(ESTATE, msgspec.structs.replace(listener, real=proxy.place))
            proxies.append(proxy)
        yield proxies


def acquainted(clauses: str) -> tuple[ProvedInstance, ProvedInstance]:
    """PARIS and LYON know each other; their endpoints are as the clauses say."""
    paris, lyon = defined(PARIS, neighbour="lyon"), defined(LYON, neighbour="paris")
    for one, other in ((paris, lyon), (lyon, paris)):
        one.listen(clauses)
        one.know(other)
    return paris, lyon


@pytest.mark.slow
@pytest.mark.parametrize("clauses", [CERTIFICATE_ALONE, CLEAR], ids=["TLS", "signed"])
def test_what_two_instances_commit_arrives_once_and_in_order_whatever_the_network_does(
    settings: HostingSettings, clauses: str
):
    seed = int(os.environ.get("NETWORK_FAULT_SEED", FIRST_SEED))
    sys.stdout.write(f"NETWORK_FAULT_SEED={seed}\n")
    acquainted(clauses)
    paris = Side(PARIS, (VENTES, ORDERS), WAREHOUSE, Random(f"{seed} PARIS speaks"))
    lyon = Side(LYON, (STOCK, WAREHOUSE), ORDERS, Random(f"{seed} LYON speaks"))
    sides, is_over = (paris, lyon), []
    with misbehaving(settings, seed) as proxies, ThreadPoolExecutor(4) as threads:
        try:
            listening = [threads.submit(side.listen, is_over) for side in sides]
            began = time.monotonic()

            def goes_on() -> bool:
                """Chance may begin with one fault that lasts: then it is waited for the next ones."""
                seconds = time.monotonic() - began
                return seconds < FAULTY_SECONDS or (_faults(proxies) < FAULTS_MIN and seconds < HEALING_SECONDS_MAX)

            for talking in [threads.submit(side.talk, goes_on) for side in sides]:
                talking.result()
            for proxy in proxies:
                proxy.heal()
            until(lambda: _is_quiet(paris, lyon), "all is acknowledged and received", HEALING_SECONDS_MAX)
        finally:
            is_over.append(True)
        for each in listening:
            each.result()
    happened = sum((proxy.happened for proxy in proxies), start=Counter[Fault]())
    report = f"{paris.sent_count} + {lyon.sent_count} messages, {dict(happened)}"
    sys.stdout.write(report + "\n")
    assert _faults(proxies) >= FAULTS_MIN, report
    for sender, receiver in ((paris, lyon), (lyon, paris)):
        assert sender.sent_count > 0
        assert {key[0]: received for key, received in receiver.received.items()} == sender.sent, report
        assert len(receiver.received) == len(sender.sent), "each dialog has one target endpoint"


def _faults(proxies: Sequence[FaultyProxy]) -> int:
    return sum(proxy.happened.total() - proxy.happened[Fault.REFUSED] for proxy in proxies)


def _is_quiet(paris: Side, lyon: Side) -> bool:
    return (
        database(PARIS).transmission_queue_total == 0
        and database(LYON).transmission_queue_total == 0
        and paris.count >= lyon.sent_count
        and lyon.count >= paris.sent_count
    )
