"""Mutants of the standard world: errors in the broker that the simulator's checkers must catch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from engine.core import instance
from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.dialog.receiver import Arrival, DialogReceiver
from engine.core.dialog.sender import DialogSender
from engine.core.exchange.changes import AppendQueue, PutEndpoint
from engine.core.forwarding.transmitter import TransmitterQueue
from engine.core.handlers import acknowledging, catalog_keeping, closing, conversations, inbound, taking
from engine.core.handlers.broker import Broker
from engine.core.handlers.collecting import OutcomeCollector
from engine.core.vocabulary.messages import LinkChange, LinkState, MessageKind
from engine.core.vocabulary.rows import QueueRowStatus
from engine.runtime.driver import InstanceDriver
from engine.sim.scenario import Scenario
from engine.storage.memory import MemoryStore
from tests.mutants.planting import Patch
from tests.mutants.stages import does_nothing, mutant, only


def _economical(scenario: Scenario) -> Scenario:
    """Five per cent loss: a sound sender needs less than twice as many transmissions as there are messages."""
    stage = only("a burst that fills the window", "neighbours", loss=0.05)(scenario)
    return msgspec.structs.replace(stage, amplification_max=2.0)


# ── commit and send ──────────────────────────────────────────────────────────────────────────────────────────────────
def _sending_first(early: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """Some of the sends leave before the commit."""

    def make(before: Any) -> Any:
        def obey(self: InstanceDriver, outcome: Any, remembered: Any, now: Any) -> None:
            for outbound in outcome.sends:
                if early(outbound.message.message):
                    self._transport.send(outbound)
            rest = tuple(each for each in outcome.sends if not early(each.message.message))
            # What was handed over is on the wire before the disk is asked.
            self._transport.flush()
            before(self, msgspec.structs.replace(outcome, sends=rest), remembered, now)

        return obey

    return make


def _outcome_without_positions(before: Any) -> Any:
    def outcome(self: OutcomeCollector) -> Any:
        found = before(self)
        delivers = any(isinstance(change, AppendQueue) for change in found.changes)
        changes = tuple(change for change in found.changes if not (delivers and isinstance(change, PutEndpoint)))
        return msgspec.structs.replace(found, changes=changes)

    return outcome


def _restore_without_transmission(before: Any) -> Any:
    def restore(broker: Broker, rows: Any) -> None:
        rows.transmission, rows.spans = [], []
        before(broker, rows)

    return restore


def _commit_in_halves(before: Any) -> Any:
    def commit(self: MemoryStore, changes: Any, events: Any) -> Any:
        self._undo = _Forgetful()
        return before(self, changes, events)

    return commit


class _Forgetful(list):
    """An undo log that keeps nothing."""

    def append(self, _: Any) -> None:
        """Forget it at once."""


# ── one direction of a dialog ────────────────────────────────────────────────────────────────────────────────────────
def _arrival(mistaken: Arrival, taken_for: Arrival) -> Callable[[Any], Any]:
    def make(before: Any) -> Any:
        def classify(self: DialogReceiver, number: int, *rest: Any) -> Arrival:
            found = before(self, number, *rest)
            return taken_for if found is mistaken else found

        return classify

    return make


def _one_more(before: Any) -> Any:
    return lambda self, up_to, *rest: before(self, up_to + 1, *rest)


def _trims_one_more(before: Any) -> Any:
    return lambda self, endpoint, through: before(self, endpoint, through + 1)


def _all_again(before: Any) -> Any:
    def acknowledge(self: DialogSender, *arguments: Any) -> bool:
        is_news = before(self, *arguments)
        if is_news:
            self.start_over()
        return bool(is_news)

    return acknowledge


def _ready_at_once(before: Any) -> Any:
    def put(broker: Any, endpoint: Any, number: int, message_type: Any, body: Any, *rest: Any) -> Any:
        return before(broker, endpoint, number, message_type, body, QueueRowStatus.READY)

    return put


def _goodbye_first(before: Any) -> Any:
    def say_goodbye(broker: Broker, endpoint: Any, error: Any) -> None:
        broker.clear_transmission(endpoint)
        before(broker, endpoint, error)

    return say_goodbye


def _forgets_closed(before: Any) -> Any:
    def close(broker: Broker, endpoint: Any, *happening: Any) -> None:
        before(broker, endpoint, *happening)
        if broker.knows(endpoint):
            broker.forget(endpoint)

    return close


# ── between instances ────────────────────────────────────────────────────────────────────────────────────────────────
def _keeps_hops(before: Any) -> Any:
    def take(self: TransmitterQueue, *arguments: Any) -> Any:
        sent, expired = before(self, *arguments)
        return [msgspec.structs.replace(each, hops_remaining=each.hops_remaining + 1) for each in sent], expired

    return take


def _deaf_to_closing(before: Any) -> Any:
    def link_changed(broker: Broker, change: Any) -> None:
        if change.state is not LinkState.CLOSED:
            before[LinkChange](broker, change)

    return {**before, LinkChange: link_changed}


def mirrors_deliver(before: Any) -> Any:
    def can_deliver(self: DatabaseCatalog) -> bool:
        return bool(before.fget(self)) or self.state is DatabaseState.MIRROR

    return property(can_deliver)


def never_unavailable(before: Any) -> Any:
    return lambda database: None if database.state is DatabaseState.MIRROR else before(database)


EXACTLY_ONCE, CONSERVATION, DURABILITY = "exactly-once-in-order", "conservation", "durability"
PINNING, HOPS = "pinning", "hops"
MIRROR, BOUNDS, AMPLIFICATION, CONVERGENCE, REPLIES = (
    "mirror-rule",
    "bounds",
    "amplification",
    "convergence",
    "replies",
)

MUTANTS = (
    mutant(
        "send before commit",
        Patch(InstanceDriver, "_obey", _sending_first(lambda message: True)),
        by=(DURABILITY,),
    ),
    mutant(
        "acknowledge before commit",
        Patch(InstanceDriver, "_obey", _sending_first(lambda message: message.kind is MessageKind.ACKNOWLEDGEMENT)),
        by=(DURABILITY,),
    ),
    mutant(
        "receive position not committed with the delivery",
        Patch(OutcomeCollector, "outcome", _outcome_without_positions),
        by=(EXACTLY_ONCE, CONSERVATION),
    ),
    mutant(
        "transmission queue forgotten at a restart",
        Patch(instance, "restore", _restore_without_transmission),
        by=(EXACTLY_ONCE, CONVERGENCE),
        stage=only("neighbours", crash=10),
    ),
    mutant(
        "half a commit is kept",
        Patch(MemoryStore, "commit", _commit_in_halves),
        by=(EXACTLY_ONCE, CONSERVATION, CONVERGENCE, BOUNDS),
        stage=only("neighbours", "through a forwarder", torn_commit=12),
    ),
    mutant(
        "a command that comes twice is obeyed twice",
        Patch(MemoryStore, "reply_of", does_nothing),
        by=(EXACTLY_ONCE, REPLIES),
        stage=only("neighbours", redelivery=0.2),
    ),
    mutant(
        "no duplicate check: old messages are held",
        Patch(DialogReceiver, "classify", _arrival(Arrival.DUPLICATE, Arrival.EARLY)),
        by=(BOUNDS, CONVERGENCE),
    ),
    mutant(
        "no duplicate check: old messages are delivered",
        Patch(DialogReceiver, "classify", _arrival(Arrival.DUPLICATE, Arrival.NEXT)),
        by=(EXACTLY_ONCE,),
    ),
    mutant("early messages are delivered at once", Patch(taking, "put_into_queue", _ready_at_once), by=(EXACTLY_ONCE,)),
    mutant(
        "an acknowledgement trims one too many",
        Patch(DialogSender, "acknowledge", _one_more),
        Patch(Broker, "trim_transmission", _trims_one_more),
        by=(CONSERVATION, EXACTLY_ONCE),
    ),
    mutant(
        "what is held is acknowledged",
        Patch(DialogReceiver, "up_to", lambda _: property(lambda self: self.highest_seen)),
        by=(CONSERVATION, EXACTLY_ONCE, CONVERGENCE),
    ),
    mutant("retry never", Patch(DialogSender, "_overdue", lambda _: lambda self, now: []), by=(CONVERGENCE,)),
    mutant(
        "window without end",
        Patch(DialogSender, "_fits", lambda _: lambda self, size: True),
        by=(BOUNDS,),
        stage=only("a burst that fills the window", route_drop=8, link_break=8),
    ),
    mutant(
        "everything again at each acknowledgement",
        Patch(DialogSender, "acknowledge", _all_again),
        by=(AMPLIFICATION,),
        stage=_economical,
    ),
    mutant(
        "END deletes what was not sent yet",
        Patch(conversations, "_say_goodbye", _goodbye_first),
        by=(CONSERVATION, CONVERGENCE, EXACTLY_ONCE),
    ),
    mutant(
        "no replay guard",
        Patch(closing, "close", _forgets_closed),
        Patch(inbound, "close", _forgets_closed),
        Patch(conversations, "close", _forgets_closed),
        by=(EXACTLY_ONCE,),
    ),
    mutant("pin never", Patch(acknowledging, "_pin", does_nothing), by=(PINNING,)),
    mutant(
        "a second target may go on",
        Patch(inbound, "_is_second_target", lambda _: lambda endpoint, message: False),
        by=(EXACTLY_ONCE, CONSERVATION, CONVERGENCE),
        stage=only("one of two copies", dialogs=(20, 20), route_drop=20, one_way_partition=20, crash=10),
    ),
    mutant("hop never counted", Patch(TransmitterQueue, "take", _keeps_hops), by=(HOPS,)),
    mutant(
        "deliver to a mirror copy",
        Patch(DatabaseCatalog, "can_deliver", mirrors_deliver),
        Patch(inbound, "unavailable_reason", never_unavailable),
        Patch(catalog_keeping, "unavailable_reason", never_unavailable),
        by=(MIRROR,),
        stage=only("through a forwarder", route_astray=20),
    ),
    mutant("a lost connection is not noticed", Patch(instance, "EVENT_HANDLERS", _deaf_to_closing), by=(CONVERGENCE,)),
)
