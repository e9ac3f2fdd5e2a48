"""Machines that connect and lie: a stranger without a key, an impostor that hosts vouch for, and an outsider.

The outsider is a partner from another estate, which shows a certificate.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import msgspec

from engine.core.catalog.route import NetworkAddress
from engine.core.vocabulary.dialog_security import SecurityKind
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.messages import DialogMessage
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState
from engine.sim.entropy import Dice
from engine.sim.faults.kind import Fault, FaultKind, Struck, Subject, Undo
from engine.sim.history import LetIn
from engine.sim.intruder import FORGERIES, Intruder
from engine.sim.neighbours import OUTSIDER
from engine.sim.network import Network
from engine.sim.scenario import InstanceSpec, Place, Scenario
from engine.sim.server import ESTATE

MALLORY: Final = InstanceName("MALLORY")
"""A machine without an instance."""
SAID_AT_ONCE: Final = 4
PAUSE_SECONDS: Final = 0.5
_CLOSED: Final = frozenset({ConversationState.CLOSED})


def _any_victim(scenario: Scenario, dice: Dice) -> Subject:
    """An instance that is deceived, and the machine that does it: a foreign one, or that of another instance."""
    names = [each.name for each in scenario.instances]
    victim = dice.choose(names)
    machine = dice.choose([MALLORY, *(name for name in names if name != victim)])
    return Subject(instance=victim, other=machine, amount=float(dice.number(0, 1 << 30)))


def _any_victim_of_an_outsider(scenario: Scenario, dice: Dice) -> Subject:
    """Mostly one that forwards: what an outsider says there reaches conversations of others."""
    forwarders = [each.name for each in scenario.instances if each.forwards]
    subject = _any_victim(scenario, dice)
    victim = dice.choose(forwarders) if forwarders and dice.chance(0.7) else subject.instance
    return msgspec.structs.replace(subject, instance=victim, other=OUTSIDER)


def _strike(fault: Fault, struck: Struck, *, has_key: bool) -> Undo:
    subject = fault.subject
    dice = Dice(int(subject.amount), "intruder")
    victim = next(each for each in struck.scenario.instances if each.name == subject.instance)
    journal, agenda = struck.journal, struck.network.agenda
    is_over = False

    def let_in(intruder: Intruder) -> None:
        journal.record(LetIn(at=agenda.seconds, instance=victim.name, machine=subject.other, has_key=has_key))
        lie(intruder)

    def lie(intruder: Intruder) -> None:
        if is_over:
            return
        intruder.say(list(_lies(struck, victim, subject.other, dice)))
        agenda.after(dice.about(PAUSE_SECONDS), lambda: lie(intruder))

    intruder = Intruder(struck.network, dice, (subject.other, victim.name), ESTATE, has_key=has_key, on_login=let_in)
    intruder.dial(victim.address)

    def leave() -> None:
        nonlocal is_over
        is_over = True
        intruder.leave()

    return leave


def _lies(struck: Struck, victim: InstanceSpec, machine: InstanceName, dice: Dice) -> Iterator[DialogMessage]:
    """Some lies about conversations of the victim that are in clear, and on which the machine has nothing to say."""
    ends = [
        (place, row)
        for place, row in (*_ends_at(struck, victim), *_ends_to_come(struck, victim, dice))
        if _is_in_clear(row) and not _is_entitled(struck, victim, machine, place, row)
    ]
    for _ in range(min(SAID_AT_ONCE, len(ends))):
        place, row = dice.choose(ends)
        own = struck.ledger.broker_instance(place)
        if own is not None:
            yield dice.choose(FORGERIES)(row, own, dice)


def _ends_at(struck: Struck, victim: InstanceSpec) -> Iterator[tuple[Place, ConversationEndpoint]]:
    """Whoever forwards is told lies for everybody."""
    for side, row in struck.ledger.endpoints.items():
        if side[0] == victim.name or victim.forwards:
            yield (side[0], side[1]), row


def _ends_to_come(struck: Struck, victim: InstanceSpec, dice: Dice) -> Iterator[tuple[Place, ConversationEndpoint]]:
    """Targets that the victim does not know yet, since the first message is on its way: before or behind it."""
    ledger = struck.ledger
    for side, row in list(ledger.endpoints.items()):
        if not row.is_initiator or ledger.sides[row.conversation_id, False]:
            continue
        home = ledger.broker_instance((side[0], side[1]))
        for database in victim.databases:
            if row.far_service in database.services and row.service != row.far_service:
                yield (
                    (victim.name, database.name),
                    msgspec.structs.replace(
                        row,
                        is_initiator=False,
                        service=row.far_service,
                        far_service=row.service,
                        far_broker_instance=home,
                        send_sequence=0,
                        receive_sequence=dice.number(0, 1),
                    ),
                )


def _is_in_clear(row: ConversationEndpoint) -> bool:
    is_secured = row.security is not None and row.security.kind is not SecurityKind.NONE
    return row.state not in _CLOSED and not is_secured and not row.is_encryption_wanted


def _is_entitled(
    struck: Struck, victim: InstanceSpec, machine: InstanceName, place: Place, row: ConversationEndpoint
) -> bool:
    """As the scenario says, which nobody changes: it has the far end, is on the way to it, or on the way from it."""
    spec = next((each for each in struck.scenario.instances if each.name == machine), None)
    if spec is None:
        return False
    if any(row.far_service in database.services for database in spec.databases):
        return True
    if spec.forwards and (victim.forwards or not row.is_initiator):
        return True
    return not victim.forwards and machine in _next_hops(struck.network, victim, place, row)


def _next_hops(
    network: Network, victim: InstanceSpec, place: Place, row: ConversationEndpoint
) -> Iterator[InstanceName | None]:
    database = next(each for each in victim.databases if each.name == place[1])
    for route in (*database.routes, *victim.routes):
        if route.service_name in (None, row.far_service):
            for address in (route.address, route.mirror_address):
                if isinstance(address, NetworkAddress):
                    yield network.name_of(address.tcp, victim.name)


KINDS: Final = (
    FaultKind(
        name="stranger",
        lasts=(1.0, 20.0),
        choose=_any_victim,
        strike=partial(_strike, has_key=False),
        holds=lambda subject: ("stranger", subject.instance, subject.other),
    ),
    FaultKind(
        name="impostor",
        lasts=(1.0, 30.0),
        choose=_any_victim,
        strike=partial(_strike, has_key=True),
        holds=lambda subject: ("impostor", subject.instance, subject.other),
    ),
    FaultKind(
        name="outsider",
        lasts=(1.0, 30.0),
        choose=_any_victim_of_an_outsider,
        strike=partial(_strike, has_key=True),
        holds=lambda subject: ("outsider", subject.instance, subject.other),
    ),
)
