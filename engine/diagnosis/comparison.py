"""Two diagnoses compared: what a change has brought, what it has mended, and what it has left as it was."""

from __future__ import annotations

import msgspec

from engine.diagnosis.finding import Diagnosis, Finding


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Findings by what has become of them, the gravest first; a finding is known by its key."""

    new: tuple[Finding, ...]
    gone: tuple[Finding, ...]
    still: tuple[Finding, ...]
    """As the later diagnosis says them."""


def compare(before: Diagnosis, after: Diagnosis) -> Difference:
    """What is different between two diagnoses of an estate."""
    earlier = {each.key: each for each in before.findings}
    later = {each.key: each for each in after.findings}
    return Difference(
        new=tuple(each for key, each in later.items() if key not in earlier),
        gone=tuple(each for key, each in earlier.items() if key not in later),
        still=tuple(each for key, each in later.items() if key in earlier),
    )
