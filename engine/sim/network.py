"""The network between machines: one path for each direction of each pair, and the faults that a path can have.

TCP keeps bytes in their order, so a living connection cannot lose, repeat or reorder them. It can be slow, it can
stall, and it can break. A path therefore knows two kinds of fault:

- of the *connection*: latency, bandwidth, being cut (bytes wait; after `GIVES_UP_SECONDS` both ends learn that the
  connection is gone), a flipped byte (the frame's checksum must find it; the connection breaks);
- of the *message*: lost, repeated, overtaken before it enters the connection. This stands for what the core must bear
  although TCP does not do it: a full buffer, a forwarder that dies with messages in its memory, a message that took
  another way. It is applied where the core hands a message to its transport.

One direction of a pair can be cut while the other flows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol

import msgspec

from engine.core.catalog.hosts import is_loopback
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.messages import TcpAddress
from engine.sim.clock import Agenda
from engine.sim.entropy import Dice

GIVES_UP_SECONDS: Final = 30.0
"""True seconds after which an end that cannot get its bytes across takes the connection for lost."""


class LinkProfile(msgspec.Struct, frozen=True, kw_only=True):
    """What a path is like. Times in milliseconds, rates as probabilities from 0 to 1."""

    latency_ms: float = 10.0
    jitter_ms: float = 5.0
    """Added to the latency: each value from 0 to this is equally likely."""
    kilobytes_per_second: float | None = None
    """None is unlimited."""
    loss: float = 0.0
    """Of messages handed to the transport."""
    duplication: float = 0.0
    """Of messages handed to the transport; the second copy comes up to `late_ms` later."""
    reordering: float = 0.0
    """Of messages handed to the transport: held back for up to `late_ms` while others pass."""
    late_ms: float = 2_000.0
    corruption: float = 0.0
    """Of writes to a connection: one byte of it arrives wrong."""
    tampering: float = 0.0
    """Of secured messages handed to the transport: somebody between changes them, with frames that fit."""


class Path:
    """One direction between two machines."""

    def __init__(self, profile: LinkProfile) -> None:
        self.profile = profile
        """As it is now; a fault replaces it for a time."""
        self.cuts = 0
        """Faults that cut this path now; it flows when there is none."""
        self.waiting: list[Callable[[], object]] = []
        """What to do when it flows again, in order."""

    @property
    def is_cut(self) -> bool:
        """Whether nothing gets through."""
        return self.cuts > 0

    def cut(self) -> None:
        """One more fault cuts it."""
        self.cuts += 1

    def mend(self) -> None:
        """One fault less; when it was the last, what waited goes on."""
        self.cuts -= 1
        if self.cuts == 0:
            waiting, self.waiting = self.waiting, []
            for go_on in waiting:
                go_on()

    def latency(self, dice: Dice) -> float:
        """Seconds for the next thing on this path, without its size."""
        return (self.profile.latency_ms + dice.between(0.0, self.profile.jitter_ms)) / 1000.0

    def transfer(self, size: int) -> float:
        """Seconds that so many bytes occupy the path."""
        rate = self.profile.kilobytes_per_second
        return 0.0 if rate is None else size / (rate * 1000.0)


class Socket(Protocol):
    """One end of a TCP connection, as the network sees it."""

    peer: Socket | None

    def opened(self) -> None:
        """The connection stands."""
        ...

    def received(self, data: bytes) -> None:
        """Bytes of the peer."""
        ...

    def lost(self, number: int, detail: str) -> None:
        """It is gone; harmless when it was closed already."""
        ...


class Host(Protocol):
    """A machine that may listen."""

    @property
    def name(self) -> InstanceName:
        """Of the machine."""
        ...

    @property
    def listens(self) -> bool:
        """Whether somebody accepts connections."""
        ...

    def accept(self, caller: InstanceName) -> Socket:
        """The end of a new connection on this side."""
        ...


class Network:
    """Every path, and who listens where."""

    def __init__(self, agenda: Agenda, dice: Dice) -> None:
        self.agenda: Final = agenda
        self.dice: Final = dice
        self.hosts: dict[TcpAddress, Host] = {}
        self._paths: dict[tuple[InstanceName, InstanceName], Path] = {}
        self._profiles: dict[tuple[InstanceName, InstanceName], LinkProfile] = {}
        self._usual = LinkProfile()

    def set_profiles(
        self, usual: LinkProfile, special: Iterable[tuple[InstanceName, InstanceName, LinkProfile]]
    ) -> None:
        """What paths are like: `usual` for all but the special ones, each named by its two ends."""
        self._usual = usual
        self._profiles = {(source, target): profile for source, target, profile in special}

    def path(self, source: InstanceName, target: InstanceName) -> Path:
        """The path in one direction; made when first asked for."""
        pair = (source, target)
        if pair not in self._paths:
            self._paths[pair] = Path(self._profiles.get(pair, self._usual))
        return self._paths[pair]

    def paths(self) -> Iterator[Path]:
        """Every path in use."""
        return iter(self._paths.values())

    def calm_down(self) -> None:
        """From now on nothing is lost, repeated, overtaken or damaged; paths are as slow as they always are."""
        usual = self._usual = _calm(self._usual)
        self._profiles = {pair: _calm(profile) for pair, profile in self._profiles.items()}
        for pair, path in self._paths.items():
            path.profile = self._profiles.get(pair, usual)

    def name_of(self, address: TcpAddress, caller: InstanceName) -> InstanceName | None:
        """Who is meant to listen at an address that `caller` dials."""
        host = self.host_at(address, caller)
        return None if host is None else host.name

    def connect(self, caller: InstanceName, socket: Socket, address: TcpAddress, unknown: int, refused: int) -> None:
        """Open a connection; `socket` hears of its fate, or of nothing while a path is cut.

        `unknown` and `refused` are the numbers with which the socket is lost when nobody has that address, or nobody
        listens there.
        """
        host = self.host_at(address, caller)
        if host is None:
            self.agenda.after(0.001, lambda: socket.lost(unknown, f"nobody answers to {address.host}"))
            return
        there, back = self.path(caller, host.name), self.path(host.name, caller)

        def arrive() -> None:
            if there.is_cut or back.is_cut:
                return
            delay = back.latency(self.dice)
            if not host.listens:
                self.agenda.after(delay, lambda: socket.lost(refused, "Connection refused"))
                return
            accepted = host.accept(caller)
            accepted.peer, socket.peer = socket, accepted
            accepted.opened()
            self.agenda.after(delay, socket.opened)

        self.agenda.after(there.latency(self.dice), arrive)

    def host_at(self, address: TcpAddress, caller: InstanceName) -> Host | None:
        """Whom an address means that `caller` dials."""
        return self.hosts.get(dialled(address, caller))


def dialled(address: TcpAddress, caller: InstanceName) -> TcpAddress:
    """The address of a machine that `caller` means by an address: loopback is its own."""
    return TcpAddress(caller.lower(), address.port) if is_loopback(address.host) else address


def _calm(profile: LinkProfile) -> LinkProfile:
    return msgspec.structs.replace(profile, loss=0.0, duplication=0.0, reordering=0.0, corruption=0.0, tampering=0.0)
