"""A topic read once, for whoever asks over HTTP."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
from django.db import connections

from brokerweb.live.protocol import Snapshot, snapshot_of
from brokerweb.live.services.asking import Asking
from brokerweb.live.services.parts import Part, PartState, joined, part_of
from brokerweb.live.tables import Table
from brokerweb.live.topics import AnyTopic, EstateTopic
from brokerweb.topology.private_estates import no_such_estate
from brokerweb.topology.selectors.estates import estate_progress

READERS_MAX = 4


def live_snapshot(estate: str, topic: AnyTopic) -> Snapshot:
    """The topic as it is now; `ObjectNotFound` without such an estate. An instance that is silent says so."""
    progress = estate_progress(estate)
    if progress is None:
        raise no_such_estate(estate)
    at = time.time()
    if isinstance(topic, EstateTopic):
        facts: dict[str, Any] = msgspec.to_builtins(progress)
        return snapshot_of("", 0, at, {}, Table(facts=facts))
    wanted = topic.instances or progress.instances
    there = [name for name in wanted if name in progress.instances]
    asking = Asking()
    parts = [part_of(estate, name, topic, asking) for name in there]
    with ThreadPoolExecutor(READERS_MAX, thread_name_prefix="live-once") as threads:
        states = list(threads.map(_read, parts))
    found = dict(zip(there, states, strict=True))
    events = {name: state.sequence for name, state in found.items()}
    return snapshot_of("", 0, at, events, joined(found, [name for name in wanted if name not in found]))


def _read(part: Part) -> PartState:
    """In a thread that ends soon: it leaves no connection to the database, which the logs of sandboxes are in."""
    try:
        return part.read(looks_anew=True)
    finally:
        connections.close_all()
