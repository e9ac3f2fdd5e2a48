"""Wake-ups: the only thing the web's processes tell each other through the channel layer.

A wake-up says *that* something changed and how far, never *what*: whoever wakes reads the truth itself. A lost one
therefore costs a moment of staleness (live views look by themselves every few seconds), never a wrong view.
"""

from __future__ import annotations

import hashlib
import logging

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

logger = logging.getLogger(__name__)


def estate_group(estate_name: str) -> str:
    """The channel-layer group of everybody who watches an estate; group names are ASCII, estate names are not."""
    return "estate." + hashlib.sha256(estate_name.encode()).hexdigest()[:40]


def wake_instance_watchers(estate_name: str, instance_name: str, sequence: int) -> None:
    """Tell everybody who watches the estate that an instance has events up to `sequence`."""
    _send(estate_name, {"type": "live.instance_woke", "instance": instance_name, "sequence": sequence})


def wake_topology_watchers(estate_name: str) -> None:
    """Tell everybody who watches the estate that its desired or applied revisions, or its drafts, changed."""
    _send(estate_name, {"type": "live.topology_woke"})


def _send(estate_name: str, message: dict[str, object]) -> None:
    """A channel layer that is down must not fail what has already been committed."""
    try:
        async_to_sync(get_channel_layer().group_send)(estate_group(estate_name), message)
    except Exception:
        logger.warning("The channel layer did not take a wake-up for estate %s.", estate_name, exc_info=True)
