"""What an explanation says happened is what the engine itself tells of a scenario that nobody touches."""

import pytest

from engine.core.exchange.events import (
    BrokerEvent,
    ForwardedMessageDropped,
    MessageClassified,
    MessageUndeliverable,
    TransmissionStatusChanged,
)
from engine.core.vocabulary.identifiers import EventSequence, InstanceName
from engine.training.words import LANGUAGES
from tests.support.training_files import shipped
from tests.support.training_world import TrainingWorld


def events_of(world: TrainingWorld, instance: InstanceName) -> list[BrokerEvent]:
    found: list[BrokerEvent] = []
    last = EventSequence(0)
    while page := world.sandbox.events_after(instance, last, 500):
        found += [event for _, event in page]
        last = page[-1][0]
    return found


def numbers_of(event: BrokerEvent) -> set[int | None]:
    match event:
        case MessageClassified():
            return {event.decision.status}
        case MessageUndeliverable() | ForwardedMessageDropped() | TransmissionStatusChanged():
            return {event.number}
        case _:
            return set()


@pytest.mark.parametrize(
    ("name", "instance", "number"),
    [
        ("first-route", "PARIS", 9750),
        ("name-case", "HAMBURG", 9750),
        ("missing-return-route", "LYON", 9750),
        ("hardened-msdb", "LYON", 9793),
        ("forwarding-off", "HUB", 9792),
        ("routing-loop", "LILLE", 11285),
        ("mirror-failover", "PARIS", 9754),
    ],
)
def test_the_number_comes_from_the_engine(name: str, instance: str, number: int):
    scenario = shipped(name)
    world = TrainingWorld(scenario)
    world.wait(120)
    told = set().union(*map(numbers_of, events_of(world, InstanceName(instance))))
    assert number in told, told
    for language in LANGUAGES:
        assert str(number) in scenario.explanation.of(language)
