"""Messages through the core of a forwarder alone, its link up, every event told (docs/performance.md)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from random import Random
from uuid import UUID

import pytest

from engine.core.catalog.changes import EndpointCreated, RouteCreated
from engine.core.catalog.objects import Endpoint, EndpointState
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.catalog.route import NetworkAddress, Route
from engine.core.exchange.changes import PutCatalog
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.inputs import STARTED
from engine.core.instance import Instance
from engine.core.link.codec import FrameReader, encode
from engine.core.link.frames import Fragments
from engine.core.transmission.work_table import MemoryWorkTable
from engine.core.vocabulary.messages import (
    DialogMessage,
    DialogTarget,
    ForwardedMessage,
    LinkChange,
    LinkState,
    MessageKind,
    Outbound,
    TcpAddress,
)
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.settings import EngineSettings
from engine.runtime.driver import InstanceDriver
from engine.storage.memory import MemoryStore
from tests.benchmarks.measure import in_turns
from tests.benchmarks.test_core_messages import yardstick
from tests.support.seeded_entropy import SeededEntropy

DIALOGS = 100
MESSAGES = 10_000
A_FRAME = 64
ROUNDS = 9
LYON = TcpAddress("lyon", 4022)


class Hub:
    """A forwarder; what it passes on waits in `sent`."""

    def __init__(self) -> None:
        self.sent: list[ForwardedMessage] = []
        entropy = SeededEntropy(Random(1))
        route = Route(name="Lyon", address=NetworkAddress("TCP://lyon:4022", LYON), service_name="Stock")
        endpoint = Endpoint("Broker", 4022, EndpointState.STARTED, is_message_forwarding_enabled=True)
        changes = [RouteCreated(database="msdb", route=route), EndpointCreated(endpoint=endpoint)]
        catalog = apply_changes(new_instance("HUB", entropy), changes)
        store = MemoryStore("HUB")
        store.commit([PutCatalog(catalog=catalog)], [])
        instance = Instance(catalog, store.load().databases, EngineSettings(), entropy, MemoryWorkTable())
        self.driver = InstanceDriver(instance, store=store, transport=self, sink=self, alarm=self, clock=self)
        self.driver.process([STARTED])

    def link_up(self, first: ForwardedMessage) -> None:
        """The first message has the link dialled."""
        self.driver.process([first])
        self.driver.process([LinkChange(address=LYON, state=LinkState.LOGGED_IN)])

    def now(self) -> Now:
        return Now(Instant(0.0), UtcTime(1_700_000_000.0))

    def dial(self, address: TcpAddress) -> None:
        """The link is up."""

    def hang_up(self, address: TcpAddress) -> None:
        """Nobody hangs up here."""

    def send(self, outbound: Outbound) -> None:
        self.sent.append(outbound.message)

    def tell_room(self, address: TcpAddress) -> None:
        """There is room without end."""

    def publish(self, first: int, events: Sequence[BrokerEvent]) -> None:
        """Nobody listens."""

    def arm(self, at: Instant | None) -> None:
        """No time passes."""


def arriving() -> list[bytes]:
    """The frames of PARIS."""
    messages = [
        ForwardedMessage(
            message=DialogMessage(
                conversation_id=UUID(int=1 + number % DIALOGS),
                from_initiator=True,
                source=DialogTarget("Client", UUID(int=1000)),
                target=DialogTarget("Stock", UUID(int=1001)),
                kind=MessageKind.USER,
                sequence=number // DIALOGS,
                contract="DEFAULT",
                message_type="DEFAULT",
                body=bytes(1024),
                expires_at=UtcTime(2e9),
            ),
            hops_remaining=9,
            time_to_live=60.0,
        )
        for number in range(MESSAGES)
    ]
    return [encode(Fragments(messages=tuple(messages[at : at + A_FRAME]))) for at in range(0, MESSAGES, A_FRAME)]


def read(frames: Sequence[bytes]) -> list[tuple[ForwardedMessage, ...]]:
    reader = FrameReader()
    return [frame.messages for data in frames for frame in reader.feed(data) if isinstance(frame, Fragments)]


@pytest.mark.timeout(900)
def test_messages_passed_on(show: Callable[[str, list[list[str]]], None]) -> None:
    hub, frames = Hub(), arriving()
    batches = read(frames)
    hub.link_up(batches[0][0])

    def pass_on() -> int:
        hub.sent.clear()
        for batch in batches:
            hub.driver.process(batch)
        assert len(hub.sent) == MESSAGES
        return MESSAGES

    def reading() -> int:
        return sum(map(len, read(frames)))

    def writing() -> int:
        for batch in batches:
            encode(Fragments(messages=batch))
        return MESSAGES

    figures = in_turns(
        {"yardstick": yardstick, "frames read": reading, "passed on by the core": pass_on, "frames written": writing},
        rounds=ROUNDS,
        clock=time.process_time,
    )
    one = figures.pop("yardstick").median
    rows = [["step", "us a message", "x yardstick"]]
    rows += [[name, f"{each.median * 1e6:,.1f}", f"{each.median / one:,.0f}"] for name, each in figures.items()]
    rows.append(["yardstick", f"{one * 1e6:.3f}", "1"])
    show("a 1 KiB message through a forwarder, signing and disk aside; seconds of one core", rows)
