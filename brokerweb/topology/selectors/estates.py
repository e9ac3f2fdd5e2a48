"""Estates as a list, and the small facts the live view asks for again and again."""

from __future__ import annotations

from typing import Any

import msgspec
from django.db.models import F, Q
from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound, WebProblem
from brokerweb.topology.models import ChangeSet, ChangeSetState, Estate, Instance
from brokerweb.topology.private_estates import PrivateClock, is_private, private_state


def estate_list() -> list[dict[str, Any]]:
    """Every estate with the names of its instances."""
    return [
        {
            "name": estate.name,
            "pace": estate.pace,
            "revision": estate.revision,
            "instances": [instance.name for instance in estate.instances.all()],
        }
        for estate in Estate.objects.prefetch_related("instances")
    ]


def estate_revision(name: str) -> int:
    """The revision of an estate that is there."""
    return Estate.objects.values_list("revision", flat=True).get(name=name)


def estate_state(estate: Estate) -> str:
    """What is wanted, as a tag: two equal ones mean that no object and no setting of the estate has changed.

    The number alone does not tell, since reserved revisions are filled later, and an estate may be made anew.
    """
    return f"{estate.pk}.{estate.revision}.{estate.settled_count}.{estate.key_suite}"


class DraftTag(msgspec.Struct, frozen=True):
    """An open draft and how far it has come."""

    number: int
    sequence: int


class Behind(msgspec.Struct, frozen=True):
    """An instance that does not have what is wanted of it, or has refused it."""

    name: str
    applied_revision: int
    apply_error: str


class EstateProgress(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far an estate has come; two equal ones mean that nothing about its topology and drafts has changed."""

    revision: int
    state: str
    """As `estate_state`."""
    instances: tuple[str, ...]
    behind: tuple[Behind, ...]
    """All others have what is wanted of them."""
    change_sets: tuple[DraftTag, ...]
    """Every open draft: one whose sequence has moved is to be read anew, one that is missing is closed."""
    clock: PrivateClock | None = None
    """How the time of a private estate passes; None for all others, which have that of the wall."""


def estate_progress(name: str) -> EstateProgress | None:
    """How far an estate has come; None without such an estate, and for a private one that has ended."""
    if is_private(name):
        return _private_progress(name)
    estate = Estate.objects.filter(name=name).first()
    if estate is None:
        return None
    instances = Instance.objects.filter(estate_id=estate.id).order_by("name")
    lagging = instances.filter(~Q(applied_revision=F("desired_revision")) | ~Q(apply_error=""))
    drafts = ChangeSet.objects.filter(estate_id=estate.id, state=ChangeSetState.OPEN).order_by("number")
    return EstateProgress(
        revision=estate.revision,
        state=estate_state(estate),
        instances=tuple(instances.values_list("name", flat=True)),
        behind=tuple(Behind(*row) for row in lagging.values_list("name", "applied_revision", "apply_error")),
        change_sets=tuple(DraftTag(*row) for row in drafts.values_list("number", "sequence")),
    )


def _private_progress(name: str) -> EstateProgress | None:
    """Every instance has what is wanted, for nothing else is."""
    try:
        state = private_state(name)
    except WebProblem:
        return None
    return EstateProgress(
        revision=state.revision,
        state=state.tag,
        instances=tuple(sorted(state.catalogs)),
        behind=(),
        change_sets=(),
        clock=state.clock,
    )


def estate_named_or_only(name: str | None) -> str:
    """The name as it was given, or that of the only estate there is; `ObjectNotFound` when that is no answer."""
    if name is not None:
        return name
    names = list(Estate.objects.values_list("name", flat=True)[:2])
    if len(names) == 1:
        return names[0]
    raise ObjectNotFound(
        _("There is no estate yet.") if not names else _("There are several estates, and none is named."),
        cure=_("Name one with --estate."),
    )
