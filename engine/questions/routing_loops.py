"""Which instances pass messages on to each other until their hops are used up (SBD-112)."""

from __future__ import annotations

import msgspec

from engine.questions.findings import of_codes


class RoutingLoops(msgspec.Struct, frozen=True):
    """Takes nothing."""


REGISTRATION = of_codes("routing_loops", "Routes that send messages round in circles.", RoutingLoops, ("SBD-112",))
