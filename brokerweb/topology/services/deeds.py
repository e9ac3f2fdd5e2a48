"""Deeds are noted in the log of the estate, one row for what one person does at once."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from brokerweb.accounts.models import User
from brokerweb.common.sayings import Saying
from brokerweb.topology.deeds import Deed, deeds_touched, with_deeds
from brokerweb.topology.private_estates import is_private
from brokerweb.topology.services.decisions import decision_append
from brokerweb.topology.services.revision import estate_lock


@transaction.atomic
def deeds_note(estate_name: str, deeds: Sequence[Deed], *, user: User | None, summary: Saying) -> None:
    """The next row of the log: who did what to what runs, with before and after. `ObjectNotFound` without estate.

    A private estate has a log of its own, in which the command itself is a line.
    """
    if is_private(estate_name):
        return
    estate = estate_lock(estate_name)
    decision_append(estate, [deeds_touched(deeds)], user=user, summary=with_deeds(summary, deeds))
