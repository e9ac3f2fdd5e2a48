"""Counts what an instance keeps in memory. The only place that looks behind the core's door: bounds are its subject."""

from __future__ import annotations

from engine.core.vocabulary.limits import FORWARD_SIZE_MEGABYTES_DEFAULT
from engine.sim.history import Measured
from engine.sim.server import Server

_MEGABYTE = 1024 * 1024


def measure(server: Server, at: float) -> Measured:
    """What the process of a server holds now."""
    broker = server.instance._broker
    endpoint = broker.catalog.endpoint
    megabytes = FORWARD_SIZE_MEGABYTES_DEFAULT if endpoint is None else endpoint.message_forward_size_megabytes
    return Measured(
        at=at,
        instance=server.name,
        conversations=len(broker.conversations),
        agenda=len(broker.agenda),
        forwarding_bytes=broker.transmitter.bytes,
        forwarding_bytes_max=megabytes * _MEGABYTE,
        destinations=len(broker.links.items()),
    )
