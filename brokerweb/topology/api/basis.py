"""What a change of the topology is made in: the live estate, or the change set that the address names."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Query

from brokerweb.accounts.api import require
from brokerweb.accounts.rights import Right
from brokerweb.common.api.etag import set_revision
from brokerweb.topology.api.schemas import RevisionOut
from brokerweb.topology.selectors.estates import estate_revision
from brokerweb.topology.selectors.places import DatabasePlace, InstancePlace, database_place, instance_place

InChangeSet = Query(None, ge=1, le=2**31 - 1, description="Number of the change set to work in, instead of live.")
"""The query parameter `change_set` of every operation that can be done in a draft."""


def edited_instance(request: HttpRequest, estate: str, instance: str, change_set: int | None) -> InstancePlace:
    """The instance to change. Drafts are for editors, also of what an operator may do at once."""
    _may_draft(request, change_set)
    return instance_place(estate, instance, change_set)


def edited_database(
    request: HttpRequest, estate: str, instance: str, database: str, change_set: int | None
) -> DatabasePlace:
    """The database to change; as `edited_instance`."""
    _may_draft(request, change_set)
    return database_place(estate, instance, database, change_set)


def _may_draft(request: HttpRequest, change_set: int | None) -> None:
    if change_set is not None:
        require(request.auth, Right.EDIT)


def decided(response: HttpResponse, estate: str, number: int, change_set: int | None) -> RevisionOut:
    """The answer to a change: `number` is the revision, or the sequence of the change set."""
    set_revision(response, number, change_set)
    if change_set is None:
        return RevisionOut(revision=number)
    return RevisionOut(revision=estate_revision(estate), change_set=change_set, sequence=number)
