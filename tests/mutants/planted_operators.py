"""Mutants of what operators do: services dropped and moved, brokers renewed, conversations cleaned up, timers."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.core import instance
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.exchange.commands import EndConversation
from engine.core.handlers import catalog, conversation_timers, conversations, identity, queue_keeping
from engine.core.handlers.broker import Broker
from engine.core.queues.queue import ServiceQueue
from engine.core.vocabulary.moment import NEVER_SET, UtcTime
from tests.mutants.planted import EXACTLY_ONCE
from tests.mutants.planting import Patch
from tests.mutants.stages import does_nothing, in_world, mutant

EARLY_SECONDS = 3.0
ENDINGS, CLEANUPS, TIMERS, GROUPS = "endings", "cleanups", "timers", "groups"


def _of_every_database(before: Any) -> Any:
    def conversations_of(broker: Broker, database: Any) -> Any:
        return [each for name in broker.catalog.databases for each in before(broker, name)]

    return conversations_of


def _early(before: Any) -> Any:
    def fire_if_due(broker: Broker, endpoint: DialogEndpoint) -> None:
        at, now = endpoint.row.dialog_timer, broker.now.utc
        if at != NEVER_SET and now < at <= now + EARLY_SECONDS:
            endpoint.revise(dialog_timer=UtcTime(now))
        before(broker, endpoint)

    return fire_if_due


def _twice(before: Any) -> Any:
    def fire_if_due(broker: Broker, endpoint: DialogEndpoint) -> None:
        at = endpoint.row.dialog_timer
        before(broker, endpoint)
        if at != NEVER_SET and endpoint.row.dialog_timer == NEVER_SET and broker.knows(endpoint):
            endpoint.revise(dialog_timer=at)
            before(broker, endpoint)

    return fire_if_due


def _without_timers(before: Any) -> Any:
    def restore(broker: Broker, rows: Any) -> None:
        rows.endpoints = [msgspec.structs.replace(row, dialog_timer=NEVER_SET) for row in rows.endpoints]
        before(broker, rows)

    return restore


def _errors_are_cleanups(before: Any) -> Any:
    def end(broker: Broker, command: EndConversation) -> Any:
        if command.error_code is not None:
            command = msgspec.structs.replace(command, error_code=None, error_description=None, with_cleanup=True)
        return before[EndConversation](broker, command)

    return {**before, EndConversation: end}


MUTANTS_OF_OPERATORS = (
    mutant(
        "DROP SERVICE leaves its conversations",
        Patch(catalog, "move", does_nothing),
        by=(ENDINGS,),
        stage=in_world("operators", "neighbours", "through a forwarder", service_drop=10),
    ),
    mutant(
        "NEW_BROKER ends nothing",
        Patch(identity, "end_for_new_broker", does_nothing),
        by=(ENDINGS,),
        stage=in_world("operators", "neighbours", "through a forwarder", new_broker=10),
    ),
    mutant(
        "NEW_BROKER ends the conversations of other databases too",
        Patch(identity, "conversations_of", _of_every_database),
        by=(ENDINGS,),
        stage=in_world("operators", "within one instance", "neighbours", new_broker=10),
    ),
    mutant(
        "a clean-up leaves messages in the queue",
        Patch(queue_keeping.QueueKeeper, "clear_queue_of", does_nothing),
        by=(CLEANUPS,),
        stage=in_world("operators", "neighbours", "through a forwarder", end_with_cleanup=30),
    ),
    mutant(
        "END WITH ERROR tells nobody",
        Patch(instance, "COMMAND_HANDLERS", _errors_are_cleanups),
        by=(EXACTLY_ONCE,),
        stage=in_world("operators", "neighbours", "through a forwarder", end_with_error=30),
    ),
    mutant(
        "a service that moves turns its messages round",
        Patch(queue_keeping, "_turn", lambda _: lambda row: row.queuing_order),
        by=(EXACTLY_ONCE,),
        stage=in_world("operators", "neighbours", "through a forwarder", service_move=30, loss=0.2, reordering=0.3),
    ),
    mutant(
        "a conversation is moved without its messages",
        Patch(ServiceQueue, "regroup", lambda _: lambda self, handle, group: []),
        by=(GROUPS,),
        stage=in_world("operators", conversation_move=40),
    ),
    mutant(
        "END leaves the timer running",
        Patch(conversations, "clear_timer", does_nothing),
        by=(TIMERS,),
        stage=in_world("operators", conversation_timer=40),
    ),
    mutant(
        "a timer fires too early",
        Patch(conversation_timers, "fire_if_due", _early),
        by=(TIMERS,),
        stage=in_world("operators", conversation_timer=40),
    ),
    mutant(
        "a timer fires twice",
        Patch(conversation_timers, "fire_if_due", _twice),
        by=(TIMERS,),
        stage=in_world("operators", conversation_timer=40),
    ),
    mutant(
        "timers are forgotten at a restart",
        Patch(instance, "restore", _without_timers),
        by=(TIMERS,),
        stage=in_world("operators", conversation_timer=40, crash=10),
    ),
)
