"""`WaysOut`: where what leaves a database for one target goes, remembered while nothing can lead it elsewhere."""

from __future__ import annotations

from typing import Final

from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.decision import ClassifierDecision
from engine.core.vocabulary.identifiers import DatabaseName, ServiceName
from engine.core.vocabulary.messages import DialogTarget
from engine.core.vocabulary.moment import UtcTime

WAYS_OUT_MAX: Final = 1_000
"""Ways that are remembered; service names in any number may come from clients, and explanations are large."""


class WaysOut:
    """Explained decisions for what leaves endpoints. Another catalog, a pending request or a draw decides anew."""

    def __init__(self, classifier: MessageClassifier) -> None:
        self._classifier = classifier
        self._catalog = classifier.catalog
        self._known: dict[
            tuple[DatabaseName, ServiceName, int | None, bool], tuple[float, float, ClassifierDecision]
        ] = {}
        """With the time from which and until which no route comes to life or expires."""

    def __len__(self) -> int:
        return len(self._known)

    def of(
        self,
        database: DatabaseName,
        target: DialogTarget,
        now: UtcTime,
        *,
        from_target: bool,
        before: ClassifierDecision | None,
        advances: bool,
    ) -> ClassifierDecision:
        """As `MessageClassifier.from_inside`."""
        classifier = self._classifier
        if classifier.catalog is not self._catalog:
            self._catalog = classifier.catalog
            self._known.clear()
        broker = target.broker_instance
        key = (database, target.service_name, None if broker is None else broker.int, from_target)
        known = self._known.get(key)
        if known is not None and known[0] <= now < known[1] and not classifier.pending:
            return known[2]
        decision, is_drawn = classifier.from_inside_and_drawn(
            database, target, now, from_target=from_target, before=before, advances=advances
        )
        # By an own address the routes of `msdb` have had their say, too.
        if not is_drawn and decision.via is None and not classifier.pending:
            table = classifier.tables[database]
            if len(self._known) >= WAYS_OUT_MAX:
                self._known.clear()
            self._known[key] = (table.same_from, table.same_until, decision)
        return decision
