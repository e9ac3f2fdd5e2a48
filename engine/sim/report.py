"""What a run has shown: findings of checkers, and figures."""

from __future__ import annotations

import msgspec

from engine.core.vocabulary.identifiers import InstanceName


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that must not be. `at` is true time in seconds since the beginning of the run."""

    checker: str
    at: float
    instance: InstanceName
    text: str

    def __str__(self) -> str:
        where = f" {self.instance}" if self.instance else ""
        return f"{self.at:.3f} s{where}: {self.checker}: {self.text}"


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What there was to check. A run that checked nothing proves nothing."""

    messages: int = 0
    """Committed by SEND and END CONVERSATION."""
    received: int = 0
    """Handed out by RECEIVE."""
    transmissions: int = 0
    """Of sequenced messages, by the instance at which they were sent; those of forwarders not counted."""
    committed_remote: int = 0
    """Of the messages those that had to wait in a transmission queue; each fragment of a large one counts."""
    acknowledgements: int = 0
    """Transmissions that carried nothing else."""
    faults: int = 0
    """That struck."""
    deaths: int = 0
    """Of processes."""
    healed_at: float = 0.0
    rested_at: float | None = None
    """When nothing waited any more; None if that never came."""
    entries: int = 0
    """Of the journal."""

    @property
    def amplification(self) -> float:
        """Transmissions for each message that had to travel; 0 when there was none."""
        return self.transmissions / self.committed_remote if self.committed_remote else 0.0


class SeedReport(msgspec.Struct, frozen=True, kw_only=True):
    """One run."""

    seed: int
    valid: bool
    findings: tuple[Finding, ...]
    figures: Figures
    journal_hash: str
    """Two runs with the same hash took the same course; empty when none was wanted."""
