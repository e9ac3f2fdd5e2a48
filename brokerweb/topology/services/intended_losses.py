"""Ticks of losses fall with the losses: nobody has said anything about a flow that works again and is lost again."""

from __future__ import annotations

from typing import Final

from django.utils import timezone

from brokerweb.topology.flows import digest_of
from brokerweb.topology.models import ChangeSet, IntendedLoss
from brokerweb.topology.selectors.draft_flows import draft_impact, is_lost
from brokerweb.topology.selectors.drafts import draft_misfits

_BATCH: Final = 500


def losses_settle(draft: ChangeSet) -> None:
    """Take back every tick of an open draft whose flow is not lost. Without ticks nothing is evaluated.

    What does not fit together has no flows: its ticks stay until it does.
    """
    ticks = IntendedLoss.objects.filter(change_set=draft)
    if not ticks.exists() or draft_misfits(draft):
        return
    lost = {digest_of(row.key) for row in draft_impact(draft, timezone.now()).changes if is_lost(row)}
    fallen = [digest for digest in ticks.values_list("digest", flat=True) if digest not in lost]
    for begin in range(0, len(fallen), _BATCH):
        ticks.filter(digest__in=fallen[begin : begin + _BATCH]).delete()
