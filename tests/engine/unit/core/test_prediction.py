"""Prediction recognises what it is made for: messages that follow each other, in both directions of a dialog."""

import msgspec
import pytest

from engine.core.catalog.changes import MessageTypeCreated
from engine.core.catalog.objects import MessageType
from engine.core.handlers import inbound
from engine.core.vocabulary.settings import TransmissionObjectSettings
from tests.support.dialogs import make_pair
from tests.support.world import World, route


@pytest.fixture
def judged(monkeypatch):
    """Kind and number of each message that went the long way, in full."""
    found = []
    accept = inbound.accept

    def judge(broker, database, message, *, is_local):
        found.append((message.from_initiator, message.kind.value, message.sequence))
        return accept(broker, database, message, is_local=is_local)

    monkeypatch.setattr(inbound, "accept", judge)
    return found


def test_after_the_first_of_each_direction_messages_are_expected(judged):
    world, paris, lyon = make_pair()
    asked = paris.begin("Ventes", "Client", "Entrepôt")
    for number in range(5):
        paris.say("Ventes", asked, str(number))
        world.run(1)
    [answered] = {row.conversation_handle for row in lyon.receive("Stock", "Entrepôt")}
    for number in range(5):
        lyon.say("Stock", answered, str(number))
        world.run(1)
    assert [row.message_body for row in paris.receive("Ventes", "Client")] == [b"0", b"1", b"2", b"3", b"4"]
    assert [each for each in judged if each[1] == "user"] == [(True, "user", 0), (False, "user", 0)]


def test_acknowledgements_that_come_alone_are_expected(judged):
    world, paris, _ = make_pair()
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for number in range(3):
        paris.say("Ventes", dialog, str(number))
        world.run(1)
    assert [each for each in judged if each[1] == "acknowledgement"] == []
    assert not paris.view("Ventes").transmission_queue


def test_the_first_answers_of_a_dialog_that_was_written_out_are_expected_too(judged):
    world = World()
    objects = TransmissionObjectSettings(bytes_kept=0, rest_seconds=0)
    world.settings = msgspec.structs.replace(world.settings, transmission_objects=objects)
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for number in range(4):
        paris.say("Ventes", dialog, str(number))
        world.run(2)
    assert [each for each in judged if each[1] == "user"] == [(True, "user", 0)]
    assert [row.message_body for row in lyon.receive("Stock", "Entrepôt")] == [b"0", b"1", b"2", b"3"]
    assert lyon.instance._broker.conversations.counters.writes >= 3


def test_a_changed_definition_judges_anew(judged):
    world, paris, lyon = make_pair()
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for number in range(2):
        paris.say("Ventes", dialog, str(number))
        world.run(1)
    lyon.define(MessageTypeCreated(database="Stock", message_type=MessageType("T")))
    paris.say("Ventes", dialog, "2")
    world.run(1)
    assert [each for each in judged if each[1] == "user"] == [(True, "user", 0), (True, "user", 2)]
