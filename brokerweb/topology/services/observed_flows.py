"""What traffic shows of an estate's flows, remembered with when it was seen first and last."""

from __future__ import annotations

from threading import Lock
from time import monotonic
from typing import Final

from django.db import transaction
from django.utils import timezone

from brokerweb.topology.flows import FlowQuestion, digest_of, question_to_json
from brokerweb.topology.models import Estate, Instance, ObservedFlow
from brokerweb.topology.selectors.observed_flows import REMEMBERED, look_at_traffic
from engine import api as engine

LOOK_SECONDS: Final = 30.0
"""How long a look at running instances is good for."""
_KEPT: Final = 64
_BATCH: Final = 500
_looks: dict[tuple[int, str], tuple[float, tuple[str, ...]]] = {}
"""By estate: when this process has looked last, and who did not answer then. The number alone would not do: a database
that was restored, or whose transaction was rolled back, gives it to another estate."""
_looking = Lock()


def traffic_look(estate: Estate) -> tuple[str, ...]:
    """Remember which flows there are in running instances; answers who could not be read, by name in order.

    Within `LOOK_SECONDS` of a look nobody is asked again. Those who were silent are asked first the next time.
    """
    key = (estate.pk, estate.name)
    with _looking:
        at, silent = _looks.get(key, (None, ()))
        if at is not None and monotonic() - at < LOOK_SECONDS:
            return silent
        names = sorted(Instance.objects.filter(estate=estate).values_list("name", flat=True))
        seen = look_at_traffic(estate.name, sorted(names, key=lambda name: name not in silent))
        unread = tuple(sorted(seen.unread))
        while len(_looks) >= _KEPT:
            _looks.pop(next(iter(_looks)), None)
        _looks[key] = (monotonic(), unread)
    flows_remember(estate, seen.flows)
    return unread


@transaction.atomic
def flows_remember(estate: Estate, flows: frozenset[FlowQuestion]) -> None:
    """Note that flows were seen now; what nobody has seen for long is forgotten."""
    now = timezone.now()
    ObservedFlow.objects.filter(estate=estate, last_seen__lte=now - REMEMBERED).delete()
    by_digest = {digest_of(engine.what_if.flow_key(flow)): flow for flow in flows}
    digests = sorted(by_digest)
    for begin in range(0, len(digests), _BATCH):
        ObservedFlow.objects.bulk_create(
            [
                ObservedFlow(
                    estate=estate,
                    digest=digest,
                    question=question_to_json(by_digest[digest]),
                    first_seen=now,
                    last_seen=now,
                )
                for digest in digests[begin : begin + _BATCH]
            ],
            # Another process may be looking at the same time.
            update_conflicts=True,
            unique_fields=("estate", "digest"),
            update_fields=("last_seen",),
        )
