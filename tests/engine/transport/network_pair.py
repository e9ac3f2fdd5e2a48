"""Two instances with a real TCP connection on this machine, for tests.

PARIS (Dialer) ──── TCP://lyon:4022 ────▶ LYON (BrokerEndpoint)
"""

import asyncio
from collections.abc import Callable, Sequence
from uuid import uuid4

from engine.core.link.handshake import LinkIdentity
from engine.core.vocabulary.identifiers import BrokerInstanceId, EstateName, InstanceName
from engine.core.vocabulary.messages import (
    ForwardedMessage,
    LinkChange,
    LinkHasRoom,
    LinkState,
    MessagesReturned,
    Outbound,
    TcpAddress,
)
from engine.core.vocabulary.mirrors import AskerGone, RoleAsked, RoleClaimed
from engine.core.vocabulary.settings import LinkSettings
from engine.transport.dialer import Dialer, HostUnknown
from engine.transport.endpoint import BrokerEndpoint
from tests.support.hand_clock import LoopClock
from tests.support.waiting import SECONDS_MAX
from tests.support.wire_messages import message

LYON = TcpAddress("lyon", 4022)
DATABASE = BrokerInstanceId(uuid4())
BODY_OF_A_MEBIBYTE = bytes(1024 * 1024)


def identity(name: str, estate: str = "demo") -> LinkIdentity:
    return LinkIdentity(estate=EstateName(estate), instance=InstanceName(name), arbitration_id=uuid4())


class Network:
    """PARIS and LYON, what they heard, and where names lead."""

    def __init__(self) -> None:
        self.changes: asyncio.Queue[LinkChange] = asyncio.Queue()
        self.claims: asyncio.Queue[RoleClaimed] = asyncio.Queue()
        self.askers: asyncio.Queue[RoleAsked | AskerGone] = asyncio.Queue()
        self.at_lyon: list[ForwardedMessage] = []
        self.batches: list[int] = []
        self.at_paris: list[ForwardedMessage] = []
        self.arrived = asyncio.Event()
        self.ports: dict[TcpAddress, int] = {}
        self.returned: list[MessagesReturned] = []
        self.rooms: list[LinkHasRoom] = []
        self.paris = self.dialer()
        self.lyon = self.endpoint()

    def dialer(self, settings: LinkSettings | None = None, estate: str = "demo") -> Dialer:
        return Dialer(
            identity("PARIS", estate),
            settings or LinkSettings(),
            LoopClock(),
            resolve=self.resolve,
            on_change=self.changes.put_nowait,
            on_messages=lambda _, messages: self.at_paris.extend(messages),
            on_claim=self.claims.put_nowait,
            on_room=self.rooms.append,
            on_returned=self.returned.append,
        )

    def endpoint(self, settings: LinkSettings | None = None) -> BrokerEndpoint:
        return BrokerEndpoint(
            identity("LYON"),
            settings or LinkSettings(),
            LoopClock(),
            on_messages=self.hear,
            on_asker=self.askers.put_nowait,
            host="127.0.0.1",
        )

    def hear(self, _: object, messages: Sequence[ForwardedMessage]) -> None:
        self.at_lyon += messages
        self.batches.append(len(messages))
        self.arrived.set()

    def resolve(self, address: TcpAddress) -> tuple[str, int]:
        if address not in self.ports:
            raise HostUnknown(f"no instance is called {address.host}")
        return "127.0.0.1", self.ports[address]

    async def change(self) -> LinkChange:
        return await asyncio.wait_for(self.changes.get(), SECONDS_MAX)

    async def closure(self) -> LinkChange:
        """The change that says CLOSED; those before it are passed over."""
        while (change := await self.change()).state is not LinkState.CLOSED:
            pass
        return change

    async def logged_in(self) -> None:
        self.ports[LYON] = await self.lyon.start()
        self.paris.dial(LYON)
        while (await self.change()).state is not LinkState.LOGGED_IN:
            pass

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(SECONDS_MAX):
            while not condition():
                self.arrived.clear()
                await self.arrived.wait()


def send(network: Network, sequences: Sequence[int], body: bytes = b"bonjour") -> None:
    for sequence in sequences:
        network.paris.send(Outbound(LYON, message(sequence, body)))


def heard(network: Network) -> list[int | None]:
    return [each.message.sequence for each in network.at_lyon]
