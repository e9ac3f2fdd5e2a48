"""What a question is asked of, and the table that answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Generic, TypeVar

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.version import VERSION
from engine.whatif.faults import Fault

Cell = str | int | float | bool | None
Row = tuple[Cell, ...]


class CellKind(StrEnum):
    """What stands in a column."""

    NAME = "name"
    """Of an object, an id or an address: letters that somebody has chosen."""
    WORD = "word"
    """One of the few words that a column of this name knows; whoever shows it says it in a language."""
    SENTENCE = "sentence"
    """In the language of `EstateState.language`, or a sentence that `translations.sentence_in` knows."""
    NUMBER = "number"
    SHARE = "share"
    """0 to 1."""
    SECONDS = "seconds"
    ERROR = "error"
    """A number of the error catalogue; those of brokers are negative."""
    YES_NO = "yes-no"
    INSTANT = "instant"
    """Seconds since 1970."""


class Column(msgspec.Struct, frozen=True):
    """One column."""

    name: str
    kind: CellKind = CellKind.NAME


class EstateState(msgspec.Struct, frozen=True, kw_only=True):
    """One state of an estate, at one instant, with what is supposed."""

    label: str
    """As whoever asks names it: "revision 7"."""
    catalogs: Mapping[InstanceName, InstanceCatalog]
    at: UtcTime
    faults: tuple[Fault, ...] = ()
    applied: Mapping[InstanceName, InstanceCatalog] | None = None
    """What instances have applied, where that is known."""
    language: str = "en"
    """Of sentences that depend on one."""
    watch: Callable[[], None] | None = None
    """Called before each part of an answer that takes long, as is each world of a simulation; may raise to end it."""


class NoteKind(StrEnum):
    """What an answer does not cover, or what does not matter to it."""

    DRAWS = "draws"
    """A share of all draws was not followed; `count` is the share."""
    EXPIRIES = "expiries"
    """So many later expiries were not looked at."""
    FLOWS = "flows"
    """So many further flows were not looked at."""
    NOT_APPLIED = "not-applied"
    """It is not known what the instances of these `names` have applied."""
    FAULTS = "faults"
    """Faults are supposed, and do not matter: definitions are asked, and no failure changes one."""
    NOBODY = "nobody"
    """The sender is not in the state of this label, so that nothing of it can be compared."""


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is told beside the table."""

    kind: NoteKind
    count: float | None = None
    names: tuple[str, ...] = ()


class RowChange(StrEnum):
    """What became of a row between two states."""

    GONE = "gone"
    CHANGED = "changed"
    COME = "come"


class ChangedRow(msgspec.Struct, frozen=True):
    """A row that two states do not have alike; `before` is None for one that has come, `after` for one that is gone."""

    change: RowChange
    before: Row | None
    after: Row | None


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """An answer: of one state its `rows`, of two states their `changes`."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...] = ()
    base: str
    """Label of the state that was asked."""
    reference: str | None = None
    """Label of the state that it was compared with."""
    changes: tuple[ChangedRow, ...] = ()
    same: int | None = None
    """How many rows both states have alike; None where one alone was asked."""
    notes: tuple[Note, ...] = ()
    engine_version: str = VERSION


Q = TypeVar("Q", bound=msgspec.Struct)


class Registration(msgspec.Struct, Generic[Q], frozen=True, kw_only=True):
    """A question by its name: what it takes, what it is for, and who answers it."""

    name: str
    help: str
    question: type[Q]
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    """Names of the columns that tell which row is which."""
    answer: Callable[[Q, EstateState], Table]
    answer_diff: Callable[[Q, EstateState, EstateState], Table]
    """The state, and the one that it is compared with."""
    heeds_faults: bool = True
    """Whether what is supposed to fail matters; where it does not, the table says so."""
    parts: Callable[[Q], int] | None = None
    """How often it calls `watch` for one state; None for what is answered while somebody waits for a page."""


def fault_notes(state: EstateState) -> tuple[Note, ...]:
    """The note of a question that heeds no faults, where some are supposed."""
    return (Note(kind=NoteKind.FAULTS),) if state.faults else ()
