"""What an instance of `tests.support.world` knows of those that hand it messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.neighbours import Neighbour

if TYPE_CHECKING:
    from tests.support.world import Node


class Acquaintances:
    """Neighbours by name, each as long as its catalog stays as it is."""

    def __init__(self, hearer: Node) -> None:
        self._hearer = hearer
        self._known: dict[str, tuple[InstanceCatalog, Neighbour]] = {}

    def of(self, speaker: Node) -> Neighbour:
        """What a host knows of an instance of its estate."""
        catalog = speaker.instance.catalog
        known = self._known.get(speaker.name)
        if known is None or known[0] is not catalog:
            known = self._known[speaker.name] = catalog, self._looked_at(speaker, catalog)
        return known[1]

    def _looked_at(self, speaker: Node, catalog: InstanceCatalog) -> Neighbour:
        endpoint, hearer = catalog.endpoint, self._hearer
        return Neighbour(
            instance=speaker.name,
            is_vouched=True,
            is_self=speaker is hearer,
            forwards=endpoint is not None and endpoint.is_message_forwarding_enabled,
            brokers=frozenset(each.broker_instance for each in catalog.databases.values()),
            is_at=lambda address: hearer.world.node_at(address, hearer) is speaker,
        )
