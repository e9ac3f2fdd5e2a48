"""Moving the boxes of a drawing. It is no decision: no revision, no change set, no row of the log: the last counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from brokerweb.common.errors import MalformedRequest
from brokerweb.topology.models import NodePosition
from brokerweb.topology.selectors.findings import estate_of

POSITIONS_MAX = 20_000
"""Of one estate: more boxes than a drawing can show."""
_BATCH = 500


@transaction.atomic
def positions_set(estate_name: str, put: Mapping[str, tuple[float, float]], forgotten: Sequence[str]) -> None:
    """Put boxes somewhere, and give others back to the layout. Raises `ObjectNotFound`, `MalformedRequest`."""
    estate = estate_of(estate_name)
    gone = list(dict.fromkeys(forgotten))
    for begin in range(0, len(gone), _BATCH):
        NodePosition.objects.filter(estate=estate, node__in=gone[begin : begin + _BATCH]).delete()
    NodePosition.objects.bulk_create(
        [NodePosition(estate=estate, node=node, x=x, y=y) for node, (x, y) in put.items()],
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=["estate", "node"],
        update_fields=["x", "y"],
    )
    if NodePosition.objects.filter(estate=estate).count() > POSITIONS_MAX:
        raise MalformedRequest(
            _("Estate {estate_name} would have more than {POSITIONS_MAX:,} positions.").format(
                estate_name=estate_name, POSITIONS_MAX=POSITIONS_MAX
            ),
            why=_("Positions of boxes that are gone are kept, in case they come back."),
            cure=_("Lay everything out anew: that forgets all positions."),
            pointer="/put",
        )
