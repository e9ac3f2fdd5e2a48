"""`WaysIn`: where what arrives for one target goes, remembered while nothing can lead it elsewhere."""

from __future__ import annotations

from typing import Final

from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.decision import ClassifierDecision
from engine.core.vocabulary.identifiers import MSDB, ServiceName
from engine.core.vocabulary.messages import DialogTarget
from engine.core.vocabulary.moment import UtcTime

WAYS_IN_MAX: Final = 10_000
"""Targets that are remembered; others in any number may come from the network."""


class WaysIn:
    """Decisions for what comes over the network. Another catalog, a pending request or a draw decides anew."""

    def __init__(self, classifier: MessageClassifier) -> None:
        self._classifier = classifier
        self._catalog = classifier.catalog
        self._known: dict[tuple[ServiceName, int | None, bool], tuple[float, float, ClassifierDecision]] = {}
        """With the time from which and until which no route comes to life or expires."""

    def of(self, target: DialogTarget, now: UtcTime, *, from_target: bool) -> ClassifierDecision:
        """As `MessageClassifier.from_outside`, not explained."""
        classifier = self._classifier
        if classifier.catalog is not self._catalog:
            self._catalog = classifier.catalog
            self._known.clear()
        broker = target.broker_instance
        key = (target.service_name, None if broker is None else broker.int, from_target)
        known = self._known.get(key)
        if known is not None and known[0] <= now < known[1] and not classifier.pending:
            return known[2]
        decision, is_drawn = classifier.from_outside_and_drawn(target, now, from_target=from_target)
        table = classifier.tables.get(MSDB)
        if not is_drawn and not classifier.pending and table is not None:
            if len(self._known) >= WAYS_IN_MAX:
                self._known.clear()
            self._known[key] = (table.same_from, table.same_until, decision)
        return decision
