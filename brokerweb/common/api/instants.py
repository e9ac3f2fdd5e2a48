"""Instants in requests: with a time zone, and such that every zone has a name for them in UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BeforeValidator
from pydantic_core import PydanticKnownError


def _in_utc(given: datetime) -> datetime:
    """The same instant in UTC. The last hours of the year 9999 in the west have no name there."""
    try:
        return given.astimezone(UTC)
    except OverflowError as error:
        raise PydanticKnownError("datetime_parsing", {"error": "year is out of range"}) from error


_BEGINS_WITH_A_DAY = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]")


def _written_out(given: object) -> object:
    """A number is no instant: whether of seconds or of milliseconds would be a guess."""
    if isinstance(given, str) and _BEGINS_WITH_A_DAY.match(given):
        return given
    raise PydanticKnownError("datetime_parsing", {"error": "it is not written as 2026-12-31T23:59:59Z"})


Instant = Annotated[AwareDatetime, AfterValidator(_in_utc), BeforeValidator(_written_out)]
