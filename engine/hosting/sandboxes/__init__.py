"""Sandboxes in a process that has clocks and threads: kept by their logs, asked through the client as estates are.

`keep_sandboxes` once, with the log; then `sandbox_keeper` acts in them and sets their clocks, `kept_instance` is what a
console works on, and every function of `engine.hosting.client` takes the name of a sandbox for that of an estate.
"""

from __future__ import annotations

from engine.hosting.errors import SandboxClosed, SandboxRestoring
from engine.hosting.sandboxes.asked import KeptInstance
from engine.hosting.sandboxes.entry_log import Append, EntryLog, MemoryEntryLog
from engine.hosting.sandboxes.keeper import SandboxKeeper, Stepped
from engine.hosting.sandboxes.player import SandboxPlayer
from engine.hosting.sandboxes.registry import (
    SANDBOX_PREFIX,
    is_sandbox,
    keep_sandboxes,
    keeping_sandboxes,
    kept_instance,
    let_sandboxes_go,
    sandbox_keeper,
    sandbox_player,
)

__all__ = [
    "SANDBOX_PREFIX",
    "Append",
    "EntryLog",
    "KeptInstance",
    "MemoryEntryLog",
    "SandboxClosed",
    "SandboxKeeper",
    "SandboxPlayer",
    "SandboxRestoring",
    "Stepped",
    "is_sandbox",
    "keep_sandboxes",
    "keeping_sandboxes",
    "kept_instance",
    "let_sandboxes_go",
    "sandbox_keeper",
    "sandbox_player",
]
