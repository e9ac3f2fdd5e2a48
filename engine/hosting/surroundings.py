"""What all instances of a host share."""

from __future__ import annotations

import msgspec

from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.keys import KeyVault
from engine.core.vocabulary.settings import DialogSettings
from engine.hosting.directory import PortDirectory
from engine.hosting.wakeups import WakeUps
from engine.runtime.ports import Clock


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What all instances of a host share."""

    clock: Clock
    entropy: Entropy
    directory: PortDirectory
    wakeups: WakeUps | None
    listen_host: str
    vault: KeyVault
    dialog: DialogSettings
