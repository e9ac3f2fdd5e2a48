"""`Counter`: an observer that counts what a run consisted of."""

from __future__ import annotations

from typing import ClassVar

from engine.core.exchange.changes import AppendTransmission
from engine.core.exchange.commands import EndConversation, Receive, Send
from engine.core.exchange.replies import ConversationEnded, MessageSent, MessagesReceived
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.rows import TransmissionRow
from engine.sim.history import Committed, Died, Entry, Happened, Healed, Kinds, Replied, Rested, Transmitted
from engine.sim.ledger import Ledger
from engine.sim.report import Figures


class Counter:
    """Counts; judges nothing."""

    watches: ClassVar[Kinds] = (Committed, Died, Happened, Healed, Replied, Rested, Transmitted)

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._messages = self._received = self._transmissions = self._remote = self._acknowledgements = 0
        self._faults = self._deaths = 0
        self._healed_at = 0.0
        self._rested_at: float | None = None

    def observe(self, entry: Entry) -> None:
        """One more."""
        match entry:
            case Committed():
                self._remote += sum(
                    _pieces(change.row) for change in entry.changes if isinstance(change, AppendTransmission)
                )
            case Transmitted():
                self._transmitted(entry)
            case Replied():
                self._replied(entry)
            case Happened():
                self._faults += entry.is_strike
            case Died():
                self._deaths += 1
            case Healed():
                self._healed_at = entry.at
            case Rested():
                self._rested_at = entry.at
            case _:
                pass

    def figures(self, entries: int) -> Figures:
        """What was counted."""
        return Figures(
            messages=self._messages,
            received=self._received,
            transmissions=self._transmissions,
            committed_remote=self._remote,
            acknowledgements=self._acknowledgements,
            faults=self._faults,
            deaths=self._deaths,
            healed_at=self._healed_at,
            rested_at=self._rested_at,
            entries=entries,
        )

    def _transmitted(self, entry: Transmitted) -> None:
        message = entry.message.message
        catalog = self._ledger.catalogs[entry.instance]
        if all(each.broker_instance != message.source.broker_instance for each in catalog.databases.values()):
            return
        if message.is_sequenced:
            self._transmissions += 1
        elif message.kind is MessageKind.ACKNOWLEDGEMENT:
            self._acknowledgements += 1

    def _replied(self, entry: Replied) -> None:
        match entry.command, entry.reply:
            case Send(), MessageSent():
                self._messages += 1
            case EndConversation(), ConversationEnded():
                self._messages += 1
            case Receive(), MessagesReceived(messages=messages):
                self._received += len(messages)
            case _:
                pass


def _pieces(row: TransmissionRow) -> int:
    """Transmissions that a message needs: one for each fragment."""
    size = len(row.message_body or b"")
    return 1 if row.fragment_bytes is None or size <= row.fragment_bytes else -(-size // row.fragment_bytes)
