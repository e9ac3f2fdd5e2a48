"""Who hosts what, and how it is: the book of leases beside the wanted topology, both in the dashboard's database."""

from __future__ import annotations

from collections.abc import Sequence, Set
from enum import StrEnum

import msgspec
from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.common.leases.book import lease_entries
from brokerweb.topology.models import Estate, Instance
from engine.api import leases


class HostingState(StrEnum):
    """What an instance is doing."""

    RUNNING = "running"
    STARTING = "starting"
    """A worker has it and has not said anything of it yet."""
    FAILED = "failed"
    """A worker has it and says why it does not work."""
    NOBODY = "nobody"
    """No worker has it; the next one that looks takes it, if it has ever been opened."""


class InstanceHosting(msgspec.Struct, frozen=True, kw_only=True):
    """One instance and its host. Figures are those of the last renewal, None when nobody told any."""

    estate: str
    instance: str
    state: HostingState
    holder: str | None = None
    """Name of the worker, its process and its run; None when nobody has the instance."""
    since: float | None = None
    """Unix seconds, by the database's clock."""
    fence: int = 0
    """Fencing number of the last owner; 0 when there was none."""
    applied_revision: int | None = None
    wanted_revision: int | None = None
    """None when the topology does not know the instance."""
    inbox: int | None = None
    transmission: int | None = None
    oldest_seconds: float | None = None
    """Age of the oldest message in a transmission queue; None also when there is none."""
    ready: int | None = None
    last_event: int | None = None
    worker_bytes: int | None = None
    """Resident memory of the whole worker."""
    failure: str = ""

    @property
    def is_sound(self) -> bool:
        """Whether it runs with the wanted revision."""
        is_behind = self.wanted_revision is not None and self.applied_revision != self.wanted_revision
        return self.state is HostingState.RUNNING and not is_behind


def hosting_status(estate: str | None = None) -> list[InstanceHosting]:
    """All instances that are wanted or hosted, of one estate or of all, by name.

    `django.db.Error`; `ObjectNotFound` for an estate that there is not, which says which there are.
    """
    entries = {entry.key: entry for entry in lease_entries()}
    rows = Instance.objects.values_list("estate__name", "name", "desired_revision")
    wanted = {(estate_name, name): revision for estate_name, name, revision in rows}
    shown = wanted.keys() | {key for key, entry in entries.items() if not entry.is_closed}
    if estate is not None:
        _ensure_known(estate, {key[0] for key in shown})
        shown = {key for key in shown if key[0] == estate}
    return [_hosting(key, entries.get(key), wanted.get(key)) for key in sorted(shown)]


def _ensure_known(estate: str, hosted: Set[str]) -> None:
    known = sorted(hosted.union(Estate.objects.values_list("name", flat=True)))
    if estate not in known:
        there_are = _("There are: {names}.").format(names=", ".join(known)) if known else _("There are no estates yet.")
        raise ObjectNotFound(_("There is no estate '{estate}'. {there_are}").format(estate=estate, there_are=there_are))


def is_all_sound(instances: Sequence[InstanceHosting]) -> bool:
    """Whether every instance runs with the wanted revision."""
    return all(each.is_sound for each in instances)


def _hosting(key: tuple[str, str], entry: leases.LeaseEntry | None, wanted: int | None) -> InstanceHosting:
    nobody = InstanceHosting(estate=key[0], instance=key[1], state=HostingState.NOBODY, wanted_revision=wanted)
    if entry is None or not entry.is_held:
        return nobody if entry is None else msgspec.structs.replace(nobody, fence=entry.fence)
    held = msgspec.structs.replace(nobody, fence=entry.fence, holder=entry.holder, since=entry.since)
    figures = entry.figures
    if figures is None or (figures.revision is None and not figures.failure):
        return msgspec.structs.replace(held, state=HostingState.STARTING)
    held = msgspec.structs.replace(held, worker_bytes=figures.worker_bytes)
    if figures.failure:
        return msgspec.structs.replace(held, state=HostingState.FAILED, failure=figures.failure)
    return msgspec.structs.replace(
        held,
        state=HostingState.RUNNING,
        applied_revision=figures.revision,
        inbox=figures.inbox,
        transmission=figures.transmission,
        oldest_seconds=figures.oldest_seconds,
        ready=figures.ready,
        last_event=figures.last_event,
    )
