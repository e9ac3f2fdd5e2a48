"""Wake-ups: the only thing the web's processes tell each other through the channel layer.

A wake-up says *that* something changed and how far, never *what*: whoever wakes reads the truth itself. A lost one
therefore costs a moment of staleness (live views look by themselves every few seconds), never a wrong view.
"""

from __future__ import annotations

import hashlib
import logging
from functools import lru_cache
from typing import Final

from channels.layers import get_channel_layer

from brokerweb.common.layer_thread import LayerThread

logger = logging.getLogger(__name__)

_thread: Final = LayerThread()

PEOPLE_GROUP: Final = "people"
"""The group of every process that serves people."""
INSTANCE_WOKE: Final = "live.instance_woke"
TOPOLOGY_WOKE: Final = "live.topology_woke"
RIGHTS_CHANGED: Final = "live.rights_changed"
WAKE_UP_BYTES_MAX: Final = 200
"""A wake-up as JSON is never longer, whatever its estate and its instance are called."""


@lru_cache(maxsize=1024)
def estate_group(estate_name: str) -> str:
    """The channel-layer group of everybody who watches an estate; group names are ASCII, estate names are not."""
    return "estate." + hashlib.sha256(estate_name.encode()).hexdigest()[:40]


def instance_key(instance_name: str) -> str:
    """What stands for an instance in a wake-up, so that none is longer than `WAKE_UP_BYTES_MAX`."""
    return hashlib.sha256(instance_name.encode()).hexdigest()[:16]


def wake_instance_watchers(estate_name: str, instance_name: str, sequence: int) -> None:
    """Tell everybody who watches the estate that an instance has events up to `sequence`."""
    group = estate_group(estate_name)
    _send(
        group,
        {"type": INSTANCE_WOKE, "estate": group, "instance": instance_key(instance_name), "sequence": sequence},
    )


def wake_topology_watchers(estate_name: str) -> None:
    """Tell everybody who watches the estate that its desired or applied revisions, or its drafts, changed."""
    group = estate_group(estate_name)
    _send(group, {"type": TOPOLOGY_WOKE, "estate": group})


def wake_people() -> None:
    """Tell every process that serves people that somebody's rights have changed."""
    _send(PEOPLE_GROUP, {"type": RIGHTS_CHANGED})


def _send(group: str, message: dict[str, object]) -> None:
    """A channel layer that is down must not fail what has already been committed."""
    try:
        _thread.run(lambda: get_channel_layer().group_send(group, message))
    except Exception:
        logger.warning("The channel layer did not take a wake-up for %s.", group, exc_info=True)
