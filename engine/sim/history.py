"""What happened, in order: the entries that checkers observe, and the journal whose hash proves that a run repeats."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import ClassVar, Protocol

import msgspec

from engine.contracts.codec import binary_encoder, json_encoder
from engine.core.exchange.changes import StateChange
from engine.core.exchange.commands import Command, WaitingStatement
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.replies import Reply
from engine.core.vocabulary.identifiers import CommandId, InstanceName
from engine.core.vocabulary.messages import ForwardedMessage, TcpAddress


class _Entry(msgspec.Struct, frozen=True, kw_only=True, tag_field="entry"):
    """Common base: true time in seconds since the beginning, and whom it concerns."""

    at: float
    instance: InstanceName


class Started(_Entry, frozen=True, tag="started"):
    """A process has loaded the instance and goes on."""


class Died(_Entry, frozen=True, tag="died"):
    """A process is gone, with everything in its memory."""

    reason: str
    is_engine_fault: bool = False
    """Whether the engine broke by itself: an exception that no fault of the plan explains."""


class Issued(_Entry, frozen=True, tag="issued"):
    """An application or an operator gives a command for the first time."""

    command: Command


class Replied(_Entry, frozen=True, tag="replied"):
    """Whoever gave a command has its reply; told once for each command."""

    command: Command
    reply: Reply


class RepliedAgain(_Entry, frozen=True, tag="replied-again"):
    """A command that was delivered twice was answered a second time."""

    command: Command
    reply: Reply


class WaitBegun(_Entry, frozen=True, tag="wait-begun"):
    """A WAITFOR was taken and has found nothing: its reply comes later."""

    command: WaitingStatement


class RepliedLate(_Entry, frozen=True, tag="replied-late"):
    """A command that waited has its reply."""

    command_id: CommandId
    reply: Reply


class Committed(_Entry, frozen=True, tag="committed"):
    """The disk of an instance holds this now."""

    changes: tuple[StateChange, ...]
    events: tuple[BrokerEvent, ...]


class Transmitted(_Entry, frozen=True, tag="transmitted"):
    """The core has handed a message to its transport."""

    address: TcpAddress
    message: ForwardedMessage


class Arrived(_Entry, frozen=True, tag="arrived"):
    """A connection has handed a message to the core."""

    message: ForwardedMessage


class LetIn(_Entry, frozen=True, tag="let-in"):
    """An intruder has logged in at the instance."""

    machine: InstanceName
    has_key: bool
    """Whether the hosts take it for one of theirs."""


class Measured(_Entry, frozen=True, tag="measured"):
    """What an instance keeps in memory now, counted without asking it."""

    conversations: int
    agenda: int
    """Entries of the agenda of deadlines."""
    forwarding_bytes: int
    forwarding_bytes_max: int
    """What the endpoint's MESSAGE_FORWARD_SIZE allows."""
    destinations: int
    """Addresses of which something is remembered."""


class Happened(_Entry, frozen=True, tag="happened"):
    """A fault struck, or was mended."""

    text: str
    is_strike: bool


class Begun(_Entry, frozen=True, tag="begun"):
    """A world begins; the instance is none."""

    scenario: str
    seed: int
    flows: tuple[str, ...]
    """Names of the flows that the seed has drawn."""
    rates: dict[str, float]
    faults: int
    """Number of strikes that are planned."""


class Healed(_Entry, frozen=True, tag="healed"):
    """All faults are over; from here on everything must be delivered."""


class Rested(_Entry, frozen=True, tag="rested"):
    """Nothing waits anywhere any more."""


class Remained(_Entry, frozen=True, tag="remained"):
    """The time for delivering is over, and this still waits."""

    text: str


Entry = (
    Begun
    | Started
    | Died
    | Issued
    | Replied
    | RepliedAgain
    | WaitBegun
    | RepliedLate
    | Committed
    | Transmitted
    | Arrived
    | LetIn
    | Measured
    | Happened
    | Healed
    | Rested
    | Remained
)


Kinds = tuple[type[Entry], ...]


class Observer(Protocol):
    """Told of entries as they are made."""

    watches: ClassVar[Kinds]
    """Kinds of entry that concern it; none stands for all."""

    def observe(self, entry: Entry) -> None:
        """Something happened."""
        ...


class Journal:
    """Passes entries on to its observers and, if wanted, folds them into one hash. Keeps none of them."""

    def __init__(self, *, is_hashed: bool = False) -> None:
        self.entries = 0
        self._observers: list[Observer] = []
        self._by_kind: dict[type, list[Callable[[Entry], None]]] = {}
        self._hash = hashlib.blake2b(digest_size=16) if is_hashed else None

    def tell(self, observers: Iterable[Observer]) -> None:
        """From now on tell these too, after those that are told already."""
        self._observers += observers
        self._by_kind.clear()

    def record(self, entry: Entry) -> None:
        """Something happened."""
        self.entries += 1
        if self._hash is not None:
            self._hash.update(binary_encoder.encode(entry))
        kind = type(entry)
        if kind not in self._by_kind:
            self._by_kind[kind] = [each.observe for each in self._observers if not each.watches or kind in each.watches]
        for observe in self._by_kind[kind]:
            observe(entry)

    @property
    def hash(self) -> str:
        """Hexadecimal digest of everything so far, equal when two runs took the same course; empty without one."""
        return "" if self._hash is None else self._hash.hexdigest()


def as_json(entry: Entry) -> str:
    """An entry as one line of JSON."""
    return json_encoder.encode(entry).decode()
