"""`TransactionReader`: receives, answers and ends in transactions that commit, roll back, or are left alone.

It rolls back on purpose, now and then five times in a row, and switches the queue on again that poison handling has
switched off (protocol.md 14). A session that it leaves alone holds its locks until the engine rolls it back.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Final

from engine.core.exchange.commands import (
    BeginTransaction,
    Command,
    CommitTransaction,
    EndConversation,
    Receive,
    RollbackTransaction,
    Send,
    SetQueueStatus,
)
from engine.core.exchange.replies import (
    ConversationEnded,
    MessageSent,
    MessagesReceived,
    Refusal,
    Reply,
    TransactionBegun,
    TransactionEnded,
)
from engine.core.vocabulary.identifiers import TransactionId
from engine.core.vocabulary.limits import POISON_ROLLBACKS_MAX
from engine.sim.store import OUT_OF_REACH
from engine.sim.workload.party import Party
from engine.sim.workload.readers import HURRIED_SECONDS, POLL_SECONDS, ReaderPlace
from engine.sim.workload.wishes import Wish

ROLLBACKS: Final = (0.02, 0.6)
"""Share of its transactions that a reader rolls back; each draws one, each order of magnitude equally likely."""
POISON_SHARE: Final = 0.2
"""Probability that what was rolled back is rolled back until the queue is switched off."""
SILENCE: Final = (0.005, 0.1)
"""Share that it leaves alone."""
RECEIVES_AGAIN: Final = 0.3
"""Probability of one more RECEIVE in the same transaction."""
QUEUE_OFF: Final = 9617
SESSION_LOST: Final = OUT_OF_REACH | {3971}
"""Refusals after which nothing that the transaction did will ever be committed."""


class _Fate(StrEnum):
    COMMIT = "commit"
    ROLLBACK = "rollback"
    SILENCE = "silence"


class _Session:
    """One transaction and what it has done so far."""

    def __init__(self, transaction: TransactionId, fate: _Fate) -> None:
        self.transaction: Final = transaction
        self.fate: Final = fate
        self.wishes: deque[Wish] = deque()
        self.read: list[Wish] = []
        self.answered = 0
        """Of the messages that were read, how many have their answer or want none."""
        self.sent: Counter[Party] = Counter()
        self.ended: list[Party] = []
        """Parties whose END was tried."""
        self.closed: list[Party] = []
        """Those of them whose END was taken."""


class TransactionReader:
    """One transaction after the other; at most one that is not left alone."""

    def __init__(self, place: ReaderPlace) -> None:
        dice = place.dice
        self._delay_seconds = dice.scale(0.005, 5.0)
        self._top = dice.choose((1, 5, 100))
        self._rollbacks = dice.scale(*ROLLBACKS)
        self._silence = dice.scale(*SILENCE)
        self._place = place
        self._poisoned = 0
        """Transactions that will be rolled back in any case."""
        self._is_at_work = False
        self._is_hurried = False

    def wake(self) -> None:
        """There is something to receive."""
        if not self._is_at_work:
            self._is_at_work = True
            self._place.agenda.after(self._place.dice.about(self._delay_seconds), self._begin)

    def poll(self) -> None:
        """Look now, and again later, for ever."""
        self.wake()
        self._place.agenda.after(POLL_SECONDS, self.poll)

    def hurry(self) -> None:
        """Everything is committed from now on."""
        self._delay_seconds = min(self._delay_seconds, HURRIED_SECONDS)
        self._is_hurried = True

    def _ask(self, command: Command, then: Callable[[Reply], None]) -> None:
        self._place.clerk.ask(self._place.site, command, then)

    # ── one transaction ──────────────────────────────────────────────────────────────────────────────────────────
    def _begin(self) -> None:
        self._ask(BeginTransaction(command_id=self._place.clerk.new_id()), self._begun)

    def _begun(self, reply: Reply) -> None:
        if isinstance(reply, TransactionBegun):
            self._receive(_Session(reply.transaction, self._draw_fate()))
        else:
            self._rest(has_read=False)

    def _draw_fate(self) -> _Fate:
        dice = self._place.dice
        if self._is_hurried:
            return _Fate.COMMIT
        if self._poisoned:
            self._poisoned -= 1
            return _Fate.ROLLBACK
        if dice.chance(self._rollbacks):
            self._poisoned = POISON_ROLLBACKS_MAX - 1 if dice.chance(POISON_SHARE) else 0
            return _Fate.ROLLBACK
        return _Fate.SILENCE if dice.chance(self._silence) else _Fate.COMMIT

    def _receive(self, session: _Session) -> None:
        place = self._place
        command = Receive(
            command_id=place.clerk.new_id(),
            database=place.site.database,
            queue=place.queue,
            top=self._top,
            transaction=session.transaction,
        )
        self._ask(command, lambda reply: self._received(session, reply))

    def _received(self, session: _Session, reply: Reply) -> None:
        if isinstance(reply, Refusal) and reply.number == QUEUE_OFF:
            self._place.agenda.after(self._place.dice.about(self._delay_seconds), self._switch_on)
        if isinstance(reply, MessagesReceived):
            wishes = self._place.wishes(self._place.site, reply.messages)
            session.wishes.extend(wishes)
            session.read += wishes
        elif isinstance(reply, Refusal) and reply.number in SESSION_LOST:
            self._rest(has_read=False)
            return
        self._work(session)

    def _switch_on(self) -> None:
        """Whatever has switched the queue off: a queue that stays off would say nothing about the engine."""
        place = self._place
        command = SetQueueStatus(
            command_id=place.clerk.new_id(), database=place.site.database, queue=place.queue, is_enabled=True
        )
        self._ask(command, lambda reply: None)

    def _work(self, session: _Session) -> None:
        """Do the next thing that a message asks for; then receive again, or bring it to its end."""
        while session.wishes:
            command = self._next_command(session, session.wishes[0])
            if command is not None:
                self._ask(command, partial(self._done, session))
                return
            session.wishes.popleft()
        if session.read and self._place.dice.chance(RECEIVES_AGAIN) and len(session.read) < 2 * self._top:
            self._receive(session)
        else:
            self._finish(session)

    def _next_command(self, session: _Session, wish: Wish) -> Send | EndConversation | None:
        """What is still to be done for a message: first the answer, then the end."""
        party = wish.party
        if party in session.ended:
            return None
        place = len(session.read) - len(session.wishes)
        is_answered = session.answered > place
        session.answered = place + 1
        if wish.answer_bytes is not None and not is_answered:
            draft = party.draft((), wish.answer_bytes, session.transaction, ahead=session.sent[party])
            if draft is not None:
                return draft
        if not wish.ends:
            return None
        session.ended.append(party)
        return party.draft_end(wish.ends_with_error, session.transaction, again=not wish.is_letter)

    def _done(self, session: _Session, reply: Reply) -> None:
        if isinstance(reply, Refusal) and reply.number in SESSION_LOST:
            self._rest(has_read=False)
            return
        party = session.wishes[0].party
        if isinstance(reply, MessageSent):
            session.sent[party] += 1
        elif isinstance(reply, ConversationEnded):
            session.closed.append(party)
        self._work(session)

    # ── its end ──────────────────────────────────────────────────────────────────────────────────────────────────
    def _finish(self, session: _Session) -> None:
        place = self._place
        if session.fate is _Fate.SILENCE and session.read:
            self._rest(has_read=True)
        elif session.fate is _Fate.COMMIT:
            command = CommitTransaction(command_id=place.clerk.new_id(), transaction=session.transaction)
            self._ask(command, lambda reply: self._ended(session, reply))
        else:
            rollback = RollbackTransaction(command_id=place.clerk.new_id(), transaction=session.transaction)
            self._ask(rollback, lambda reply: self._rest(has_read=bool(session.read)))

    def _ended(self, session: _Session, reply: Reply) -> None:
        if isinstance(reply, TransactionEnded) and reply.committed:
            for party, count in session.sent.items():
                party.sent += count
            for party in session.closed:
                party.has_ended = True
            for wish in session.read:
                if wish.is_letter:
                    wish.party.hear()
        self._rest(has_read=bool(session.read))

    def _rest(self, *, has_read: bool) -> None:
        """Where something was read there may be more; else somebody wakes the reader."""
        self._is_at_work = False
        if has_read:
            self.wake()
