"""Names and texts as they stand in a statement, so that every legal one comes back as it was."""

from __future__ import annotations

from engine.core.catalog.names import with_schema


def bracketed(name: str) -> str:
    """A name in brackets."""
    return "[" + name.replace("]", "]]") + "]"


def quoted(text: str) -> str:
    """A text in quotes, as Unicode."""
    return "N'" + text.replace("'", "''") + "'"


def finding(view: str, name: str) -> str:
    """The query that finds an object of this name in a catalog view."""
    return f"SELECT * FROM sys.{view} WHERE name = {quoted(name)}"  # noqa: S608 it is written, never run here


def queue_name(name: str) -> str:
    """A queue's name: its schema stands in front of the first dot, `dbo` where there is none."""
    schema, _, own_name = with_schema(name).partition(".")
    return f"{bracketed(schema)}.{bracketed(own_name)}"


def dotted(name: str) -> str:
    """A name of several parts that is kept as one text; empty parts in between stay empty."""
    parts = name.split(".")
    if not parts[0] or not parts[-1]:
        return bracketed(name)
    return ".".join(bracketed(part) if part else "" for part in parts)


def on_off(is_on: bool) -> str:
    """A switch."""
    return "ON" if is_on else "OFF"
