"""`Verdict`: the end of one flow in a few words, for all flows of an estate at once; `FlowVerdicts` finds them.

Two legs are asked: out, and the acknowledgement back, for without it the message stays where it is. Ways out are the
same for all services of a database, and ways back for all that answer it, so each is traced once.
"""

from __future__ import annotations

import msgspec

from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName, RouteName, ServiceName
from engine.core.vocabulary.messages import DialogTarget
from engine.whatif.acceptance import accepted, returned
from engine.whatif.disposition import ARRIVED, Disposition, Light
from engine.whatif.legs import Leg, round_trip
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion
from engine.whatif.tracing import Trace, Way, trace

Table = tuple[InstanceName, DatabaseName]


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """How a flow ends. Equal verdicts say that nothing has changed that a user would notice."""

    disposition: Disposition
    works: bool
    """It arrives by some way, and its sender can hear of it."""
    light: Light
    number: int | None = None
    instance: InstanceName | None = None
    """The last place reached."""
    database: DatabaseName | None = None
    path: tuple[tuple[InstanceName, DatabaseName, RouteName | None], ...] = ()
    """Instance, table and route of every hop of the most likely way."""

    @property
    def route(self) -> RouteName | None:
        """The route that decided at the sender."""
        return self.path[0][2] if self.path else None


class FlowVerdicts:
    """Verdicts of one snapshot; ways that flows share are traced once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._out: dict[tuple[InstanceName, DatabaseName, ServiceName, int | None], Trace] = {}
        self._back: dict[tuple[InstanceName, DatabaseName, ServiceName, int], Trace] = {}

    def of(self, flow: FlowQuestion) -> Verdict:
        """The verdict of a flow. Its names must be in the estate."""
        out = self._way_out(flow)
        if len(out.ways) != 1:
            return _of_legs(round_trip(self.snapshot, flow, legs=2))
        way = out.ways[0]
        home = (flow.instance, flow.database)
        if way.disposition is Disposition.DELIVERED:
            way = accepted(self.snapshot, way, flow.to_service, (home, flow.service))
        if way.disposition is Disposition.REFUSED:
            return _of_legs(round_trip(self.snapshot, flow, legs=2))
        return self._verdict(flow, way)

    def reads(self, flow: FlowQuestion) -> set[Table]:
        """The routing tables and databases that a flow's verdict depends on."""
        found = {(flow.instance, flow.database)}
        for way in self._way_out(flow).ways:
            found |= _tables_of(way)
            if way.database is not None and way.disposition in ARRIVED:
                found |= {table for back in self._way_back(flow, way).ways for table in _tables_of(back)}
        return found

    def _verdict(self, flow: FlowQuestion, way: Way) -> Verdict:
        path = tuple((hop.instance, hop.decision.table, _name(hop.decision.route)) for hop in way.hops)
        is_heard = False
        light = Light.RED
        if way.disposition in ARRIVED:
            is_heard = way.is_local or self._is_heard(flow, way)
            light = Light.GREEN if way.disposition is Disposition.DELIVERED and is_heard else Light.AMBER
        return Verdict(way.disposition, is_heard, light, way.number, way.instance, way.database, path)

    def _is_heard(self, flow: FlowQuestion, way: Way) -> bool:
        home = (flow.instance, flow.database)
        ways = self._way_back(flow, way).ways
        return any(returned(back, home, is_reply=False).disposition in ARRIVED for back in ways)

    def _way_out(self, flow: FlowQuestion) -> Trace:
        broker = flow.broker_instance
        key = (flow.instance, flow.database, flow.to_service, None if broker is None else broker.int)
        known = self._out.get(key)
        if known is None:
            known = self._out[key] = trace(
                self.snapshot, flow.instance, flow.database, DialogTarget(flow.to_service, broker)
            )
        return known

    def _way_back(self, flow: FlowQuestion, way: Way) -> Trace:
        assert way.database is not None, "what has arrived is in a database"
        own: BrokerInstanceId = self.snapshot.catalogs[flow.instance].databases[flow.database].broker_instance
        key = (way.instance, way.database, flow.service, own.int)
        known = self._back.get(key)
        if known is None:
            known = self._back[key] = trace(
                self.snapshot, way.instance, way.database, DialogTarget(flow.service, own), from_target=True
            )
        return known


def _name(route: object) -> RouteName | None:
    return getattr(route, "name", None)


def _tables_of(way: Way) -> set[Table]:
    found = {(hop.instance, hop.decision.table) for hop in way.hops}
    if way.database is not None:
        found.add((way.instance, way.database))
    return found


def _of_legs(legs: tuple[Leg, ...]) -> Verdict:
    first, second = legs
    way = first.ways[0]
    works = first.arrives > 0.0 and second.arrives > 0.0
    is_green = first.light is Light.GREEN and second.light is Light.GREEN
    light = Light.GREEN if is_green else Light.AMBER if first.arrives > 0.0 else Light.RED
    path = tuple((hop.instance, hop.decision.table, _name(hop.decision.route)) for hop in way.hops)
    return Verdict(way.disposition, works, light, way.number, way.instance, way.database, path)
