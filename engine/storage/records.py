"""Rows of the core as rows of SQLite. The columns of a table are the fields of its struct, so neither is listed twice.

Reading checks types: a file that was damaged or edited by hand gives an error here, not a wrong value in the core.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from sys import intern
from typing import Any, Final, Generic, TypeVar, get_args
from uuid import UUID

import apsw
import msgspec

from engine.contracts.codec import binary_encoder
from engine.core.vocabulary.dialog_security import DialogSecurity
from engine.core.vocabulary.rows import ConversationEndpoint, DepartedSession, QueueRow, TransmissionRow

Row = TypeVar("Row", bound=msgspec.Struct)


class RowTable(Generic[Row]):
    """A table that holds one kind of row behind the columns that say where the row belongs."""

    def __init__(self, name: str, row: type[Row], owner: tuple[str, ...], order: str, replace_by: str = "") -> None:
        """`owner` are the leading columns that are no fields; `replace_by` is the key of an upsert, if it is one."""
        self.row: Final[type[Row]] = row
        self.fields: Final = row.__struct_fields__
        columns = (*owner, *self.fields)
        self.insert: Final = (
            f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608
            + (_upsert(self.fields, replace_by) if replace_by else "")
        )
        self.select: Final = f"SELECT {', '.join(columns)} FROM {name} ORDER BY {order}"  # noqa: S608
        self.columns: Final = ", ".join(f"{name}.{column}" for column in columns)
        """As a SELECT of several tables names them."""
        self._owner_count: Final = len(owner)
        self._truth_values: Final = [field.name for field in msgspec.structs.fields(row) if field.type is bool]
        self._id_places: Final = [
            place for place, field in enumerate(msgspec.structs.fields(row), start=len(owner)) if _is_id(field.type)
        ]
        self._security_place: Final = len(owner) + self.fields.index("security") if "security" in self.fields else -1
        self._names: Final = [field.name for field in msgspec.structs.fields(row) if _is_name(field.type)]

    def record(self, owner: tuple[str, ...], row: Row) -> tuple[object, ...]:
        """A row as values for `insert`, each of which SQLite and MessagePack keep as they are; ids may be `UUID`."""
        values: list[Any] = [*owner, *msgspec.structs.astuple(row)]
        for place in self._id_places:
            values[place] = id_bytes(values[place])
        security = self._security_place
        if security >= 0 and values[security] is not None:
            values[security] = binary_encoder.encode(values[security])
        return tuple(values)

    def completed(self, record: Sequence[Any]) -> Sequence[Any]:
        """A record that was written when the row had fewer fields; those that came since may be NULL."""
        lacks = self._owner_count + len(self.fields) - len(record)
        return (*record, *[None] * lacks) if lacks else record

    def read(self, connection: apsw.Connection) -> Iterator[tuple[tuple[str, ...], Row]]:
        """Every row with its owner; `msgspec.ValidationError` for one that cannot be."""
        return map(self.parse, connection.execute(self.select))

    def parse(self, record: Sequence[object]) -> tuple[tuple[str, ...], Row]:
        """One record of `columns`: its owner and the row; `msgspec.ValidationError` for one that cannot be."""
        count = self._owner_count
        owner = tuple([intern(str(value)) for value in record[:count]])
        values = dict(zip(self.fields, record[count:], strict=True))
        # There is a new string for each time a name stands in the file: thousands of rows name the same few services.
        for field in self._names:
            value = values[field]
            if isinstance(value, str):
                values[field] = intern(value)
        return owner, self._row(values)

    def parse_row(self, record: Sequence[object]) -> Row:
        """As `parse`, for a row that is read back and soon gone: without its owner, its names not shared."""
        return self._row(dict(zip(self.fields, record[self._owner_count :], strict=True)))

    def _row(self, values: dict[str, Any]) -> Row:
        # SQLite has no truth values, and of a value within a row only the bytes.
        for field in self._truth_values:
            values[field] = bool(values[field])
        security = values.get("security")
        if isinstance(security, bytes):
            values["security"] = _SECURITY.decode(security)
        return msgspec.convert(values, self.row)


def id_bytes(value: UUID) -> bytes:
    """How an identifier is kept; by far cheaper than to let SQLite ask for it (`bind`)."""
    return value.int.to_bytes(16)


def _is_id(kind: Any) -> bool:
    """Whether a type is one of the ids of `identifiers` that are never missing."""
    return getattr(kind, "__supertype__", None) is UUID


def _is_name(kind: Any) -> bool:
    """Whether a type is one of the names of `identifiers`, or such a name or None."""
    return any(getattr(each, "__supertype__", None) is str for each in (kind, *get_args(kind)))


_SECURITY: Final = msgspec.msgpack.Decoder(DialogSecurity)


def _upsert(fields: tuple[str, ...], key: str) -> str:
    # A column of the key would have its index written again, one page of it for each row.
    settings = ", ".join(f"{field} = excluded.{field}" for field in fields if field not in key.split(", "))
    return f" ON CONFLICT ({key}) DO UPDATE SET {settings}"


ENDPOINTS: Final = RowTable(
    "conversation_endpoints",
    ConversationEndpoint,
    owner=("database_name",),
    order="rowid",
    replace_by="conversation_handle, database_name",
)
TRANSMISSION: Final = RowTable(
    "transmission_queue",
    TransmissionRow,
    owner=("database_name",),
    order="conversation_handle, message_sequence_number",
)
QUEUES: Final = RowTable(
    "queue_messages",
    QueueRow,
    owner=("database_name", "queue_name"),
    order="queuing_order",
)
DEPARTED: Final = RowTable(
    "departed_sessions",
    DepartedSession,
    owner=("database_name",),
    order="rowid",
    replace_by="conversation_id, is_initiator, database_name",
)


def bind(_cursor: apsw.Cursor, _position: int, value: object) -> bytes:
    """How SQLite keeps a value it does not know: identifiers as sixteen bytes."""
    if isinstance(value, UUID):
        return value.bytes
    raise TypeError(f"no column holds a {type(value).__name__}")
