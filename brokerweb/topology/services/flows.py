"""Losses of flows, looked at and said to be meant: the gate before a change set becomes what is live."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import LossGone
from brokerweb.common.sayings import Saying
from brokerweb.topology.deeds import Deed, with_deeds
from brokerweb.topology.flows import FlowQuestion, digest_of, question_to_json
from brokerweb.topology.models import ChangeSet, ChangeSetState, IntendedLoss
from brokerweb.topology.selectors.draft_flows import (
    FlowRow,
    Impact,
    change_set_impact,
    draft_impact,
    flow_rows,
    is_lost,
)
from brokerweb.topology.selectors.drafts import change_set_at
from brokerweb.topology.services.decisions import decision_log
from brokerweb.topology.services.drafts import draft_moved, draft_open
from brokerweb.topology.services.intended_losses import losses_settle
from brokerweb.topology.services.observed_flows import traffic_look
from brokerweb.topology.services.revision import estate_lock
from brokerweb.topology.summaries import saying
from engine import api as engine

DEEDS_MAX: Final = 200
"""Flows that a row of the log names; the others it counts."""
_BATCH: Final = 500


class FlowsSeen(msgspec.Struct, frozen=True, kw_only=True):
    """What a change set makes of the flows, and whose traffic is not known."""

    change_set: ChangeSet
    impact: Impact
    rows: list[FlowRow]
    unread: tuple[str, ...]


def flows_look(estate_name: str, number: int) -> FlowsSeen:
    """What an open change set would make of the flows, after a look at the traffic; of an applied one what it did.

    Raises `ObjectNotFound`, and `ChangeSetClosed` for one that was discarded.
    """
    change_set = change_set_at(estate_name, number)
    unread: tuple[str, ...] = ()
    if change_set.state == ChangeSetState.OPEN:
        unread = traffic_look(change_set.estate)
        with transaction.atomic():
            losses_settle(change_set)
    now = timezone.now()
    impact = change_set_impact(change_set, now)
    return FlowsSeen(change_set=change_set, impact=impact, rows=flow_rows(change_set, impact, now), unread=unread)


@transaction.atomic
def losses_intend(
    estate_name: str,
    number: int,
    keys: Sequence[str],
    *,
    intended: bool,
    user: User | None,
    expected_sequence: int | None,
) -> int:
    """Say of losses that they are meant, or that they are not; answers the sequence. Saying it again says nothing.

    Raises `LossGone` for a flow that is not lost, `ObjectNotFound`, `ChangeSetClosed`, `RevisionConflict`.
    """
    estate = estate_lock(estate_name)
    draft = draft_open(estate, number, expected_sequence)
    losses = {row.key: row.question for row in draft_impact(draft, timezone.now()).changes if is_lost(row)}
    wanted = list(dict.fromkeys(keys))
    missing = [key for key in wanted if key not in losses]
    if missing:
        raise LossGone(
            _("Change set #{number} does not lose the flow {flow}.").format(number=draft.number, flow=missing[0])
        )
    ticked = set(IntendedLoss.objects.filter(change_set=draft).values_list("digest", flat=True))
    changed = {key: losses[key] for key in wanted if (digest_of(key) in ticked) is not intended}
    if not changed:
        return draft.sequence
    if intended:
        _tick(draft, changed, user)
    else:
        _untick(draft, changed)
    decision_log(estate, user=user, summary=_summary(changed, intended=intended), change_set=draft)
    return draft_moved(draft)


def _tick(draft: ChangeSet, flows: dict[str, FlowQuestion], user: User | None) -> None:
    now = timezone.now()
    IntendedLoss.objects.bulk_create(
        [
            IntendedLoss(
                change_set=draft,
                digest=digest_of(key),
                question=question_to_json(flow),
                author=user,
                author_name="" if user is None else user.get_username(),
                intended_at=now,
            )
            for key, flow in flows.items()
        ],
        batch_size=_BATCH,
    )


def _untick(draft: ChangeSet, flows: dict[str, FlowQuestion]) -> None:
    digests = [digest_of(key) for key in flows]
    for begin in range(0, len(digests), _BATCH):
        IntendedLoss.objects.filter(change_set=draft, digest__in=digests[begin : begin + _BATCH]).delete()


def _summary(flows: dict[str, FlowQuestion], *, intended: bool) -> Saying:
    template = "intend-loss" if intended else "unintend-loss"
    first = next(iter(flows.values()))
    sentence = (
        saying(
            template,
            service=first.service,
            database=first.database,
            instance=first.instance,
            to_service=first.to_service,
        )
        if len(flows) == 1
        else saying("intend-losses" if intended else "unintend-losses", count=len(flows))
    )
    return with_deeds(
        sentence,
        [
            Deed(
                instance=flow.instance,
                database=flow.database,
                kind="flow",
                name=engine.what_if.flow_key(flow),
                field="intended",
                before=not intended,
                after=intended,
            )
            for flow in list(flows.values())[:DEEDS_MAX]
        ],
    )
