"""protocol.md 2 and 3.2 (E): headers that contradict themselves are discarded with their number and change nothing."""

import uuid

import msgspec
import pytest

from engine.core.exchange.events import MessageCorrupted, MessageUndeliverable
from engine.core.vocabulary.messages import Acknowledgement, Fragment, MessageKind
from engine.core.vocabulary.rows import put_together
from tests.support.dialogs import make_pair

USER, END, ERROR, ACK = MessageKind.USER, MessageKind.END_DIALOG, MessageKind.ERROR, MessageKind.ACKNOWLEDGEMENT


@pytest.fixture
def sent():
    """LYON after one message of PARIS, and that message to be changed."""
    world, paris, lyon = make_pair()
    seen = []
    carry = paris.send
    paris.send = lambda outbound: (seen.append(outbound.message), carry(outbound))
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "bonjour")
    world.run(2)
    return world, lyon, seen[0]


@pytest.mark.parametrize(
    ("number", "fields"),
    [
        (11276, {"kind": END, "message_type": None, "sequence": None}),
        (11277, {"kind": END, "message_type": None, "sequence": 0}),
        (11277, {"kind": ERROR, "message_type": None, "sequence": 0}),
        (11278, {"kind": USER, "message_type": None, "sequence": 1}),
        (11279, {"kind": END, "message_type": "DEFAULT", "sequence": 1}),
        (11279, {"kind": ERROR, "message_type": "DEFAULT", "sequence": 1}),
        (11279, {"kind": ACK, "message_type": "DEFAULT", "sequence": None}),
        (11281, {"kind": USER, "sequence": None}),
        (11298, {"sequence": 1, "fragment": Fragment(2, 4, 8)}),
        (11298, {"sequence": 1, "fragment": Fragment(0, 7, 7)}),
        (11298, {"sequence": 1, "fragment": Fragment(0, 6, 20)}),
        (11298, {"sequence": None, "kind": ERROR, "message_type": None, "fragment": Fragment(0, 7, 20)}),
        (28007, {"sequence": 1, "acknowledgement": Acknowledgement(1, 0, uuid.UUID(int=7))}),
        (28007, {"kind": ACK, "message_type": None, "sequence": None, "acknowledgement": Acknowledgement(0, -1, None)}),
        (11299, {"kind": ACK, "message_type": None, "sequence": 1}),
        (11203, {"source": msgspec.UNSET}),
    ],
)
def test_a_corrupted_header_is_named_and_changes_nothing(sent, number, fields):
    world, lyon, transit = sent
    if fields.get("source") is msgspec.UNSET:
        fields = {"source": msgspec.structs.replace(transit.message.source, broker_instance=None)}
    corrupted = msgspec.structs.replace(transit.message, **fields)
    before = lyon.view("Stock"), put_together(lyon.store.load().databases)
    transmissions = world.transmissions
    lyon.feed(msgspec.structs.replace(transit, message=corrupted))
    told, never_told = (
        (MessageCorrupted, MessageUndeliverable) if number > 11234 else (MessageUndeliverable, MessageCorrupted)
    )
    assert [event.number for event in lyon.told(told)] == [number]
    assert lyon.told(never_told) == []
    assert (lyon.view("Stock"), put_together(lyon.store.load().databases)) == before
    assert world.transmissions == transmissions, "nothing is acknowledged"


def named(transit, **fields):
    """The header with other names: `source` and `target` as names only."""
    for party in ("source", "target"):
        if party in fields:
            own = getattr(transit.message, party)
            fields[party] = msgspec.structs.replace(own, service_name=fields[party])
    return msgspec.structs.replace(transit, message=msgspec.structs.replace(transit.message, **fields))


@pytest.mark.parametrize(
    ("number", "fields"),
    [
        (11201, {"source": ""}),
        (11202, {"source": "x" * 257}),
        (11202, {"source": "x" * 5_000}),
        (11205, {"target": ""}),
        (11206, {"target": "\U0001f600" * 129}),
        (11207, {"contract": ""}),
        (11208, {"contract": "x" * 129}),
        (11225, {"message_type": ""}),
        (11226, {"message_type": "x" * 129}),
    ],
)
def test_a_message_with_a_name_that_is_missing_or_too_long_begins_nothing(sent, number, fields):
    world, lyon, transit = sent
    before, transmissions = lyon.view("Stock"), world.transmissions
    fields |= {"conversation_id": uuid.UUID(int=7)}
    lyon.feed(named(transit, **fields))
    world.run(20)
    assert [event.number for event in lyon.told(MessageUndeliverable)] == [number]
    assert (lyon.view("Stock"), world.transmissions) == (before, transmissions)


def test_the_longest_names_there_can_be_are_taken(sent):
    world, lyon, transit = sent
    lyon.feed(named(transit, conversation_id=uuid.UUID(int=7), source="x" * 256))
    world.run(1)
    assert len(lyon.view("Stock").conversation_endpoints) == 2
    lyon.feed(named(transit, conversation_id=uuid.UUID(int=8), target="\U0001f600" * 128))
    world.run(1)
    assert [event.number for event in lyon.told(MessageUndeliverable)] == [11210]


def test_a_target_that_does_not_say_which_database_it_answers_is_not_heard(sent):
    _, lyon, transit = sent
    anybody = msgspec.structs.replace(transit.message.target, broker_instance=None)
    answer = msgspec.structs.replace(transit.message, from_initiator=False, sequence=0, target=anybody)
    lyon.feed(msgspec.structs.replace(transit, message=answer))
    assert [event.number for event in lyon.told(MessageUndeliverable)] == [11220]


def test_a_fragment_that_does_not_fit_those_that_are_here_is_discarded(sent):
    _, lyon, transit = sent

    def feed(fragment, body):
        message = msgspec.structs.replace(transit.message, sequence=1, fragment=fragment, body=body)
        lyon.feed(msgspec.structs.replace(transit, message=message))

    feed(Fragment(0, 4, 10), b"abcd")
    feed(Fragment(1, 5, 10), b"efghi")
    assert [event.number for event in lyon.told(MessageCorrupted)] == [11298]
    feed(Fragment(1, 4, 10), b"efgh")
    feed(Fragment(2, 4, 10), b"ij")
    assert [row.message_body for row in lyon.receive("Stock", "Entrepôt")] == [b"bonjour", b"abcdefghij"]


def test_a_whole_message_takes_the_place_of_its_fragments_when_the_route_has_become_a_local_one(sent):
    _, lyon, transit = sent
    part = msgspec.structs.replace(transit.message, sequence=1, fragment=Fragment(0, 4, 10), body=b"abcd")
    whole = msgspec.structs.replace(transit.message, sequence=1, body=b"abcdefghij")
    for message in (part, whole):
        lyon.feed(msgspec.structs.replace(transit, message=message))
    assert lyon.told(MessageUndeliverable) == []
    assert [row.message_body for row in lyon.receive("Stock", "Entrepôt")] == [b"bonjour", b"abcdefghij"]
    assert put_together(lyon.store.load().databases)[-1].queues == {}


@pytest.mark.parametrize(
    "fields",
    [
        {"up_to": 1, "highest_seen": 1},
        {"up_to": 0, "highest_seen": 1},
        {"up_to": 0, "highest_seen": 0, "fragments": 1},
        {"up_to": -1, "highest_seen": 0, "fragments": 1},
    ],
)
def test_an_acknowledgement_of_what_was_never_sent_is_28010_and_pins_nothing(fields):
    world, paris, lyon = make_pair()
    world.loses = lambda message: message.acknowledgement is not None
    answers = []
    carry = lyon.send
    lyon.send = lambda outbound: (answers.append(outbound.message), carry(outbound))
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "bonjour")
    world.run(2)
    transit = answers[0]
    own = transit.message.acknowledgement.broker_instance
    wrong = msgspec.structs.replace(transit.message, acknowledgement=Acknowledgement(broker_instance=own, **fields))
    paris.feed(msgspec.structs.replace(transit, message=wrong))
    assert [event.number for event in paris.told(MessageUndeliverable)] == [28010]
    view = paris.view("Ventes")
    assert view.transmission_queue_total == 1
    assert view.conversation_endpoints[0].far_broker_instance is None
