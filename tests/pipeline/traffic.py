"""Traffic of real instances on a network that loses and repeats: the events that they tell, numbered as stores do."""

from __future__ import annotations

import msgspec

from engine.core.catalog.changes import RouteCreated
from engine.core.catalog.route import Route
from engine.core.exchange.events import BrokerEvent
from engine.core.vocabulary.identifiers import EventSequence
from tests.support.world import Node, World, route

Numbered = list[tuple[EventSequence, BrokerEvent]]
Told = dict[str, Numbered]


def world_of_traffic(seed: int = 7, conversations: int = 12) -> Told:
    """PARIS ──▶ HUB ──▶ BERLIN and NICE, copies of a service, and a service at home; some is answered and ended."""
    world = World(seed, loss=0.15, duplication=0.1, reorders=True)
    paris = world.instance(
        "PARIS",
        world.database("Ventes", ["Client"], route("Prüfung", "hub"), _spare("Prüfung", "nice")),
        world.database("Compta", ["Facture"]),
    )
    passing = [RouteCreated(database="msdb", route=each) for each in _ways()]
    hub = world.instance("HUB", passing, forwards=True)
    berlin = world.instance("BERLIN", world.database("Werk", ["Prüfung"], route("Client", "hub")))
    nice = world.instance("NICE", world.database("Atelier", ["Prüfung"], route("Client", "hub")))
    nodes = {"PARIS": paris, "HUB": hub, "BERLIN": berlin, "NICE": nice}
    handles = [
        paris.begin("Ventes", "Client", "Facture" if number % 4 == 0 else "Prüfung") for number in range(conversations)
    ]
    for turn in range(3):
        for handle in handles:
            paris.say("Ventes", handle, f"{turn}")
        world.run(3)
        for node, database, queue in ((berlin, "Werk", "Prüfung"), (nice, "Atelier", "Prüfung")):
            _answer(node, database, queue)
        world.run(90)
    for handle in handles[::3]:
        paris.end("Ventes", handle)
    world.run(30)
    # What is under way when the log ends.
    for handle in handles[1::3]:
        paris.say("Ventes", handle, "encore")
    return {name: [(EventSequence(n), e) for n, e in enumerate(node.events, 1)] for name, node in nodes.items()}


def _spare(service: str, host: str) -> Route:
    return route(service, host, expires_at=1.0)


def _ways() -> list[Route]:
    return [route("Prüfung", "berlin"), route("Prüfung", "nice"), route("Client", "paris")]


def _answer(node: Node, database: str, queue: str) -> None:
    for row in node.receive(database, queue):
        if row.message_type_name == "DEFAULT" and not row.message_sequence_number % 2:
            node.say(database, row.conversation_handle, b"oui")


def later(events: Numbered, seconds: float = 3600.0) -> Numbered:
    """The same, told at another time: of another log."""
    return [(number, msgspec.structs.replace(event, at=event.at + seconds)) for number, event in events]
