"""Many assertions at once: switched, tagged, deleted, and made for flows that have none. One row of the log for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal

import msgspec
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import MalformedRequest, ObjectNotFound
from brokerweb.common.languages import asked_language
from brokerweb.topology.deeds import Deed
from brokerweb.topology.flows import question_from_json
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.observed_flows import observed_flows
from brokerweb.topology.services.deeds import deeds_note
from brokerweb.topology.services.observed_flows import traffic_look
from brokerweb.topology.services.revision import estate_lock
from brokerweb.whatif.models import Assertion
from brokerweb.whatif.sayings import deeds_of, told, values_of
from brokerweb.whatif.selectors.basis import Basis, BasisAsked, basis_of
from brokerweb.whatif.services.assertions import free_name, new_row, refuse_too_many
from engine import api as engine

TAGS_MAX: Final = 20
"""Of one assertion."""
DEEDS_MAX: Final = 200
"""Changes that a row of the log names; the others it counts."""
_BATCH: Final = 500
Action = Literal["enable", "disable", "delete", "add-tag", "remove-tag"]
Which = Literal["observed", "possible"]
Question = engine.what_if.FlowQuestion


class BulkDone(msgspec.Struct, frozen=True, kw_only=True):
    """What became of assertions that were named."""

    changed: int
    unchanged: int
    """They were so already."""
    gone: int
    """Somebody has deleted them meanwhile."""


class FlowsAsserted(msgspec.Struct, frozen=True, kw_only=True):
    """What became of flows that were to be asserted."""

    created: int
    already: int
    """They had an assertion."""
    not_asked: int
    """They were seen once, and nobody could ask for them any more."""


@transaction.atomic
def assertions_bulk(
    estate_name: str, ids: Sequence[int], action: Action, *, tag: str | None, user: User | None
) -> BulkDone:
    """Do the same to several assertions of an estate.

    Raises `ObjectNotFound` without estate, and `MalformedRequest` for a tag that is missing, has no place, or that an
    assertion has no room for.
    """
    if (tag is not None) is not (action in ("add-tag", "remove-tag")):
        raise MalformedRequest(_("{action}: a tag belongs to tagging alone.").format(action=action), pointer="/tag")
    estate = estate_lock(estate_name)
    wanted = set(ids)
    rows = [row for row in Assertion.objects.filter(estate=estate).order_by("name") if row.pk in wanted]
    changed, deeds = _changed(rows, action, tag)
    if action == "delete":
        for begin in range(0, len(changed), _BATCH):
            Assertion.objects.filter(pk__in=[row.pk for row in changed[begin : begin + _BATCH]]).delete()
    else:
        _store(changed, user)
    if changed:
        deeds_note(estate_name, deeds[:DEEDS_MAX], user=user, summary=_summary(action, tag, changed))
    return BulkDone(changed=len(changed), unchanged=len(rows) - len(changed), gone=len(wanted) - len(rows))


def flows_assert(
    estate_name: str, which: Which, *, with_path: bool, tags: Sequence[str], user: User | None
) -> FlowsAsserted:
    """For each flow of what is live that has no assertion, one that what comes of it now goes on coming of it.

    Raises `ObjectNotFound` without estate, and `TooManyAssertions`, and then makes none.
    """
    basis = basis_of(estate_name, BasisAsked())
    flows = list(dict.fromkeys(_observed(basis) if which == "observed" else _possible(basis)))
    there = _asserted(basis.estate)
    without = [flow for flow in flows if flow not in there]
    refuse_too_many(basis.estate, len(without))
    askable = [asked for flow in without if (asked := _askable(basis, flow)) is not None]
    pinned = engine.assertions.pin(
        basis.catalogs, askable, at=basis.instant, with_path=with_path, language=asked_language()
    )
    with transaction.atomic():
        estate = estate_lock(estate_name)
        there = _asserted(estate)
        wanted = [each for each in pinned if each.question not in there]
        refuse_too_many(estate, len(wanted))
        rows = rows_made(estate, wanted, user, tags)
        if rows:
            deeds = [deed for row in rows[:DEEDS_MAX] for deed in deeds_of(row, None, values_of(row))]
            deeds_note(estate_name, deeds, user=user, summary=told("pin-flows", count=len(rows)))
    return FlowsAsserted(
        created=len(rows),
        already=len(flows) - len(without) + len(pinned) - len(rows),
        not_asked=len(without) - len(pinned),
    )


def rows_made(
    estate: Estate, wanted: Iterable[engine.assertions.Assertion], user: User | None, tags: Iterable[str] = ()
) -> list[Assertion]:
    """New assertions of a locked estate, stored, under names that are still free."""
    taken = set(Assertion.objects.filter(estate=estate).values_list("name", flat=True))
    rows = []
    for each in wanted:
        row = new_row(estate, each, free_name(each.name, taken), user, tags=tags)
        taken.add(row.name)
        rows.append(row)
    Assertion.objects.bulk_create(rows, batch_size=_BATCH)
    return rows


def _changed(rows: list[Assertion], action: Action, tag: str | None) -> tuple[list[Assertion], list[Deed]]:
    """Those that become other ones, changed in memory, and what the log says of them."""
    changed, deeds = [], []
    for row in rows:
        before = values_of(row)
        _ACTIONS[action](row, tag or "")
        of_row = deeds_of(row, before, None if action == "delete" else values_of(row))
        if of_row:
            changed.append(row)
            deeds += of_row
    return changed, deeds


def _enable(row: Assertion, _tag: str) -> None:
    row.is_enabled = True
    if row.last_run_id is None:
        row.last_passed = None


def _disable(row: Assertion, _tag: str) -> None:
    row.is_enabled = False


def _keep(_row: Assertion, _tag: str) -> None:
    """It is deleted as it is."""


def _tag(row: Assertion, tag: str) -> None:
    if tag not in row.tags:
        if len(row.tags) >= TAGS_MAX:
            raise MalformedRequest(
                _("{name} has {most} tags, which is all that one can have.").format(name=row.name, most=TAGS_MAX),
                cure=_("Take one of them off first."),
                pointer="/tag",
            )
        row.tags = [*row.tags, tag]


def _untag(row: Assertion, tag: str) -> None:
    row.tags = [each for each in row.tags if each != tag]


_ACTIONS: Final[dict[Action, Callable[[Assertion, str], None]]] = {
    "enable": _enable,
    "disable": _disable,
    "delete": _keep,
    "add-tag": _tag,
    "remove-tag": _untag,
}
_SUMMARIES: Final[dict[Action, str]] = {
    "enable": "enable-assertions",
    "disable": "disable-assertions",
    "delete": "drop-assertions",
    "add-tag": "tag-assertions",
    "remove-tag": "untag-assertions",
}


def _summary(action: Action, tag: str | None, changed: list[Assertion]) -> str:
    if len(changed) == 1:
        return told("drop-assertion" if action == "delete" else "change-assertion", name=changed[0].name)
    more = {} if tag is None else {"tag": tag}
    return told(_SUMMARIES[action], count=len(changed), **more)


def _store(rows: list[Assertion], user: User | None) -> None:
    now, by = timezone.now(), "" if user is None else user.get_username()
    for row in rows:
        row.version += 1
        row.changed_by, row.changed_at = by, now
    fields = ("is_enabled", "tags", "last_passed", "version", "changed_by", "changed_at")
    Assertion.objects.bulk_update(rows, fields, batch_size=_BATCH)


def _possible(basis: Basis) -> Iterable[Question]:
    return engine.what_if.possible_flows(basis.catalogs)


def _observed(basis: Basis) -> Iterable[Question]:
    traffic_look(basis.estate)
    return observed_flows(basis.estate, basis.at).values()


def _asserted(estate: Estate) -> set[Question]:
    """Questions of which something is asserted as things are, without faults and at any instant."""
    rows = Assertion.objects.filter(estate=estate, at=None, faults=[]).values_list("question", flat=True)
    return {question_from_json(question) for question in rows}


def _askable(basis: Basis, flow: Question) -> Question | None:
    try:
        return basis.places.question(flow, "")
    except ObjectNotFound:
        return None
