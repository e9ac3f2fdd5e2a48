"""`Lake`: a table of events in Parquet files, written exactly once by event number, and compacted.

The table is a Delta table (delta-rs): what a commit adds and what it takes away is one file of its log. The number of
the last event of each instance is committed with the rows, so a writer that died, or another one at the same time,
neither loses nor doubles any. Whoever reads without Delta takes the files that `files` names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import wraps
from pathlib import Path
from typing import Concatenate, Final, NamedTuple, ParamSpec, TypeVar
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import CommitProperties, DeltaTable, Transaction, WriterProperties, write_deltalake
from deltalake.exceptions import CommitFailedError, TableNotFoundError

from engine.core.exchange.events import BrokerEvent
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import EventSequence
from engine.pipeline.lake.compacting import compact, compacting_alone
from engine.pipeline.lake.failing import lake_errors
from engine.pipeline.lake.hours import FILE_BYTES
from engine.pipeline.lake.rows import lake_table
from engine.pipeline.lake.same_rows import SLACK, between, delete_rows, found_rows, new_rows, of_instance
from engine.pipeline.lake.schema import COLUMNS, LAKE_SCHEMA_VERSION, ORDER, PARTITIONS
from engine.pipeline.lake.state import InstanceInLake, LakeState

WRITTEN_BY_ANOTHER, OTHER_SCHEMA = 3960, 948
KEPT_HOURS: Final = 24
"""How long files stay that are no part of the table any more."""
COMMIT_ATTEMPTS: Final = 5
_NAMED: Final = "brokerweb events "
NAME: Final = f"{_NAMED}{LAKE_SCHEMA_VERSION}"
_WRITER: Final = WriterProperties(compression="ZSTD")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = "min.event_time", "max.event_time"
"""Statistics of files, as the log has them."""
Numbered = tuple[EventSequence, BrokerEvent]


_KINDS_OF_MARKS: Final = ("", "/at", "/lost", "/lost_until", "/life")
ROWS: Final = "/rows"
"""The mark that counts rows: one that was made anew begins with 1 again, and traces have numbers of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How far an instance was exported: numbers that are committed with its rows; 0 is none."""

    last_number: EventSequence
    at: int
    """When that event was, in microseconds."""
    lost: int
    """How many events it had let go before they could be written."""
    lost_until: int
    """When the event was that followed the last of those, in microseconds."""
    life: int
    """How often it was found to have another log than before: made anew, or put back to an earlier state."""


class TakenRows(NamedTuple):
    """What `Lake.take_out` has done."""

    taken: int
    """Rows of the lake that are gone."""
    missing: int
    """Rows, each once, that were not there."""


class LakeBusy(LocalProtocolError):
    """Somebody else has written the same events at the same time; nothing of ours was kept. Read on and try again."""

    def __init__(self, name: str) -> None:
        super().__init__(WRITTEN_BY_ANOTHER, name=name)


P = ParamSpec("P")
R = TypeVar("R")


def _numbered(method: Callable[Concatenate[Lake, P], R]) -> Callable[Concatenate[Lake, P], R]:
    """What does not work is a `LakeUnusable`."""

    @wraps(method)
    def asked(lake: Lake, /, *args: P.args, **options: P.kwargs) -> R:
        with lake_errors(lake.folder):
            return method(lake, *args, **options)

    return asked


class Lake:
    """One folder. Processes may share it, and the instances of several estates.

    Whatever is asked of it raises `LakeUnusable` (5123) when the disk is full, or files cannot be read, and
    `LocalProtocolError` (948) when its columns mean something else than those of this version.
    """

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder

    def last_number(self, estate: str, instance: str) -> EventSequence:
        """The number of the last event that is there; 0 when none is."""
        return self.mark(estate, instance).last_number

    @_numbered
    def mark(self, estate: str, instance: str) -> Mark:
        """How far an instance was exported."""
        return _mark_of(self._table(), writer_of(estate, instance))

    @_numbered
    def append(
        self,
        estate: str,
        instance: str,
        events: Sequence[Numbered],
        *,
        lost: int = 0,
        judged: Mark | None = None,
        is_new: bool = False,
    ) -> int:
        """Write those events that are not there yet, all or none of them; how many these were.

        `events` come in the order of their numbers, and `lost` is how many are missing right before the first. With
        `judged`, what the events were compared with, they go on that log; with `is_new` besides they are none of that
        log, all of them. Raises `LakeBusy`: also when somebody else has begun another log since it was judged.
        """
        if not events:
            return 0
        # Made before anything is found out about it: somebody else may begin it, too.
        table, writer = self._table() or self._made(), writer_of(estate, instance)
        mark = _mark_of(table, writer)
        if judged is not None and (mark != judged if is_new else mark.life != judged.life):
            raise LakeBusy(writer)
        last = 0 if is_new else mark.last_number
        fresh = [each for each in events if each[0] > last]
        if fresh:
            # Where somebody else has written the first of them meanwhile, what is missing before it is counted already.
            lost = lost if fresh[0] is events[0] else 0
            number, event = fresh[-1]
            rows = _rows_of(table, estate, instance) + len(fresh)
            marks = {"": int(number), "/at": microseconds(event), ROWS: rows}
            if lost or is_new:
                # Made anew, it may have told of something in between that nobody has read.
                marks["/lost_until"] = microseconds(fresh[0][1])
                marks["/lost"] = mark.lost + lost
            if is_new:
                marks["/life"] = mark.life + 1
            transactions = [Transaction(f"{writer}{kind}", value) for kind, value in marks.items()]
            self._commit_at_last(table, lake_table(estate, instance, fresh), transactions)
        return len(fresh)

    @_numbered
    def take_over(self, estate: str, instance: str, rows: pa.Table) -> int:
        """Write rows of `COLUMNS` that come from somewhere else; how many these were.

        Rows that are there already, or come twice, are written once: a trace that goes on is sent again, longer.
        Raises `LakeBusy`.
        """
        if not rows.num_rows:
            return 0
        table, writer = self._table() or self._made(), writer_of(estate, instance)
        fresh = new_rows(table, estate, instance, rows)
        if fresh.num_rows:
            mark = Transaction(f"{writer}{ROWS}", _rows_of(table, estate, instance) + fresh.num_rows)
            self._commit(table, fresh, [mark])
        return int(fresh.num_rows)

    @_numbered
    def take_out(self, estate: str, instance: str, rows: pa.Table) -> TakenRows:
        """Delete what `take_over` has written of these rows, or would have.

        Raises `LakeBusy`, also while somebody compacts.
        """
        table = self._table()
        if table is None or not rows.num_rows:
            return TakenRows(0, rows.num_rows)
        # One that has read the files before this would write the rows once more.
        mark = f"{writer_of(estate, instance)}{ROWS}"
        with compacting_alone(self.folder) as is_alone:
            if not is_alone:
                raise LakeBusy(mark)
            table = self._table() or table
            found = found_rows(table, estate, instance, rows)
            if not found.places:
                return TakenRows(0, found.missing)
            left = Transaction(mark, _rows_of(table, estate, instance) - found.places)
            try:
                gone = delete_rows(
                    table, estate, instance, found.rows, CommitProperties(app_transactions=[left]), _WRITER
                )
            except CommitFailedError as error:
                raise LakeBusy(mark) from error
            return TakenRows(gone, found.missing)

    def _made(self) -> DeltaTable:
        """The table, empty where there was none: what is written next is a conflict for whoever begins it as well."""
        with suppress(CommitFailedError):
            DeltaTable.create(self.folder, COLUMNS, mode="ignore", partition_by=list(PARTITIONS), name=NAME)
        table = self._table()
        assert table is not None
        return table

    def _commit_at_last(self, table: DeltaTable, rows: pa.Table, marks: list[Transaction]) -> None:
        """Whoever takes out rows of others meanwhile changes none of our marks, and is no reason not to write ours.

        One of the marks at least only ever rises: while all are as they were, nobody else has written of the instance.
        """
        seen = _versions(table, marks)
        for _ in range(COMMIT_ATTEMPTS):
            try:
                return self._commit(table, rows, marks)
            except LakeBusy as busy:
                refusal = busy
            table = self._table() or table
            if _versions(table, marks) != seen:
                break
        raise refusal

    def _commit(self, table: DeltaTable, rows: pa.Table, marks: list[Transaction]) -> None:
        try:
            write_deltalake(
                table,
                rows.sort_by([(name, "ascending") for name in ORDER]),
                mode="append",
                writer_properties=_WRITER,
                commit_properties=CommitProperties(app_transactions=marks),
            )
        except CommitFailedError as error:
            raise LakeBusy(marks[0].app_id) from error

    @_numbered
    def compact(
        self,
        estate: str = "",
        hours: Collection[datetime] | None = None,
        *,
        file_bytes: int = FILE_BYTES,
        kept_hours: int = KEPT_HOURS,
    ) -> int:
        """Make few large files of the small ones of each hour, or of these `hours`, sorted again; how many files went.

        The small ones stay on the disk for `kept_hours`, for whoever reads them at the moment. Where somebody else
        compacts already, nothing is done.
        """
        if self._table() is None:
            return 0
        with compacting_alone(self.folder) as is_alone:
            # Read once nobody else changes what is put together.
            table = self._table() if is_alone else None
            if table is None:
                return 0
            gone = compact(table, estate, hours, file_bytes=file_bytes, writer=_WRITER)
            # Jobs that run have listed the files that they read; none runs for so long.
            table.vacuum(kept_hours, dry_run=False, enforce_retention_duration=False)
            return gone

    @_numbered
    def files(self, estate: str = "", until: datetime | None = None) -> list[str]:
        """The files that make up the table now, as the disk names them; only those of an estate, when it is named.

        With `until` without those of which the log knows that all of their events are of that time or later.
        """
        table = self._table()
        if table is None:
            return []
        files = pa.table(table.get_add_actions(flatten=True))
        if estate:
            files = files.filter(pc.equal(files["partition.estate"], estate))
        if until is not None and _FIRST in files.column_names:
            first = pc.subtract(files[_FIRST].cast(pa.timestamp("us")), pa.scalar(SLACK))
            is_before = pc.less(first, pa.scalar(until.astimezone(UTC).replace(tzinfo=None), first.type))
            files = files.filter(pc.fill_null(is_before, True))
        # The log writes a name as an address: a folder of the disk is called `estate=a%20b`, and there `a%2520b`.
        return [str(self.folder / unquote(path)) for path in files["path"].to_pylist()]

    def rows(self, estate: str = "") -> int:
        """How many events there are; read from the log of the table, whatever its size."""
        return self.state(estate).events

    @_numbered
    def state(self, estate: str = "", instances: Iterable[str] = ()) -> LakeState:
        """What there is of one estate, or of all; `instances` are those that are asked for, by name."""
        table = self._table()
        if table is None:
            return LakeState()
        files = pa.table(table.get_add_actions(flatten=True))
        if estate:
            files = files.filter(pc.equal(files["partition.estate"], estate))
        times = [name for name in (_FIRST, _LAST) if name in files.column_names]
        first, last = (_instant(ends(files[name])) for ends, name in zip((pc.min, pc.max), times, strict=True))
        return LakeState(
            events=pc.sum(files["num_records"]).as_py() or 0,
            bytes=pc.sum(files["size_bytes"]).as_py() or 0,
            files=files.num_rows,
            first_at=first,
            last_at=last,
            instances=tuple(_in_lake(table, estate, each) for each in instances),
        )

    @_numbered
    def read(self) -> pa.Table:
        """All rows, in memory: for small lakes and tests."""
        table = self._table()
        return COLUMNS.empty_table() if table is None else table.to_pyarrow_table().select(COLUMNS.names)

    @_numbered
    def last_known(self, estate: str, instance: str, events: Sequence[Numbered]) -> EventSequence:
        """The number of the last of these events that is there, whatever was written since; 0 when none is."""
        table = self._table()
        if table is None or not events:
            return EventSequence(0)
        times = [event.at for _number, event in events]
        first, last = (_EPOCH + timedelta(seconds=at) for at in (min(times), max(times)))
        wanted = of_instance(estate, instance) & between(first, last)
        found = table.to_pyarrow_dataset().to_table(["event_number", "event_time", "event"], filter=wanted)
        known = set(zip(*(column.to_pylist() for column in found.columns), strict=True))
        there = (number for number, event in events if (int(number), *_told(event)) in known)
        return max(there, default=EventSequence(0))

    def _table(self) -> DeltaTable | None:
        try:
            table = DeltaTable(self.folder)
        except TableNotFoundError:
            return None
        version = (table.metadata().name or "").removeprefix(_NAMED)
        if version != str(LAKE_SCHEMA_VERSION):
            expected = str(LAKE_SCHEMA_VERSION)
            raise LocalProtocolError(OTHER_SCHEMA, name=str(self.folder), found=version or "?", expected=expected)
        return table


def _versions(table: DeltaTable, marks: Sequence[Transaction]) -> list[int | None]:
    return [table.transaction_version(each.app_id) for each in marks]


def microseconds(event: BrokerEvent) -> int:
    """When it was, as the column `event_time` has it."""
    return round(event.at * 1_000_000)


def _number_of(table: DeltaTable | None, writer: str) -> int:
    return 0 if table is None else table.transaction_version(writer) or 0


def writer_of(estate: str, instance: str) -> str:
    """Whose marks these are. The slash is ours: an instance may be called `A/lost`."""
    return "/".join(name.replace("%", "%25").replace("/", "%2F") for name in (estate, instance))


def _mark_of(table: DeltaTable | None, writer: str) -> Mark:
    number, at, lost, lost_until, life = (_number_of(table, f"{writer}{kind}") for kind in _KINDS_OF_MARKS)
    return Mark(last_number=EventSequence(number), at=at, lost=lost, lost_until=lost_until, life=life)


def _rows_of(table: DeltaTable | None, estate: str, instance: str) -> int:
    """Rows of an instance, those of traces too. In a lake of before this was a mark they are counted."""
    writer = writer_of(estate, instance)
    if table is None or not _number_of(table, writer):
        return _number_of(table, f"{writer}{ROWS}")
    marked: int | None = table.transaction_version(f"{writer}{ROWS}")
    if marked is None:
        marked = int(table.to_pyarrow_dataset().count_rows(filter=of_instance(estate, instance)))
    return marked


def _in_lake(table: DeltaTable, estate: str, instance: str) -> InstanceInLake:
    mark, rows = _mark_of(table, writer_of(estate, instance)), _rows_of(table, estate, instance)
    return InstanceInLake(instance=instance, events=rows, last_number=mark.last_number, lost=mark.lost)


def _told(event: BrokerEvent) -> tuple[datetime, object]:
    """What tells two events of one number apart, as columns have it."""
    return datetime.fromtimestamp(event.at, UTC), type(event).__struct_config__.tag


def _instant(found: pa.Scalar) -> datetime | None:
    """In UTC, as the table has it, whatever zone the file of statistics names."""
    value = found.as_py()
    return None if value is None else value.replace(tzinfo=UTC)
