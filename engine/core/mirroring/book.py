"""`MirrorBook`: the monitors of all mirrored routes that this instance has used."""

from __future__ import annotations

from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.route import NetworkAddress, Route
from engine.core.mirroring.monitor import MirrorMonitor, UserKey
from engine.core.vocabulary.identifiers import RouteName
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.mirrors import MirroredPair
from engine.core.vocabulary.moment import Instant, earlier
from engine.core.vocabulary.settings import LinkSettings


def pair_of(route: Route | None) -> MirroredPair | None:
    """What a route is to the search of its principal; None when it is not mirrored."""
    if route is None or route.mirror_address is None:
        return None
    assert route.service_name is not None, "a mirrored route names its service (9661)"
    assert route.broker_instance is not None, "a mirrored route names its broker id (9661)"
    assert isinstance(route.address, NetworkAddress), "a mirrored route has two network addresses (9743)"
    return MirroredPair(route.service_name, route.broker_instance, route.address.tcp, route.mirror_address.tcp)


class MirrorBook:
    """One monitor for each pair; those of routes that are not defined any more are forgotten once they rest."""

    def __init__(self, settings: LinkSettings) -> None:
        self._settings = settings
        self._monitors: dict[MirroredPair, MirrorMonitor] = {}
        self._at: dict[TcpAddress, dict[MirroredPair, MirrorMonitor]] = {}

    def open(self, pair: MirroredPair, route: RouteName) -> MirrorMonitor:
        """The monitor of a pair; `route` names it if it is new."""
        monitor = self._monitors.get(pair)
        if monitor is None:
            monitor = self._monitors[pair] = MirrorMonitor(pair, route, self._settings)
            for address in (pair.address, pair.mirror_address):
                self._at.setdefault(address, {})[pair] = monitor
        return monitor

    def find(self, pair: MirroredPair) -> MirrorMonitor | None:
        """The monitor of a pair, if its route was used."""
        return self._monitors.get(pair)

    def all(self) -> list[MirrorMonitor]:
        """Every monitor, in the order of first use."""
        return list(self._monitors.values())

    def watching(self, address: TcpAddress) -> list[MirrorMonitor]:
        """Active monitors with a partner at an address."""
        return [monitor for monitor in self._at.get(address, {}).values() if monitor.is_active]

    def leave(self, pair: MirroredPair, user: UserKey, now: Instant) -> None:
        """A conversation has nothing more to send over the route."""
        monitor = self._monitors.get(pair)
        if monitor is not None and user in monitor.users:
            del monitor.users[user]
            if not monitor.is_active:
                # At rest since our endpoint stopped: whoever sends next has to see that, and to ask.
                return
            monitor.engage(now)
            if monitor.used_until is not None and not monitor.users:
                monitor.wakes_at = min(monitor.wakes_at or monitor.used_until, monitor.used_until)

    def forget_undefined(self, catalog: InstanceCatalog) -> None:
        """Drop what is known of routes that no database has any more, unless somebody still uses them."""
        for pair, monitor in list(self._monitors.items()):
            if not monitor.is_active and not _is_defined(catalog, monitor):
                del self._monitors[pair]
                for address in (pair.address, pair.mirror_address):
                    self._at[address].pop(pair)

    def wake_at(self) -> Instant | None:
        """When a monitor wants attention next."""
        at: Instant | None = None
        for monitor in self._monitors.values():
            at = earlier(at, monitor.wakes_at)
        return at


def _is_defined(catalog: InstanceCatalog, monitor: MirrorMonitor) -> bool:
    routes = (database.routes.get(monitor.route) for database in catalog.databases.values())
    return any(pair_of(route) == monitor.pair for route in routes if route is not None)
