"""What travels in tasks: the engine's values as JSON text, one encoder and decoder for each direction."""

from __future__ import annotations

from typing import Any, Final, Self

import msgspec

from engine.contracts.codec import json_encoder
from engine.core.exchange.commands import Command
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.explaining import TransmissionExplanation
from engine.core.exchange.pictures import Picture, PictureQuery
from engine.core.exchange.replies import Refusal, Reply
from engine.core.exchange.system_views import Cell, SystemViewQuery, SystemViewRows, ViewColumn, python_type
from engine.core.exchange.views import InstanceView, QueuePeek
from engine.core.vocabulary.identifiers import EventSequence

NumberedEvent = tuple[EventSequence, BrokerEvent]


class PeekAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The messages of a queue, or why there is no such queue."""

    peek: QueuePeek | None = None
    refusal: Refusal | None = None


class SystemViewAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a system view, its rows column by column, or why there is none.

    A cell's type follows from its column: JSON alone would not tell a time from a number, nor bytes from a text.
    """

    view: str = ""
    columns: tuple[ViewColumn, ...] = ()
    cells: tuple[tuple[Any, ...], ...] = ()
    next_offset: int | None = None
    refusal: Refusal | None = None

    @classmethod
    def of(cls, page: SystemViewRows) -> Self:
        """A page as it travels."""
        cells = tuple(zip(*page.rows, strict=True))
        return cls(view=page.view, columns=page.columns, cells=cells, next_offset=page.next_offset)

    def page(self) -> SystemViewRows:
        """The page that travelled, each cell of its column's type."""
        typed = [_cells(column, cells) for column, cells in zip(self.columns, self.cells, strict=bool(self.cells))]
        rows = tuple(zip(*typed, strict=True))
        return SystemViewRows(view=self.view, columns=self.columns, rows=rows, next_offset=self.next_offset)


def _cells(column: ViewColumn, cells: tuple[Any, ...]) -> list[Cell]:
    kind: Any = python_type(column.type)
    converted: list[Cell] = msgspec.convert(cells, list[kind | None])
    return converted


class PictureAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A picture, or why there is none."""

    picture: Picture | None = None
    refusal: Refusal | None = None


class ExplanationAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a conversation waits for, or why nobody knows."""

    explanation: TransmissionExplanation | None = None
    refusal: Refusal | None = None


query_decoder: Final = msgspec.json.Decoder(SystemViewQuery)
system_view_decoder: Final = msgspec.json.Decoder(SystemViewAnswer)
commands_decoder: Final = msgspec.json.Decoder(tuple[Command, ...])
replies_decoder: Final = msgspec.json.Decoder(list[Reply])
view_decoder: Final = msgspec.json.Decoder(InstanceView)
picture_queries_decoder: Final = msgspec.json.Decoder(list[PictureQuery])
pictures_decoder: Final = msgspec.json.Decoder(list[PictureAnswer])
explanation_decoder: Final = msgspec.json.Decoder(ExplanationAnswer)
peek_decoder: Final = msgspec.json.Decoder(PeekAnswer)
events_decoder: Final = msgspec.json.Decoder(list[NumberedEvent])


def text(value: object) -> str:
    """A value as JSON text."""
    return json_encoder.encode(value).decode()
