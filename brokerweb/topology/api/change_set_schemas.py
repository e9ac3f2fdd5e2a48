"""Shapes of change sets, of the history and of the log of decisions, as they travel."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from ninja import Field
from pydantic import FailFast, JsonValue

from brokerweb.common.api.instants import Instant
from brokerweb.common.api.shape import Request, Shape

ChangeSetStateName = Literal["open", "applied", "discarded"]
Origin = Literal["ui", "api", "import", "command-line", "job", "unrecorded"]
ObjectKind = Literal[
    "instance",
    "endpoint",
    "login",
    "database",
    "message-type",
    "contract",
    "queue",
    "service",
    "route",
    "master-key",
    "user",
    "certificate",
    "remote-service-binding",
    "priority",
    "event-notification",
]
Effect = Literal["add", "change", "remove"]
PAGE_MAX = 500


class DraftObjectOut(Shape):
    """An object that a change set adds, changes or removes."""

    instance: str
    database: str | None
    """Null for what belongs to the instance."""
    kind: ObjectKind
    name: str
    effect: Effect
    """Compared with what is live."""


class DraftTag(Shape):
    """Which change set, and how far it has come."""

    number: int
    sequence: int


class ChangeSetIn(Request):
    title: str = Field(default="", max_length=200)


class ChangeSetPatch(Request):
    title: str = Field(max_length=200)


class ChangeSetHead(Shape):
    """Where a change set stands."""

    number: int
    title: str
    """What it is for; may be empty."""
    author: str | None
    state: ChangeSetStateName
    base_revision: int
    """The revision it was begun on, or brought up to."""
    revision: int
    """The revision of the estate now."""
    is_behind: bool
    """Whether the estate has moved on since `base_revision`; always false for one that is closed."""
    applied_revision: int | None
    sequence: int
    """Counts everything that happens to it; the second half of its ETag."""
    created_at: datetime
    changed_at: datetime


class ChangeSetListed(ChangeSetHead):
    decision_count: int
    is_empty: bool
    """Nothing that was done in it stands: it was only begun, or everything was undone."""


class ChangeSetPage(Shape):
    items: list[ChangeSetListed]
    total: int
    next_before: int | None
    """`before` of the next page; null at the end."""


class DraftCommandOut(Shape):
    """One action in a change set."""

    sequence: int
    """Its number in the log of the estate."""
    author: str | None
    is_mine: bool
    decided_at: datetime
    origin: Origin
    summary: str
    is_undone: bool
    object_count: int


class MergedFieldOut(Shape):
    """A field of an object in which the sides differ; null where there is no such object, or no value."""

    name: str
    base: JsonValue
    """What the change set was made from."""
    theirs: JsonValue
    """What is live now."""
    mine: JsonValue
    """What the change set wants."""


class MergedObjectOut(DraftObjectOut):
    fields: list[MergedFieldOut]
    conflict: Literal["open", "acknowledged"] | None
    """`open`: somebody else has changed it too, and nobody has decided. `acknowledged`: the change set has its way."""


class DraftProblemOut(Shape):
    """Why an instance cannot be what the change set makes of it."""

    instance: str
    code: int
    detail: str
    why: str
    cure: str


class EffectCounts(Shape):
    """How many objects are added, changed and removed."""

    add: int
    change: int
    remove: int


class ObjectsQuery(Request):
    """Which objects of a change set are told; what is absent restricts nothing. Counts are those of all."""

    kind: ObjectKind | None = None
    instance: str | None = None
    effect: Effect | None = None
    conflict: Literal["open", "acknowledged"] | None = None
    text: str | None = Field(default=None, max_length=128)
    """Part of the name of the object or of its database, in any letter case."""
    page: int = Field(default=1, ge=1, le=1_000_000)
    rows: int = Field(default=200, ge=1, le=1000)
    """Objects of a page."""


class ChangeSetOut(ChangeSetHead):
    """A change set with everything in it. What can be undone is what the asker has done himself."""

    can_undo: bool
    undo_summary: str | None
    """The action that is next to be undone; null when there is none."""
    undo_hindrance: str | None
    """Why it cannot be undone; null when it can."""
    can_redo: bool
    redo_summary: str | None
    redo_hindrance: str | None
    commands: list[DraftCommandOut]
    """Oldest first."""
    objects: list[MergedObjectOut]
    """The page that was asked for; open conflicts stand first."""
    object_count: int
    """Of all its objects, as the four that follow; zero means that applying it would change nothing."""
    object_counts: EffectCounts
    object_kinds: list[ObjectKind]
    object_instances: list[str]
    matching_count: int
    """Objects that fit what was asked for."""
    page: int
    pages: int
    conflict_count: int
    """Conflicts that are open; while there is one, the change set cannot be applied."""
    problems: list[DraftProblemOut]


class DraftMoved(Shape):
    """The change set has moved on."""

    number: int
    sequence: int


class DraftTurned(DraftMoved):
    """What was undone or redone."""

    summary: str


class ConflictIn(Request):
    """A decision about one conflict."""

    instance: str
    database: str | None = None
    kind: ObjectKind
    name: str
    decision: Literal["mine", "theirs"]
    """`mine` keeps what the change set has, `theirs` takes what is live."""


class ChangeSetApplied(Shape):
    number: int
    revision: int
    """The revision that it has become."""


class ChangesIn(Request):
    """Changes to any number of objects as one action."""

    summary: str = Field(min_length=1, max_length=400)
    """The sentence under which it enters the history."""
    changes: dict[str, Annotated[list[dict[str, Any]], FailFast()]] = Field(fail_fast=True)
    """Instance → catalog changes in order, in the engine's JSON form (docs/operations/change-sets.md)."""


class RevisionListed(Shape):
    """One revision of an estate."""

    number: int
    author: str | None
    created_at: datetime
    summary: str
    origin: Origin
    change_set: int | None
    """The change set that it came of."""


class RevisionPage(Shape):
    items: list[RevisionListed]
    total: int
    next_before: int | None
    """`before` of the next page; null at the end."""


class AuditFieldOut(Shape):
    name: str
    before: JsonValue
    after: JsonValue


class AuditObjectOut(DraftObjectOut):
    fields: list[AuditFieldOut]


class LoggedObjectOut(Shape):
    """An object that a decision has changed, or what something was done to that runs."""

    instance: str
    database: str | None
    """Null for what belongs to the instance."""
    kind: ObjectKind | Literal["conversation", "flow", "assertion"]
    name: str
    """Of a conversation its handle, of a flow its key."""
    effect: Effect
    fields: list[AuditFieldOut]


class AuditRow(Shape):
    """One decision: who, when, from where, what, and what came of it."""

    sequence: int
    decided_at: datetime
    author: str | None
    origin: Origin
    client_address: str
    user_agent: str
    request_id: str
    change_set: int | None
    """The change set it was made in, or that it applied."""
    revision: int | None
    """Null for what was decided in a change set alone."""
    is_undone: bool
    summary: str
    digest: str
    """Hash of this decision and of all before it."""
    object_count: int
    objects: list[LoggedObjectOut]
    """The first 200 of them; a download has all."""


class AuditPage(Shape):
    items: list[AuditRow]
    total: int
    next_before: int | None
    """`before` of the next page; null at the end."""


class ChainBreakOut(Shape):
    """Where the log is not as it was written."""

    sequence: int
    reason: str


class AuditChainOut(Shape):
    """What following the hash chain of the log has found."""

    is_whole: bool
    decision_count: int
    last_sequence: int
    head: str
    """Hash of the whole log. Noted elsewhere, it shows later whether anything before it was written anew."""
    breaks: list[ChainBreakOut]
    """The first ones; after a break what follows is checked on its own."""


class PageAsked(Request):
    """Which page of a list that begins with the newest."""

    before: int | None = Field(default=None, ge=1)
    """`next_before` of the page before."""
    limit: int = Field(default=100, ge=1, le=PAGE_MAX)


class ChangeSetsAsked(PageAsked):
    state: ChangeSetStateName | None = None


class AuditQuery(PageAsked):
    """Which decisions are asked for; what is absent restricts nothing."""

    author: str | None = None
    object: str | None = None
    """Name of an object that was changed, in any letter case."""
    instance: str | None = None
    origin: Origin | None = None
    change_set: int | None = Field(default=None, ge=1)
    since: Instant | None = Field(default=None, alias="from")
    """From this instant on."""
    until: Instant | None = None
    """Up to this instant and not including it."""
    format: Literal["page", "csv", "json"] = "page"
    """`csv` and `json` are downloads of everything asked for, without pages."""
