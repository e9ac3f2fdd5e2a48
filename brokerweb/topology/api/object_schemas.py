"""What travels when objects are listed, looked at, edited and made."""

from __future__ import annotations

from typing import Any, Literal

from ninja import Field

from brokerweb.common.api.shape import Request, Shape

Sort = Literal["name", "place", "service", "target", "state", "on", "expires", "level"]
TEXT_LENGTH_MAX = 300


class ListFilter(Request):
    """Which objects of a kind; what is not given does not matter."""

    text: str | None = Field(None, max_length=TEXT_LENGTH_MAX)
    """In the name or in what the object names, without regard to accents and letter case."""
    instance: str | None = Field(None, max_length=TEXT_LENGTH_MAX)
    database: str | None = Field(None, max_length=TEXT_LENGTH_MAX)
    service: str | None = Field(None, max_length=TEXT_LENGTH_MAX)
    """In the service that it names: of a route, binding or notification, the local one of a priority."""
    target: str | None = Field(None, max_length=TEXT_LENGTH_MAX)
    """In what else it leads to: the address of a route, the queue of a service, the procedure of a queue, the user."""
    state: str | None = Field(None, max_length=TEXT_LENGTH_MAX)
    """State of an endpoint or database, validation of a message type, LOCAL, TRANSPORT or TCP of a route."""
    on: bool | None = None
    """Queues and brokers that are on, endpoints that forward, mirrored routes, certificates active for BEGIN DIALOG."""
    expired: bool | None = None
    """Routes and certificates that have run out, or have not."""
    changed: bool = False
    """Only what the change set changes."""


class ListFilterIn(ListFilter):
    """The same in a body, where a yes is no text."""

    on: bool | None = Field(None, strict=True)
    expired: bool | None = Field(None, strict=True)
    changed: bool = Field(False, strict=True)


class ListAskedQuery(ListFilter):
    """A page of a list, and in which order."""

    change_set: int | None = Field(None, ge=1, le=2**31 - 1)
    """The estate as this change set has it."""
    sort: Sort = "name"
    descending: bool = False
    page: int = Field(1, ge=1, le=1_000_000)
    rows: int = Field(50, ge=1, le=500)
    """Objects of a page."""
    format: Literal["csv"] | None = None
    """The whole list as a file."""


class ObjectNameOut(Shape):
    instance: str
    database: str | None
    kind: str
    name: str


class ListedOut(ObjectNameOut):
    """An object as a list shows it."""

    fields: dict[str, Any]
    """As it is defined, field by field; keys are told apart and never shown."""
    is_expired: bool
    used_by: int | None
    """How many objects name it; null for kinds that nothing names."""
    effect: Literal["add", "change", "remove"] | None
    """What the change set does to it; what it removes is shown as it is live."""


class ObjectPage(Shape):
    kind: str
    total: int
    page: int
    pages: int
    items: list[ListedOut]


class ObjectAsked(Request):
    """Which object."""

    instance: str = Field(max_length=TEXT_LENGTH_MAX)
    database: str | None = Field(None, max_length=TEXT_LENGTH_MAX)
    name: str = Field(max_length=TEXT_LENGTH_MAX)
    change_set: int | None = Field(None, ge=1, le=2**31 - 1)


class ObjectOut(ListedOut):
    """An object with everything about it."""

    users: list[ObjectNameOut]
    """The first 100 objects that name it."""
    tsql: str
    """The statements that make it; empty for what every database has."""


class CountsAsked(Request):
    change_set: int | None = Field(None, ge=1, le=2**31 - 1)


class ObjectNameIn(Request):
    instance: str = Field(max_length=TEXT_LENGTH_MAX)
    database: str | None = Field(None, max_length=TEXT_LENGTH_MAX)
    name: str = Field(max_length=TEXT_LENGTH_MAX)


class ObjectsEditIn(Request):
    """What is done with which objects, as one action."""

    action: Literal["alter", "drop"]
    objects: list[ObjectNameIn] | None = Field(None, min_length=1, fail_fast=True)
    """The objects by name; null takes all that `filter` finds, which may be none."""
    filter: ListFilterIn | None = None
    patch: dict[str, Any] = Field(default_factory=dict)
    """The fields to set; null takes a clause away. docs/operations/objects.md tells the fields of every kind."""
    leave_refused: bool = Field(False, strict=True)
    """Whether objects that are refused stay as they are and the others are done; otherwise it is all or nothing."""
    dry_run: bool = Field(False, strict=True)
    """Only tell what would become of each object."""


class EditProblem(Shape):
    """Why an object is refused."""

    code: int
    detail: str
    why: str
    cure: str
    pointer: str | None


class FieldChange(Shape):
    name: str
    before: Any
    after: Any


class EditedOut(Shape):
    """What becomes of one object."""

    instance: str
    database: str | None
    name: str
    outcome: Literal["change", "drop", "same", "refused"]
    fields: list[FieldChange]
    problem: EditProblem | None


class ObjectsEdited(Shape):
    """What becomes of each object: refused ones first, then in the order of the selection, the first 500."""

    total: int
    changed: int
    """Changed and dropped ones."""
    same: int
    refused: int
    rows: list[EditedOut]
    revision: int | None
    """Null when only looked at."""
    change_set: int | None = None
    sequence: int | None = None


class ObjectIn(Request):
    """A new object."""

    instance: str = Field(max_length=TEXT_LENGTH_MAX)
    database: str | None = Field(None, max_length=TEXT_LENGTH_MAX)
    name: str = Field(max_length=TEXT_LENGTH_MAX)
    fields: dict[str, Any] = Field(default_factory=dict)
    dry_run: bool = Field(False, strict=True)
    """Only say whether it could be made."""


class ObjectCreated(Shape):
    revision: int | None
    """Null when it was only tried."""
    change_set: int | None = None
    sequence: int | None = None
