"""What a what-if is asked about: catalogs of an estate at one instant, and the faults that are supposed in them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import msgspec
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.common.errors import ChangeSetClosed, MalformedRequest
from brokerweb.common.sandbox_errors import SandboxHasNone
from brokerweb.topology.models import ChangeSet, ChangeSetState, Estate
from brokerweb.topology.private_estates import is_private, private_state
from brokerweb.topology.selectors.drafts import change_set_of, draft_catalogs
from brokerweb.topology.selectors.findings import estate_of
from brokerweb.topology.selectors.live_catalogs import live_catalogs
from brokerweb.topology.selectors.past_catalogs import past_catalogs
from brokerweb.whatif.selectors.names import Places
from engine import api as engine

AT_MIN: Final = datetime(1970, 1, 1, tzinfo=UTC)
AT_MAX: Final = datetime(9999, 12, 30, tzinfo=UTC)
"""Beyond them an instant has no name in some time zones."""


class BasisAsked(msgspec.Struct, frozen=True, kw_only=True):
    """Which state of an estate; without change set and revision it is what is wanted now."""

    change_set: int | None = None
    revision: int | None = None
    at: datetime | None = None
    """None is now."""
    faults: tuple[engine.what_if.Fault, ...] = ()


class Basis(msgspec.Struct, frozen=True, kw_only=True):
    """That state, read."""

    name: str
    """Of the estate."""
    estate: Estate | None
    """None for a private one."""
    catalogs: dict[str, engine.InstanceCatalog]
    revision: int
    """Of what is live below the change set, or the one that was asked for; of a private estate the line of its log."""
    change_set: ChangeSet | None
    at: datetime
    is_now: bool
    faults: tuple[engine.what_if.Fault, ...]
    """As they are spelled in the estate."""
    places: Places

    @property
    def instant(self) -> engine.UtcTime:
        """`at` as the engine takes it."""
        return engine.UtcTime(self.at.timestamp())


def basis_of(estate_name: str, asked: BasisAsked, pointer: str = "") -> Basis:
    """What is asked about. `pointer` is where `asked` stands in the request.

    Raises `ObjectNotFound` for an estate, revision, change set, or a place of a fault that there is not,
    `ChangeSetClosed`, `MalformedRequest` for what contradicts itself or has no calendar, and `SandboxHasNone`.
    """
    if is_private(estate_name):
        return _private_basis(estate_name, asked, pointer)
    estate = estate_of(estate_name)
    if asked.change_set is not None and asked.revision is not None:
        raise MalformedRequest(
            _("A change set and a revision are asked about at once."),
            why=_("A change set stands on what is live; a revision is what was live once."),
            cure=_("Leave one of them out."),
            pointer=f"{pointer}/revision",
        )
    draft = None if asked.change_set is None else _open_draft(estate, asked.change_set)
    if draft is not None:
        catalogs = draft_catalogs(draft)
    elif asked.revision is not None:
        catalogs = past_catalogs(estate, asked.revision)
    else:
        catalogs = live_catalogs(estate)
    places = Places(estate.name, catalogs)
    return Basis(
        name=estate.name,
        estate=estate,
        catalogs=catalogs,
        revision=estate.revision if asked.revision is None else asked.revision,
        change_set=draft,
        at=_instant(asked.at, timezone.now(), f"{pointer}/at"),
        is_now=asked.at is None,
        faults=_faults(asked, places, pointer),
        places=places,
    )


def _private_basis(name: str, asked: BasisAsked, pointer: str) -> Basis:
    """A private estate as it is, or at another instant: it has neither drafts nor earlier revisions."""
    for field, number in (("change_set", asked.change_set), ("revision", asked.revision)):
        if number is not None:
            raise SandboxHasNone(
                _("A sandbox is asked about as it is: it has no change sets and no earlier revisions."),
                cure=_("Leave the field out; suppose faults or another instant instead."),
                pointer=f"{pointer}/{field}",
            )
    state = private_state(name)
    catalogs = dict(state.catalogs)
    places = Places(name, catalogs)
    return Basis(
        name=name,
        estate=None,
        catalogs=catalogs,
        revision=state.revision,
        change_set=None,
        at=_instant(asked.at, datetime.fromtimestamp(state.utc, UTC), f"{pointer}/at"),
        is_now=asked.at is None,
        faults=_faults(asked, places, pointer),
        places=places,
    )


def _faults(asked: BasisAsked, places: Places, pointer: str) -> tuple[engine.what_if.Fault, ...]:
    return tuple(places.fault(each, f"{pointer}/faults/{at}") for at, each in enumerate(asked.faults))


def _instant(asked: datetime | None, now: datetime, pointer: str) -> datetime:
    if asked is None:
        return now
    if not AT_MIN <= asked <= AT_MAX:
        raise MalformedRequest(
            _("{at} is no instant to ask about.").format(at=asked.isoformat()),
            why=_("An instant is one between {first} and {last}.").format(
                first=AT_MIN.date().isoformat(), last=AT_MAX.date().isoformat()
            ),
            cure=_("Give an instant in between, or none for now."),
            pointer=pointer,
        )
    return asked


def _open_draft(estate: Estate, number: int) -> ChangeSet:
    draft = change_set_of(estate, number)
    draft.estate = estate
    if draft.state == ChangeSetState.OPEN:
        return draft
    if draft.applied_revision is not None:
        raise ChangeSetClosed(
            _("Change set #{number} of {name} became revision {revision}.").format(
                number=number, name=estate.name, revision=draft.applied_revision
            ),
            cure=_("Ask about revision {revision} instead, and about {before} for what was before it.").format(
                revision=draft.applied_revision, before=draft.applied_revision - 1
            ),
        )
    raise ChangeSetClosed(
        _("Change set #{number} of {name} was discarded.").format(number=number, name=estate.name),
        cure=_("Ask about what is live, or about another change set."),
    )
