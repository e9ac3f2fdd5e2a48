"""Names and texts as they stand in a statement, so that every legal one comes back as it was."""

from __future__ import annotations

from typing import Final

from engine.core.catalog.names import with_schema
from engine.tsql.part_names import parts_of

DOLLAR: Final = "$(Dollar)"
SET_DOLLAR: Final = ":setvar Dollar $"
"""sqlcmd puts the values of variables into names and texts too, once; so a dollar before a parenthesis is one."""


def bracketed(name: str) -> str:
    """A name in brackets."""
    return "[" + shielded(name).replace("]", "]]") + "]"


def quoted(text: str) -> str:
    """A text in quotes, as Unicode."""
    return "N'" + shielded(text).replace("'", "''") + "'"


def shielded(text: str) -> str:
    """A text in which sqlcmd finds no variable but the dollar."""
    return text.replace("$(", f"{DOLLAR}(")


def unshielded(text: str) -> str:
    """The text as people read it."""
    return text.replace(f"{DOLLAR}(", "$(")


def finding(view: str, name: str) -> str:
    """The query that finds an object of this name in a catalog view."""
    return f"SELECT * FROM sys.{view} WHERE name = {quoted(name)}"  # noqa: S608 it is written, never run here


def queue_name(name: str) -> str:
    """A queue's name: its schema stands in front of the first dot, `dbo` where there is none."""
    schema, _, own_name = with_schema(name).partition(".")
    return f"{bracketed(schema)}.{bracketed(own_name)}"


def dotted(name: str) -> str:
    """A name of several parts that is kept as one text; empty parts in between stay empty."""
    return ".".join(bracketed(part) if part else "" for part in parts_of(name))


def on_off(is_on: bool) -> str:
    """A switch."""
    return "ON" if is_on else "OFF"
