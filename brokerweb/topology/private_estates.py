"""Private estates: simulations that belong to one person, shown by the screens of estates under names of their own.

Nothing of them is in the tables of this app. An app above says what there is (`keep_private_estates`), whoever serves
people asks `admitted` before anything else, and whoever reads takes `private_state`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Protocol

import msgspec
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right
from brokerweb.common.errors import ObjectNotFound, RightMissing
from engine import api as engine


class Access(StrEnum):
    """What somebody may do in a private estate."""

    OWN = "own"
    LOOK = "look"


class PrivateClock(msgspec.Struct, frozen=True, kw_only=True):
    """How the time of a private estate passes: what both clocks showed at one instant, and how fast it goes since."""

    wall: float
    """UTC seconds, by the server."""
    utc: float
    """UTC seconds, as its machines showed then."""
    rate: float
    """0 stands still."""


class PrivateState(msgspec.Struct, frozen=True, kw_only=True):
    """A private estate as it is at one moment."""

    name: str
    title: str
    owner: str
    catalogs: Mapping[str, engine.InstanceCatalog]
    """What is defined, by instance; nobody may change them."""
    revision: int
    """Number of the last line of its log."""
    tag: str
    """Two equal ones mean that its map is the same: no object has changed, no route has expired."""
    utc: engine.UtcTime
    """What its machines show."""
    clock: PrivateClock
    runs: frozenset[str]
    """Instances that are up."""
    has_findings: bool
    """Whether its owner is told what is wrong with it."""


class PrivateEstates(Protocol):
    """Where private estates are. Threads may ask it at the same time."""

    def access(self, name: str, user: User) -> Access | None:
        """What somebody may do in the one of that name; None where there is none for them.

        Raises a `WebProblem` where there was one.
        """
        ...

    def state(self, name: str) -> PrivateState:
        """The one of that name now. Raises `ObjectNotFound`, other `WebProblem`s, and `EngineUnavailable`."""
        ...


_kept: Final[list[PrivateEstates]] = []


def keep_private_estates(estates: PrivateEstates) -> None:
    """Say where private estates are; called once, when the app that has them is ready."""
    _kept[:] = [estates]


def is_private(name: str) -> bool:
    """Whether the name is that of a private estate: no estate of people may be called so (`ESTATE_NAME`)."""
    return engine.sandboxes.is_sandbox(name)


def admitted(name: str, user: User, *, acts: bool = False) -> Access:
    """What somebody may do in the private estate of that name. The one place that decides it.

    Raises `ObjectNotFound`, for somebody else's as for one that is not there; `RightMissing` when they want to act and
    may only look; and what `PrivateEstates.access` raises.
    """
    found = _kept[0].access(name, user) if _kept else None
    if found is None:
        raise no_such_estate(name)
    if acts and found is not Access.OWN:
        raise RightMissing(
            _("This sandbox is somebody else's: you may look at it, and not act in it."),
            why=_("What is done in an exercise is its trainee's own work."),
            cure=_("Tell the trainee, or begin the scenario yourself."),
        )
    return found


def may_read_bodies(estate: str, user: User) -> bool:
    """Whether somebody is shown bodies of messages: with the right, and where none is anybody's."""
    return is_private(estate) or Right.READ_PAYLOADS in user.rights


def private_state(name: str) -> PrivateState:
    """A private estate now, for whoever was admitted. Raises as `PrivateEstates.state`."""
    if not _kept:
        raise no_such_estate(name)
    return _kept[0].state(name)


def no_such_estate(name: str) -> ObjectNotFound:
    """The problem of a name that no estate has."""
    return ObjectNotFound(_("There is no estate {name}.").format(name=name))
