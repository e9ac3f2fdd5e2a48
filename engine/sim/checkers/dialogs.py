"""`ExactlyOnceInOrder`: every message that SEND took is received once and in order, or there is a reason for it.

Only what applications asked and were answered counts, and what bodies say; no state of the engine is believed. The
reasons for which messages may be missing are those of the protocol (protocol.md 8): the reader has ended, which
discards the rest, either side has ended with an error, or an error has reached either side; and those of identity.md:
the conversation belongs to a database that went back to an old backup, or an operator has broken it off (`breaks`).

What happens in a transaction counts when it is committed, and never if it is not (`checkers.sessions`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

import msgspec

from engine.core.catalog.objects import DIALOG_TIMER_TYPE, END_DIALOG_TYPE, ERROR_TYPE
from engine.core.exchange.commands import EndConversation, Receive, Send
from engine.core.exchange.replies import MessageSent, MessagesReceived
from engine.core.vocabulary.identifiers import ConversationHandle, InstanceName
from engine.core.vocabulary.rows import QueueRow
from engine.sim.breaks import BreakKind
from engine.sim.checkers.checker import Checker
from engine.sim.checkers.sessions import Sessions
from engine.sim.history import Committed, Entry, Issued, Replied
from engine.sim.ledger import Ledger, Return
from engine.sim.scenario import Scenario, Side
from engine.sim.workload.bodies import Letter, read

SECOND_TARGET, FAR_ENDPOINT_GONE = -8495, -8462
RESTORED = frozenset({-9719, -9720, FAR_ENDPOINT_GONE})
"""Errors that tell of a database that went back in time (identity.md 6)."""
ATTACHED_HERE, NO_SUCH_SERVICE = -9719, -8490
TELLS_OF: Final = {
    -8470: {BreakKind.DROPPED},
    -9720: {BreakKind.ERRORED},
    FAR_ENDPOINT_GONE: set(BreakKind),
}
"""What may have happened to the far side when an error comes from there."""
_CODE: Final = re.compile(r"<Code>(-?\d+)</Code>")


class _Told(msgspec.Struct):
    """What one side of a conversation has said and heard."""

    accepted: int = 0
    """Messages that SEND took."""
    bodies: dict[int, bytes] = msgspec.field(default_factory=dict)
    """By number: what was given to SEND, answered or not."""
    heard: int = 0
    heard_from: ConversationHandle | None = None
    heard_at_end: int | None = None
    """Messages heard before the end came; None while it has not."""
    is_anew: bool = False
    """It went back in time: the next message that it hears need not follow on the last one."""
    has_ended: bool = False
    ended_at: float = 0.0
    """True time of the first END, if there was one."""
    has_given_up: bool = False
    """It ended with an error."""
    error: int | None = None
    """Code of an error that has reached it."""

    @property
    def knows_the_end(self) -> bool:
        """Whether it has heard that the conversation is over, or was the one to say so."""
        return self.has_ended or self.heard_at_end is not None or self.error is not None


class ExactlyOnceInOrder(Checker):
    """Applications number their messages themselves, which shows what is missing, doubled, overtaken or invented."""

    name = "exactly-once-in-order"
    watches = (Committed, Issued, Replied)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._sides: defaultdict[Side, _Told] = defaultdict(_Told)
        self._by_handle: dict[ConversationHandle, Side] = {}
        self._sessions = Sessions()

    def observe(self, entry: Entry) -> None:
        """Compare what is received with what was sent."""
        if isinstance(entry, Committed):
            for returned in self.ledger.returns:
                self._go_back(returned)
        elif isinstance(entry, Issued | Replied):
            if isinstance(entry, Issued) and isinstance(entry.command, Send):
                # Now, even if it is committed later or never: another message of its number says something else.
                self._given(entry, entry.command)
            for each in self._sessions.effective(entry):
                self._take(each)

    def _take(self, entry: Issued | Replied) -> None:
        match entry:
            case Issued(command=EndConversation() as end):
                told = self._side(entry.instance, end)
                told.ended_at = told.ended_at if told.has_ended else entry.at
                told.has_ended = True
                told.has_given_up = told.has_given_up or end.error_code is not None
            case Replied(command=Send() as send, reply=MessageSent(message_sequence_number=number)):
                told = self._side(entry.instance, send)
                if number != told.accepted:
                    self._tell(entry, send.conversation_handle, f"SEND {told.accepted} was given the number {number}")
                told.accepted += 1
            case Replied(command=Receive() as receive, reply=MessagesReceived(messages=rows)):
                for row in rows:
                    self._received(entry, (entry.instance, receive.database, row.conversation_handle), row)
            case _:
                pass

    def _given(self, entry: Issued, send: Send) -> None:
        letter = read(send.body)
        if letter is not None and send.body is not None:
            self._side(entry.instance, send).bodies[letter.number] = send.body

    def _go_back(self, returned: Return) -> None:
        """What a side of the database has heard since the backup it has not heard; it may hear it again."""
        if returned.is_rewound:
            for side, told in self._sides.items():
                told.is_anew = told.is_anew or side[:2] == returned.place

    def finish(self, at: float) -> None:
        """Whatever was accepted and has no excuse must have been received, and by one reader in each database."""
        for side, told in list(self._sides.items()):
            if told.error is not None and not self._is_explained(side, told.error):
                self.find(at, side[0], f"an error {told.error} that nothing explains has ended {side[2]}")
            if self._is_rewound(side) or self._is_broken(side):
                continue
            self._check_one_reader(at, side)
            self._check_heard_at_end(at, side, told)
            if told.has_ended and told.error != SECOND_TARGET:
                self._check_end_is_known(at, side)
            if told.accepted and not self._is_excused(side, told):
                self._check_all_heard(at, side, told)

    def _side(self, instance: InstanceName, command: Send | EndConversation) -> _Told:
        side = (instance, command.database, command.conversation_handle)
        self._by_handle[command.conversation_handle] = side
        return self._sides[side]

    def _tell(self, entry: Entry, handle: ConversationHandle, text: str) -> None:
        self.find(entry.at, entry.instance, f"{text} on {handle}")

    # ── while it runs ────────────────────────────────────────────────────────────────────────────────────────────
    def _received(self, entry: Replied, side: Side, row: QueueRow) -> None:
        told = self._sides[side]
        self._by_handle[side[2]] = side
        if row.message_type_name == ERROR_TYPE:
            found = _CODE.search((row.message_body or b"").decode("utf-16", "replace"))
            told.error = int(found[1]) if found else 0
        elif row.message_type_name == END_DIALOG_TYPE:
            self._heard_end(entry, side, told)
        elif row.message_type_name != DIALOG_TIMER_TYPE:
            self._heard(entry, side, told, row)

    def _heard_end(self, entry: Replied, side: Side, told: _Told) -> None:
        if told.heard_at_end is not None and not told.is_anew:
            self._tell(entry, side[2], "the end came twice")
        told.heard_at_end = told.heard

    def _heard(self, entry: Replied, side: Side, told: _Told, row: QueueRow) -> None:
        letter = read(row.message_body)
        if letter is None:
            self._tell(entry, side[2], "a body came that nobody has written")
            return
        self._begin_anew(side, told, letter)
        if told.heard_from not in (None, letter.sender):
            self._tell(entry, side[2], f"messages came of two senders, {told.heard_from} and {letter.sender}")
        told.heard_from = letter.sender
        if told.heard_at_end is not None:
            self._tell(entry, side[2], f"message {letter.number} came after the end")
        if letter.number < told.heard:
            self._tell(entry, side[2], f"message {letter.number} came twice")
            return
        if letter.number > told.heard:
            self._tell(entry, side[2], f"message {letter.number} came where {told.heard} was due")
        told.heard = letter.number + 1
        sender = self._by_handle.get(letter.sender)
        if sender is None or self._sides[sender].bodies.get(letter.number) != row.message_body:
            self._tell(entry, side[2], f"message {letter.number} is not what was sent")

    def _begin_anew(self, side: Side, told: _Told, letter: Letter) -> None:
        """After a restore a side hears again what waited in the backup; its partner may hear another endpoint.

        Where the target was born after the backup, the dialog can begin anew there: then answers come of another
        sender, from wherever the numbers of both meet (identity.md 4: they no longer fit). Each time it is once.
        """
        is_another = told.heard_from not in (None, letter.sender) and self._is_rewound(side)
        if (told.is_anew and letter.number <= told.heard) or is_another:
            told.heard, told.heard_at_end, told.heard_from = letter.number, None, None
            told.is_anew = False

    # ── at the end ───────────────────────────────────────────────────────────────────────────────────────────────
    def _check_all_heard(self, at: float, side: Side, told: _Told) -> None:
        readers = self._readers_of(side)
        heard = max((self._sides[reader].heard for reader in readers), default=0)
        if heard < told.accepted:
            instance = readers[0][0] if readers else side[0]
            text = f"of {told.accepted} messages of {side[2]} only {heard} were received; nothing excuses the others"
            self.find(at, instance, text)

    def _check_heard_at_end(self, at: float, side: Side, told: _Told) -> None:
        """The end comes last (protocol.md 8.2, row 8)."""
        partner = self._partner_of(side, told)
        if told.heard_at_end is None or partner is None:
            return
        if told.heard_at_end != self._sides[partner].accepted:
            text = f"the end came after {told.heard_at_end} of {self._sides[partner].accepted} messages on {side[2]}"
            self.find(at, side[0], text)

    def _check_one_reader(self, at: float, side: Side) -> None:
        """A conversation that was closed must not begin anew with a late copy of its message 0 (protocol.md 8.5)."""
        readers = [each for each in self._partners_of(side) if self._sides[each].heard_from == side[2]]
        for place in {reader[:2] for reader in readers}:
            twins = [reader for reader in readers if reader[:2] == place]
            if len(twins) > 1:
                self.find(at, place[0], f"{place[1]} has received messages of {side[2]} in {len(twins)} conversations")

    def _check_end_is_known(self, at: float, side: Side) -> None:
        """Whoever was talked to has heard of the end, or has ended too (protocol.md 8.3)."""
        partners = [self._sides[each] for each in self._partners_of(side) if not self._came_too_late(side, each)]
        if partners and not any(each.knows_the_end for each in partners):
            self.find(at, side[0], f"{side[2]} has ended, and the other side was never told")

    def _came_too_late(self, side: Side, partner: Side) -> bool:
        """Whether a message 0 that the error behind it had overtaken opened the partner.

        The error was acknowledged where nobody knew the dialog, so nobody says it again. The partner learns of the end
        with the first message that it sends (protocol.md 8.2, row 30).
        """
        told = self._sides[side]
        return told.has_given_up and self.ledger.born[partner] > told.ended_at

    def _is_excused(self, side: Side, told: _Told) -> bool:
        """Whether messages of this side may stay unread."""
        if told.has_given_up or told.error is not None:
            return True
        for reader in self._partners_of(side):
            other = self._sides[reader]
            if other.error == SECOND_TARGET:
                # A copy of the service that came second; the other copy must have received everything.
                continue
            if other.has_given_up or other.error is not None or (other.has_ended and other.heard_at_end is None):
                return True
        return False

    def _readers_of(self, side: Side) -> list[Side]:
        """Endpoints that have received something of this side, or might have."""
        partners = self._partners_of(side)
        return [each for each in partners if self._sides[each].heard_from == side[2]] or partners

    def _partners_of(self, side: Side) -> list[Side]:
        """Endpoints that ever stood at the other end."""
        row = self.ledger.known.get(side)
        return [] if row is None else self.ledger.sides.get((row.conversation_id, not row.is_initiator), [])

    def _partner_of(self, side: Side, told: _Told) -> Side | None:
        if told.heard_from is not None:
            return self._by_handle.get(told.heard_from)
        partners = self._partners_of(side)
        return partners[0] if len(partners) == 1 else None

    def _is_rewound(self, side: Side) -> bool:
        """Whether the conversation belongs to a database that went back in time while it was going on."""
        row = self.ledger.known.get(side)
        return row is not None and row.conversation_id in self.ledger.rewound

    def _is_broken(self, side: Side) -> bool:
        """Whether an operator has broken the conversation off, at either end."""
        row = self.ledger.known.get(side)
        return row is not None and row.conversation_id in self.ledger.breaks.conversations

    def _is_explained(self, side: Side, error: int) -> bool:
        """An error of an application, of a second copy of the service, of a partner that is gone or broken off."""
        if (error in RESTORED and self._is_rewound(side)) or self._was_broken_off(side, error):
            return True
        partners = [self._sides[each] for each in self._partners_of(side)]
        if error > 0:
            return any(partner.has_given_up for partner in partners)
        if error == SECOND_TARGET:
            row = self.ledger.known[side]
            return not row.is_initiator and len(self.ledger.sides[row.conversation_id, False]) > 1
        if error == FAR_ENDPOINT_GONE:
            return any(partner.has_ended or partner.error is not None for partner in partners)
        return False

    def _was_broken_off(self, side: Side, error: int) -> bool:
        """Whether an operator has done what the error tells of (protocol.md 18.1, identity.md 3)."""
        breaks = self.ledger.breaks
        here = breaks.orders.get(side, set())
        there = {kind for each in self._partners_of(side) for kind in breaks.orders.get(each, ())}
        if error == ATTACHED_HERE:
            return bool(here & {BreakKind.RENEWED, BreakKind.ERRORED})
        if error == NO_SUCH_SERVICE:
            row = self.ledger.known.get(side)
            return row is not None and row.far_service in breaks.dropped
        return bool(there & TELLS_OF.get(error, set()))
