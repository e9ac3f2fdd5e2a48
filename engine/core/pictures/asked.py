"""`Asked`: one query of one instance, with everything that an answer needs and no view owns."""

from __future__ import annotations

from collections.abc import Callable
from math import floor
from typing import TypeVar

from engine.core.catalog.names import find_database
from engine.core.exchange.pictures import PictureQuery, Unchanged
from engine.core.handlers.broker import Broker
from engine.core.link.facts import NetworkFacts
from engine.core.pictures.journal import PictureJournal
from engine.core.pictures.table import Readers
from engine.core.vocabulary.identifiers import DatabaseName, EventSequence
from engine.core.vocabulary.moment import Now, UtcTime

T = TypeVar("T")


class Asked:
    """Reads only."""

    def __init__(self, broker: Broker, journal: PictureJournal, network: NetworkFacts | None, now: Now) -> None:
        self.broker = broker
        self.readers = Readers.of(broker, network)
        self.sequence = journal.last
        self.at = UtcTime(floor(now.utc))
        self.now = now
        self._journal = journal

    def databases(self, name: DatabaseName | None) -> list[DatabaseName]:
        """The database that is asked about, or all; 911."""
        catalog = self.broker.catalog
        return list(catalog.databases) if name is None else [find_database(catalog, name).name]

    def since(self, query: PictureQuery, read: Callable[[PictureJournal, EventSequence], T | None]) -> T | None:
        """What has happened since the picture that the asker has; None when the whole is to be told."""
        if query.since is None or not self._journal.reaches(query.since):
            return None
        return read(self._journal, query.since)

    def is_unchanged(self, query: PictureQuery, kinds: frozenset[type]) -> bool:
        """Whether the asker has the picture as it is, since nothing of these kinds has happened."""
        return self.since(query, lambda journal, since: not journal.has_any(since, kinds)) is True

    def unchanged(self) -> Unchanged:
        """The answer then."""
        return Unchanged(sequence=self.sequence, at=self.at)
