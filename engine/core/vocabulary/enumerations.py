"""Enumerations that every message meets many times."""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

Members = TypeVar("Members", bound=type[Enum])


def plain_members(enumeration: Members) -> Members:
    """Make the members plain attributes of their class, as later versions of Python do by themselves.

    In Python 3.11 each look-up of a member by its name runs Python code, eight times slower than an attribute. A
    message makes more than forty of them on its way.
    """
    for name, member in enumeration.__members__.items():
        # `Enum` refuses to have its members set anew, even to themselves; `type` does not.
        type.__setattr__(enumeration, name, member)
    return enumeration
