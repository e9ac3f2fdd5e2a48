"""Instants in requests: with a time zone, and such that every zone has a name for them in UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime
from pydantic_core import PydanticKnownError


def _in_utc(given: datetime) -> datetime:
    """The same instant in UTC. The last hours of the year 9999 in the west have no name there."""
    try:
        return given.astimezone(UTC)
    except OverflowError as error:
        raise PydanticKnownError("datetime_parsing", {"error": "year is out of range"}) from error


Instant = Annotated[AwareDatetime, AfterValidator(_in_utc)]
