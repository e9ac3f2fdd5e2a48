"""Two instances whose inputs are recorded one by one, to be played again: in batches, or with something taken out.

Time stands still but between steps; identifiers count up for each instance. So whoever plays the same inputs makes
the same decisions in the same order, and what is on disk in the end can be compared row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple
from uuid import UUID

import msgspec

from engine.core.catalog.backup import DatabaseBackup
from engine.core.catalog.changes import (
    BrokerSwitched,
    CatalogChange,
    DatabaseCreated,
    EndpointCreated,
    QueueCreated,
    RouteCreated,
    RouteDropped,
    ServiceCreated,
)
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Endpoint, EndpointState, Queue, Service
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.exchange.changes import PutCatalog
from engine.core.exchange.commands import (
    ApplyCatalog,
    BackupDatabase,
    BeginDialog,
    EndConversation,
    Receive,
    RestoreDatabase,
    Send,
)
from engine.core.exchange.events import BrokerEvent, MessageDelivered
from engine.core.exchange.inputs import STARTED, TIMER_FIRED, Input
from engine.core.exchange.replies import DatabaseBackedUp, Reply
from engine.core.instance import Instance
from engine.core.vocabulary.messages import LinkChange, LinkState, MessageKind, Outbound, TcpAddress
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState
from engine.core.vocabulary.settings import EngineSettings
from engine.runtime.driver import InstanceDriver
from engine.storage.memory import MemoryStore
from tests.support.numbered_entropy import NumberedEntropy
from tests.support.world import EPOCH, route

Step = tuple[str, int, int]
"""What is done, and two numbers that choose with whom and with what."""

PARIS, LYON = "PARIS", "LYON"
DATABASES = {PARIS: "Ventes", LYON: "Stock"}
SERVICES = {PARIS: "Client", LYON: "Entrepôt"}
PEERS = {PARIS: LYON, LYON: PARIS}
ADDRESSES = {name: TcpAddress(name.lower(), 4022) for name in PEERS}
FRAGMENT_BYTES = 1024
SIZES = (1, 1, 40, 40, 2500)
WAITS = (0.1, 0.6, 5.0, 70.0)
DIALOGS_MAX = 3
WAITS_FOR_GOOD = (ConversationState.DISCONNECTED_INBOUND, ConversationState.ERROR)
"""What is pending in these states is never sent (protocol.md 8.2, rows 10 and 11)."""
ENDINGS = (MessageKind.END_DIALOG, MessageKind.ERROR)
ENDS = ({}, {}, {"error_code": 1, "error_description": "assez"}, {"with_cleanup": True})


class Recorded(NamedTuple):
    """An input of one instance."""

    to: str
    at: float
    given: Input
    after: int
    """So many inputs of the same instance were obeyed before this one could come: it answers what they have sent."""


class Port(NamedTuple):
    """Clock, transport, sink and alarm of one instance; keeps what leaves it."""

    seconds: list[float]
    sent: list[Outbound]
    sent_at: list[float]
    events: list[BrokerEvent]
    dials: list[TcpAddress]

    def now(self) -> Now:
        return Now(Instant(self.seconds[-1]), UtcTime(EPOCH + self.seconds[-1]))

    def send(self, outbound: Outbound) -> None:
        self.sent.append(outbound)
        self.sent_at.append(self.seconds[-1])

    def publish(self, first: int, events: Sequence[BrokerEvent]) -> None:
        self.events.extend(events)

    def dial(self, address: TcpAddress) -> None:
        self.dials.append(address)

    def arm(self, at: Instant | None) -> None:
        """Time goes on as the steps say."""

    hang_up = ask_role = answer_role = tell_room = arm


class Player:
    """One instance with its driver over a store in memory."""

    def __init__(self, name: str) -> None:
        entropy = NumberedEntropy(10_000 if name == PARIS else 20_000)
        settings = EngineSettings()
        dialog = msgspec.structs.replace(settings.dialog, fragment_bytes=FRAGMENT_BYTES)
        self.name, self.port, self.replies = name, Port([0.0], [], [], [], []), list[Reply | None]()
        self.store = MemoryStore(name)
        self.store.commit([PutCatalog(catalog=_catalog(name))], [])
        state = self.store.load()
        instance = Instance(state.catalog, state.databases, msgspec.structs.replace(settings, dialog=dialog), entropy)
        port = self.port
        self.driver = InstanceDriver(instance, store=self.store, transport=port, sink=port, alarm=port, clock=port)

    def play(self, at: float, batch: Sequence[Input]) -> bool:
        """One batch, at a moment; whoever is dialled answers at once. Answers whether somebody was."""
        self.port.seconds.append(at)
        self.replies += self.driver.process(batch)
        dials, self.port.dials[:] = list(self.port.dials), []
        for address in dials:
            self.driver.process([LinkChange(address=address, state=LinkState.LOGGED_IN, peer=PEERS[self.name])])
        return bool(dials)

    def disk(self) -> object:
        """Every row of the store; the order of endpoints says nothing."""
        databases = self.store.load().databases
        for rows in databases:
            rows.endpoints.sort(key=lambda row: row.conversation_handle.int)
        return databases

    def remembered(self) -> list[ConversationEndpoint]:
        """Every conversation as the instance has it in memory, which a backup tells."""
        backup = BackupDatabase(command_id=UUID(int=2**64), database=DATABASES[self.name])
        self.driver.instance.begin(self.port.now())
        reply = self.driver.instance.take(backup)
        assert isinstance(reply, DatabaseBackedUp)
        return sorted(reply.backup.rows.endpoints, key=lambda row: row.conversation_handle.int)

    def stored(self) -> list[ConversationEndpoint]:
        """Every conversation as it is on disk."""
        (rows,) = (rows for rows in self.store.load().databases if rows.name == DATABASES[self.name])
        return sorted(rows.endpoints, key=lambda row: row.conversation_handle.int)

    def delivered(self) -> list[MessageDelivered]:
        """What came into queues to be received, in order."""
        return [event for event in self.port.events if isinstance(event, MessageDelivered)]

    def said(self) -> dict[tuple[object, ...], float]:
        """Sequenced messages that left, each piece with the moment when it did: acknowledgements ride as they can."""
        first: dict[tuple[object, ...], float] = {}
        for outbound, at in zip(self.port.sent, self.port.sent_at, strict=True):
            each = outbound.message.message
            if each.is_sequenced:
                first.setdefault((each.conversation_id, each.sequence, each.kind, each.fragment), at)
        return first

    def has_told_an_end(self) -> bool:
        """Whether a message that left ends its conversation."""
        return any(outbound.message.message.kind in ENDINGS for outbound in self.port.sent)

    def forgotten(self) -> list[ConversationEndpoint]:
        """Endpoints whose first pending message has never left although nothing stands in its way."""
        (rows,) = (rows for rows in self.store.load().databases if rows.name == DATABASES[self.name])
        firsts = {row.conversation_handle: row.message_sequence_number for row in reversed(rows.transmission)}
        said = {(place[0], place[1]) for place in self.said()}
        return [
            each
            for each in rows.endpoints
            if each.conversation_handle in firsts
            and each.state not in WAITS_FOR_GOOD
            and (each.conversation_id, firsts[each.conversation_handle]) not in said
        ]


def _catalog(name: str) -> InstanceCatalog:
    database, service, peer = DATABASES[name], SERVICES[name], PEERS[name]
    changes: list[CatalogChange] = [
        DatabaseCreated(database=database, broker_instance=UUID(int=1 if name == PARIS else 2)),
        QueueCreated(database=database, queue=Queue("dbo.Q")),
        ServiceCreated(database=database, service=Service(service, "dbo.Q", ("DEFAULT",))),
        RouteCreated(database=database, route=route(SERVICES[peer], peer.lower())),
        EndpointCreated(endpoint=Endpoint("Broker", 4022, EndpointState.STARTED)),
    ]
    return apply_changes(new_instance(name, NumberedEntropy(100)), changes)


class Recording:
    """Both instances at work, input after input; `tape` has what they were given."""

    def __init__(self, steps: Iterable[Step]) -> None:
        self.players = {name: Player(name) for name in PEERS}
        self.tape: list[Recorded] = []
        self._seconds = 1.0
        self._ids = 0
        self._unheard = dict.fromkeys(PEERS, 0)
        """Which message of an instance is the next to be delivered."""
        self._linked = dict.fromkeys(PEERS, 0)
        """After how many inputs an instance has opened its last connection: what comes then finds it open."""
        self._heard = dict.fromkeys(PEERS, 0)
        """How many inputs of its peer an instance may know of."""
        self._born: dict[str, list[tuple[int, int]]] = {PARIS: [], LYON: []}
        """Of each message that an instance has sent: after how many inputs, and of how many of its peer it may know."""
        self._backups: dict[str, DatabaseBackup] = {}
        """The last backup of each database."""
        for name in PEERS:
            self._give(name, STARTED)
        acts: dict[str, Callable[[int, int], None]] = {
            "begin": lambda which, how: self._begin(),
            "say": self._say,
            "answer": self._answer,
            "end": self._end,
            "read": self._read,
            "deliver": self._deliver,
            "again": self._again,
            "wait": self._wait,
            "break": self._break,
            "reroute": self._reroute,
            "switch": self._switch,
            "back up": self._back_up,
            "restore": self._restore,
        }
        for act, which, how in steps:
            acts[act](which, how)

    def _give(self, name: str, given: Input, after: int = 0) -> None:
        player, born = self.players[name], self._born[name]
        self.tape.append(Recorded(name, self._seconds, given, max(after, self._linked[name])))
        if player.play(self._seconds, [given]):
            self._linked[name] = len(player.replies)
        born += [(len(player.replies), self._heard[name])] * (len(player.port.sent) - len(born))

    def _command(self, name: str, kind: type, **fields: object) -> None:
        self._ids += 1
        self._give(name, kind(command_id=UUID(int=self._ids), database=DATABASES[name], **fields))

    def _handles(self, name: str) -> list[UUID]:
        (rows,) = (rows for rows in self.players[name].store.load().databases if rows.name == DATABASES[name])
        return [row.conversation_handle for row in rows.endpoints]

    def _begin(self) -> None:
        if len(self._handles(PARIS)) == DIALOGS_MAX:
            return
        self._command(PARIS, BeginDialog, from_service=SERVICES[PARIS], to_service=SERVICES[LYON])

    def _say(self, which: int, how: int, name: str = PARIS) -> None:
        handles = self._handles(name)
        if handles:
            body = bytes([len(self.tape) % 256]) * SIZES[how % len(SIZES)]
            self._command(name, Send, conversation_handle=handles[which % len(handles)], body=body)

    def _answer(self, which: int, how: int) -> None:
        self._say(which, how, LYON)

    def _end(self, which: int, how: int) -> None:
        name = (PARIS, LYON)[which % 2]
        handles = self._handles(name)
        if handles:
            handle = handles[which // 2 % len(handles)]
            self._command(name, EndConversation, conversation_handle=handle, **ENDS[how % len(ENDS)])

    def _read(self, which: int, how: int) -> None:
        self._command((PARIS, LYON)[which % 2], Receive, queue="dbo.Q", top=1 + how % 5)

    def _deliver(self, which: int, how: int) -> None:
        """The next messages on their way arrive, in order; or some are lost."""
        sender = (PARIS, LYON)[which % 2]
        first, until = self._unheard[sender], len(self.players[sender].port.sent)
        self._unheard[sender] = until
        for place in range(first, until):
            if how % 7 != place - first + 1:
                self._arrive(sender, place)

    def _again(self, which: int, how: int) -> None:
        """A message that was on its way at any time arrives, perhaps once more, perhaps early."""
        sender = (PARIS, LYON)[which % 2]
        sent = len(self.players[sender].port.sent)
        if sent:
            self._arrive(sender, sent - 1 - how % sent)

    def _arrive(self, sender: str, place: int) -> None:
        receiver = PEERS[sender]
        inputs, known = self._born[sender][place]
        self._heard[receiver] = max(self._heard[receiver], inputs)
        self._give(receiver, self.players[sender].port.sent[place].message, after=known)

    def _reroute(self, which: int, how: int) -> None:
        """The route to the other side goes, or comes back."""
        name = (PARIS, LYON)[which % 2]
        there = route(SERVICES[PEERS[name]], PEERS[name].lower())
        database = DATABASES[name]
        if there.name in self._catalog_of(name).databases[database].routes:
            self._define(name, RouteDropped(database=database, name=there.name))
        else:
            self._define(name, RouteCreated(database=database, route=there))

    def _switch(self, which: int, how: int) -> None:
        """The broker is switched off, or on."""
        name = (PARIS, LYON)[which % 2]
        is_on = self._catalog_of(name).databases[DATABASES[name]].is_broker_enabled
        self._define(name, BrokerSwitched(database=DATABASES[name], is_enabled=not is_on))

    def _back_up(self, which: int, how: int) -> None:
        name = (PARIS, LYON)[which % 2]
        self._command(name, BackupDatabase)
        reply = self.players[name].replies[-1]
        assert isinstance(reply, DatabaseBackedUp)
        self._backups[name] = reply.backup

    def _restore(self, which: int, how: int) -> None:
        """The last backup comes back over its database, if there is one."""
        name = (PARIS, LYON)[which % 2]
        if name in self._backups:
            base = self._catalog_of(name).revision
            self._command(name, RestoreDatabase, base=base, revision=base + 1, backup=self._backups[name])

    def _catalog_of(self, name: str) -> InstanceCatalog:
        return self.players[name].driver.instance.catalog

    def _define(self, name: str, change: CatalogChange) -> None:
        self._ids += 1
        base = self._catalog_of(name).revision
        command = ApplyCatalog(command_id=UUID(int=self._ids), base=base, revision=base + 1, changes=(change,))
        self._give(name, command)

    def _wait(self, which: int, how: int) -> None:
        self._seconds += WAITS[how % len(WAITS)]
        for name in PEERS:
            self._give(name, TIMER_FIRED)

    def _break(self, which: int, how: int) -> None:
        """A connection is lost; it is dialled again when its suppression is over, which may be at once."""
        name = (PARIS, LYON)[which % 2]
        lost = LinkChange(address=ADDRESSES[PEERS[name]], state=LinkState.CLOSED, peer=PEERS[name], error=9755)
        self._give(name, lost, after=len(self.players[name].replies))
        if how % 4:
            self._wait(which, -1)


def play(tape: Sequence[Recorded], name: str, cuts: Callable[[], bool]) -> Player:
    """The inputs of one instance once more; `cuts` says before each but the first whether a batch ends here.

    It ends in any case where time goes on, for a batch has one moment, and before what answers something in it.
    """
    player = Player(name)
    own = [each for each in tape if each.to == name]
    for at, run in groupby(own, key=lambda each: each.at):
        batch: list[Input] = []
        for each in run:
            if batch and (each.after > len(player.replies) or cuts()):
                player.play(at, batch)
                batch = []
            batch.append(each.given)
        player.play(at, batch)
    return player
