"""Mutants of the other worlds: failover, readers' transactions, fragments, keys, priorities, backups."""

from __future__ import annotations

from typing import Any

import msgspec
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

from engine.core import instance
from engine.core.catalog import attaching
from engine.core.catalog.database import DatabaseCatalog
from engine.core.dialog.receiver import Arrival, DialogReceiver
from engine.core.exchange.commands import RollbackTransaction
from engine.core.exchange.replies import TransactionEnded
from engine.core.handlers import backups, catalog_keeping, inbound, securing, serving, transactions
from engine.core.handlers.broker import Broker
from engine.core.handlers.collecting import OutcomeCollector
from engine.core.queues.poison import PoisonBook
from engine.core.queues.queue import ServiceQueue
from engine.core.transmission.send_order import SendOrder
from engine.core.vocabulary.limits import PRIORITY_LEVEL_DEFAULT
from engine.security.symmetric import BLOCK, Md5SessionKey
from tests.mutants.planted import (
    BOUNDS,
    CONSERVATION,
    CONVERGENCE,
    EXACTLY_ONCE,
    MIRROR,
    mirrors_deliver,
    never_unavailable,
)
from tests.mutants.planting import Patch
from tests.mutants.stages import does_nothing, in_world, mutant


def _commits_instead(before: Any) -> Any:
    def rollback(broker: Broker, command: Any) -> Any:
        transactions.commit(broker, command)
        return TransactionEnded(committed=False)

    return {**before, RollbackTransaction: rollback}


def _fragments_again(before: Any) -> Any:
    def classify(self: DialogReceiver, number: int, fragment: Any = None, *rest: Any) -> Arrival:
        found = before(self, number, fragment, *rest)
        is_held = fragment is not None and number >= self.next_number
        return Arrival.EARLY if found is Arrival.DUPLICATE and is_held else found

    return classify


def _believes_everything(before: Any) -> Any:
    def open_anything(self: Md5SessionKey, header: bytes, protected: Any) -> Any:
        found = before(self, header, protected)
        if found is not None or not protected.body or len(protected.body) % BLOCK or len(protected.salt) != BLOCK:
            return found
        decryptor = Cipher(AES(self.material), CBC(protected.salt)).decryptor()
        stream = decryptor.update(protected.mic + protected.body)
        return stream[BLOCK : len(stream) - stream[-1]]

    return open_anything


def _all_alike(before: Any) -> Any:
    def add(self: SendOrder, outbounds: Any, priority: int) -> None:
        before(self, outbounds, PRIORITY_LEVEL_DEFAULT)

    return add


def _eldest_first(before: Any) -> Any:
    def append(self: ServiceQueue, row: Any) -> None:
        before(self, row)
        self._best = sorted((-5, order) for _, order in self._best)

    return append


def _answered_twice(before: Any) -> Any:
    def reply_late(self: OutcomeCollector, command_id: Any, reply: Any) -> None:
        before(self, command_id, reply)
        before(self, command_id, reply)

    return reply_late


def _without_transmission(before: Any) -> Any:
    return lambda broker, rows: before(broker, msgspec.structs.replace(rows, transmission=[]))


SEND_PRIORITIES = "send-priorities"
WAITS = "waits"
ROLLBACKS, POISON, PRIORITIES, SECRECY, IDENTITY = "rollbacks", "poison", "priorities", "secrecy", "identity"

MUTANTS_ELSEWHERE = (
    mutant(
        "the old principal goes on after a failover",
        Patch(DatabaseCatalog, "can_deliver", mirrors_deliver),
        Patch(inbound, "unavailable_reason", never_unavailable),
        Patch(catalog_keeping, "unavailable_reason", never_unavailable),
        by=(MIRROR,),
        stage=in_world("mirrors", failover=20, partition=10, link_break=10),
    ),
    mutant(
        "a rollback commits",
        Patch(instance, "COMMAND_HANDLERS", _commits_instead),
        by=(ROLLBACKS, EXACTLY_ONCE),
        stage=in_world("traffic", "urgent", crash=1),
    ),
    mutant(
        "a rollback forgets its messages",
        Patch(ServiceQueue, "put_back", does_nothing),
        by=(CONVERGENCE, ROLLBACKS),
        stage=in_world("traffic", "urgent", crash=0.5),
    ),
    mutant(
        "poison is never noticed",
        Patch(PoisonBook, "rolled_back", lambda _: lambda self, *queue: False),
        by=(POISON,),
        stage=in_world("traffic", "urgent", "large and small"),
    ),
    mutant(
        "a fragment is taken twice",
        Patch(DialogReceiver, "classify", _fragments_again),
        by=(BOUNDS,),
        stage=in_world("traffic", "large and small", loss=0.15, duplication=0.3),
    ),
    mutant(
        "the integrity check is not checked",
        Patch(Md5SessionKey, "open", _believes_everything),
        by=(SECRECY, CONSERVATION, EXACTLY_ONCE),
        stage=in_world("secured", "full", tampering=0.3),
    ),
    mutant(
        "a secured dialog leaves in clear",
        Patch(securing, "secured", lambda _: lambda broker, database, message: message),
        by=(SECRECY,),
        stage=in_world("secured", "full"),
    ),
    mutant(
        "the eldest message is received first",
        Patch(ServiceQueue, "append", _eldest_first),
        by=(PRIORITIES,),
        stage=in_world("traffic", "urgent", "large and small"),
    ),
    mutant(
        "messages leave as they come, whatever their priority",
        Patch(SendOrder, "add", _all_alike),
        by=(SEND_PRIORITIES,),
        # Conversations leave together when the connection that all of them wait for is back.
        stage=in_world("traffic", "urgent", "large and small", **{"link-break": 20.0, "partition": 6.0}),
    ),
    mutant(
        "who waits is not woken by messages",
        Patch(serving, "_serve", does_nothing),
        by=(WAITS,),
        stage=in_world("traffic", "urgent", reader="waitfor"),
    ),
    mutant(
        "a wait has no end",
        Patch(serving, "expire", does_nothing),
        by=(WAITS,),
        stage=in_world("traffic", "urgent", reader="waitfor"),
    ),
    mutant(
        "a wait is answered twice",
        Patch(OutcomeCollector, "reply_late", _answered_twice),
        by=(WAITS,),
        stage=in_world("traffic", "urgent", reader="waitfor"),
    ),
    mutant(
        "a copy is active beside its original",
        Patch(attaching, "active_owner_of", does_nothing),
        by=(IDENTITY,),
        stage=in_world("restores", attach_copy=6),
    ),
    mutant(
        "a restore forgets the transmission queue",
        Patch(backups, "_load", _without_transmission),
        by=(IDENTITY,),
        stage=in_world("restores", detach=6, partition=6),
    ),
)
