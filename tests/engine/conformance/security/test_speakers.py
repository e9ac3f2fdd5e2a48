"""Who may speak on a conversation in clear: neighbours on the way to its far end, and its far end (protocol.md 3.7)."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import msgspec
import pytest

from engine.core.catalog.changes import RouteAltered, RouteCreated, RouteDropped
from engine.core.exchange.events import MessageUndeliverable
from engine.core.exchange.neighbours import Neighbour
from engine.core.trace.rows import trace_rows
from engine.core.vocabulary.identifiers import BrokerInstanceId
from engine.core.vocabulary.messages import (
    Acknowledgement,
    DialogMessage,
    DialogTarget,
    ForwardedMessage,
    Fragment,
    MessageKind,
)
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState
from tests.support.each import for_each
from tests.support.world import EPOCH, Node, World, route

INVENTED = BrokerInstanceId(UUID(int=0xBAD))
NOT_ENTITLED = 11211


class Estate:
    """PARIS asks LYON in clear; HUB forwards, ROMA and BERLIN are bystanders, the latter with a service of the name."""

    def __init__(self) -> None:
        world = self.world = World()
        self.paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
        self.lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
        self.hub = world.instance("HUB", forwards=True)
        self.roma = world.instance("ROMA", world.database("Conti", ["Conto"]))
        self.berlin = world.instance("BERLIN", world.database("Lager", ["Entrepôt"]))
        self.handle = self.paris.begin("Ventes", "Client", "Entrepôt")

    def say(self, *bodies: str) -> None:
        for body in bodies:
            self.paris.say("Ventes", self.handle, body)

    def end_of(self, node: Node) -> DialogMessage:
        """What the far end of a node's conversation would say next, as an acknowledgement without one."""
        name = "Ventes" if node is self.paris else "Stock"
        row, own = row_of(node, name), node.instance.catalog.databases[name]
        far = self.lyon if node is self.paris else self.paris
        far_database = far.instance.catalog.databases["Stock" if node is self.paris else "Ventes"]
        return DialogMessage(
            conversation_id=row.conversation_id,
            from_initiator=not row.is_initiator,
            source=DialogTarget(row.far_service, row.far_broker_instance or far_database.broker_instance),
            target=DialogTarget(row.service, own.broker_instance),
            kind=MessageKind.ACKNOWLEDGEMENT,
            contract=row.contract,
            expires_at=row.lifetime,
        )


def row_of(node: Node, database: str) -> ConversationEndpoint:
    """The one endpoint of a database, as its store has it."""
    [rows] = [each for each in node.store.load().databases if each.name == database]
    [row] = rows.endpoints
    return row


@pytest.fixture
def estate() -> Estate:
    return Estate()


def tell(node: Node, neighbour: Neighbour, message: DialogMessage) -> None:
    transit = ForwardedMessage(message=message, hops_remaining=8, time_to_live=60.0)
    node.driver.process([neighbour, transit])


def mallory(**fields: object) -> Neighbour:
    """An authenticated peer that has nothing to do with it."""
    return Neighbour(instance="MALLORY", **fields)


def whoever(node: Node) -> Neighbour:
    """The neighbour that another instance of the estate is."""
    catalog = node.instance.catalog
    endpoint = catalog.endpoint
    return Neighbour(
        instance=node.name,
        is_vouched=True,
        forwards=endpoint is not None and endpoint.is_message_forwarding_enabled,
        brokers=frozenset(each.broker_instance for each in catalog.databases.values()),
        is_at=lambda address: node.world.nodes.get(address) is node,
    )


def refusals(node: Node) -> list[int]:
    return [event.number for event in node.told(MessageUndeliverable)]


def acknowledgement(message: DialogMessage, up_to: int = 0, broker: UUID | None = None) -> DialogMessage:
    source = DialogTarget(message.source.service_name, broker or message.source.broker_instance)
    receipt = Acknowledgement(up_to, up_to, source.broker_instance)
    return msgspec.structs.replace(message, source=source, acknowledgement=receipt)


LIES: dict[str, Callable[[DialogMessage], DialogMessage]] = {
    "a receipt": acknowledgement,
    "a receipt of an invented database": lambda m: acknowledgement(m, broker=INVENTED),
    "an answer": lambda m: msgspec.structs.replace(
        m, kind=MessageKind.USER, message_type="DEFAULT", sequence=0, body=b"forged"
    ),
    "an answer with a receipt": lambda m: msgspec.structs.replace(
        acknowledgement(m), kind=MessageKind.USER, message_type="DEFAULT", sequence=0, body=b"forged"
    ),
    "a piece of an answer": lambda m: msgspec.structs.replace(
        m, kind=MessageKind.USER, message_type="DEFAULT", sequence=0, body=b"x" * 1024, fragment=Fragment(0, 1024, 4096)
    ),
    "an answer before its turn": lambda m: msgspec.structs.replace(
        m, kind=MessageKind.USER, message_type="DEFAULT", sequence=3, body=b"forged"
    ),
    "the end": lambda m: msgspec.structs.replace(m, kind=MessageKind.END_DIALOG, sequence=0),
    "an error of an application": lambda m: msgspec.structs.replace(
        m, kind=MessageKind.ERROR, sequence=0, body=b"forged"
    ),
    "an error of a broker": lambda m: msgspec.structs.replace(m, kind=MessageKind.ERROR, body=b"forged"),
}


def state_of(node: Node, database: str) -> object:
    view = node.view(database)
    return view.conversation_endpoints, view.transmission_queue, [queue.ready for queue in view.queues]


@for_each("lie", sorted(LIES))
def test_an_initiator_believes_nobody_who_is_not_on_the_way(lie):
    """Before the first acknowledgement, when anybody who answers would be taken for the far end, and behind it."""
    for is_pinned in (False, True):
        estate = Estate()
        if is_pinned:
            estate.say("first")
            estate.world.run(2)
        estate.world.cut(estate.paris, "lyon")
        estate.say("waits")
        message = LIES[lie](estate.end_of(estate.paris))
        if is_pinned and message.sequence is None and message.acknowledgement is not None:
            message = acknowledgement(message, 1, message.source.broker_instance)
        before = state_of(estate.paris, "Ventes")
        liars = [mallory(), mallory(is_vouched=True), whoever(estate.roma), whoever(estate.berlin), whoever(estate.hub)]
        for number, neighbour in enumerate(liars, 1):
            tell(estate.paris, neighbour, message)
            assert state_of(estate.paris, "Ventes") == before, neighbour.instance
            assert refusals(estate.paris) == [NOT_ENTITLED] * number
        estate.world.mend(estate.paris, "lyon")
        estate.world.run(200)
        assert estate.paris.view("Ventes").transmission_queue_total == 0
        bodies = [row.message_body for row in estate.lyon.receive("Stock", "Entrepôt")]
        assert bodies == [*([b"first"] if is_pinned else []), b"waits"]


@for_each("lie", sorted(set(LIES) - {"a receipt", "a receipt of an invented database"}))
def test_a_target_believes_nobody_who_is_not_on_the_way(lie):
    estate = Estate()
    estate.say("first")
    estate.world.run(2)
    estate.world.cut(estate.paris, "lyon")
    message = LIES[lie](estate.end_of(estate.lyon))
    if message.sequence is not None:
        message = msgspec.structs.replace(message, sequence=message.sequence + 1)
    before = state_of(estate.lyon, "Stock")
    for number, neighbour in enumerate([mallory(), mallory(is_vouched=True), whoever(estate.roma)], 1):
        tell(estate.lyon, neighbour, message)
        assert state_of(estate.lyon, "Stock") == before
        assert refusals(estate.lyon) == [NOT_ENTITLED] * number
    estate.world.mend(estate.paris, "lyon")
    estate.say("second")
    estate.world.run(200)
    assert [row.message_body for row in estate.lyon.receive("Stock", "Entrepôt")] == [b"first", b"second"]


def test_what_waits_at_the_target_is_not_acknowledged_by_a_bystander(estate):
    estate.say("question")
    estate.world.run(2)
    [row] = estate.lyon.receive("Stock", "Entrepôt")
    estate.world.cut(estate.lyon, "paris")
    estate.lyon.say("Stock", row.conversation_handle, "answer")
    tell(estate.lyon, whoever(estate.roma), acknowledgement(estate.end_of(estate.lyon)))
    assert estate.lyon.view("Stock").transmission_queue_total == 1
    estate.world.mend(estate.lyon, "paris")
    estate.world.run(200)
    assert [row.message_body for row in estate.paris.receive("Ventes", "Client")] == [b"answer"]


@for_each("number", [0, 1, 2])
def test_nobody_speaks_for_an_instance_of_the_estate_before_its_first_message_has_come(number):
    """Else the true message would be taken for a copy, or an Error would reach the one who sent it."""
    estate = Estate()
    estate.world.cut(estate.paris, "lyon")
    estate.say("true 0", "true 1", "true 2")
    row = row_of(estate.paris, "Ventes")
    home = estate.paris.instance.catalog.databases["Ventes"]
    for kind in (MessageKind.USER, MessageKind.END_DIALOG, MessageKind.ERROR):
        forged = DialogMessage(
            conversation_id=row.conversation_id,
            from_initiator=True,
            source=DialogTarget(row.service, home.broker_instance),
            target=DialogTarget(row.far_service),
            kind=kind,
            sequence=number,
            contract=row.contract,
            expires_at=row.lifetime,
            message_type="DEFAULT" if kind is MessageKind.USER else None,
            body=None if kind is MessageKind.END_DIALOG else b"forged",
        )
        for neighbour in (whoever(estate.roma), mallory(is_vouched=True)):
            tell(estate.lyon, neighbour, forged)
        if number:
            # A stranger may begin dialogs of its own, and nothing else.
            tell(estate.lyon, mallory(), forged)
    assert set(refusals(estate.lyon)) == {NOT_ENTITLED}
    assert estate.lyon.view("Stock").conversation_endpoints == ()
    estate.world.mend(estate.paris, "lyon")
    estate.world.run(200)
    assert [each.message_body for each in estate.lyon.receive("Stock", "Entrepôt")] == [b"true 0", b"true 1", b"true 2"]


def test_a_forwarder_passes_on_what_its_neighbour_has_and_nothing_in_the_name_of_others():
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "hub")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "hub")))
    hub = world.instance("HUB", forwards=True)
    hub.define(
        RouteCreated(database="msdb", route=route("Entrepôt", "lyon")),
        RouteCreated(database="msdb", route=route("Client", "paris")),
    )
    roma = world.instance("ROMA")
    handle = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", handle, "first")
    world.run(5)
    row, stock = row_of(lyon, "Stock"), lyon.instance.catalog.databases["Stock"]
    forged = DialogMessage(
        conversation_id=row.conversation_id,
        from_initiator=False,
        source=DialogTarget("Entrepôt", stock.broker_instance),
        target=DialogTarget("Client", row.far_broker_instance),
        kind=MessageKind.END_DIALOG,
        sequence=0,
        contract=row.contract,
        expires_at=row.lifetime,
    )
    for neighbour in (whoever(roma), mallory(is_vouched=True)):
        tell(hub, neighbour, forged)
    world.run(5)
    assert refusals(hub) == [NOT_ENTITLED] * 2
    [end] = paris.view("Ventes").conversation_endpoints
    assert end.state is ConversationState.CONVERSING
    lyon.say("Stock", row.conversation_handle, "answer")
    world.run(5)
    assert [each.message_body for each in paris.receive("Ventes", "Client")] == [b"answer"]


def test_an_answer_by_another_way_is_taken_from_the_far_instance_itself(estate):
    """The way there is by HUB, the way back is direct: LYON is not on the way, it is the far end."""
    estate.hub.define(RouteCreated(database="msdb", route=route("Entrepôt", "lyon")))
    there = route("Entrepôt", "lyon")
    estate.paris.define(RouteAltered(database="Ventes", name=there.name, address=route("Entrepôt", "hub").address))
    estate.say("question")
    estate.world.run(5)
    assert estate.paris.view("Ventes").transmission_queue_total == 0
    [row] = estate.lyon.receive("Stock", "Entrepôt")
    estate.lyon.say("Stock", row.conversation_handle, "answer")
    estate.world.run(5)
    assert [each.message_body for each in estate.paris.receive("Ventes", "Client")] == [b"answer"]
    assert refusals(estate.paris) == refusals(estate.lyon) == []


def by_two_ways() -> tuple[Node, Node, Node]:
    """PARIS asks LYON directly and all else by HUB; LYON answers by HUB."""
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon"), route(None, "hub")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "hub")))
    hub = world.instance("HUB", forwards=True)
    hub.define(RouteCreated(database="msdb", route=route("Client", "paris")))
    return paris, lyon, hub


def test_an_answer_comes_by_any_neighbour_to_which_a_route_could_lead_whichever_route_has_its_way():
    paris, lyon, _ = by_two_ways()
    handle = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", handle, "question")
    paris.world.run(5)
    assert paris.view("Ventes").transmission_queue_total == 0
    [row] = lyon.receive("Stock", "Entrepôt")
    lyon.say("Stock", row.conversation_handle, "answer")
    paris.world.run(5)
    assert [each.message_body for each in paris.receive("Ventes", "Client")] == [b"answer"]
    assert refusals(paris) == []


@for_each(
    "fields",
    [
        {"service": "Bureau"},
        {"broker_instance": INVENTED, "service": "Entrepôt"},
        {"expires_at": EPOCH},
    ],
)
def test_a_route_that_could_not_lead_to_the_far_end_makes_nobody_a_speaker(fields):
    """Of another service, to another copy of it, or one that is over."""
    paris, lyon, _ = by_two_ways()
    other = {"service": None, **fields}
    paris.define(
        RouteDropped(database="Ventes", name=route(None, "hub").name),
        RouteCreated(database="Ventes", route=route(other.pop("service"), "hub", **other)),
    )
    handle = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", handle, "question")
    paris.world.run(5)
    assert [row.message_body for row in lyon.receive("Stock", "Entrepôt")] == [b"question"]
    assert set(refusals(paris)) == {NOT_ENTITLED}
    assert paris.view("Ventes").transmission_queue_total == 1


def test_who_was_on_the_way_is_believed_no_more_once_the_route_has_changed(estate):
    """WIEN has LYON's messages passed on until the route leads elsewhere; then it is a neighbour like any other."""
    estate.say("first")
    estate.world.run(2)
    wien = Neighbour(instance="WIEN", is_at=lambda address: address.host == "wien")
    message = acknowledgement(estate.end_of(estate.paris))
    there = route("Entrepôt", "lyon")
    estate.paris.define(RouteAltered(database="Ventes", name=there.name, address=route("Entrepôt", "wien").address))
    tell(estate.paris, wien, message)
    assert refusals(estate.paris) == []
    estate.paris.define(RouteAltered(database="Ventes", name=there.name, address=there.address))
    estate.world.run(20)
    tell(estate.paris, wien, message)
    assert refusals(estate.paris) == [NOT_ENTITLED]
    estate.paris.define(RouteDropped(database="Ventes", name=there.name))


def test_a_restart_forgets_nobody_who_may_speak(estate):
    estate.say("one")
    estate.world.run(2)
    for node in (estate.paris, estate.lyon):
        node.kill()
        node.start()
    estate.say("two")
    estate.paris.end("Ventes", estate.handle)
    estate.world.run(200)
    assert [row.message_body for row in estate.lyon.receive("Stock", "Entrepôt")][:2] == [b"one", b"two"]
    assert NOT_ENTITLED not in {*refusals(estate.paris), *refusals(estate.lyon)}


def test_what_is_refused_names_the_neighbour_in_the_trace(estate):
    estate.say("first")
    estate.world.run(2)
    tell(estate.paris, mallory(), acknowledgement(estate.end_of(estate.paris)))
    [event] = estate.paris.told(MessageUndeliverable)
    assert "'MALLORY' may not speak" in event.text
    [row] = trace_rows(event)
    assert row.name == "Broker:Message Undeliverable"
    assert NOT_ENTITLED in row.columns.values()
