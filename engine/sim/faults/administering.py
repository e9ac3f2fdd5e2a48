"""What operators do that must harm nobody: services moved to another queue, conversations to another group, timers."""

from __future__ import annotations

from functools import partial
from typing import Final

from engine.core.catalog.changes import ServiceAltered
from engine.core.exchange.commands import BeginConversationTimer, MoveConversation
from engine.core.vocabulary.identifiers import ServiceName
from engine.core.vocabulary.rows import ConversationEndpoint
from engine.sim.entropy import Dice
from engine.sim.faults.breaking import ENDED, any_conversation, any_service, conversation, held_service
from engine.sim.faults.kind import INSTANT, Fault, FaultKind, Struck, Subject, Undo, nothing_to_undo
from engine.sim.scenario import MOVES_SERVICES, Scenario, queue_name, spare_queue_name

TIMEOUT_SECONDS: Final = (1, 30)
"""Shortest and longest TIMEOUT of a conversation timer."""


def _move_service(fault: Fault, struck: Struck) -> Undo:
    """ALTER SERVICE … ON QUEUE, and back. The messages of its conversations go along."""
    subject = fault.subject
    operator, name = struck.operators[subject.instance], ServiceName(subject.name)
    operator.change(ServiceAltered(database=subject.database, name=name, queue=spare_queue_name(name)))
    return lambda: operator.change(ServiceAltered(database=subject.database, name=name, queue=queue_name(name)))


def _move_conversation(fault: Fault, struck: Struck) -> Undo | None:
    """MOVE CONVERSATION into the group of another one of its service."""
    found = conversation(fault, struck, _is_open)
    if found is None:
        return None
    other = conversation(
        fault,
        struck,
        lambda row: (
            _is_open(row) and row.service == found.service and row.conversation_group_id != found.conversation_group_id
        ),
    )
    if other is None:
        return None
    site = struck.sites[fault.subject.instance, fault.subject.database]
    command = MoveConversation(
        command_id=struck.clerk.new_id(),
        database=site.database,
        conversation_handle=found.conversation_handle,
        conversation_group_id=other.conversation_group_id,
    )
    struck.clerk.ask(site, command, lambda reply: None)
    return nothing_to_undo


def _set_timer(fault: Fault, struck: Struck) -> Undo | None:
    """BEGIN CONVERSATION TIMER, of a conversation that may have one already."""
    found = conversation(fault, struck, _is_open)
    if found is None:
        return None
    site = struck.sites[fault.subject.instance, fault.subject.database]
    command = BeginConversationTimer(
        command_id=struck.clerk.new_id(),
        database=site.database,
        conversation_handle=found.conversation_handle,
        timeout_seconds=int(fault.subject.name),
    )
    struck.clerk.ask(site, command, lambda reply: None)
    return nothing_to_undo


def _any_timer(scenario: Scenario, dice: Dice) -> Subject | None:
    found = any_conversation(scenario, dice)
    if found is None:
        return None
    seconds = dice.number(*TIMEOUT_SECONDS)
    return Subject(instance=found.instance, database=found.database, amount=found.amount, name=str(seconds))


def _is_open(row: ConversationEndpoint) -> bool:
    return row.state not in ENDED


def _held(what: str, subject: Subject) -> tuple[str, ...]:
    return (what, subject.instance, subject.database)


KINDS: Final = (
    FaultKind(name=MOVES_SERVICES, lasts=(0.5, 30.0), choose=any_service, strike=_move_service, holds=held_service),
    FaultKind(
        name="conversation-move",
        lasts=INSTANT,
        choose=any_conversation,
        strike=_move_conversation,
        holds=partial(_held, "conversation"),
    ),
    FaultKind(
        name="conversation-timer",
        lasts=INSTANT,
        choose=_any_timer,
        strike=_set_timer,
        holds=partial(_held, "timer"),
    ),
)
