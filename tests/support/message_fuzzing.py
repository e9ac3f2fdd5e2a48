"""Hostile messages for real instances: the second part of `make fuzz` (`tests.support.fuzzing`).

Two honest instances talk all the time, secured and in clear. A stranger, whom both let in and whose service one of them
calls, overhears all that they say and sends each of them messages in well-formed frames that are random, changed, or
contradict their conversation. Nothing may raise, honest conversations go on once and in order, and when the
administrator has ended what the stranger has begun, nothing of it is left.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable
from uuid import UUID

import msgspec

from engine.contracts.codec import json_encoder
from engine.core.catalog.changes import (
    CatalogChange,
    ContractCreated,
    EndpointAltered,
    MessageTypeCreated,
    RouteCreated,
    ServiceAltered,
)
from engine.core.catalog.objects import Contract, ContractUse, MessageType, SentBy, Validation
from engine.core.exchange.commands import Receive
from engine.core.exchange.events import MessageCorrupted, MessageUndeliverable
from engine.core.exchange.neighbours import Neighbour
from engine.core.exchange.system_views import SystemViewQuery
from engine.core.link.codec import FrameReader, encode
from engine.core.link.frames import Fragments
from engine.core.system_views.query import SYSTEM_VIEWS
from engine.core.trace.rows import trace_rows
from engine.core.vocabulary.errors import RemoteProtocolError
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.limits import SYSTEM_VIEW_ROWS_MAX
from engine.core.vocabulary.messages import DialogMessage, ForwardedMessage, TcpAddress
from engine.core.vocabulary.rows import ConversationState, QueueRow
from tests.support.certificates import initiator, target
from tests.support.hostile_messages import FRAGMENT_BYTES, Stranger
from tests.support.secure_world import SecureWorld
from tests.support.world import Node, route

ROUND_MESSAGES = 500
"""Between two looks at what has become of the honest conversations."""
ROUND_SECONDS = 150.0
"""More than the longest wait between two attempts."""
RESTARTS_EVERY = 10
"""Rounds."""
EVENTS_KEPT = 1000
ALL = 10_000
HONEST_BODY_BYTES = (1, 40, 3_000)
STRANGER_AT = TcpAddress("fremd", 4022)
STRANGER = Neighbour(instance=InstanceName("FREMD"), principal="FREMD", is_at=lambda address: address == STRANGER_AT)
"""Who the instances know that the stranger is: it has shown a certificate, and they have routes to it."""


class Harm(AssertionError):
    """A stranger has done something that no stranger may."""


class StrangersHouse:
    """Where messages to the stranger go: listens, and keeps nothing but what the stranger makes of it."""

    def __init__(self, stranger: Stranger) -> None:
        self.name = "FREMD"
        self.listens = self.is_alive = True
        self.links: dict[TcpAddress, int] = {}
        self.askers: dict[int, object] = {}
        self._stranger = stranger

    def feed(self, _: object) -> None:
        """It does not care who is logged in."""

    def hear(self, _: Node, transit: ForwardedMessage) -> None:
        self._stranger.hear(transit.message)


class HonestDialog:
    """A conversation between the honest, which notes what it has sent and looks what comes."""

    def __init__(self, fuzzer: MessageFuzzer, begins: str, to: str, *, is_secured: bool) -> None:
        self._fuzzer = fuzzer
        self.service, self.far_service = begins, to
        self.here = fuzzer.paris.begin("Ventes", begins, to, encryption=is_secured)
        self.there: UUID | None = None
        self.sent: dict[bool, list[bytes]] = {True: [], False: []}
        self.heard: dict[bool, list[bytes | None]] = {True: [], False: []}
        """By who has sent it: True is the initiator."""

    def speak(self, *, initiator: bool) -> None:
        fuzzer = self._fuzzer
        number = len(self.sent[initiator])
        body = f"{self.here}:{number}:".encode() + fuzzer.dice.randbytes(fuzzer.dice.choice(HONEST_BODY_BYTES))
        if initiator:
            fuzzer.paris.say("Ventes", self.here, body)
        elif self.there is not None:
            fuzzer.lyon.say("Stock", self.there, body)
        else:
            return
        self.sent[initiator].append(body)

    def check(self) -> None:
        """Everything that was sent has come, once and in order; nothing else has; and both ends go on."""
        for side, said in self.sent.items():
            if self.heard[side] != said:
                who = "initiator" if side else "target"
                raise Harm(f"of {len(said)} messages of the {who} of {self.here} came {len(self.heard[side])}")
        for bodies in (*self.sent.values(), *self.heard.values()):
            bodies.clear()


class MessageFuzzer:
    """One seed's stream of hostile messages against PARIS and LYON."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.messages = 0
        self.outcomes: Counter[str] = Counter()
        self.world = _FuzzedWorld(self.dice.randrange(2**32))
        self.paris, self.lyon = self.world.honest()
        ids = [
            node.instance.catalog.databases[name].broker_instance
            for node, name in ((self.paris, "Ventes"), (self.lyon, "Stock"))
        ]
        self.stranger = Stranger(self.dice, ids)
        self.world.nodes[STRANGER_AT] = StrangersHouse(self.stranger)  # type: ignore[assignment]
        self._honest = [
            HonestDialog(self, *services, is_secured=is_secured)
            for services, is_secured in ((("Client", "Entrepôt"), True), (("Guichet", "Comptoir"), False))
            for _ in range(3)
        ]
        self._rounds = 0
        self.world.tamper = self._overheard
        self._talk()

    def run(self, messages: int, progress: Callable[[int], None] = lambda done: None) -> None:
        """Send so many; the first thing that should not be is raised."""
        until = self.messages + messages
        while self.messages < until:
            for _ in range(min(ROUND_MESSAGES, until - self.messages)):
                self._throw()
            self._end_round()
            progress(self.messages)

    def _throw(self) -> None:
        self.messages += 1
        self.stranger.utc = self.world.now().utc
        try:
            frames = list(FrameReader().feed(encode(Fragments(messages=(self.stranger.message(),)))))
        except RemoteProtocolError as error:
            self.outcomes[f"not a message to the link: {error.number}"] += 1
            return
        for frame in frames:
            assert isinstance(frame, Fragments)
            for message in frame.messages:
                victim = self._victim(message)
                before = len(victim.events)
                victim.driver.process([STRANGER, message])
                self._count(victim, before)
        if self.dice.random() < 0.02:
            self.dice.choice(self._honest).speak(initiator=self.dice.random() < 0.5)
        if self.dice.random() < 0.01:
            self._read()
        if self.dice.random() < 0.05:
            self.world.run(self.dice.choice((0.01, 0.5, 5.0)))

    def _victim(self, message: ForwardedMessage) -> Node:
        """Mostly whoever has the service: what comes to a wrong house is soon told."""
        name = message.message.target.service_name
        if self.dice.random() < 0.1:
            return self.dice.choice((self.paris, self.lyon))
        return self.paris if name in ("Client", "Guichet") else self.lyon

    def _count(self, victim: Node, before: int) -> None:
        told = [event for event in victim.events[before:] if isinstance(event, MessageUndeliverable | MessageCorrupted)]
        for event in told:
            self.outcomes[f"dropped: {event.number}"] += 1
        if not told:
            self.outcomes["taken, answered, passed on or dropped in silence"] += 1

    def _overheard(self, message: DialogMessage) -> DialogMessage:
        self.stranger.overhear(message)
        return message

    # ── the honest ──
    def _talk(self) -> None:
        """Each says something; so the targets are known, whatever comes later."""
        for dialog in self._honest:
            dialog.speak(initiator=True)
        self.world.run(ROUND_SECONDS)
        self._read()
        for dialog in self._honest:
            dialog.speak(initiator=False)
        self._call_the_stranger()
        self.world.run(1)

    def _call_the_stranger(self) -> None:
        """Dialogs that the honest begin with it, which it may answer as it likes."""
        for node, database, service in ((self.paris, "Ventes", "Guichet"), (self.lyon, "Stock", "Comptoir")):
            node.say(database, node.begin(database, service, "Fremd"), b"bonjour")

    def _end_round(self) -> None:
        self._rounds += 1
        self._look()
        self.world.run(ROUND_SECONDS)
        self._look()
        self._read()
        for dialog in self._honest:
            dialog.check()
        self._clean_up()
        if self._rounds % RESTARTS_EVERY == 0:
            for node in (self.paris, self.lyon):
                node.kill()
                node.start()
        self.stranger.forget()
        self._call_the_stranger()
        for dialog in self._honest:
            dialog.speak(initiator=True)
            dialog.speak(initiator=False)
        self.world.run(1)

    def _read(self) -> None:
        """Applications read everything, and treat what is of no honest conversation as they like."""
        for node, database, services in (
            (self.paris, "Ventes", ("Client", "Guichet")),
            (self.lyon, "Stock", ("Entrepôt", "Comptoir")),
        ):
            for service in services:
                while rows := _received(node, database, service):
                    for row in rows:
                        if not self._heard(node, row):
                            self._treat(node, database, row)

    def _heard(self, node: Node, row: QueueRow) -> bool:
        """Note it if it is honest; answers whether it is."""
        for dialog in self._honest:
            if node is self.paris and row.conversation_handle == dialog.here:
                dialog.heard[False].append(row.message_body)
                return True
            if node is self.lyon and (row.message_body or b"").startswith(f"{dialog.here}:".encode()):
                if dialog.there not in (None, row.conversation_handle):
                    raise Harm(f"{dialog.here} has come on another conversation")
                dialog.there = row.conversation_handle
                dialog.heard[True].append(row.message_body)
                return True
        return False

    def _treat(self, node: Node, database: str, row: QueueRow) -> None:
        """Answer the stranger, end its conversation in one way or another, or leave it alone."""
        chance = self.dice.random()
        if chance < 0.3:
            node.say(database, row.conversation_handle, b"bonjour")
        elif chance < 0.5:
            node.end(database, row.conversation_handle)
        elif chance < 0.6:
            node.end(database, row.conversation_handle, error_code=1, error_description="assez")

    # ── the administrator ──
    def _look(self) -> None:
        """Whatever has come can be shown: in every view, in the trace, and as JSON."""
        for node, database in ((self.paris, "Ventes"), (self.lyon, "Stock")):
            for event in node.events:
                json_encoder.encode(trace_rows(event))
                json_encoder.encode(event)
            for name in (*(view.name for view in SYSTEM_VIEWS), *(queue.name for queue in node.view(database).queues)):
                query = SystemViewQuery(view=name, database=database, rows_max=SYSTEM_VIEW_ROWS_MAX)
                json_encoder.encode(node.instance.system_view(query))
            json_encoder.encode(node.instance.view(ALL))

    def _clean_up(self) -> None:
        """END … WITH CLEANUP of everything that is not honest; then nothing but the honest is there."""
        honest = {handle for dialog in self._honest for handle in (dialog.here, dialog.there)}
        for node, database in ((self.paris, "Ventes"), (self.lyon, "Stock")):
            rows = node.view(database).conversation_endpoints
            for row in rows:
                if row.conversation_handle not in honest:
                    self.outcomes[f"ended by the administrator: {row.state_desc}"] += 1
                    node.end(database, row.conversation_handle, with_cleanup=True)
                elif row.state is not ConversationState.CONVERSING:
                    raise Harm(f"{row.conversation_handle} of {node.name} is {row.state_desc}")
            view = node.view(database)
            kept = (view.conversation_endpoints_total, view.transmission_queue_total)
            waits = sum(queue.ready + queue.disabled + queue.awaiting for queue in view.queues)
            if kept != (len(self._honest), 0) or waits:
                raise Harm(f"{node.name} keeps {kept[0]} conversations, {kept[1]} messages to send and {waits} to read")
            broker = node.instance._broker
            in_memory = len(broker.waiting_room) + len(broker.transmitter)
            if in_memory:
                raise Harm(f"{node.name} has {in_memory} messages in memory that nobody will ever have")
            node.events.clear()
            node.sent.clear()
            # Those of the fuzzer's own commands, of which the store keeps 10,000: they would hide what grows.
            node.store._replies.clear()
        self.world.wire.clear()


class _FuzzedWorld(SecureWorld):
    """PARIS and LYON, each with a service that is secured, one that is not, and a route to the stranger."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        dialog = msgspec.structs.replace(self.settings.dialog, fragment_bytes=FRAGMENT_BYTES)
        self.settings = msgspec.structs.replace(self.settings, dialog=dialog)

    def honest(self) -> tuple[Node, Node]:
        """The two; LYON passes messages on as well, if only to a host that is never there."""
        elsewhere = [RouteCreated(database="msdb", route=route("Ailleurs", "nowhere"))]
        paris = self.instance("PARIS", self._database("Ventes", ("Client", "Guichet"), "lyon"), initiator())
        lyon = self.instance(
            "LYON", self._database("Stock", ("Entrepôt", "Comptoir"), "paris"), target(), elsewhere, forwards=True
        )
        lyon.define(EndpointAltered(name="Broker", message_forward_size_megabytes=1))
        for node in (paris, lyon):
            # The log of events is told to grow to a million; that it does is not what is looked for here.
            node.store._events = deque(maxlen=EVENTS_KEPT)
            self._listened(node)
        return paris, lyon

    def _database(self, name: str, services: tuple[str, str], far: str) -> list[CatalogChange]:
        theirs = ("Entrepôt", "Comptoir") if far == "lyon" else ("Client", "Guichet")
        use = ContractUse("Ordre", SentBy.ANY)
        return [
            *self.database(name, services, *(route(each, far) for each in theirs), route("Fremd", "fremd")),
            MessageTypeCreated(database=name, message_type=MessageType("Ordre", Validation.WELL_FORMED_XML)),
            ContractCreated(database=name, contract=Contract("Livraison", (use,))),
            *(ServiceAltered(database=name, name=service, adds=("Livraison",)) for service in services),
        ]


def _received(node: Node, database: str, service: str) -> tuple[QueueRow, ...]:
    rows: tuple[QueueRow, ...] = node.do(
        Receive, database=database, queue=f"dbo.{service}", top=ALL, many_groups=True
    ).messages
    return rows
