"""`Survey`: what all checks look at, found out once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.diagnosis.dialogs import Pair, Return, pairs_of, returns_of
from engine.diagnosis.intents import Intent, intents_of
from engine.diagnosis.journeys import Journey, Traveller
from engine.diagnosis.model import Model


class Survey:
    """An estate and everything that its routes make of it."""

    def __init__(self, catalogs: Mapping[str, InstanceCatalog], now: UtcTime) -> None:
        self.now = now
        self.model = Model(catalogs, now)
        self.traveller = Traveller(self.model)

    @cached_property
    def intents(self) -> list[Intent]:
        """Who means to reach which service, and what comes of it."""
        return intents_of(self.model, self.traveller)

    @cached_property
    def pairs(self) -> list[Pair]:
        """The intents whose both ends are known."""
        return pairs_of(self.model, self.intents)

    @cached_property
    def returns(self) -> list[Return]:
        """The ways back of all dialogs."""
        return returns_of(self.model, self.traveller, self.pairs)

    @cached_property
    def journeys(self) -> list[Journey]:
        """Every way that messages are meant to go, there and back."""
        there = [intent.journey for intent in self.intents if intent.journey is not None]
        return there + [journey for back in self.returns for _, journey in (*back.arrived[:1], *back.failed[:1])]

    @cached_property
    def links(self) -> dict[tuple[InstanceName, InstanceName], Journey]:
        """Which instances connect to each other, in alphabetical order, with a way that needs it."""
        found: dict[tuple[InstanceName, InstanceName], Journey] = {}
        for journey in self.journeys:
            for one, other in zip(journey.hops, journey.hops[1:], strict=False):
                if one.instance != other.instance:
                    pair = (one.instance, other.instance)
                    found.setdefault(min(pair, (pair[1], pair[0])), journey)
        return found

    @cached_property
    def networked(self) -> dict[InstanceName, set[InstanceName]]:
        """Instances that need an endpoint, because something leaves or arrives there, with their neighbours."""
        found: dict[InstanceName, set[InstanceName]] = {}
        for one, other in self.links:
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
        for journey in self.journeys:
            last = journey.last
            if last.decision.address is not None and last.decision.database is None:
                found.setdefault(last.instance, set())
        return found
