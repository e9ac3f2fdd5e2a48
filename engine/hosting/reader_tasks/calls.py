"""What is said of a reader between the instance that calls for it and the task that runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from uuid import UUID

import msgspec

from engine.core.exchange.readers import ReaderEnded, ReaderStart
from engine.core.vocabulary.identifiers import ActivatedTaskId
from engine.hosting.shelf import InstanceKey

READER_QUEUE: Final = "engine.readers"
"""What workers consume that run readers, of any estate."""

SILENCE_SECONDS: Final = 5.0
"""How long a reader goes on without an answer of its instance. Shorter than any other worker needs to take over what a
dead one hosted: a reader of the old host has fallen silent before the new host starts its own."""

BEAT_SECONDS: Final = 1.0
"""How often a reader shows that it lives, whatever else it does."""


class ReaderCall(msgspec.Struct, frozen=True, kw_only=True):
    """An instance calls for a reader. The same call may be heard several times; it is answered by one run."""

    life: UUID
    """The life of the instance, from one load to the next; no reader outlives it."""
    start: ReaderStart


class ReaderPass(msgspec.Struct, frozen=True, array_like=True):
    """By what an instance knows one run of a reader in each of its requests."""

    life: UUID
    task: ActivatedTaskId
    run: UUID


SendCall = Callable[[InstanceKey, ReaderCall], None]
"""Lets workers hear a call, sooner or later or never; does not block, never raises."""

call_decoder: Final = msgspec.json.Decoder(ReaderCall)
pass_decoder: Final = msgspec.json.Decoder(ReaderPass)
ended_decoder: Final = msgspec.json.Decoder(ReaderEnded)
