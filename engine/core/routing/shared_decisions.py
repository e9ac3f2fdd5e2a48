"""`SharedDecisions`: equal decisions as one object, since thousands of conversations go the same way."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.core.routing.decision import ClassifierDecision
from engine.core.routing.dialog_security import SecurityDecision
from engine.core.vocabulary.identifiers import DatabaseName, ServiceName

SHARED_MAX: Final = 1_000
"""Ways whose last decision is remembered; service names in any number may come from clients and from the network."""

_Way = tuple[DatabaseName, ServiceName, bool]
"""Whose routes were asked, for which service, and whether by an initiator."""


class SharedDecisions:
    """The last decision of each way out. A decision with its explanation takes half a kilobyte."""

    def __init__(self) -> None:
        self._last: dict[_Way, ClassifierDecision] = {}
        self._secured: tuple[ClassifierDecision, SecurityDecision | None, ClassifierDecision] | None = None
        """The last decision that was told how a dialog is secured, with what it was told and what came of it."""

    def __len__(self) -> int:
        return len(self._last)

    def secured(self, decision: ClassifierDecision, security: SecurityDecision | None) -> ClassifierDecision:
        """The decision with how the dialog is secured on the way."""
        last = self._secured
        if last is not None and last[0] is decision and last[1] == security:
            return last[2]
        whole = msgspec.structs.replace(decision, security=security)
        self._secured = decision, security, whole
        return whole

    def shared(self, way: _Way, decision: ClassifierDecision) -> ClassifierDecision:
        """The decision, or the one before on the same way if it says the same."""
        last = self._last.get(way)
        if last is decision or last == decision:
            assert last is not None, "a decision equals no absent one"
            return last
        if last is None and len(self._last) >= SHARED_MAX:
            self._last.clear()
        self._last[way] = decision
        return decision
