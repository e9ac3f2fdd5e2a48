"""Errors that are planted into the what-if, one at a time: the comparison with the simulator finds each of them."""

from functools import cache

import msgspec
import pytest

from engine.core.catalog.security import PUBLIC
from engine.whatif import acceptance, beginning, faults, legs, reach, speech, tracing
from engine.whatif.beginning import spoken
from engine.whatif.disposition import ARRIVED, LegKind
from engine.whatif.snapshot import Snapshot
from engine.whatif.speech import Definitions
from engine.whatif.tracing import _Tracer
from tests.support.random_estates import Case, random_case
from tests.support.secured_estates import secured_case
from tests.support.thoroughness import share
from tests.support.truth import COURSES_MAX, Forecast, at_large, replay

SEEDS_MAX = 5000
"""The rarest of the errors shows in one estate of a thousand."""


def principal_of_the_first_address_alone(original=_Tracer._mirrored):
    return lambda self, instance, pair: original(self, instance, pair)[:1]


def once_for_each_name(self, instance, fault):
    self._changed.setdefault(instance, []).append(fault)


def forgetting_its_path(original=tracing.trace):
    return lambda *place, before=None, **fields: original(*place, **fields)


def refused_by_nobody(original=Definitions.begun):
    return lambda *asked: tuple(msgspec.structs.replace(each, fault=None) for each in original(*asked))


PLANTED: dict[str, list[tuple[object, str, object]]] = {
    "a queue that is off takes messages all the same": [
        (acceptance, "parked", lambda snapshot, way, service: way),
    ],
    "anybody may send": [(acceptance, "may_send", lambda *asked: True)],
    "every owner may receive": [(acceptance, "may_receive", lambda *asked: True)],
    "a conversation is known wherever its broker id is": [(legs, "returned", lambda way, home, is_reply: way)],
    "every refusal is heard": [(legs.Trip, "_answered", lambda self, way, *to, **fields: [way])],
    "a reply forgets the path of its acknowledgement": [(legs, "trace", forgetting_its_path())],
    "a cut link lets everything through": [(faults.Faults, "is_cut", lambda self, one, other: False)],
    "a pair fails over once for each name": [(faults.Faults, "_change", once_for_each_name)],
    "endpoints always agree": [(reach, "login_fault", lambda dialling, accepting, at: None)],
    "whatever is secured is opened": [(acceptance, "opening_fault", lambda *asked: None)],
    "every dialog is in clear": [(legs, "security_of", lambda snapshot, asked: None)],
    "every sender is a stranger": [(acceptance, "principal_of", lambda *asked: PUBLIC)],
    "within an instance no key is needed": [(acceptance, "fault_within", lambda here, there: None)],
    "a sender that cannot connect stays where it is": [(_Tracer, "_moves_on", lambda self, choice, dial: False)],
    "nobody is asked for a binding": [(Snapshot, "asks_for_binding", lambda self, *asked: False)],
    "of two principals the first gets everything": [(_Tracer, "_mirrored", principal_of_the_first_address_alone())],
    "every partner is the principal": [(Snapshot, "is_principal", lambda self, instance, broker: True)],
    "every service takes every contract": [(Definitions, "first_fault", lambda self, *asked: None)],
    "a reply is of any type": [(Definitions, "reply_fault", lambda self, *asked: None)],
    "every contract is in every database": [
        (Definitions, "begun", refused_by_nobody()),
    ],
    "an initiator may send what the target may": [(speech, "send_fault", lambda use, is_initiator: None)],
    "what a queue keeps is sent while it is off": [(beginning, "queue_fault", lambda database, service: None)],
    "a message has one hop more": [(tracing, "HOPS_MAX", tracing.HOPS_MAX + 1)],
    "a message has one hop less": [(tracing, "HOPS_MAX", tracing.HOPS_MAX - 1)],
}


@cache
def sound(seed: int) -> Forecast:
    """What is foreseen by the what-if as it is, of which `test_what_if_equals_the_simulator` shows that it happens."""
    return Forecast(case_of(seed))


def case_of(seed: int) -> Case:
    """Every other estate is a secured one."""
    return secured_case(seed) if seed % 2 else random_case(seed)


def differs(forecast: Forecast, seed: int) -> bool:
    """Whether the what-if says of an estate what the world does not do."""
    return any(replay(forecast, course, seed) for course in forecast.courses[:COURSES_MAX]) or bool(
        at_large(forecast, seed)
    )


def said(forecast: Forecast) -> tuple[object, ...]:
    """All that is compared with the world, and the words that a world takes from the what-if."""
    snapshot, flow = forecast.snapshot, forecast.case.flow
    begun = spoken(snapshot, flow)
    replied = [
        snapshot.definitions.reply((way.instance, way.database), (flow.instance, flow.database), begun.contract)
        for way in forecast.ways_of(LegKind.MESSAGE)
        if way.disposition in ARRIVED
    ]
    return forecast.courses, forecast.is_race, snapshot.catalogs, begun, replied


@pytest.mark.interpreted
@pytest.mark.parametrize("error", share(list(PLANTED), 4))
def test_a_planted_error_is_found(monkeypatch: pytest.MonkeyPatch, error: str):
    """The world is asked only where the error changes what is said of it: elsewhere there is nothing to find."""

    def is_found(seed: int) -> bool:
        unplanted = said(sound(seed))
        with monkeypatch.context() as plant:
            for where, name, instead in PLANTED[error]:
                plant.setattr(where, name, instead)
            forecast = Forecast(case_of(seed))
            return said(forecast) != unplanted and differs(forecast, seed)

    assert any(is_found(seed) for seed in range(SEEDS_MAX))
