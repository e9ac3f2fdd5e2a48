"""What all instances of a host share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.keys import KeyVault
from engine.core.vocabulary.settings import EngineSettings
from engine.hosting.clock import HostClock
from engine.hosting.directory import PortDirectory
from engine.hosting.reader_tasks.calls import SendCall
from engine.hosting.shelf import InstanceKey
from engine.hosting.wakeups import WakeUps


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What all instances of a host share."""

    clock: HostClock
    entropy: Entropy
    directory: PortDirectory
    wakeups: WakeUps | None
    listen_host: str
    vault: KeyVault
    settings: EngineSettings
    """What the note of an instance says nothing about."""
    plate_of: Callable[[InstanceKey], Path]
    """Where an instance says how sessions reach it."""
    send_call: SendCall | None = None
    """How workers hear that a reader is called for; None where readers are threads of this process."""
