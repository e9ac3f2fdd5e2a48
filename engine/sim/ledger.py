"""`Ledger`: what the disks of a world hold, told from their commits alone. The engine is never asked.

A second bookkeeping on purpose: were the engine's own idea of its state wrong, the ledger would not share the error.

A database has one place in it, that of its `Scenario.homes`: what its mirroring partner commits in its stead belongs
there. Copies that somebody has attached elsewhere are not the database, and their rows are not kept here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import ClassVar, Final

import msgspec

from engine.core.catalog.backup import AttachOption, DatabaseBackup
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.changes import (
    AppendQueue,
    AppendTransmission,
    DropDatabaseRows,
    DropEndpoint,
    PutCatalog,
    PutCommandReply,
    PutEndpoint,
    RemoveQueue,
    SetQueueRowGroup,
    SetQueueRowStatus,
    StateChange,
    TrimTransmission,
)
from engine.core.exchange.commands import AttachDatabase, RestoreDatabase
from engine.core.exchange.replies import DatabaseDetached
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ConversationHandle,
    ConversationId,
    DatabaseName,
    InstanceName,
    QueueName,
)
from engine.core.vocabulary.moment import NEVER_SET
from engine.core.vocabulary.rows import ConversationEndpoint, DatabaseRows, QueueRow, QueueRowStatus, TransmissionRow
from engine.sim.breaks import Breaks
from engine.sim.history import Committed, Entry, Issued, Kinds
from engine.sim.scenario import Place, Scenario, Side

_REMOVALS = TrimTransmission | DropEndpoint | RemoveQueue

WAITING = (QueueRowStatus.READY, QueueRowStatus.DISABLED)
"""Statuses of messages that somebody is still to receive."""


class Return(msgspec.Struct, frozen=True, kw_only=True):
    """A database came back from a backup in the commit that was told last."""

    place: Place
    backup: DatabaseBackup
    is_rewound: bool
    """Whether it went to an earlier point in time than its peers: then its conversations were ended with errors."""


class Ledger:
    """Rows by their keys. An observer of the journal; it stands before the checkers that read it."""

    watches: ClassVar[Kinds] = (Committed, Issued)

    def __init__(self, scenario: Scenario | None = None) -> None:
        self._homes: Final[dict[Place, Place]] = {} if scenario is None else scenario.homes()
        self.latest: list[tuple[Place, StateChange]] = []
        """What the last commit has changed in databases of the scenario."""
        self.returns: list[Return] = []
        """Databases that the last commit has brought back."""
        self.rewound: set[ConversationId] = set()
        """Conversations of a database that went back in time: of these alone messages may be lost, or come again."""
        self.rewound_at: dict[Place, float] = {}
        """When a database went back in time last, in true seconds."""
        self._ordered: dict[Place, AttachDatabase | RestoreDatabase] = {}
        self.breaks: Final = Breaks(self.place)
        """What operators have broken off."""
        self._clocks_step = scenario is not None and scenario.faults.get("clock-step", 0.0) > 0
        self.catalogs: dict[InstanceName, InstanceCatalog] = {}
        self._before: dict[InstanceName, InstanceCatalog | None] = {}
        """What each instance had defined before its last commit."""
        self.endpoints: dict[Side, ConversationEndpoint] = {}
        self.transmission: defaultdict[Side, dict[int, TransmissionRow]] = defaultdict(dict)
        self.queues: defaultdict[Place, dict[int, tuple[QueueName, QueueRow]]] = defaultdict(dict)
        self.known: dict[Side, ConversationEndpoint] = {}
        """The last row of every endpoint that ever was, also of those that are gone."""
        self.born: dict[Side, float] = {}
        """When endpoints came to be, in true seconds."""
        self.sides: defaultdict[tuple[ConversationId, bool], list[Side]] = defaultdict(list)
        """Endpoints that ever stood for one side (True: the initiator's) of a conversation."""

    def observe(self, entry: Entry) -> None:
        """Keep what a disk keeps."""
        match entry:
            case Issued(command=AttachDatabase() | RestoreDatabase() as command):
                self._ordered[entry.instance, command.database] = command
            case Issued():
                self.breaks.issued(entry)
            case Committed():
                self.breaks.committed(entry, self.endpoints)
                self._committed(entry)
            case _:
                pass

    def _committed(self, entry: Committed) -> None:
        self.latest, self.returns = [], []
        before = self._before[entry.instance] = self.catalogs.get(entry.instance)
        for change in entry.changes:
            if isinstance(change, PutCatalog):
                self.catalogs[entry.instance] = change.catalog
        wiped = {change.database for change in entry.changes if isinstance(change, DropDatabaseRows)}
        for change in entry.changes:
            if isinstance(change, PutCatalog | PutCommandReply):
                continue
            place = self.place(entry.instance, change.database)
            if place is None:
                continue
            if isinstance(change, DropDatabaseRows):
                wiped.discard(change.database)
                self._wipe(entry, place, change.database)
            elif change.database in wiped and isinstance(change, _REMOVALS):
                # The database goes as a whole, which no rule about messages has to allow.
                continue
            if isinstance(change, DropDatabaseRows) or before is not self.catalogs.get(entry.instance):
                self._watch_return(entry, place, change.database, was_there=_has(before, change.database))
            self.latest.append((place, change))
            self._obey(entry, place, change)

    def _wipe(self, entry: Committed, place: Place, database: DatabaseName) -> None:
        """A database is dropped with its rows; one that is detached lives on in its file, and that is a disk too."""
        self._drop_rows(place)
        if _has(self.catalogs[entry.instance], database):
            return
        for change in entry.changes:
            reply = change.reply if isinstance(change, PutCommandReply) else None
            if isinstance(reply, DatabaseDetached) and reply.backup.definition.name == database:
                self._load(place, reply.backup.rows, entry.at)

    def _load(self, place: Place, rows: DatabaseRows, at: float) -> None:
        for endpoint in rows.endpoints:
            self._put_endpoint((*place, endpoint.conversation_handle), endpoint, at)
        for waiting in rows.transmission:
            self.transmission[(*place, waiting.conversation_handle)][waiting.message_sequence_number] = waiting
        for queue, messages in rows.queues.items():
            self.queues[place].update({row.queuing_order: (queue, row) for row in messages})

    def place(self, instance: InstanceName, database: DatabaseName) -> Place | None:
        """The place of a database in these books; None for a copy that somebody has attached."""
        place = (instance, database)
        return self._homes.get(place) if self._homes else place

    def is_at(self, side: Side, instance: InstanceName) -> bool:
        """Whether an endpoint is that of a database which is at work at an instance, or may come to be."""
        return side[0] == instance or self._homes.get((instance, side[1])) == side[:2]

    def side(self, instance: InstanceName, database: DatabaseName, handle: ConversationHandle) -> Side:
        """An endpoint by what a command names."""
        return (*(self._homes.get((instance, database)) or (instance, database)), handle)

    def broker_instance(self, place: Place) -> BrokerInstanceId | None:
        """The id of a database; None when there is none."""
        catalog = self.catalogs.get(place[0])
        database = catalog.databases.get(place[1]) if catalog is not None else None
        return database.broker_instance if database is not None else None

    def senders(self, instance: InstanceName, broker_instance: BrokerInstanceId | None) -> list[DatabaseCatalog]:
        """Databases of an instance that have a broker id now, or had it before the last commit.

        What was sent in one commit with the detach of its database has left before that.
        """
        catalogs = (self.catalogs.get(instance), self._before.get(instance))
        databases = (database for catalog in catalogs if catalog for database in catalog.databases.values())
        return [database for database in databases if database.broker_instance == broker_instance]

    def unfinished(self) -> Iterator[str]:
        """What still waits anywhere, in words."""
        for side, rows in self.transmission.items():
            if rows and not self._may_remain(side):
                state = self.known[side].state if side in self.known else "no endpoint"
                yield f"{len(rows)} messages from {min(rows)} on of {_told(side)} ({state}) were never acknowledged"
        for (instance, database), messages in self.queues.items():
            for queue, row in messages.values():
                if row.status in WAITING:
                    held = row.status is QueueRowStatus.DISABLED
                    side = (instance, database, row.conversation_handle)
                    if held and self._may_wait(side):
                        continue
                    what = "waits for an earlier one" if held else "was not received"
                    yield f"message {row.message_sequence_number} in {instance}.{database}.{queue} {what}"
        for side, endpoint in self.endpoints.items():
            # Where somebody sets clocks, a timer may have to wait until the time that was taken away has passed again.
            if endpoint.dialog_timer != NEVER_SET and not self._clocks_step:
                yield f"the timer of {_told(side)} ({endpoint.state}) has not fired"

    def _may_remain(self, side: Side) -> bool:
        """Whether what a side has sent may wait for its acknowledgement in vain."""
        return self._is_out_of_step(side) or self._addresses_nobody(side) or self._is_begun_anew(side)

    def _may_wait(self, side: Side) -> bool:
        """Whether what came early to a side may wait there in vain."""
        return (
            self._is_second_target(side)
            or self._is_left_alone(side)
            or self._is_out_of_step(side)
            or self._is_begun_anew(side)
        )

    def _is_left_alone(self, side: Side) -> bool:
        """Whether a restore or an operator took what would have followed: the other end has nothing more to send.

        What came here early waits in vain, and nobody says so until this end speaks (identity.md 3, 4).
        """
        here = self.known.get(side)
        if here is None or not (
            here.conversation_id in self.rewound or here.conversation_id in self.breaks.conversations
        ):
            return False
        return not any(
            self.transmission.get(other) for other in self.sides[here.conversation_id, not here.is_initiator]
        )

    def _addresses_nobody(self, side: Side) -> bool:
        """Whether the other database has got another broker id, and nobody has the old one (identity.md 3)."""
        row = self.known.get(side)
        if row is None or row.far_broker_instance is None:
            return False
        databases = (database for catalog in self.catalogs.values() for database in catalog.databases.values())
        return all(database.broker_instance != row.far_broker_instance for database in databases)

    def _is_begun_anew(self, side: Side) -> bool:
        """Whether message 0 has come once more after an operator had taken its target away (protocol.md 8.7).

        What the first target had received or said the second neither has nor knows, and its key is another one (9.3).
        """
        row = self.known.get(side)
        targets = [] if row is None else self.sides[row.conversation_id, False]
        return any(
            first in self.breaks.of and first[:2] == later[:2]
            for number, first in enumerate(targets)
            for later in targets[number + 1 :]
        )

    def _is_out_of_step(self, side: Side) -> bool:
        """Whether one end of a dialog lacks what a restore took, and the other has it no more."""
        row = self.known.get(side)
        if row is None:
            return False
        others = self.sides[row.conversation_id, not row.is_initiator]
        ends = ((other, side) if row.is_initiator else (side, other) for other in others)
        return any(self._lacks_what_was_lost(target, initiator) for target, initiator in ends)

    def _lacks_what_was_lost(self, target: Side, initiator: Side) -> bool:
        """Whether a target waits in vain: a restore took another, with messages that it had received in order.

        A late copy of message 0 has begun the dialog a second time (protocol.md 8.7). What the first target received is
        acknowledged and gone at the initiator, and no field of a header says so (3.2): the initiator repeats what
        follows until an end or the lifetime (3.5). Only that is excused: the gap must lie within what the first target
        had, and the message behind it must have arrived.
        """
        row, restored_at = self.endpoints.get(target), self.rewound_at.get(target[:2])
        rows = self.transmission.get(initiator)
        if row is None or restored_at is None or not rows or self.born[target] < restored_at:
            return False
        lowest = min(rows)
        if lowest <= row.receive_sequence or not self._has_come(target, lowest):
            return False
        return any(
            other[:2] == target[:2]
            and other not in self.endpoints
            and self.born[other] < restored_at
            and self.known[other].receive_sequence >= lowest
            for other in self.sides[row.conversation_id, False]
        )

    def _has_come(self, side: Side, number: int) -> bool:
        """Whether a message, or a fragment of it, is in the queue of a side."""
        messages = self.queues.get(side[:2], {}).values()
        return any((row.conversation_handle, row.message_sequence_number) == (side[2], number) for _, row in messages)

    def _is_second_target(self, side: Side) -> bool:
        """Whether the conversation belongs to another copy of the service (protocol.md 8.6).

        What came here first waits for messages that the other copy gets. It is told so when it is next heard of by an
        initiator that still exists; else it stays until its lifetime ends.
        """
        here = self.known.get(side)
        if here is None or here.is_initiator:
            return False
        own_id = self.broker_instance(side[:2])
        initiators = (self.known[other] for other in self.sides[here.conversation_id, True])
        return any(each.far_broker_instance not in (None, own_id) for each in initiators)

    def _watch_return(self, entry: Committed, place: Place, name: DatabaseName, *, was_there: bool) -> None:
        """Take down that a database came back, once for each command that brings it.

        One that is restored in the place of itself loses its rows first.
        """
        command = self._ordered.get((entry.instance, name))
        if command is None or not _has(self.catalogs[entry.instance], name):
            return
        if was_there and not any(
            isinstance(change, DropDatabaseRows) and change.database == name for change in entry.changes
        ):
            return
        del self._ordered[entry.instance, name]
        is_rewound = command.option is AttachOption.ERROR_BROKER_CONVERSATIONS
        self.returns.append(Return(place=place, backup=command.backup, is_rewound=is_rewound))
        if is_rewound:
            self.rewound_at[place] = entry.at
            self.rewound |= {row.conversation_id for row in command.backup.rows.endpoints}
            self.rewound |= {row.conversation_id for side, row in self.known.items() if side[:2] == place}

    def _obey(self, entry: Committed, place: Place, change: StateChange) -> None:
        match change:
            case PutEndpoint():
                self._put_endpoint((*place, change.endpoint.conversation_handle), change.endpoint, entry.at)
            case DropEndpoint():
                self.endpoints.pop((*place, change.conversation_handle), None)
            case AppendTransmission():
                rows = self.transmission[(*place, change.row.conversation_handle)]
                rows[change.row.message_sequence_number] = change.row
            case TrimTransmission():
                rows = self.transmission[(*place, change.conversation_handle)]
                for number in [number for number in rows if number <= change.through]:
                    del rows[number]
            case AppendQueue():
                self.queues[place][change.row.queuing_order] = (change.queue, change.row)
            case SetQueueRowStatus():
                messages = self.queues[place]
                for order in change.queuing_orders:
                    if order in messages:
                        queue, row = messages[order]
                        messages[order] = (queue, msgspec.structs.replace(row, status=change.status))
            case SetQueueRowGroup():
                messages, group = self.queues[place], change.conversation_group_id
                for order in change.queuing_orders:
                    if order in messages:
                        queue, row = messages[order]
                        messages[order] = (queue, msgspec.structs.replace(row, conversation_group_id=group))
            case RemoveQueue():
                for order in change.queuing_orders:
                    self.queues[place].pop(order, None)
            case _:
                # What a group or a reply is told belongs to no message.
                pass

    def _put_endpoint(self, side: Side, row: ConversationEndpoint, at: float) -> None:
        if side not in self.known:
            self.born[side] = at
            self.sides[row.conversation_id, row.is_initiator].append(side)
        self.endpoints[side] = self.known[side] = row

    def _drop_rows(self, place: Place) -> None:
        self.queues.pop(place, None)
        for side in [side for side in self.endpoints if side[:2] == place]:
            del self.endpoints[side]
        for side in [side for side in self.transmission if side[:2] == place]:
            del self.transmission[side]


def _told(side: Side) -> str:
    return f"{side[0]}.{side[1]} {side[2]}"


def _has(catalog: InstanceCatalog | None, database: DatabaseName) -> bool:
    return catalog is not None and database in catalog.databases
