"""Internal readers: what the host is to start, and what it says when one ends (protocol.md 17.2)."""

from __future__ import annotations

import msgspec

from engine.core.vocabulary.identifiers import ActivatedTaskId, DatabaseName, QueueName


class ReaderStart(msgspec.Struct, frozen=True, kw_only=True):
    """The host is to start a reader: the callable that is registered under the procedure's name."""

    task: ActivatedTaskId
    database: DatabaseName
    queue: QueueName
    procedure_name: str
    execute_as: str


class ReaderEnded(msgspec.Struct, frozen=True, kw_only=True):
    """A reader has returned, or was aborted with a number (8415, 28088)."""

    task: ActivatedTaskId
    number: int | None = None
    detail: str = ""
    is_lost: bool = False
    """Whether it ended without having had its say, with its process: then another one may try, received or not."""
