"""Assertions of an estate: made, changed and deleted, each time with a row of the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import (
    AssertionChanged,
    AssertionNameTaken,
    MalformedRequest,
    NothingClaimed,
    TooManyAssertions,
)
from brokerweb.common.languages import asked_language
from brokerweb.topology.flows import question_from_json, question_to_json
from brokerweb.topology.models import Estate
from brokerweb.topology.services.deeds import deeds_note
from brokerweb.topology.services.revision import estate_lock
from brokerweb.whatif.models import NAME_LENGTH, Assertion
from brokerweb.whatif.sayings import deeds_of, told, values_of
from brokerweb.whatif.selectors.assertions import assertion_of
from brokerweb.whatif.selectors.basis import Basis, BasisAsked, basis_of
from brokerweb.whatif.stored import Expectation, Fault, expectation_of_row, faults_of_row, moment_of, to_json
from engine import api as engine

ASSERTIONS_MAX: Final = 2_000
"""Assertions of an estate: what one request runs."""


class AssertionDraft(msgspec.Struct, frozen=True, kw_only=True):
    """An assertion that somebody wants."""

    question: engine.what_if.FlowQuestion
    name: str | None = None
    """None is a name made of the question."""
    note: str = ""
    tags: tuple[str, ...] = ()
    is_enabled: bool = True
    faults: tuple[Fault, ...] = ()
    at: engine.UtcTime | None = None
    expected: Expectation | None = None
    """None is what comes of it now."""
    pinned_to: BasisAsked = BasisAsked()
    """Of which state that is asked."""
    with_path: bool = False


class AssertionChange(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody wants of an assertion; None leaves it as it is."""

    name: str | None = None
    note: str | None = None
    tags: tuple[str, ...] | None = None
    is_enabled: bool | None = None
    expected: Expectation | None = None
    re_pin: bool = False
    """Expect what comes of it now."""


def assertion_create(estate_name: str, draft: AssertionDraft, *, user: User | None) -> Assertion:
    """A new assertion of an estate.

    Raises `ObjectNotFound` for a question of nobody and a fault of what is not there, `NothingClaimed`,
    `AssertionNameTaken`, `TooManyAssertions`, and as `basis_of`.
    """
    basis = basis_of(estate_name, draft.pinned_to, "/pin")
    question = basis.places.question(draft.question, "/question")
    faults = tuple(basis.places.fault(each, f"/faults/{at}") for at, each in enumerate(draft.faults))
    refuse_empty(draft.expected)
    pinned = pin_to(basis, question, faults, draft.at, with_path=draft.with_path)
    expected = pinned.expected if draft.expected is None else draft.expected
    with transaction.atomic():
        estate = estate_lock(estate_name)
        refuse_too_many(estate, 1)
        wanted = msgspec.structs.replace(pinned, expected=expected, note=draft.note)
        taken = set(Assertion.objects.filter(estate=estate).values_list("name", flat=True))
        name = free_name(pinned.name, taken) if draft.name is None else draft.name
        row = new_row(estate, wanted, name, user, tags=draft.tags, is_enabled=draft.is_enabled)
        _refuse_taken(row)
        row.save(force_insert=True)
        deeds_note(
            estate_name,
            deeds_of(row, None, values_of(row)),
            user=user,
            summary=told("create-assertion", name=row.name),
        )
    return row


def assertion_change(
    estate_name: str, pk: int, change: AssertionChange, *, version: int, user: User | None
) -> Assertion:
    """Another name, note, tags or expectation.

    Raises `ObjectNotFound`, `AssertionChanged` when it is not at `version` any more, `NothingClaimed`,
    `AssertionNameTaken`, and `MalformedRequest` for two expectations at once.
    """
    refuse_empty(change.expected)
    if change.re_pin and change.expected is not None:
        raise MalformedRequest(
            _("An expectation is given, and what comes of it now is to be expected, at once."), pointer="/re_pin"
        )
    basis = basis_of(estate_name, BasisAsked()) if change.re_pin else None
    with transaction.atomic():
        row = assertion_of(estate_lock(estate_name), pk)
        _refuse_moved(row, version, _fields_of(change))
        before = values_of(row)
        was_name = row.name
        _set(row, change, basis)
        if row.name != was_name:
            _refuse_taken(row)
        deeds = deeds_of(row, before, values_of(row))
        if not deeds:
            return row
        row_moved(row, user)
        deeds_note(estate_name, deeds, user=user, summary=told("change-assertion", name=row.name))
    return row


@transaction.atomic
def assertion_delete(estate_name: str, pk: int, *, version: int, user: User | None) -> None:
    """Delete an assertion and its history. Raises `ObjectNotFound`, `AssertionChanged`."""
    row = assertion_of(estate_lock(estate_name), pk)
    _refuse_moved(row, version, {"deleted": True})
    deeds = deeds_of(row, values_of(row), None)
    row.delete()
    deeds_note(estate_name, deeds, user=user, summary=told("drop-assertion", name=row.name))


def pin_to(
    basis: Basis,
    question: engine.what_if.FlowQuestion,
    faults: tuple[Fault, ...],
    clock: engine.UtcTime | None,
    *,
    with_path: bool,
) -> engine.assertions.Assertion:
    """What comes of a question in a basis, as an assertion under a name of its own making."""
    (pinned,) = engine.assertions.pin(
        basis.catalogs,
        [question],
        at=basis.instant,
        faults=faults,
        clock=clock,
        with_path=with_path,
        language=asked_language(),
    )
    return pinned


def new_row(
    estate: Estate,
    wanted: engine.assertions.Assertion,
    name: str,
    user: User | None,
    *,
    tags: Iterable[str] = (),
    is_enabled: bool = True,
) -> Assertion:
    """An assertion that is not stored yet."""
    now, by = timezone.now(), "" if user is None else user.get_username()
    return Assertion(
        estate=estate,
        name=name,
        note=wanted.note,
        tags=list(dict.fromkeys(tags)),
        is_enabled=is_enabled,
        question=question_to_json(wanted.question),
        faults=to_json(wanted.faults),
        at=moment_of(wanted.at),
        expected=to_json(wanted.expected),
        created_by=by,
        created_at=now,
        changed_by=by,
        changed_at=now,
    )


def free_name(wanted: str, taken: set[str]) -> str:
    """A name as it is wanted, cut to what fits, with a number behind it where it is taken."""
    name, number = _cut(wanted, ""), 2
    while name in taken:
        name, number = _cut(wanted, f" ({number})"), number + 1
    return name


def _cut(name: str, ending: str) -> str:
    room = NAME_LENGTH - len(ending)
    return (name if len(name) <= room else name[: room - 1] + "…") + ending


def row_moved(row: Assertion, user: User | None) -> None:
    """Store a changed assertion as its next version."""
    row.version += 1
    row.changed_by = "" if user is None else user.get_username()
    row.changed_at = timezone.now()
    row.save()


def refuse_empty(expected: Expectation | None) -> None:
    """`NothingClaimed` for an expectation without a claim."""
    if expected is not None and expected.is_empty:
        raise NothingClaimed(_("The assertion claims nothing."), pointer="/expected")


def refuse_too_many(estate: Estate, more: int) -> None:
    """`TooManyAssertions` when so many more do not fit into a locked estate."""
    there = Assertion.objects.filter(estate=estate).count()
    if there + more > ASSERTIONS_MAX:
        raise TooManyAssertions(
            _("Estate {estate} has {there} assertions; {more} more would be more than {most}.").format(
                estate=estate.name, there=there, more=more, most=ASSERTIONS_MAX
            ),
            parameters={"there": there, "more": more, "most": ASSERTIONS_MAX},
        )


def _refuse_taken(row: Assertion) -> None:
    if Assertion.objects.filter(estate=row.estate, name=row.name).exclude(pk=row.pk).exists():
        raise AssertionNameTaken(
            _("Estate {estate} has an assertion {name} already.").format(estate=row.estate.name, name=row.name),
            pointer="/name",
        )


def _set(row: Assertion, change: AssertionChange, basis: Basis | None) -> None:
    for field in ("name", "note", "is_enabled"):
        wanted = getattr(change, field)
        if wanted is not None:
            setattr(row, field, wanted)
    if change.tags is not None:
        row.tags = list(dict.fromkeys(change.tags))
    expected = change.expected if basis is None else _as_it_is(row, basis)
    if expected is not None and expected != expectation_of_row(row):
        row.expected = to_json(expected)
        row.last_passed = None
    if change.is_enabled and row.last_run_id is None:
        row.last_passed = None


def _as_it_is(row: Assertion, basis: Basis) -> Expectation:
    """What comes of a stored assertion now; with the path where it was expected with one."""
    question = basis.places.question(question_from_json(row.question), "")
    clock = None if row.at is None else engine.UtcTime(row.at.timestamp())
    with_path = expectation_of_row(row).path is not None
    return pin_to(basis, question, faults_of_row(row), clock, with_path=with_path).expected


def _fields_of(change: AssertionChange) -> dict[str, Any]:
    """What somebody wanted, as the one who is refused is told."""
    wanted = {name: to_json(value) for name, value in msgspec.structs.asdict(change).items() if value is not None}
    if not change.re_pin:
        del wanted["re_pin"]
    return wanted


def _refuse_moved(row: Assertion, version: int, mine: Mapping[str, Any]) -> None:
    """`AssertionChanged` with both sides: what is wanted, and what the assertion says now."""
    if row.version == version:
        return
    theirs = {name: getattr(row, name) for name in ("name", "note", "tags", "is_enabled", "expected")}
    raise AssertionChanged(
        _("{name} is at version {now}, changed by {who}; this change was made from version {then}.").format(
            name=row.name, now=row.version, who=row.changed_by or "—", then=version
        ),
        parameters={
            "mine": dict(mine),
            "theirs": theirs,
            "version": row.version,
            "changed_by": row.changed_by,
            "changed_at": row.changed_at.isoformat(),
        },
    )
