"""A disk that is slower than the network: LYON stops reading, its neighbours wait, nothing is lost (links.md, Bounds).

Thirty neighbours without brokers behind them send at once, each more than a socket holds, to LYON, which is hosted with
an SQLite store whose commits take until the network is full.
"""

import asyncio
import select
import socket
import time
from collections.abc import Iterable, Sequence
from typing import ClassVar
from uuid import UUID, uuid4

import pytest

from engine.core.catalog.objects import DEFAULT_CONTRACT, DEFAULT_TYPE
from engine.core.exchange.changes import StateChange
from engine.core.exchange.commands import Receive
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.replies import MessagesReceived
from engine.core.link.negotiation import Algorithm, EncryptionLevel, LinkPolicy, Method
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    CommandId,
    ConversationId,
    EstateName,
    EventSequence,
    InstanceName,
)
from engine.core.vocabulary.limits import INBOX_BYTES_MAX
from engine.core.vocabulary.messages import DialogMessage, DialogTarget, ForwardedMessage, MessageKind, Outbound
from engine.core.vocabulary.moment import Duration, UtcTime
from engine.hosting.bootstep import running_host
from engine.hosting.directory import Listener, PortDirectory
from engine.hosting.keys import key_vault
from engine.hosting.settings import HostingSettings
from engine.storage.sqlite import SqliteStore
from engine.transport.certificates import CertificateStore
from engine.transport.link import LinkShell
from tests.engine.hosting import two_instances
from tests.engine.hosting.two_instances import ESTATE, LYON, ORDERS, QUEUE, STOCK, WAREHOUSE, ask, ready_at_lyon
from tests.support import waiting
from tests.support.hand_clock import until
from tests.support.proving_instances import ProvingInstance

NEIGHBOURS = 30
MESSAGES = 250
"""Of each neighbour."""
BODY_BYTES = 8 * 1024
SOCKET_BYTES = 256 * 1024
"""Of each direction, where the system may double it; left to itself it may keep all that a neighbour sends."""
READ_BYTES_MAX = 1024 * 1024
"""What one read of a socket may bring beyond the bound, with room to spare."""
ENCRYPTED = LinkPolicy(methods=(Method.VOUCHED,), encryption=EncryptionLevel.REQUIRED, algorithms=(Algorithm.AES,))


class SlowStore(SqliteStore):
    """Commits what the network brings when no more of it fits into the sockets, and looks at what waits then."""

    waiting_bytes: ClassVar[list[int]] = []
    is_held: ClassVar[list[bool]] = []
    waiting_senders: ClassVar[list[int]] = []
    """How many neighbours had more to send than the network took, each time that LYON did not read."""
    neighbours: ClassVar[list[ProvingInstance]] = []

    def commit(self, changes: Sequence[StateChange], events: Sequence[BrokerEvent]) -> EventSequence:
        if len(changes) > NEIGHBOURS:
            lyon = running_host()._roster.hosted((ESTATE, LYON))
            waiting.until(lambda: all(map(has_filled_the_network, self.neighbours)), "the network is full")
            self.waiting_bytes.append(lyon._inbox_bytes)
            self.is_held.append(lyon._switchboard.is_held)
            if self.is_held[-1]:
                self.waiting_senders.append(sum(map(waits, self.neighbours)))
        return super().commit(changes, events)


def waits(neighbour: ProvingInstance) -> bool:
    return any(link.connection.is_send_flow_controlled for link in neighbour.switchboard.links())


def has_filled_the_network(neighbour: ProvingInstance) -> bool:
    """Whether the system takes nothing more of a neighbour, or the neighbour has nothing more."""
    for link in neighbour.switchboard.links():
        assert link._transport is not None
        connected = link._transport.get_extra_info("socket")
        if link.connection.sending and select.select([], [connected], [], 0)[1]:
            return False
    return True


@pytest.fixture
def slow_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every store that is opened from now on is a slow one; set up before the engine."""
    SlowStore.waiting_bytes.clear()
    SlowStore.is_held.clear()
    SlowStore.waiting_senders.clear()
    SlowStore.neighbours.clear()
    monkeypatch.setattr("engine.hosting.shelves.SqliteStore", SlowStore)


def place_of_lyon(settings: HostingSettings) -> tuple[str, int]:
    directory = PortDirectory(settings.data_directory / "directory.sqlite3")
    found: list[tuple[str, int] | None] = []

    def is_listening() -> bool:
        found[:] = [each.real for each in directory.listeners(ESTATE) if each.instance == LYON]
        return bool(found) and found[0] is not None

    waiting.until(is_listening, "LYON listens")
    directory.close()
    (real,) = found
    assert real is not None
    return real


def make_known(settings: HostingSettings) -> None:
    """Each neighbour is an instance of the estate with one database."""
    directory = PortDirectory(settings.data_directory / "directory.sqlite3")
    for number in range(NEIGHBOURS):
        name = InstanceName(f"NEIGHBOUR {number}")
        directory.put(
            EstateName(ESTATE), Listener(instance=name, hosts=(), modelled_port=None, brokers=(broker_of(number),))
        )
    directory.close()


def broker_of(neighbour: int) -> BrokerInstanceId:
    return BrokerInstanceId(UUID(int=100 + neighbour))


def narrow(links: Iterable[LinkShell]) -> None:
    """Let the system keep no more of these connections than `SOCKET_BYTES` of each direction."""
    for link in links:
        assert link._transport is not None
        connected = link._transport.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BYTES)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SOCKET_BYTES)


def flood(neighbour: int) -> list[ForwardedMessage]:
    """One dialog of a neighbour, whole."""
    return [
        ForwardedMessage(
            message=DialogMessage(
                conversation_id=ConversationId(UUID(int=1000 + neighbour)),
                from_initiator=True,
                source=DialogTarget(ORDERS, broker_of(neighbour)),
                target=DialogTarget(WAREHOUSE, None),
                kind=MessageKind.USER,
                sequence=number,
                contract=DEFAULT_CONTRACT,
                message_type=DEFAULT_TYPE,
                body=f"{neighbour}:{number}:".encode().ljust(BODY_BYTES),
                expires_at=UtcTime(time.time() + 3600),
            ),
            hops_remaining=16,
            time_to_live=Duration(60.0),
        )
        for number in range(MESSAGES)
    ]


def received() -> dict[int, list[int]]:
    """The numbers of each neighbour's messages, in the order in which LYON's queue gives them."""
    numbers: dict[int, list[int]] = {}
    while True:
        reply = ask(LYON, Receive(command_id=CommandId(uuid4()), database=STOCK, queue=QUEUE, top=1000))
        assert isinstance(reply, MessagesReceived), reply
        if not reply.messages:
            return numbers
        for message in reply.messages:
            neighbour, number, _ = (message.message_body or b"").split(b":")
            numbers.setdefault(int(neighbour), []).append(int(number))


@pytest.mark.usefixtures("slow_disk", "engine")
async def test_a_slow_disk_holds_the_network_back_and_memory_stays_bounded(settings: HostingSettings):
    await asyncio.to_thread(two_instances.define)
    lyon = ProvingInstance("LYON", {})
    places = {lyon.address: await asyncio.to_thread(place_of_lyon, settings)}
    await asyncio.to_thread(make_known, settings)
    neighbours = [ProvingInstance(f"NEIGHBOUR {number}", places, estate=ESTATE) for number in range(NEIGHBOURS)]
    for neighbour in neighbours:
        neighbour.policy = ENCRYPTED
        neighbour.store = CertificateStore(key_vault().voucher(EstateName(ESTATE)))
        neighbour.dialer.dial(lyon.address)
        await until(neighbour.is_connected, "it is logged in")
        narrow(neighbour.switchboard.links())
    narrow(running_host()._roster.hosted((ESTATE, LYON))._switchboard.links())
    SlowStore.neighbours.extend(neighbours)
    for number, neighbour in enumerate(neighbours):
        for message in flood(number):
            neighbour.dialer.send(Outbound(lyon.address, message))
    total = NEIGHBOURS * MESSAGES
    while await asyncio.to_thread(ready_at_lyon) < total:
        assert not any(each.is_closed() for each in neighbours)
        await asyncio.sleep(0.05)
    assert max(SlowStore.waiting_bytes) > INBOX_BYTES_MAX, "the bound was tried"
    assert max(SlowStore.waiting_bytes) < INBOX_BYTES_MAX + READ_BYTES_MAX, "and kept"
    assert any(SlowStore.is_held), "LYON has stopped reading"
    assert max(SlowStore.waiting_senders) > 0, "what LYON does not read waits at its senders"
    assert all(each.returned == [] for each in neighbours), "with room for it"
    assert await asyncio.to_thread(received) == {number: list(range(MESSAGES)) for number in range(NEIGHBOURS)}
    for neighbour in neighbours:
        neighbour.close()
