"""Everything that drives an `Instance`, as a closed union: commands, what the network brings, readers, time."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.core.exchange.commands import Command
from engine.core.exchange.neighbours import Neighbour
from engine.core.exchange.readers import ReaderEnded
from engine.core.vocabulary.identifiers import CommandId
from engine.core.vocabulary.messages import ForwardedMessage, LinkChange, LinkHasRoom, LoginEnded, MessagesReturned
from engine.core.vocabulary.mirrors import AskerGone, RoleAsked, RoleClaimed


class TimerFired(msgspec.Struct, frozen=True):
    """The alarm rang; harmless when nothing is due."""


class WaitCancelled(msgspec.Struct, frozen=True):
    """Whoever waits with this WAITFOR has given up; it is answered with the empty set. Harmless when it has ended."""

    command_id: CommandId


class Started(msgspec.Struct, frozen=True):
    """The host has loaded the instance and its network is ready: everything that waited goes on."""


TIMER_FIRED: Final = TimerFired()
STARTED: Final = Started()

Event = (
    Neighbour
    | ForwardedMessage
    | LinkChange
    | LinkHasRoom
    | MessagesReturned
    | LoginEnded
    | RoleAsked
    | RoleClaimed
    | AskerGone
    | ReaderEnded
    | TimerFired
    | WaitCancelled
    | Started
)
"""What happens to an instance without anybody waiting for a reply."""

Input = Command | Event
