"""`PairTraffic`: one pair of services. It begins dialogs, sends, reads, answers, and ends what it began.

It touches its own conversations only. On the initiator's side all of them are in one conversation group, which is made
from the run and the pair; on the target's side each is received by its handle, which the conversation's id leads to.
Nobody else's message can be taken that way, and whoever takes over a run finds the conversations of the one before.
A queue that has a reader is left to it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final
from uuid import UUID, uuid5

from brokerweb.traffic.figures import PairFigures
from brokerweb.traffic.generator.bodies import body_of
from brokerweb.traffic.generator.dialogs import (
    END_DIALOG_TYPE,
    ERROR_TYPE,
    TrafficDialog,
    count_error_message,
    count_refusal,
)
from brokerweb.traffic.generator.lines import InstanceLine, Lines, new_key
from brokerweb.traffic.plan import TrafficPair, TrafficPlan
from engine import api as engine

SEND_MANY_MAX: Final = 500
RECEIVE_MAX: Final = 500
END_MANY_MAX: Final = 50
LOOKS_MAX: Final = 50
"""Dialogs whose target is looked for in one turn."""
WAITING_SECONDS: Final = 10.0
"""So much of what is sent may wait to be received; then nothing more is sent until some of it has arrived."""
DIALOGS_MAX: Final = 200
"""So many dialogs may be open, for the same reason, and because each of them is ended by itself."""
QUIET_SECONDS: Final = 2.0
"""A dialog whose target has a reader of its own is ended when nothing was heard of it for so long."""
UNHEARD_SECONDS: Final = 10.0
"""A dialog whose target has ended is ended when that was not heard of for so long: somebody else has read it."""

End = engine.diagnosis.QueueEnd


class PairTraffic:
    """One pair, for the thread of its run. Raises `EngineUnavailable` from whatever asks an instance."""

    def __init__(
        self,
        run: UUID,
        pair: TrafficPair,
        plan: TrafficPlan,
        ends: engine.diagnosis.DialogEnds,
        figures: PairFigures,
        lines: Lines,
    ) -> None:
        self._pair, self._plan, self._ends, self._lines = pair, plan, ends, lines
        self.figures = figures
        self._group = engine.ConversationGroupId(uuid5(run, "\n".join(_key_of(pair))))
        self._body = body_of(ends.validation, plan.size)
        self._reply = body_of(ends.reply_validation, plan.size)
        self._dialogs: dict[UUID, TrafficDialog] = {}
        """By the initiator's handle."""
        self._credit = 1.0
        self._replies_owed = 0.0
        self._is_read = any(end.has_reader for end in ends.targets)

    @property
    def is_idle(self) -> bool:
        """Whether every dialog has ended."""
        return not self._dialogs

    def turn(self, now: float, seconds: float, *, sends: bool) -> None:
        """What there is to do, `seconds` after the turn before. Without `sends` what is open goes on to its end."""
        if sends:
            self._send(now, seconds)
        else:
            for dialog in self._dialogs.values():
                dialog.is_full = True
        self._drop_broken()
        if not self._is_read:
            self._find_targets()
            self._serve_targets(now)
        self._read_answers(now)
        self._end_quiet(now)
        self.figures.waiting = sum(dialog.waiting for dialog in self._dialogs.values())

    # ── the initiator ────────────────────────────────────────────────────────────────────────────────────────────
    def _send(self, now: float, seconds: float) -> None:
        self._credit = min(self._credit + self._plan.rate * seconds, max(self._plan.rate, 1.0))
        count = min(int(self._credit), SEND_MANY_MAX)
        waiting = sum(dialog.waiting for dialog in self._dialogs.values())
        is_full = waiting >= max(self._plan.rate * WAITING_SECONDS, 10.0) or len(self._dialogs) >= DIALOGS_MAX
        self.figures.is_held = is_full and not self._is_read
        if count == 0 or self.figures.is_held:
            return
        self._credit -= count
        parts = list(self._parts(count))
        sends = [
            engine.commands.SendMany(
                command_id=new_key(),
                database=self._ends.initiator.database,
                messages=(
                    engine.commands.OutgoingMessage(
                        dialog.handle, self._body, engine.MessageTypeName(self._pair.message_type)
                    ),
                )
                * size,
            )
            for dialog, size in parts
        ]
        for (dialog, size), reply in zip(parts, self._line.execute(sends), strict=True):
            if isinstance(reply, engine.Refusal):
                count_refusal(self.figures, reply, size)
                dialog.is_broken = True
                continue
            dialog.sent += size
            dialog.quiet_since = now
            dialog.is_full = dialog.sent >= self._plan.dialog_messages
            self.figures.sent += size

    def _parts(self, count: int) -> Iterator[tuple[TrafficDialog, int]]:
        """So many messages spread over the dialog that is not full, and as many new ones as it takes."""
        for dialog in self._dialogs.values():
            if not dialog.is_full and not dialog.is_broken and count:
                size = min(count, self._plan.dialog_messages - dialog.sent)
                count -= size
                yield dialog, size
        if count:
            for dialog in self._begin(-(-count // self._plan.dialog_messages)):
                size = min(count, self._plan.dialog_messages)
                count -= size
                yield dialog, size

    def _begin(self, count: int) -> Iterator[TrafficDialog]:
        wanted = self._pair.wanted
        commands = [
            engine.BeginDialog(
                command_id=new_key(),
                database=wanted.from_database,
                from_service=wanted.from_service,
                to_service=wanted.to_service,
                contract=wanted.contract,
                conversation_group_id=self._group,
            )
            for _ in range(count)
        ]
        for reply in self._line.execute(commands):
            if isinstance(reply, engine.DialogBegun):
                dialog = TrafficDialog(reply.conversation_handle, reply.conversation_id)
                self._dialogs[dialog.handle] = dialog
                self.figures.dialogs += 1
                yield dialog
            else:
                count_refusal(self.figures, reply)

    def _read_answers(self, now: float) -> None:
        if not self._dialogs:
            return
        ended = []
        for row in self._received(self._ends.initiator, conversation_group_id=self._group):
            dialog = self._dialogs.get(row.conversation_handle)
            if row.message_type_name == ERROR_TYPE:
                count_error_message(self.figures, row.message_body)
            elif row.message_type_name != END_DIALOG_TYPE:
                self.figures.answered += 1
                if dialog is not None:
                    dialog.quiet_since = now
                continue
            ended.append(row.conversation_handle)
        self._end(self._ends.initiator, ended)
        for handle in ended:
            self._dialogs.pop(handle, None)

    def _end_quiet(self, now: float) -> None:
        """Dialogs whose target reads by itself and ends its side when it hears that we have; and what was missed."""
        patience = QUIET_SECONDS if self._is_read else UNHEARD_SECONDS
        quiet = [
            handle
            for handle, dialog in self._dialogs.items()
            if dialog.is_full and (self._is_read or dialog.is_target_ended) and now - dialog.quiet_since >= patience
        ]
        self._end(self._ends.initiator, quiet)
        for handle in quiet:
            del self._dialogs[handle]

    # ── the target ───────────────────────────────────────────────────────────────────────────────────────────────
    def _find_targets(self) -> None:
        unknown = (dialog for dialog in self._dialogs.values() if dialog.sent and dialog.target is None)
        for dialog in islice(unknown, LOOKS_MAX):
            self._find_target(dialog)

    def _find_target(self, dialog: TrafficDialog) -> None:
        for end in self._ends.targets:
            rows = self._lines.to(end.instance).ends(
                end.database, "conversation_id", dialog.conversation, "conversation_handle", "is_initiator", "state"
            )
            for handle, is_initiator, state in rows:
                if not is_initiator and state != engine.ConversationState.CLOSED and isinstance(handle, UUID):
                    dialog.target, dialog.target_handle = end, engine.ConversationHandle(handle)
                    return

    def _serve_targets(self, now: float) -> None:
        by_end: dict[End, list[TrafficDialog]] = defaultdict(list)
        for dialog in self._dialogs.values():
            if dialog.target is not None and not dialog.is_target_ended and (dialog.waiting or dialog.is_full):
                by_end[dialog.target].append(dialog)
        for end, dialogs in by_end.items():
            self._serve_target(end, dialogs, now)

    def _serve_target(self, end: End, dialogs: Sequence[TrafficDialog], now: float) -> None:
        replies = []
        ended = []
        receives = [self._receive(end, conversation_handle=dialog.target_handle) for dialog in dialogs]
        for dialog, reply in zip(dialogs, self._lines.to(end.instance).execute(receives), strict=True):
            if not isinstance(reply, engine.MessagesReceived):
                count_refusal(self.figures, reply)
                continue
            for row in reply.messages:
                if row.message_type_name in (END_DIALOG_TYPE, ERROR_TYPE):
                    dialog.is_broken = True
                    continue
                dialog.received += 1
                self.figures.received += 1
                replies += [dialog] * self._owes_reply()
            if dialog.is_full and not dialog.waiting:
                ended.append(dialog)
        self._answer(end, replies)
        self._end(end, [dialog.target_handle for dialog in ended if dialog.target_handle is not None])
        for dialog in ended:
            dialog.is_target_ended, dialog.quiet_since = True, now

    def _owes_reply(self) -> bool:
        """Whether this message is one of those that are answered; spread evenly."""
        if self._ends.reply_type is None:
            return False
        self._replies_owed += self._plan.reply_ratio
        if self._replies_owed < 1.0 - 1e-9:
            return False
        self._replies_owed -= 1.0
        return True

    def _answer(self, end: End, dialogs: Sequence[TrafficDialog]) -> None:
        sends = [
            engine.Send(
                command_id=new_key(),
                database=end.database,
                conversation_handle=dialog.target_handle,
                message_type=self._ends.reply_type,
                body=self._reply,
            )
            for dialog in dialogs
            if dialog.target_handle is not None
        ]
        for reply in self._lines.to(end.instance).execute(sends):
            self.figures.replied += isinstance(reply, engine.MessageSent)
            count_refusal(self.figures, reply)

    # ── endings ──────────────────────────────────────────────────────────────────────────────────────────────────
    def clean_up(self, is_ours: Callable[[], bool]) -> int:
        """End everything of this run and pair at once, also what a generator before has left; answers what stays.

        Both ends go WITH CLEANUP, and with them what waits for transmission. Where a queue has a reader of its own the
        initiator ends plainly, so that the reader hears of it. `is_ours` is asked between steps: it keeps the run, and
        when it is lost the rest is for whoever has it.
        """
        known = {dialog.conversation: dialog for dialog in self._dialogs.values()}
        for handle, conversation in self._open_ends():
            known.setdefault(conversation, TrafficDialog(handle, conversation))
        dialogs = list(known.values())
        for first in range(0, len(dialogs), END_MANY_MAX):
            if not is_ours():
                return 0
            self._clean_up_dialogs(dialogs[first : first + END_MANY_MAX], is_ours)
        self._dialogs.clear()
        return 0 if self._is_read else len(self._open_ends())

    def _open_ends(self) -> list[tuple[engine.ConversationHandle, UUID]]:
        """The initiators of this run and pair that there are, whoever began them: handles and conversations."""
        rows = self._line.ends(
            self._ends.initiator.database,
            "conversation_group_id",
            self._group,
            "conversation_handle",
            "conversation_id",
        )
        return [
            (engine.ConversationHandle(handle), conversation)
            for handle, conversation in rows
            if isinstance(handle, UUID) and isinstance(conversation, UUID)
        ]

    def _clean_up_dialogs(self, dialogs: Sequence[TrafficDialog], is_ours: Callable[[], bool]) -> None:
        # The initiators first: then nothing more arrives that would make another target.
        handles = [dialog.handle for dialog in dialogs]
        self._end(self._ends.initiator, handles, with_cleanup=not self._is_read)
        if self._is_read:
            return
        by_end: dict[End, list[engine.ConversationHandle]] = defaultdict(list)
        for dialog in dialogs:
            if dialog.target is None and is_ours():
                self._find_target(dialog)
            if dialog.target is not None and dialog.target_handle is not None:
                by_end[dialog.target].append(dialog.target_handle)
        for end, targets in by_end.items():
            self._end(end, targets, with_cleanup=True)

    def _drop_broken(self) -> None:
        broken = [dialog for dialog in self._dialogs.values() if dialog.is_broken][:LOOKS_MAX]
        if broken:
            self._clean_up_dialogs(broken, lambda: True)
        for dialog in broken:
            del self._dialogs[dialog.handle]

    def _end(self, end: End, handles: Sequence[engine.ConversationHandle], *, with_cleanup: bool = False) -> None:
        """END CONVERSATION; one that is gone already has ended."""
        self._lines.to(end.instance).execute(
            [
                engine.EndConversation(
                    command_id=new_key(), database=end.database, conversation_handle=handle, with_cleanup=with_cleanup
                )
                for handle in handles
            ]
        )

    # ── asking ───────────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def _line(self) -> InstanceLine:
        return self._lines.to(self._ends.initiator.instance)

    def _received(self, end: End, **whose: UUID) -> Sequence[engine.QueueRow]:
        [reply] = self._lines.to(end.instance).execute([self._receive(end, **whose)])
        if isinstance(reply, engine.MessagesReceived):
            return reply.messages
        count_refusal(self.figures, reply)
        return ()

    def _receive(self, end: End, **whose: UUID | None) -> engine.Receive:
        return engine.Receive(command_id=new_key(), database=end.database, queue=end.queue, top=RECEIVE_MAX, **whose)


def _key_of(pair: TrafficPair) -> tuple[str, ...]:
    return (
        pair.from_instance,
        pair.from_database,
        pair.from_service,
        pair.to_service,
        pair.contract,
        pair.message_type,
    )
