"""Who hears that an estate wants something else: the engine by the outbox, pages by a wake-up, whoever registers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from brokerweb.common.wakeups import wake_topology_watchers
from brokerweb.topology.services.publish import publish_soon

logger = logging.getLogger(__name__)

Follower = Callable[[str], None]
"""What is done for an estate, by name, after each of its revisions; short, for somebody waits for it."""
_followers: Final[list[Follower]] = []


def on_revision(follower: Follower) -> Follower:
    """Register what is to be done after each revision. Apps above do so in a module that their `tasks` import."""
    if follower not in _followers:
        _followers.append(follower)
    return follower


def revision_announce(estate_name: str) -> None:
    """Called once a revision is committed, or what has become of it: what a follower cannot do undoes nothing of it."""
    publish_soon()
    wake_topology_watchers(estate_name)
    for follower in _followers:
        try:
            follower(estate_name)
        except Exception:
            logger.warning("%s did not follow a revision of %s.", follower.__name__, estate_name, exc_info=True)
