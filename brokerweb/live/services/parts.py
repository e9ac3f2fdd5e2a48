"""What a topic shows of one instance: read from the engine, kept, and read on from there.

A part lives in threads that may wait for the engine; nobody reads one twice at the same time.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol
from urllib.parse import quote

import msgspec

from brokerweb.common.database import borrowed_connections
from brokerweb.live.services.asking import READ_SECONDS, Asking
from brokerweb.live.services.queries import query_of
from brokerweb.live.tables import Cells, Column, Table
from brokerweb.live.topics import AnyTopic, InstancesTopic, TraceTopic
from engine import api as engine

logger = logging.getLogger(__name__)

INSTANCE_COLUMN: Final = Column("instance_name", "sysname")

_BESIDE_FACTS: Final = frozenset({"sequence", "at", "is_whole", "columns", "rows", "gone", "cleared"})
"""Fields of a picture that are no facts: what it is made of, and when."""


class PartState(msgspec.Struct, frozen=True):
    """What an instance contributes to a topic."""

    columns: tuple[Column, ...]
    rows: Mapping[str, Cells]
    facts: Mapping[str, Any]
    sequence: int
    """Number of the newest event that it includes; -1 when there was no reading yet."""


class Part(Protocol):
    """What reads a topic of one instance."""

    def read(self, *, looks_anew: bool) -> PartState:
        """Ask the engine; with `looks_anew` for everything, whatever is held. Never raises: silence is a fact."""
        ...


def part_of(estate: str, instance: str, topic: AnyTopic, asking: Asking) -> Part:
    """What a topic has of an instance, nothing read yet."""
    if isinstance(topic, TraceTopic):
        return TracePart(estate, instance, topic, asking)
    if isinstance(topic, InstancesTopic):
        return SummaryPart(estate, instance, asking)
    return PicturePart(estate, instance, topic, asking)


def joined(states: Mapping[str, PartState], missing: Iterable[str] = ()) -> Table:
    """The parts of several instances as one table: rows in the order of the instances, a fact for each of them."""
    columns: tuple[Column, ...] = next((state.columns for state in states.values() if state.columns), ())
    rows: dict[str, Cells] = {}
    for state in states.values():
        rows.update(state.rows)
    facts: dict[str, Any] = {name: state.facts for name, state in states.items()}
    return Table(columns, rows, facts | {name: {"missing": True} for name in missing})


class _Part:
    """What all parts share: the place, and what becomes of an engine that does not answer or refuses."""

    def __init__(self, estate: str, instance: str, asking: Asking) -> None:
        self.columns: tuple[Column, ...] = ()
        self.rows: Mapping[str, Cells] = {}
        self.facts: dict[str, Any] = {}
        self.sequence = -1
        self._estate = estate
        self._instance = instance
        self._asking = asking
        self._read_at: float | None = None

    def read(self, *, looks_anew: bool) -> PartState:
        """Ask the engine, unless it has just kept silent to somebody else."""
        with borrowed_connections():
            # Of a private estate it is the dashboard's own database that is read.
            self._try(looks_anew)
        return PartState(self.columns, self.rows, self.facts, self.sequence)

    def _try(self, looks_anew: bool) -> None:
        reason = self._asking.silence.of(self._estate, self._instance)
        if reason is None:
            try:
                self._ask(looks_anew)
            except engine.EngineUnavailable as error:
                reason = str(error)
                self._asking.silence.note(self._estate, self._instance, reason)
            except engine.BrokerError as error:
                self.rows = {}
                self.facts = {"refused": {"number": error.number, "detail": str(error)}}
                return
            except Exception as error:
                # What is held is not of now, whatever has gone wrong: an engine of another version, a fault of ours.
                logger.exception("Instance %s of estate %s could not be read.", self._instance, self._estate)
                reason = f"Its answer could not be read: {error}"
                self._asking.silence.note(self._estate, self._instance, reason)
            else:
                self._asking.silence.broken(self._estate, self._instance)
                self._read_at = time.time()
                return
        kept = {name: value for name, value in self.facts.items() if name != "unavailable"}
        self.facts = kept | {"unavailable": {"reason": reason, "since": self._read_at}}

    def _ask(self, looks_anew: bool) -> None:
        raise NotImplementedError

    def _picture(self, query: engine.pictures.PictureQuery) -> engine.pictures.Picture:
        return self._asking.picture(self._estate, self._instance, query)


class PicturePart(_Part):
    """Rows of a picture. What was touched since is asked for, and everything where that does not tell the order."""

    def __init__(self, estate: str, instance: str, topic: AnyTopic, asking: Asking) -> None:
        super().__init__(estate, instance, asking)
        self._query = query_of(topic)
        self._prefix = f"{quote(instance, safe='')} "
        self._moves = False
        """Whether rows came or left last time, so that the whole would be needed again."""

    def _ask(self, looks_anew: bool) -> None:
        holds = self.sequence >= 0 and "unavailable" not in self.facts and "refused" not in self.facts
        since = None if looks_anew or self._moves or not holds else engine.EventSequence(self.sequence)
        picture = self._picture(msgspec.structs.replace(self._query, since=since))
        if not self._takes(picture):
            picture = self._picture(self._query)
            self._takes(picture)
            self._moves = True

    def _takes(self, picture: engine.pictures.Picture) -> bool:
        """Take a picture over; False, and nothing done, when it does not tell where its rows belong."""
        if isinstance(picture, engine.pictures.Unchanged):
            self.sequence = picture.sequence
            return True
        assert not isinstance(picture, engine.pictures.SummaryPicture)
        coming = {self._prefix + row.key: (self._instance, *row.cells) for row in picture.rows}
        if picture.is_whole:
            self._moves = self._moves and self.rows.keys() != coming.keys()
            self.rows = coming
            self.columns = (INSTANCE_COLUMN, *map(_column, picture.columns))
        elif not self._puts_in(picture, coming):
            return False
        self.sequence = picture.sequence
        self.facts = {
            name: msgspec.to_builtins(value)
            for name, value in msgspec.structs.asdict(picture).items()
            if name not in _BESIDE_FACTS
        }
        return True

    def _puts_in(self, picture: Any, coming: dict[str, Cells]) -> bool:
        """Change rows where they stand, and let some leave; False when rows come, or may from behind the last."""
        if not coming.keys() <= self.rows.keys():
            return False
        cleared = set(picture.cleared)
        leaving = {self._prefix + key for key in picture.gone}
        if cleared:
            leaving |= {key for key in self.rows if key[len(self._prefix) :].partition(" ")[2] in cleared}
        leaving = (leaving & self.rows.keys()) - coming.keys()
        # What stood behind the last row moves up, be it the only one that did.
        if leaving and (picture.has_more or self.facts["has_more"]):
            return False
        self.rows = {key: coming.get(key, cells) for key, cells in self.rows.items() if key not in leaving}
        return True


class SummaryPart(_Part):
    """An instance at a glance, one row."""

    def _ask(self, looks_anew: bool) -> None:
        holds = self.sequence >= 0 and "unavailable" not in self.facts and not looks_anew
        since = engine.EventSequence(self.sequence) if holds else None
        picture = self._picture(engine.pictures.SummaryQuery(since=since))
        self.facts = {}
        self.sequence = picture.sequence
        if isinstance(picture, engine.pictures.SummaryPicture):
            told = msgspec.to_builtins(picture)
            self.columns = SUMMARY_COLUMNS
            self.rows = {self._instance: tuple(told[column.name] for column in SUMMARY_COLUMNS)}


SUMMARY_COLUMNS: Final = tuple(
    Column(field.name, "json", is_vendors=False)
    for field in msgspec.structs.fields(engine.pictures.SummaryPicture)
    if field.name not in ("sequence", "at")
)


class TracePart(_Part):
    """The newest events as rows of a trace. Those that nobody could have read are counted, not told."""

    def __init__(self, estate: str, instance: str, topic: TraceTopic, asking: Asking) -> None:
        super().__init__(estate, instance, asking)
        self.columns = TRACE_COLUMNS
        self._topic = topic
        self._prefix = f"{quote(instance, safe='')} "
        self._skipped = 0

    def _ask(self, looks_anew: bool) -> None:
        if self.sequence < 0:
            self.sequence = max(self._newest() - self._topic.rows, 0)
        events = self._events()
        if len(events) >= EVENTS_READ_MAX:
            behind = self._newest() - self._topic.rows - events[-1][0]
            if behind > 0:
                self._skipped += behind
                self.sequence = events[-1][0] + behind
                events = self._events()
        coming = [row for sequence, event in events for row in self._rows(sequence, event)]
        if events:
            self.sequence = events[-1][0]
        kept = [*self.rows.items(), *coming][-self._topic.rows :]
        self.rows = dict(kept)
        self.facts = {"skipped": self._skipped}

    def _newest(self) -> int:
        return self._picture(engine.pictures.SummaryQuery()).sequence

    def _events(self) -> list[tuple[engine.EventSequence, engine.BrokerEvent]]:
        return engine.events_after(
            self._estate, self._instance, self.sequence, EVENTS_READ_MAX, timeout_seconds=READ_SECONDS
        )

    def _rows(self, sequence: int, event: engine.BrokerEvent) -> list[tuple[str, Cells]]:
        wanted = self._topic.classes
        return [
            (
                f"{self._prefix}{sequence} {place}",
                (
                    self._instance,
                    sequence,
                    row.event_class.value,
                    row.name,
                    row.subclass,
                    row.subclass_name,
                    msgspec.to_builtins(row.columns),
                ),
            )
            for place, row in enumerate(engine.trace_rows(event))
            if not wanted or row.event_class in wanted
        ]


EVENTS_READ_MAX: Final = 1_000
TRACE_COLUMNS: Final = (
    INSTANCE_COLUMN,
    Column("EventSequence", "bigint", is_vendors=True),
    Column("EventClass", "int", is_vendors=True),
    Column("EventClassName", "sysname"),
    Column("EventSubClass", "int", nullable=True, is_vendors=True),
    Column("EventSubClassName", "sysname", nullable=True),
    Column("columns", "json"),
)


def _column(column: engine.pictures.PictureColumn) -> Column:
    return Column(column.name, column.type, column.nullable, column.is_vendors)


PartOf = Callable[[str, str, AnyTopic, Asking], Part]
"""Makes the part of an instance; simulated worlds make their own."""
