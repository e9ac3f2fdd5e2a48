"""Which change set an import goes into: one of a number, a new one, or none."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import PlainValidator, WithJsonSchema


def _is_choice(value: object) -> object:
    """By hand: a union would name its member in the place of a mistake, which is no place in the request."""
    if value in (None, "new") or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise ValueError('it is neither the number of a change set nor "new"')


ChangeSetChoice = Annotated[
    int | Literal["new"] | None,
    PlainValidator(_is_choice),
    WithJsonSchema({"anyOf": [{"type": "integer"}, {"const": "new", "type": "string"}, {"type": "null"}]}),
]
