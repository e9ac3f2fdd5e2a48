"""What inputs to an `Instance` bring about.

The order of the fields is the order in which the driver obeys them: commit `changes` with `events`, then release
`dials`, `sends`, `fillings`, `questions`, `answers`, readers and `late_replies`, then publish `events`. That order is
the whole durability argument.
"""

from __future__ import annotations

import msgspec

from engine.core.exchange.changes import StateChange
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.readers import ReaderStart
from engine.core.exchange.replies import LateReply
from engine.core.vocabulary.messages import Outbound, TcpAddress
from engine.core.vocabulary.mirrors import RoleAnswer, RoleQuestion


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The consequences of the inputs between `Instance.begin` and `finish`."""

    changes: tuple[StateChange, ...] = ()
    dials: tuple[TcpAddress, ...] = ()
    """Addresses to open a connection to."""
    hang_ups: tuple[TcpAddress, ...] = ()
    """Connections to close: their endpoint stopped or their address left the tables."""
    reader_starts: tuple[ReaderStart, ...] = ()
    """Readers to start, after the commit (protocol.md 17.2)."""
    late_replies: tuple[LateReply, ...] = ()
    """Replies to commands that were taken earlier, to be stored and then given (protocol.md 12, WAITFOR)."""
    sends: tuple[Outbound, ...] = ()
    """Messages for connections that are logged in."""
    fillings: tuple[TcpAddress, ...] = ()
    """Connections that are to tell when they have room again."""
    questions: tuple[RoleQuestion, ...] = ()
    """Partners to ask for their role, over connections that are logged in."""
    answers: tuple[RoleAnswer, ...] = ()
    """What neighbours are told of our role, over the connections on which they asked."""
    events: tuple[BrokerEvent, ...] = ()
