"""`PairTraffic`: one pair of services of test traffic. It begins dialogs, sends, reads, answers, ends what it began.

It touches its own conversations only: on both sides they are read by their handles, so nobody else's message is taken.
It does so as an application would, by commands; what refuses a command counts as a failure, and it goes on.
"""

from __future__ import annotations

from functools import partial
from typing import Final
from uuid import UUID

from engine.core.catalog.builtin import contract_of
from engine.core.catalog.objects import DIALOG_TIMER_TYPE, END_DIALOG_TYPE, ERROR_TYPE, SentBy
from engine.core.dialog.error_message import error_code
from engine.core.exchange.commands import BeginDialog, EndConversation, OutgoingMessage, Receive, SendMany
from engine.core.exchange.replies import DialogBegun, MessagesReceived, MessagesSent, Refusal
from engine.core.vocabulary.identifiers import ConversationHandle, InstanceName, MessageTypeName
from engine.core.vocabulary.rows import QueueRow
from engine.sandbox.bodies import body_of
from engine.sandbox.figures import PairCount
from engine.sandbox.places import QueuePlace, is_readable, place_of_service
from engine.sandbox.server import SandboxServer
from engine.sandbox.spec import TrafficPair, TrafficPlan
from engine.sandbox.world import SandboxWorld
from engine.sim.entropy import Dice

WAITING_MAX: Final = 500
"""So many messages may wait to be received; then nothing is sent until some have arrived."""
TURN_SECONDS: Final = 0.25
"""What falls due within so long is sent at once."""
READ_SECONDS: Final = 0.02
"""How long an application takes to look at what has come."""
AGAIN_SECONDS: Final = 1.0
"""How long it waits where somebody else had locked the group."""
RECEIVE_MAX: Final = 100
DOWN: Final = "down"
"""Among the failures: the instance of the sender did not run."""
_SYSTEM_TYPES: Final = frozenset({END_DIALOG_TYPE, ERROR_TYPE, DIALOG_TIMER_TYPE})


class _End:
    """One end of a dialog of ours."""

    def __init__(self, dialog: _Dialog, place: QueuePlace, handle: ConversationHandle, *, is_target: bool) -> None:
        self.dialog: Final = dialog
        self.place: Final = place
        self.handle: Final = handle
        self.is_target: Final = is_target
        self.is_dirty = False
        """Whether something has come that was not received."""
        self.is_planned = False


class _Dialog:
    """From its beginning to the end of both ends."""

    def __init__(self, conversation: UUID) -> None:
        self.conversation: Final = conversation
        self.sent = self.received = 0
        self.is_full = False
        self.ends: list[_End] = []


class PairTraffic:
    """One pair, as long as its traffic goes on."""

    def __init__(
        self, world: SandboxWorld, pair: TrafficPair, plan: TrafficPlan, dice: Dice, others: frozenset[QueuePlace]
    ) -> None:
        """`others` are queues that somebody else reads."""
        self._world, self._pair, self._plan, self._others = world, pair, plan, others
        self.count: Final = PairCount(pair)
        self.is_over = False
        self._dialogs: dict[UUID, _Dialog] = {}
        self._ends: dict[tuple[InstanceName, ConversationHandle], _End] = {}
        self._owed = 0.0
        """Replies that are due, in parts of one."""
        self._each = max(int(plan.rate * TURN_SECONDS), 1)
        self._period = self._each / plan.rate
        world.agenda.after(dice.between(0.0, self._period), self._turn)

    # ── what is told ─────────────────────────────────────────────────────────────────────────────────────────────
    def knows(self, conversation: UUID) -> bool:
        """Whether a conversation is one of ours."""
        return conversation in self._dialogs

    def target_found(self, place: QueuePlace, conversation: UUID, handle: ConversationHandle) -> None:
        """Routing has brought one of our conversations somewhere."""
        dialog = self._dialogs[conversation]
        if (place.instance, handle) not in self._ends:
            self._add(_End(dialog, place, handle, is_target=True))

    def delivered(self, instance: InstanceName, handle: ConversationHandle) -> None:
        """Something is ready for one end; harmless when it is none of ours."""
        end = self._ends.get((instance, handle))
        if end is not None:
            end.is_dirty = True
            self._plan_reading(end, READ_SECONDS)

    def may_go_on(self, instance: InstanceName) -> None:
        """What kept us from reading there may be gone."""
        for end in self._ends.values():
            if end.is_dirty and end.place.instance == instance:
                self._plan_reading(end, READ_SECONDS)

    # ── sending ──────────────────────────────────────────────────────────────────────────────────────────────────
    def _turn(self) -> None:
        if self.is_over:
            return
        self._world.agenda.after(self._period, self._turn)
        waiting = self.count.sent - self.count.received
        if waiting + self._each > WAITING_MAX or len(self._dialogs) >= self._plan.dialogs_max:
            return
        server = self._world.server(self._pair.from_instance)
        if not server.is_alive:
            self.count.fail(DOWN)
            return
        left = self._each
        while left > 0 and (dialog := self._open_dialog(server)) is not None:
            left -= self._send(server, dialog, left)

    def _open_dialog(self, server: SandboxServer) -> _Dialog | None:
        """One that is not full; None when none can be begun."""
        for dialog in self._dialogs.values():
            if not dialog.is_full:
                return dialog
        pair = self._pair
        command = BeginDialog(
            command_id=self._world.new_id(),
            database=pair.from_database,
            from_service=pair.from_service,
            to_service=pair.to_service,
            to_broker_instance=pair.broker_instance,
            contract=pair.contract,
        )
        reply = self._world.ask(server, command)
        place = place_of_service(server.catalog, pair.from_database, pair.from_service)
        if not isinstance(reply, DialogBegun) or place is None:
            self._count_refusal(reply)
            return None
        dialog = self._dialogs[reply.conversation_id] = _Dialog(reply.conversation_id)
        self._add(_End(dialog, place, reply.conversation_handle, is_target=False))
        return dialog

    def _send(self, server: SandboxServer, dialog: _Dialog, count: int) -> int:
        """At most so many messages on one dialog; answers how many are done with."""
        count = min(count, self._plan.dialog_messages - dialog.sent)
        home = next(end for end in dialog.ends if not end.is_target)
        body = body_of(server.catalog.databases.get(self._pair.from_database), self._pair.message_type, self._plan.size)
        message = OutgoingMessage(home.handle, body, self._pair.message_type)
        command = SendMany(
            command_id=self._world.new_id(), database=self._pair.from_database, messages=(message,) * count
        )
        reply = self._world.ask(server, command)
        if not isinstance(reply, MessagesSent):
            self._count_refusal(reply)
            dialog.is_full = True
            self._end(home)
            return count
        for number in reply.message_sequence_numbers:
            self.count.has_sent(dialog.conversation, number, self._world.agenda.seconds)
        dialog.sent += count
        dialog.is_full = dialog.sent >= self._plan.dialog_messages
        return count

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────
    def _add(self, end: _End) -> None:
        end.dialog.ends.append(end)
        self._ends[end.place.instance, end.handle] = end

    def _plan_reading(self, end: _End, seconds: float) -> None:
        if not end.is_planned:
            end.is_planned = True
            self._world.agenda.after(seconds, partial(self._read, end))

    def _read(self, end: _End) -> None:
        end.is_planned = False
        if self.is_over or not end.is_dirty or (end.place.instance, end.handle) not in self._ends:
            return
        server = self._world.server(end.place.instance)
        if end.place in self._others or not is_readable(server, end.place):
            return
        command = Receive(
            command_id=self._world.new_id(),
            database=end.place.database,
            queue=end.place.queue,
            top=RECEIVE_MAX,
            conversation_handle=end.handle,
        )
        reply = self._world.ask(server, command)
        if not isinstance(reply, MessagesReceived):
            self._plan_reading(end, AGAIN_SECONDS)
            return
        end.is_dirty = len(reply.messages) == RECEIVE_MAX
        for row in reply.messages:
            self._take(server, end, row)
        if end.is_dirty:
            self._plan_reading(end, READ_SECONDS)

    def _take(self, server: SandboxServer, end: _End, row: QueueRow) -> None:
        if row.message_type_name in (END_DIALOG_TYPE, ERROR_TYPE):
            if row.message_type_name == ERROR_TYPE:
                self.count.fail(error_code(row.message_body) or "Error")
            self._end(end)
        elif row.message_type_name not in _SYSTEM_TYPES and end.is_target:
            self._take_at_target(server, end, row)
        elif row.message_type_name not in _SYSTEM_TYPES:
            self.count.replies += 1

    def _take_at_target(self, server: SandboxServer, end: _End, row: QueueRow) -> None:
        dialog = end.dialog
        dialog.received += 1
        self.count.has_received(dialog.conversation, row.message_sequence_number, self._world.agenda.seconds)
        self._owed += self._plan.reply_ratio
        if self._owed >= 1.0:
            self._owed -= 1.0
            self._reply(server, end, row)
        if dialog.received >= self._plan.dialog_messages:
            self._end(end)

    def _reply(self, server: SandboxServer, end: _End, row: QueueRow) -> None:
        database = server.catalog.databases.get(end.place.database)
        contract = None if database is None else contract_of(database, row.service_contract_name)
        uses = () if contract is None else contract.uses
        said = min(
            (use for use in uses if use.sent_by is not SentBy.INITIATOR),
            key=lambda use: use.sent_by is not SentBy.TARGET,
            default=None,
        )
        if said is None:
            return
        kind = MessageTypeName(said.message_type)
        message = OutgoingMessage(end.handle, body_of(database, kind, self._plan.size), kind)
        command = SendMany(command_id=self._world.new_id(), database=end.place.database, messages=(message,))
        reply = self._world.ask(server, command)
        self._count_refusal(reply)

    def _end(self, end: _End) -> None:
        """END CONVERSATION at one end; when both have done so the dialog is forgotten."""
        server = self._world.server(end.place.instance)
        command = EndConversation(
            command_id=self._world.new_id(), database=end.place.database, conversation_handle=end.handle
        )
        self._count_refusal(self._world.ask(server, command))
        end.dialog.is_full = True
        self._ends.pop((end.place.instance, end.handle), None)
        if not end.is_target:
            self._dialogs.pop(end.dialog.conversation, None)

    def _count_refusal(self, reply: object) -> None:
        if isinstance(reply, Refusal):
            self.count.fail(str(reply.number))
