"""`Breaks`: which endpoints operators have broken off, told from their orders and from the commits that obeyed them.

An operator may drop a service, give a database another broker id, end its conversations with errors, or clean one up.
Messages of these conversations may be lost, of no other. What an order was to break is taken from the order, what it
has broken from the disk; the engine is asked for neither.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

import msgspec

from engine.core.catalog.changes import (
    BrokerConversationsErrored,
    BrokerRenewed,
    CatalogChange,
    ServiceAltered,
    ServiceDropped,
)
from engine.core.exchange.changes import DropEndpoint, PutCatalog, PutEndpoint
from engine.core.exchange.commands import ApplyCatalog, EndConversation
from engine.core.vocabulary.identifiers import ConversationId, DatabaseName, InstanceName, ServiceName
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState
from engine.sim.history import Committed, Issued
from engine.sim.scenario import Place, Side


class BreakKind(StrEnum):
    """What an operator has ordered."""

    DROPPED = "DROP SERVICE"
    RENEWED = "NEW_BROKER"
    ERRORED = "ERROR_BROKER_CONVERSATIONS"
    CLEANED = "END CONVERSATION WITH CLEANUP"
    MOVED = "ALTER SERVICE"
    """To another queue; it ends no conversation, but rolls back whoever works on one."""


class Break(msgspec.Struct, frozen=True):
    """One order that a commit has obeyed."""

    kind: BreakKind
    place: Place
    service: ServiceName | None = None
    """The service that was dropped or moved; None stands for the whole database."""

    def concerns(self, place: Place, row: ConversationEndpoint) -> bool:
        """Whether an endpoint is of what the order is about."""
        return self.place == place and self.service in (None, row.service)


class Breaks:
    """Part of the ledger: told of orders and of commits before the ledger changes its own books."""

    def __init__(self, place_of: Callable[[InstanceName, DatabaseName], Place | None]) -> None:
        self.of: dict[Side, BreakKind] = {}
        """Every endpoint that an order has ended, with the first order that did."""
        self.orders: defaultdict[Side, set[BreakKind]] = defaultdict(set)
        """All orders that have concerned an endpoint, also one that had ended before."""
        self.gone: list[Side] = []
        """Endpoints that the last commit has taken away with everything that they had: cleaned up, or dropped."""
        self.conversations: set[ConversationId] = set()
        """Those to which these endpoints belong."""
        self.latest: list[Break] = []
        """Orders that the last commit has obeyed."""
        self.dropped: set[ServiceName] = set()
        """Services that were ever dropped."""
        self._place_of: Final = place_of
        self._orders: defaultdict[InstanceName, list[ApplyCatalog]] = defaultdict(list)
        self._cleanups: set[Side] = set()
        """For which END … WITH CLEANUP was given."""

    def issued(self, entry: Issued) -> None:
        """Somebody gives an order."""
        match entry.command:
            case ApplyCatalog() as order if any(_kind_of(change) for change in order.changes):
                self._orders[entry.instance].append(order)
            case EndConversation(with_cleanup=True, database=database, conversation_handle=handle):
                place = self._place_of(entry.instance, database)
                if place is not None:
                    self._cleanups.add((*place, handle))
            case _:
                pass

    def committed(self, entry: Committed, before: Mapping[Side, ConversationEndpoint]) -> None:
        """A commit: what it has obeyed, and which endpoints that has ended; `before` are those of all disks until now.

        An endpoint that was born in the very commit in which it ends was ended by what that commit has obeyed.
        """
        self.latest, self.gone = self._obeyed(entry), []
        if not self.latest and not self._cleanups:
            return
        for order in self.latest:
            for side, known in before.items():
                if order.concerns(side[:2], known):
                    self.orders[side].add(order.kind)
        born: dict[Side, ConversationEndpoint] = {}
        for change in entry.changes:
            if not isinstance(change, PutEndpoint | DropEndpoint):
                continue
            place = self._place_of(entry.instance, change.database)
            if place is None:
                continue
            if isinstance(change, DropEndpoint):
                side = (*place, change.conversation_handle)
                row = before.get(side) or born.get(side)
                if row is not None:
                    self._ended(side, row, is_gone=True)
                continue
            side = (*place, change.endpoint.conversation_handle)
            born[side] = change.endpoint
            was_in_error = side in before and before[side].state is ConversationState.ERROR
            if change.endpoint.state is ConversationState.ERROR and not was_in_error:
                self._ended(side, change.endpoint, is_gone=False)

    def _obeyed(self, entry: Committed) -> list[Break]:
        """Orders whose revision the catalog on this disk has reached."""
        waiting = self._orders.get(entry.instance)
        reached = [change.catalog.revision for change in entry.changes if isinstance(change, PutCatalog)]
        if not waiting or not reached:
            return []
        found: list[Break] = []
        for order in [order for order in waiting if order.revision <= max(reached)]:
            waiting.remove(order)
            for change in order.changes:
                found += self._break_of(entry.instance, change)
        self.dropped |= {each.service for each in found if each.kind is BreakKind.DROPPED and each.service is not None}
        return found

    def _break_of(self, instance: InstanceName, change: CatalogChange) -> list[Break]:
        kind = _kind_of(change)
        if kind is None or not isinstance(
            change, ServiceDropped | ServiceAltered | BrokerRenewed | BrokerConversationsErrored
        ):
            return []
        place = self._place_of(instance, change.database)
        service = change.name if isinstance(change, ServiceDropped | ServiceAltered) else None
        return [] if place is None else [Break(kind, place, service)]

    def _ended(self, side: Side, row: ConversationEndpoint, *, is_gone: bool) -> None:
        kind = next((each.kind for each in self.latest if _ends(each, side[:2], row)), None)
        if kind is None and is_gone and side in self._cleanups:
            kind = BreakKind.CLEANED
        if kind is None:
            return
        self.of.setdefault(side, kind)
        self.orders[side].add(kind)
        self.conversations.add(row.conversation_id)
        if is_gone and kind in (BreakKind.CLEANED, BreakKind.DROPPED):
            self.gone.append(side)


def _ends(order: Break, place: Place, row: ConversationEndpoint) -> bool:
    return order.kind is not BreakKind.MOVED and order.concerns(place, row)


def _kind_of(change: CatalogChange) -> BreakKind | None:
    match change:
        case ServiceDropped():
            return BreakKind.DROPPED
        case BrokerRenewed():
            return BreakKind.RENEWED
        case BrokerConversationsErrored():
            return BreakKind.ERRORED
        case ServiceAltered(queue=str()):
            return BreakKind.MOVED
        case _:
            return None
