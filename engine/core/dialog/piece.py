"""`Piece`: one message, or one fragment of one, that is in flight between two endpoints of a dialog."""

from __future__ import annotations

import msgspec

from engine.core.vocabulary.messages import Position
from engine.core.vocabulary.moment import Instant
from engine.core.vocabulary.rows import TransmissionRow


class Piece(msgspec.Struct, gc=False):
    """One piece in flight: a message, or a fragment of one."""

    row: TransmissionRow
    fragment: int
    size: int
    """Bytes of the piece."""
    attempts: int
    """Transmissions since the last `start_over` or progress."""
    left_at: Instant
    """When it was transmitted first: of one that was repeated nobody knows which of them has arrived."""
    deadline: Instant
    is_asked_for: bool = False
    """An acknowledgement has shown that it is missing; it has not gone again since."""
    is_late: bool = False
    """It was repeated because nothing had come back for long."""

    @property
    def position(self) -> Position:
        """Where the piece stands among all of its direction."""
        return self.row.message_sequence_number, self.fragment
