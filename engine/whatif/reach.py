"""Why nothing gets from one instance to another: who listens at an address, and whether a connection would stand.

The numbers are those that a sender shows in `transmission_status` (views.md 3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from engine.core.catalog.objects import EndpointState
from engine.core.link.admission import login_fault
from engine.core.link.endings import CONNECT_FAILED
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.messages import TcpAddress

if TYPE_CHECKING:
    from engine.whatif.snapshot import Snapshot

NO_ENDPOINT: Final = 9748
NOT_STARTED: Final = 9666
HOST_UNKNOWN: Final = 9783
NEGOTIATION_FAILED: Final = 9758
OWN_ENDPOINT: Final = frozenset({NO_ENDPOINT, NOT_STARTED})
"""It is the caller's own endpoint that keeps it from dialling anybody."""
SLOWNESS: Final = {
    "nobody_there": 0,
    "nobody_listens": 1,
    "not_running": 1,
    "endpoints_disagree": 2,
    "login_refused": 2,
    "network_cut": 3,
}
"""Which failure of a connection is noticed later than another: silence later than a refusal."""


class Reached(msgspec.Struct, frozen=True, gc=False):
    """What comes of dialling an address."""

    instance: InstanceName | None
    """Who it is; None when nobody of the estate."""
    number: int | None = None
    """Why no connection comes up; None when it does."""
    why: str = ""
    """Which of the reasons, as a name of the phrase book."""
    detail: str = ""
    """What the handshake says, in English; empty where the phrase says it."""
    name: str = ""
    """The certificate or the owner that it names."""

    @property
    def is_open(self) -> bool:
        """Whether messages get through."""
        return self.number is None


def reach(snapshot: Snapshot, caller: InstanceName, address: TcpAddress) -> Reached:
    """What comes of `caller` dialling an address."""
    own = snapshot.catalogs[caller].endpoint
    found = snapshot.hosts.at(address, caller)
    there = found[0] if found else None
    if own is None:
        return Reached(there, NO_ENDPOINT, "no_endpoint")
    if own.state is not EndpointState.STARTED:
        return Reached(there, NOT_STARTED, "endpoint_not_started")
    if there is None:
        return _nobody(snapshot, caller, address)
    if there in snapshot.faults.down:
        return Reached(there, CONNECT_FAILED, "not_running")
    if there != caller and snapshot.faults.is_cut(caller, there):
        return Reached(there, CONNECT_FAILED, "network_cut")
    theirs = snapshot.catalogs[there].endpoint
    if theirs is None or theirs.state is not EndpointState.STARTED:
        return Reached(there, CONNECT_FAILED, "nobody_listens")
    fault = login_fault(snapshot.catalogs[caller], snapshot.catalogs[there], snapshot.at)
    if fault is None:
        return Reached(there)
    if fault.status == NEGOTIATION_FAILED:
        return Reached(there, fault.status, "endpoints_disagree")
    return Reached(there, fault.status, "login_refused", fault.detail, fault.name)


def _nobody(snapshot: Snapshot, caller: InstanceName, address: TcpAddress) -> Reached:
    """The host is known and the port is not: nobody listens there; else nobody has that name."""
    called = snapshot.hosts.called(address, caller)
    if called:
        return Reached(called[0], CONNECT_FAILED, "nobody_listens")
    return Reached(None, HOST_UNKNOWN, "nobody_there")
