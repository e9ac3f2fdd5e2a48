"""Which databases share a broker id although both are active (SBD-203)."""

from __future__ import annotations

import msgspec

from engine.questions.findings import of_codes


class DuplicateIdentities(msgspec.Struct, frozen=True):
    """Takes nothing."""


REGISTRATION = of_codes(
    "duplicate_identities", "Active databases with one broker id.", DuplicateIdentities, ("SBD-203",)
)
