"""Shapes of imports and samples, as they travel."""

from __future__ import annotations

from typing import Any, Literal

from ninja import Field
from pydantic import StrictBool, StrictInt

from brokerweb.common.api.shape import Request, Shape
from brokerweb.topology.api.change_set_choice import ChangeSetChoice
from brokerweb.topology.names import ESTATE_NAME
from engine import api as engine


class ImportFile(Request):
    """A script, or the output of the collector; which of the two, its text says."""

    takes_any_text = frozenset({"text"})
    name: str = Field(min_length=1, max_length=260)
    text: str
    instance: str | None = None
    """Where this script begins, or what the collected server is called here; null is the default."""
    database: str | None = None
    """Where this script begins until it says `USE`; null is the default."""
    left_out: list[StrictInt] = Field([], max_length=100_000, fail_fast=True)
    """Lines in which statements begin, or numbers of collected objects, that are to be left out."""

    def value(self) -> engine.imports.ImportFile:
        """As the importer takes it."""
        return engine.imports.ImportFile(
            name=self.name,
            text=self.text,
            instance=None if self.instance is None else engine.InstanceName(self.instance),
            database=None if self.database is None else engine.DatabaseName(self.database),
            left_out=frozenset(self.left_out),
        )


class ImportIn(Request):
    """T-SQL scripts, in the order in which they are to run, and collected servers, which come before them.

    What is live is never written: an estate that is new is made, and of any other the import goes into a change set.
    """

    estate: str = Field(pattern=ESTATE_NAME)
    files: list[ImportFile] = Field(max_length=500)
    dry_run: StrictBool = True
    default_instance: str | None = None
    """Where a script begins until it says `:CONNECT`; null is the estate's only instance, or one named like the first
    file."""
    default_database: str | None = None
    """Where a script begins until it says `USE`; null is master, as for a fresh connection."""
    change_set: ChangeSetChoice = None
    """Number of the change set to plan for and to import into, or `new` for one of its own. Null makes the estate; of
    one in which there is something already it is as `new`, but for an import that changes nothing."""


class ImportRow(Shape):
    """What one statement of a script does."""

    file: str
    line: int
    instance: str
    database: str | None
    """The current database; null where the statement is about the instance."""
    verb: str
    """CREATE, ALTER and so on."""
    object_kind: str
    object_name: str
    effect: Literal["add", "change", "remove", "same", "ignored", "error"]
    text: str
    """Explains where the effect alone does not; may be empty."""


class ImportProblem(Shape):
    """What is wrong in a script, and where."""

    file: str
    line: int
    column: int
    code: int
    parameters: dict[str, Any] = Field(default_factory=dict)
    """What the sentences were filled with."""
    detail: str
    why: str
    cure: str


class ImportWarning(Shape):
    """Something that was accepted but is probably not meant."""

    file: str
    line: int
    detail: str


class ImportBacklog(Shape):
    """Messages that waited in a collected server's transmission queue for one service, with one status."""

    instance: str
    database: str
    to_service: str
    status: str
    """As the server shows it; empty: not tried yet, or waiting for the acknowledgement."""
    messages: int
    oldest: str
    """When the oldest of them was sent, UTC."""


class ImportOut(Shape):
    """What an import does or did. With any problem nothing is changed."""

    estate: str
    is_applied: bool
    revision: int | None
    """The estate's revision after the import; null while the estate does not exist."""
    change_set: int | None
    """The change set that it was planned for or went into; null for an estate that it makes, or does not change."""
    sequence: int | None
    """Of that change set, after an import that was carried out."""
    rows: list[ImportRow]
    problems: list[ImportProblem]
    warnings: list[ImportWarning]
    backlogs: list[ImportBacklog]


class SampleOut(Shape):
    name: str
    title: str
    description: str


class SampleLoaded(Shape):
    estate: str
    revision: int
    change_set: int | None
    """Where the estate was there already, and lacks something of the sample: the change set that puts it back."""
